"""The grid of controls: split method × signal in training × signal in testing × generation × test set × length."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arcuate.experiments.cells import Cell
from arcuate.experiments.decoding_plan import Plan, PlannedSplit
from arcuate.experiments.decoding_setups import Setup

TRAIN_INPUTS = ("real", "noise")
TEST_INPUTS = ("real", "shuffled", "noise", "zero")
GENERATIONS = ("free", "teacher-forced")
TEST_SETS = ("own", "additional")
LENGTHS = ("1x", "longer")
# What decides a result beside settings and data. The verdict only reads results.
CODE = ("decoding", "-decoding/verdict", "signals", "experiments/decoding_runs")


@dataclass(frozen=True, kw_only=True)
class Axes:
    """Which part of the grid to run; the whole of it by default."""

    models: tuple[str, ...]
    methods: tuple[str, ...] = ("a", "b", "c", "d", "e", "f", "optimal")
    train_inputs: tuple[str, ...] = TRAIN_INPUTS
    lengths: tuple[str, ...] = LENGTHS
    test_inputs: tuple[str, ...] = TEST_INPUTS
    generations: tuple[str, ...] = GENERATIONS
    test_sets: tuple[str, ...] = TEST_SETS


def cells_of(plan: Plan, setups: Mapping[str, Setup], axes: Axes) -> list[Cell]:
    """The generation cells of a grid; each needs its training cell."""
    return [
        speaking
        for split in plan.splits if split.file is not None and split.method in axes.methods
        for label in axes.models
        for training in _trainings(plan, split, setups[label], axes)
        for speaking in _speakings(plan, split, training, setups[label], axes)
    ]


def _trainings(plan: Plan, split: PlannedSplit, setup: Setup, axes: Axes) -> Iterable[Cell]:
    for length in axes.lengths:
        for train_input in axes.train_inputs:
            # A baseline is fitted, not trained; noise in longer training repeats what noise shows once.
            if length == "longer" and (setup.is_baseline or train_input == "noise"):
                continue
            if setup.is_baseline and train_input == "noise":
                continue
            chosen = setup.longer() if length == "longer" else setup
            yield Cell.of(
                "arcuate.experiments.decoding_runs:train_cell",
                {**_common(plan, split, setup, length, train_input), "setup": chosen.values(), "split": split.file},
                data=(plan.data_sha256, str(split.sha256)), code=CODE, seconds=60.0 if length == "longer" else 30.0,
            )


def _speakings(plan: Plan, split: PlannedSplit, training: Cell, setup: Setup, axes: Axes) -> Iterable[Cell]:
    values = training.values
    for test_set in axes.test_sets:
        file, sha256 = (split.file, split.sha256) if test_set == "own" else (plan.additional, plan.additional_sha256)
        for test_input in axes.test_inputs:
            for generation in axes.generations:
                if setup.is_baseline and (generation != "free" or test_input not in ("real", "shuffled")):
                    continue
                yield Cell.of(
                    "arcuate.experiments.decoding_runs:generate_cell",
                    {**{name: values[name] for name in _COMMON}, "split": file, "test_set": test_set,
                     "test_input": test_input, "generation": generation},
                    data=(plan.data_sha256, str(sha256)), code=CODE, needs=(training,), seconds=2.0,
                )


_COMMON = ("dataset", "data", "model", "method", "seed", "audit", "length", "train_input")


def _common(plan: Plan, split: PlannedSplit, setup: Setup, length: str, train_input: str) -> dict[str, Any]:
    return {
        "dataset": plan.name, "data": plan.dataset, "model": setup.label, "method": split.method, "seed": split.seed,
        "audit": split.audit, "length": length, "train_input": train_input,
    }


def only_seeds(plan: Plan, seeds: Sequence[int]) -> Plan:
    """The same plan with fewer splits."""
    from dataclasses import replace

    return replace(plan, splits=tuple(split for split in plan.splits if split.seed in seeds))
