"""Scores of an encoding evaluation, by subject and over subjects, as records that become JSON."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np


class Cell(NamedTuple):
    """What was measured: pairwise cosine strict on these voxels, mean R² of those, ..."""

    score: str
    metric: str
    match: str | None
    aggregate: str | None
    voxels: str


@dataclass(frozen=True)
class Measured:
    """A value over `n` comparisons or voxels, of which `ties` counted ½ and `undefined` had no value."""

    value: float
    n: int
    ties: int = 0
    undefined: int = 0


@dataclass(frozen=True, eq=False)
class Evaluated:
    """One subject and one set of features: observed cells and their null, orders × cells."""

    subject: str
    features: str
    cells: dict[Cell, Measured]
    null: np.ndarray
    maps: dict[str, np.ndarray]


@dataclass(frozen=True)
class Score:
    """One score of one subject; `p` and `null_mean` by permutation, NaN without."""

    subject: str
    features: str
    score: str
    metric: str
    match: str | None
    aggregate: str | None
    voxels: str
    value: float
    n: int
    ties: int
    undefined: int
    null_mean: float
    p: float


@dataclass(frozen=True)
class Summary:
    """A score over subjects: mean, bootstrap interval, permutation null of the mean."""

    features: str
    score: str
    metric: str
    match: str | None
    aggregate: str | None
    voxels: str
    mean: float
    low: float
    high: float
    n_subjects: int
    null_mean: float
    p: float


@dataclass(frozen=True)
class Difference:
    """Features against a baseline: mean difference over subjects with its bootstrap interval."""

    features: str
    baseline: str
    score: str
    metric: str
    match: str | None
    aggregate: str | None
    voxels: str
    mean: float
    low: float
    high: float
    n_subjects: int


@dataclass(frozen=True, eq=False)
class EncodingResult:
    """All that `evaluate` found.

    `maps` holds one array a subject and features: the correlation of every voxel, its permutation
    p-value and the BH-adjusted one, under "SUBJECT/FEATURES/r", ".../p" and ".../q".
    """

    scores: tuple[Score, ...]
    summary: tuple[Summary, ...]
    differences: tuple[Difference, ...]
    ceilings: tuple[dict[str, Any], ...]
    notes: tuple[str, ...]
    settings: dict[str, Any]
    signature: str
    maps: dict[str, np.ndarray] = field(default_factory=dict)
    evaluated: tuple[Evaluated, ...] = ()  # with whole null distributions; not part of the JSON

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `arcuate encode --json`; NaN becomes null.

        Examples
        --------
        >>> sorted(EncodingResult((), (), (), (), (), {}, "x").to_dict())
        ['ceilings', 'differences', 'notes', 'scores', 'settings', 'signature', 'summary']
        """
        return _clean({
            "scores": [asdict(one) for one in self.scores],
            "summary": [asdict(one) for one in self.summary],
            "differences": [asdict(one) for one in self.differences],
            "ceilings": list(self.ceilings),
            "notes": list(self.notes),
            "settings": self.settings,
            "signature": self.signature,
        })


def _clean(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _clean(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
