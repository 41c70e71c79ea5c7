"""`arcuate reproduce leakage`: the published leakage rates again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from arcuate.experiments.reproduce_leakage import Eeg2Text, LeakageRun


def leakage(
    data: Annotated[Path, typer.Option(help="Folder that holds narratives/runs.csv and zuco/sentences.csv.")],
    out: Annotated[Path, typer.Option(help="Folder for leakage.csv, leakage_runs.csv, leakage.json, leakage.html.")],
    seeds: Annotated[int, typer.Option(help="Seeds 1 to this number.")] = 4,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Leakage rates of methods a to f and optimal on real Narratives and ZuCo, next to the published ones."""
    from arcuate.experiments.reproduce_leakage import Eeg2Text, run_all

    eeg2text = Eeg2Text(data)
    runs = run_all(data, seeds=range(1, seeds + 1))
    whole = _as_dict(runs, eeg2text)
    _write(whole, runs, eeg2text, out)
    if as_json:
        typer.echo(json.dumps(whole, ensure_ascii=False))
    else:
        _show(whole, out)


def _as_dict(runs: list[LeakageRun], eeg2text: Eeg2Text) -> dict[str, Any]:
    from arcuate.experiments.reproduce_leakage import compare

    rows = [
        {
            "dataset": row.dataset, "method": row.method, "rate": row.rate, "published": row.published,
            "published_sd": row.published_sd, "difference": row.difference, "refused": row.refused,
            **{f"ours_over_{over}": value and value[0] for over, value in row.ours.items()},
            **{f"ours_over_{over}_sd": value and value[1] for over, value in row.ours.items()},
        }
        for row in compare(runs)
    ]
    every = [
        {"dataset": run.dataset, "method": run.method, "seed": run.seed, "verdict": run.verdict, "kept": run.kept,
         "over": over, **{f"{rate}_{pair}": value for rate, pairs in rates.items() for pair, value in pairs.items()}}
        for run in runs for over, rates in (run.rates or {"all": {}}).items()
    ]
    shared = {"texts_shared": eeg2text.shared_texts(), "subjects_shared": eeg2text.shared_subjects()}
    return {"rates": rows, "runs": every, "eeg2text": shared, "signature": eeg2text.findings.signature}


def _write(whole: dict[str, Any], runs: list[LeakageRun], eeg2text: Eeg2Text, out: Path) -> None:
    import polars as pl

    from arcuate.atomic import replacing, write_text
    from arcuate.report.reproduce_leakage_page import reproduce_leakage_page

    for name, rows in (("leakage.csv", whole["rates"]), ("leakage_runs.csv", whole["runs"])):
        with replacing(out / name) as temporary:
            pl.DataFrame(rows, infer_schema_length=None).write_csv(temporary)
    write_text(out / "leakage.json", json.dumps(whole, indent=2, ensure_ascii=False) + "\n")
    write_text(out / "leakage.html", reproduce_leakage_page(runs, eeg2text))


def _show(whole: dict[str, Any], out: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    grid = Table(title="Leakage rates in percent, test against train", title_justify="left")
    for name in ("dataset", "method", "rate"):
        grid.add_column(name)
    for name in ("published", "over all", "difference", "over test"):
        grid.add_column(name, justify="right")
    shown = lambda value: "–" if value is None else f"{value:.2f}"  # noqa: E731
    for row in whole["rates"]:
        numbers = (row["published"], row["ours_over_all"], row["difference"], row["ours_over_test"])
        grid.add_row(row["dataset"], row["method"], row["rate"], *map(shown, numbers))
    console = Console()
    console.print(grid)
    console.print("The papers' rule is the mean over test; their numbers fit the mean over all: see the page.")
    texts = whole["eeg2text"]["texts_shared"]
    console.print(
        f"EEG2Text's split of ZuCo shares {texts.get('test_train', 0)} texts between train and test, "
        f"{texts.get('val_train', 0)} between train and val, {texts.get('test_val', 0)} between val and test; "
        f"{whole['eeg2text']['subjects_shared'].get('test_train', 0)} of 12 subjects are in all parts.", soft_wrap=True)
    console.print(f"written to {out}", soft_wrap=True)
