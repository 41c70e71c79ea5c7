"""`arcuate audit`: parse, audit, print, exit 1 on a leak."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcuate.errors import ArcuateError

if TYPE_CHECKING:
    from arcuate.leakage.findings import Findings

app = typer.Typer(add_completion=False)


@app.command()
def audit(
    table: Annotated[Path, typer.Argument(help="Samples table or runs table (CSV, TSV, Parquet, Feather).")],
    splits: Annotated[list[Path] | None, typer.Argument(
        metavar="SPLIT", help="Split file, JSON, folder or files of ids (train.txt val.txt test.txt); several "
        "splits are compared. None where the table has a column 'part'.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write one self-contained page.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 on warnings too.")] = False,
    over: Annotated[str, typer.Option(help="Mean of the rates over 'all' subjects and texts, or those in 'test'.")]
    = "all",
    window: Annotated[int | None, typer.Option(help="Segments a sample spans (L); a runs table needs it.")] = None,
    where: Annotated[list[str] | None, typer.Option(help="COLUMN=VALUE: only these rows; may be repeated.")] = None,
    same_text: Annotated[list[str] | None, typer.Option(help="A=B: two texts or stories that are one.")] = None,
    near_duplicates: Annotated[str, typer.Option(help="Jaccard of word 3-shingles from which texts are near; or off.")]
    = "0.8",
    ratio: Annotated[str | None, typer.Option(help="What the parts were meant to be; else as the manifest says.")]
    = None,
    check: Annotated[list[str] | None, typer.Option(help="Only this check; may be repeated.")] = None,
    signals: Annotated[Path | None, typer.Option(help="Signal store: look for identical and dead signals.")] = None,
    statistics: Annotated[list[Path] | None, typer.Option(
        help="File that says what normalisation was fitted on (.npz of arcuate, or JSON); may be repeated.")] = None,
) -> None:
    """Find every leak in a split of TABLE, yours or a paper's; exit 1 if there is one."""
    given = splits or []
    chosen: list[Any] = [given] if _are_id_files(given) else (given or [None])
    found = _audited(
        table, chosen, reading={"window": window, "where": where or [], "same_text": same_text or []},
        over=over, checks=check, signals=signals, statistics=statistics or [],
        settings=_settings(near_duplicates, ratio),
    )
    if html is not None:
        from arcuate.report.audit_page import write_audit_page

        write_audit_page(found, html, command=_fixing_command(table, found[0].reading))
    if as_json:
        whole = found[0].to_dict() if len(found) == 1 else {
            "verdict": "leak" if any(one.verdict == "leak" for one in found) else "clean",
            "splits": [one.to_dict() for one in found],
        }
        typer.echo(json.dumps(whole, ensure_ascii=False))
    else:
        from arcuate.cli.audit_terminal import show

        show(found, html)
    if any(one.exit_code(strict) for one in found):
        raise typer.Exit(1)


def _audited(table: Path, splits: list[Any], reading: dict[str, Any], **options: Any) -> list[Findings]:
    """Audit each split; window and filter come from a split's manifest where the user gave none."""
    from arcuate.leakage.audit import audit as run
    from arcuate.samples.read import read_samples
    from arcuate.splits.record import find_manifest

    tables: dict[str, Any] = {}
    found = []
    for split in splits:
        manifest = (find_manifest(split) if isinstance(split, Path) else None) or {}
        stored = (manifest.get("table") or {}).get("read") or {}
        own = {name: value or stored.get(name) or value for name, value in reading.items()}
        if repr(own) not in tables:
            tables[repr(own)] = read_samples(table, **own)
        name = ", ".join(map(str, split)) if isinstance(split, list) else str(split or table)
        found.append(replace(run(tables[repr(own)], split, name=name, **options), reading=own))
    return found


def _settings(near_duplicates: str, ratio: str | None) -> dict[str, Any]:
    """The thresholds that the user set; the others stay as they are."""
    try:
        similarity = None if near_duplicates == "off" else float(near_duplicates)
    except ValueError as error:
        raise ArcuateError(
            f"--near-duplicates is {near_duplicates!r}. Give a Jaccard similarity such as 0.8, or off."
        ) from error
    if ratio is None:
        return {"near_duplicates": similarity}
    from arcuate.splits.parts import Ratio

    return {"near_duplicates": similarity, "ratio": Ratio.of(ratio).shares}


def _are_id_files(paths: list[Path]) -> bool:
    """Whether the files are the parts of one split: their names say train, val, test, each once."""
    if len(paths) < 2:
        return False
    from arcuate.splits.parts import is_part

    parts = [[word for word in re.split(r"[-_.]", path.stem.lower()) if is_part(word)] for path in paths]
    return all(len(found) == 1 for found in parts) and len({found[0] for found in parts}) == len(parts)


def _fixing_command(table: Path, reading: Mapping[str, Any]) -> str:
    """The command that splits the table, read as it was for the audit, without leaks."""
    import shlex

    words = ["arcuate", "split", str(table), "--method", "optimal", "--ratio", "8:1:1"]
    words += ["--window", str(reading["window"])] if reading.get("window") else []
    for name in ("where", "same_text"):
        words += [word for entry in reading.get(name) or [] for word in (f"--{name.replace('_', '-')}", entry)]
    return shlex.join([*words, "--out", "split.csv"])
