"""The papers' findings, each put to a grid's results: does it hold there, and by how much?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

Row = Mapping[str, Any]
TEXT_LEAKS = ("a", "c", "d")
NO_TEXT_LEAK = ("b", "f", "optimal")
LEAK_FREE = ("f", "optimal")
SIGNAL_LEAKS = ("b", "c", "d", "e")
NO_SIGNAL_LEAK = ("a", "f", "optimal")
MODELS = ("unicorn", "eeg2text")
# Points of ROUGE-1 F that count as a difference; seeds of one cell differ by about one.
MARGIN = 2.0


@dataclass(frozen=True)
class Finding:
    """One published finding on one dataset and model; `holds` is None where the grid has not the cells."""

    name: str
    claim: str
    dataset: str
    model: str
    holds: bool | None
    numbers: str


def findings(results: Mapping[str, Sequence[Row]]) -> list[Finding]:
    """Every finding for every dataset and model that has rows."""
    scores = [row for row in results["scores"] if row["model"] in MODELS]
    places = sorted({(row["dataset"], row["model"]) for row in scores})
    found = []
    for dataset, model in places:
        mine = {
            name: [row for row in rows if (row["dataset"], row["model"]) == (dataset, model)]
            for name, rows in results.items()
        }
        for name, (claim, test) in _TESTS.items():
            holds, numbers = test(mine)
            found.append(Finding(name, claim, dataset, model, holds, numbers))
    return found


def _by_place(rows: Sequence[Row], methods: Sequence[str], **where: str) -> dict[tuple[str, int], float]:
    """ROUGE-1 F by method and seed, of the cells that `where` picks."""
    wanted = {"length": "1x", "train_input": "real", "test_set": "own", "test_input": "real",
              "generation": "teacher-forced", **where}
    return {(row["method"], row["seed"]): row["rouge1_f"] for row in rows
            if row["method"] in methods and all(row[name] == value for name, value in wanted.items())}


def _over_methods(values: Mapping[tuple[str, int], float]) -> float | None:
    """Mean over seeds, then over methods."""
    methods = dict.fromkeys(method for method, _ in values)
    return mean(mean(v for (m, _), v in values.items() if m == method) for method in methods) if methods else None


def _mean(rows: Sequence[Row], methods: Sequence[str], **where: str) -> float | None:
    return _over_methods(_by_place(rows, methods, **where))


def _gap(
    rows: Sequence[Row], methods: Sequence[str], here: Mapping[str, str], there: Mapping[str, str],
) -> float | None:
    """Mean difference over the methods and seeds that have both cells."""
    first, second = _by_place(rows, methods, **here), _by_place(rows, methods, **there)
    return _over_methods({place: first[place] - second[place] for place in first if place in second})


def _told(**values: float | None) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {'–' if value is None else f'{value:+.1f}'}"
                     for name, value in values.items())


def _inflation(rows: Mapping[str, Sequence[Row]]) -> tuple[bool | None, str]:
    leaking, fair = _mean(rows["scores"], TEXT_LEAKS), _mean(rows["scores"], LEAK_FREE)
    if leaking is None or fair is None:
        return None, "cells are missing"
    return leaking - fair > MARGIN, f"ROUGE-1 F {leaking:.1f} under a, c, d; {fair:.1f} under f and optimal"


def _recital(rows: Mapping[str, Sequence[Row]]) -> tuple[bool | None, str]:
    noise = {"train_input": "noise"}
    leaking, fair = _mean(rows["scores"], TEXT_LEAKS, **noise), _mean(rows["scores"], LEAK_FREE, **noise)
    if leaking is None or fair is None:
        return None, "cells are missing"
    return leaking - fair > MARGIN, f"trained on noise: {leaking:.1f} under a, c, d; {fair:.1f} under f and optimal"


def _shuffled(rows: Mapping[str, Sequence[Row]]) -> tuple[bool | None, str]:
    gaps = {name: _gap(rows["scores"], methods, {}, {"test_input": "shuffled"})
            for name, methods in (("under_a,_c,_d", TEXT_LEAKS), ("under_b,_f,_optimal", NO_TEXT_LEAK))}
    leaking, fair = gaps.values()
    holds = None if leaking is None or fair is None else abs(leaking) <= MARGIN < fair
    return holds, f"real minus shuffled input, teacher-forced: {_told(**gaps)}"


def _shuffled_free(rows: Mapping[str, Sequence[Row]]) -> tuple[bool | None, str]:
    free = {"generation": "free"}
    gaps = {name: _gap(rows["scores"], methods, free, {**free, "test_input": "shuffled"})
            for name, methods in (("under_a,_c,_d", TEXT_LEAKS), ("under_b,_f,_optimal", NO_TEXT_LEAK))}
    leaking, fair = gaps.values()
    holds = None if leaking is None or fair is None else abs(leaking) <= MARGIN < fair
    return holds, f"real minus shuffled input, free-running: {_told(**gaps)}"


def _additional(rows: Mapping[str, Sequence[Row]]) -> tuple[bool | None, str]:
    gaps = {name: _gap(rows["scores"], methods, {}, {"test_set": "additional"})
            for name, methods in (("under_a,_c,_d", TEXT_LEAKS), ("under_f,_optimal", LEAK_FREE))}
    leaking, fair = gaps.values()
    holds = None if leaking is None or fair is None else leaking > MARGIN >= abs(fair)
    return holds, f"original minus additional test set: {_told(**gaps)}"


def _longer(rows: Mapping[str, Sequence[Row]]) -> tuple[bool | None, str]:
    gaps = {name: _gap(rows["scores"], methods, {"length": "longer"}, {})
            for name, methods in (("under_a,_c,_d", TEXT_LEAKS), ("under_f,_optimal", LEAK_FREE))}
    leaking, fair = gaps.values()
    holds = None if leaking is None or fair is None else leaking > MARGIN >= fair
    return holds, f"longer minus 1x: {_told(**gaps)}"


def _forcing(rows: Mapping[str, Sequence[Row]]) -> tuple[bool | None, str]:
    gaps = {f"{method}": _gap(rows["scores"], [method], {}, {"generation": "free"})
            for method in ("a", "b", "c", "d", "e", "f", "optimal")}
    known = [gap for gap in gaps.values() if gap is not None]
    return (all(gap > MARGIN for gap in known) if known else None), f"teacher-forced minus free: {_told(**gaps)}"


def _encoder(rows: Mapping[str, Sequence[Row]]) -> tuple[bool | None, str]:
    """Does the validation loss of pre-training end at its lowest (falls) or well above it (turns)?"""
    curves = [row for row in rows["curves"] if row["stage"] in ("frame", "sequence") and row["length"] == "1x"
              and row["train_input"] == "real"]
    if not curves:
        return None, "no pre-training"

    def risen(methods: Sequence[str]) -> float | None:
        rises = [row["val_loss"][-1] / min(row["val_loss"]) - 1 for row in curves if row["method"] in methods]
        return 100 * mean(rises) if rises else None

    leaking, fair = risen(SIGNAL_LEAKS), risen(NO_SIGNAL_LEAK)
    holds = None if leaking is None or fair is None else leaking < 1.0 <= fair
    told = _told(**{"under_b,_c,_d,_e": leaking, "under_a,_f,_optimal": fair})
    return holds, f"rise of the validation loss above its lowest at the end, percent: {told}"


_Test = Callable[[Mapping[str, Sequence[Row]]], tuple[bool | None, str]]
_TESTS: dict[str, tuple[str, _Test]] = {
    "inflation": ("Scores are inflated under a, c and d.", _inflation),
    "recital": ("Text leakage inflates even a model that never saw a signal.", _recital),
    "shuffled input": ("Shuffled input makes no difference under text leakage, but does under b, f, optimal.",
                       _shuffled),
    "shuffled input, free": ("The same, free-running.", _shuffled_free),
    "additional test set": ("Original scores are far above additional ones only under leakage.", _additional),
    "longer training": ("Longer training keeps helping only under leakage.", _longer),
    "teacher forcing": ("Teacher forcing inflates everything.", _forcing),
    "encoder loss": ("The encoder's validation loss keeps falling only under signal leakage.", _encoder),
}
