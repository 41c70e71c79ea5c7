"""Scores, verdicts and curves from a grid's cells: what the tables and the page are made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from arcuate.decoding.verdict.judge import judge
from arcuate.decoding.verdict.predictions import Generation, Predictions
from arcuate.errors import ArcuateError
from arcuate.experiments.cells import Cell
from arcuate.metrics.text import text_scores

NOT_JUDGED = "not judged"
SCORES = ("bleu1", "bleu2", "bleu3", "bleu4", "rouge1_p", "rouge1_r", "rouge1_f", "retrieval_rank", "retrieval_top1")
_AXES = ("dataset", "model", "method", "seed", "audit", "length", "train_input", "test_set", "test_input", "generation")
# Against these the real signal must win, where they are in the grid.
CONTROLS = ("shuffled", "noise", "zero")


def score_rows(cells: Iterable[Cell], folder: Path) -> list[dict[str, Any]]:
    """One row a generation cell that is done: its place in the grid, its scores, its signature."""
    rows = []
    for cell in cells:
        found = cell.result(folder)
        if found is not None:
            scores = text_scores(found["target"], found["predicted"], SCORES)
            rows.append({**{name: cell.values[name] for name in _AXES}, "samples": len(found["target"]),
                         "distinct_outputs": len(set(found["predicted"])),
                         **{name: round(value, 4) for name, value in scores.items()}, "signature": found["signature"]})
    return rows


def verdict_rows(cells: Iterable[Cell], folder: Path, draws: int = 2000) -> list[dict[str, Any]]:
    """A verdict for each trained model and test set: free-running, real signal against every control."""
    groups: dict[tuple[Any, ...], dict[str, Cell]] = defaultdict(dict)
    place = ("dataset", "model", "method", "seed", "audit", "length", "train_input", "test_set", "generation")
    for cell in cells:
        groups[tuple(cell.values[name] for name in place)][cell.values["test_input"]] = cell
    rows = []
    for where, by_input in groups.items():
        said = {kind: _predictions(kind, cell, folder) for kind, cell in by_input.items()}
        real, controls = said.get("real"), [one for kind in CONTROLS if (one := said.get(kind))]
        if real is None or not controls:
            continue
        rows.append({**dict(zip(place, where, strict=True)), **_judged(real, controls, draws)})
    return rows


def _judged(real: Predictions, controls: list[Predictions], draws: int) -> dict[str, Any]:
    """The verdict's columns; a set that cannot be judged (a single text, say) keeps its row and says why."""
    try:
        found = judge(real, controls, metrics=SCORES[:7], draws=draws, baselines=False)
    except ArcuateError as error:
        numbers = ("collapsed", "gain", "low", "high", "p", "retrieval_rank", "retrieval_p")
        return {"verdict": NOT_JUDGED, "sentence": str(error), **dict.fromkeys(numbers)}
    gain = next((d for d in found.differences if d.control == "shuffled" and d.metric == "rouge1_f"), None)
    return {
        "verdict": found.verdict, "sentence": found.sentence,
        "collapsed": bool(found.real.collapse and found.real.collapse.collapsed),
        "gain": gain and round(gain.value, 4), "low": gain and round(gain.low, 4),
        "high": gain and round(gain.high, 4), "p": gain and round(gain.p, 5),
        "retrieval_rank": round(found.retrieval.rank.value, 3), "retrieval_p": round(found.retrieval.p, 5),
    }


def curve_rows(cells: Iterable[Cell], folder: Path) -> list[dict[str, Any]]:
    """Losses of every training cell that is done: a row a stage, with one number an epoch."""
    rows = []
    trainings = {need.key: need for cell in cells for need in cell.needs}
    for training in trainings.values():
        found = training.result(folder)
        if found is not None:
            place = {name: training.values[name] for name in _AXES[:7]}
            for stage in dict.fromkeys(step["stage"] for step in found["history"]):
                steps = [step for step in found["history"] if step["stage"] == stage]
                rows.append({**place, "stage": stage, **{
                    name: [round(step[name], 5) for step in steps] for name in ("train_loss", "val_loss")}})
    return rows


def means(rows: Sequence[Mapping[str, Any]], by: Sequence[str], names: Sequence[str] = SCORES) -> list[dict[str, Any]]:
    """Mean over seeds of every score, by the columns `by`.

    Examples
    --------
    >>> rows = [{"method": "a", "bleu1": 1.0}, {"method": "a", "bleu1": 3.0}]
    >>> means(rows, ["method"], ["bleu1"])
    [{'method': 'a', 'seeds': 2, 'bleu1': 2.0}]
    """
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[tuple(row[name] for name in by)].append(row)
    return [
        {**dict(zip(by, where, strict=True)), "seeds": len(found),
         **{name: sum(row[name] for row in found) / len(found) for name in names}}
        for where, found in groups.items()
    ]


def _predictions(name: str, cell: Cell, folder: Path) -> Predictions | None:
    found = cell.result(folder)
    if found is None:
        return None
    generation: Generation = "free" if cell.values["generation"] == "free" else "teacher-forced"
    return Predictions(name, tuple(found["target"]), tuple(found["predicted"]), tuple(found["subject"]),
                       tuple(found["sample"]), generation)
