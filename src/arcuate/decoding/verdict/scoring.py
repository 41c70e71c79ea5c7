"""All scores of all prediction sets as one function of one table of summed statistics.

So that one bootstrap gives the interval of every score and of every difference at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arcuate.decoding.verdict.predictions import Predictions
from arcuate.metrics.text import METRICS, text_statistics

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scorer:
    """Columns of statistics of one prediction set -> its scores, in the order of `metrics`."""

    metrics: tuple[str, ...]
    columns: dict[str, slice]

    @property
    def width(self) -> int:
        """Columns of statistics that a prediction set has."""
        return max(columns.stop for columns in self.columns.values())

    @property
    def signs(self) -> Array:
        """1 where more is better, -1 for error rates."""
        return np.array([1.0 if METRICS[name].higher_is_better else -1.0 for name in self.metrics])

    def scores(self, sums: Array) -> Array:
        """Every metric of summed statistics (..., width)."""
        values = [METRICS[name].from_sums(sums[..., self.columns[METRICS[name].family]]) for name in self.metrics]
        return np.stack(values, axis=-1)

    def merits(self, sums: Array) -> Array:
        """The same, signed so that more is better."""
        return self.scores(sums) * self.signs

    def of_all(self, sums: Array, n_sets: int) -> Array:
        """Scores of every set, then the merit of the first minus that of each other: one long row."""
        parts = [self.scores(sums[..., n * self.width : (n + 1) * self.width]) for n in range(n_sets)]
        gaps = [self.signs * parts[0] - self.signs * part for part in parts[1:]]
        return np.concatenate([*parts, *gaps], axis=-1)


def score_sets(sets: Sequence[Predictions], metrics: Sequence[str]) -> tuple[Scorer, Array]:
    """The scorer and the statistics of all sets side by side, one row a sample.

    Examples
    --------
    >>> real = Predictions("real", ("a b", "c d"), ("a x", "c d"))
    >>> scorer, table = score_sets([real, real], ["rouge1_f", "wer"])
    >>> scorer.of_all(table.sum(axis=0), 2).tolist()
    [75.0, 25.0, 75.0, 25.0, 0.0, 0.0]
    """
    families: dict[str, slice] = {}
    blocks: list[Array] = []
    for one in sets:
        statistics = text_statistics(one.targets, one.predicted, metrics)
        start = 0
        for family, rows in statistics.items():
            families[family] = slice(start, start + rows.shape[1])
            start += rows.shape[1]
        blocks.extend(statistics.values())
    return Scorer(tuple(metrics), families), np.hstack(blocks)
