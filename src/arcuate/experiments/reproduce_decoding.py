"""The papers' decoding experiments in one go: data, plan, grid, tables, findings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from arcuate.atomic import write_text
from arcuate.errors import ArcuateError
from arcuate.experiments.cells import Cell, source_hash
from arcuate.experiments.decoding_findings import findings
from arcuate.experiments.decoding_grid import CODE, Axes, cells_of
from arcuate.experiments.decoding_plan import METHODS, Plan, plan_for
from arcuate.experiments.decoding_results import curve_rows, score_rows, verdict_rows
from arcuate.experiments.decoding_setups import Setup, published_setups, reduced_setups
from arcuate.experiments.decoding_tables import paper_tables
from arcuate.metrics.signature import signature

RESULTS = "results.json"


@dataclass(frozen=True, kw_only=True)
class Size:
    """How large the simulated stand-ins and the models' training are."""

    name: str
    narratives: Mapping[str, Any]
    zuco: Mapping[str, Any]
    seeds: tuple[int, ...]
    epochs: int
    pretraining: int


SIZES = {
    size.name: size
    for size in (
        # Minutes on two cores: shows the form, not the findings.
        Size(name="tiny", seeds=(1,), epochs=1, pretraining=1,
             narratives={"subjects": 12, "stories": 8, "sentences": 4, "words_per_segment": 1, "window": 6,
                         "regions": 16},
             zuco={"subjects": 6, "stories": 3, "sentences": 12}),
        # Minutes on one H200: what results/ holds.
        Size(name="small", seeds=(1, 2), epochs=20, pretraining=20,
             narratives={"subjects": 48, "stories": 32, "sentences": 12, "words_per_segment": 1, "window": 8,
                         "tr": 3.0, "regions": 64},
             zuco={"subjects": 10, "stories": 3, "sentences": 96}),
    )
}
# Dataset folders looked for under --data, by the paper's name; ZuCo's design has no method b or e (Table 3).
FOLDERS = {"narratives": METHODS, "zuco": ("a", "c", "d", "f", "optimal")}
SNR = 5.0


def find_or_simulate(data: Path | None, out: Path, size: Size, snr: float = SNR) -> dict[str, Path]:
    """Prepared datasets under `data`, or simulated stand-ins of the same layout under `out`."""
    from arcuate.datasets.simulate import simulate

    found: dict[str, Path] = {}
    for name in FOLDERS:
        if data is not None and (data / name / "samples.parquet").is_file() and (data / name / "signals").is_dir():
            found[name] = data / name
            continue
        folder = out / "data" / f"{name}-like"
        options = {"layout": name, "snr": snr, "seed": 3, **getattr(size, name)}
        if (folder / "dataset.json").is_file():
            _refuse_other_size(folder, options)
        else:
            simulate(folder, **options)
        found[f"{name}-like"] = folder
    return found


def _refuse_other_size(folder: Path, options: Mapping[str, Any]) -> None:
    stored = json.loads((folder / "dataset.json").read_text("utf-8"))["options"]
    other = [f"{name} {stored.get(name)}, not {value}" for name, value in options.items() if stored.get(name) != value]
    if other:
        raise ArcuateError(f"{folder} was simulated with {'; '.join(other)}. "
                           "Name another --out, or the same --size and --snr.")  # fmt: skip


def plan_all(data: Path | None, out: Path, size: Size, snr: float = SNR) -> list[Plan]:
    """Make the plans that are not there yet; what is planned for this very data stays as it is."""
    return [
        plan_for(folder, out, name=name, methods=FOLDERS[name.removesuffix("-like")], seeds=size.seeds)
        for name, folder in find_or_simulate(data, out, size, snr).items()
    ]


def grid_of(plans: Sequence[Plan], size: Size) -> list[Cell]:
    """What the papers' tables need: a part of the grid that `decode controls` runs whole.

    Seeds come one after the other, so that a run that is cut short leaves whole ones.
    """
    cells = []
    for plan in plans:
        setups = setups_of(plan, size)
        main = tuple(name for name in ("unicorn", "eeg2text") if name in setups)
        others = tuple(name for name in setups if name not in (*main, "unicorn_random_encoder"))
        asked = [
            Axes(models=main, train_inputs=("real",), lengths=("1x",)),
            Axes(models=main, train_inputs=("real",), lengths=("longer",), test_inputs=("real", "shuffled")),
            Axes(models=main, train_inputs=("noise",), lengths=("1x",), test_inputs=("real", "noise"),
                 test_sets=("own",)),
            Axes(models=others, methods=("f", "optimal"), train_inputs=("real",), lengths=("1x",),
                 test_inputs=("real", "shuffled"), test_sets=("own",)),
        ]
        if plan.modality == "fmri":
            asked.append(Axes(models=("unicorn_random_encoder",), train_inputs=("real",), test_inputs=("real",),
                              test_sets=("own",)))
        cells += [cell for axes in asked for cell in cells_of(plan, setups, axes)]
    return sorted(cells, key=lambda cell: cell.values["seed"])


def collect(cells: Sequence[Cell], out: Path, plans: Sequence[Plan], draws: int = 2000) -> dict[str, Any]:
    """Tables, findings, verdicts and curves of what is done, written to OUT/results.json."""
    scores = score_rows(cells, out)
    if not scores:
        raise ArcuateError(f"{out} holds no finished cell yet. Run the grid first.")
    rows: dict[str, list[dict[str, Any]]] = {
        "scores": scores, "verdicts": verdict_rows(cells, out, draws), "curves": curve_rows(cells, out),
    }
    results = {
        "kind": "decoding", "simulated": all(plan.simulated for plan in plans),
        "cells": {"done": len(scores), "asked": len(cells)},
        "findings": [asdict(one) for one in findings(rows)],
        "tables": [asdict(table) for table in paper_tables(scores)],
        "plans": [asdict(plan) for plan in plans], **rows,
        "signature": signature(
            experiment="decoding", data=",".join(plan.data_sha256[:12] for plan in plans), code=source_hash(CODE),
            simulated=",".join(plan.name for plan in plans if plan.simulated) or "no", cells=len(scores), draws=draws,
        ),
    }
    write_text(out / RESULTS, json.dumps(results, ensure_ascii=False))
    return results


def setups_of(plan: Plan, size: Size) -> dict[str, Setup]:
    """The models of a dataset: reduced for a simulated one, as published for a real one."""
    if not plan.simulated:
        return published_setups(plan.modality)
    return reduced_setups(plan.modality, size.epochs, size.pretraining)
