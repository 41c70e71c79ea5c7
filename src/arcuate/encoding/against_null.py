"""Observed scores and their nulls, for a group of subjects whose features and rows are the same.

The group goes from order to order together: where an order needs the features factorised anew, that is
done once for all of its subjects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arcuate.datasets.responses import BrainResponses
from arcuate.encoding.fold_scores import Cells
from arcuate.encoding.result import Evaluated
from arcuate.encoding.scorers import Fits, Scorer
from arcuate.encoding.voxel_nulls import VoxelTest
from arcuate.metrics.fdr import benjamini_hochberg
from arcuate.progress import track

BATCH = 100  # orders of isolated stimuli handed on together


@dataclass(frozen=True, eq=False)
class Candidate:
    """One subject and one set of features, ready to be scored.

    `orders` make the null of the scores, `map_orders` the p-values of single voxels; where there are none
    of the latter, the former make both.
    """

    data: BrainResponses
    features: str
    fits: Fits
    scorer: Scorer
    orders: np.ndarray
    map_orders: np.ndarray


class _Tally:
    """What is known of a candidate so far."""

    def __init__(self, candidate: Candidate):
        self.candidate = candidate
        self.cells, self.by_voxel = candidate.scorer.score([None])[0]
        self.null = np.empty((len(candidate.orders), len(self.cells)))
        self.above = np.zeros(candidate.data.n_voxels)

    def add(self, row: int, cells: Cells, by_voxel: np.ndarray | None) -> None:
        self.null[row] = [cells[cell].value for cell in self.cells]
        if self.by_voxel is not None and by_voxel is not None:
            self.above += by_voxel >= self.by_voxel

    def maps(self, tested: VoxelTest | None) -> dict[str, np.ndarray]:
        if self.by_voxel is None:
            return {}
        name = f"{self.candidate.data.subject}/{self.candidate.features}"
        maps = {f"{name}/r": self.by_voxel}
        p = None
        if tested is not None:
            p = tested.result().p
        elif len(self.null):
            p = np.where(np.isnan(self.by_voxel), np.nan, (1 + self.above) / (1 + len(self.null)))
        return maps if p is None else maps | {f"{name}/p": p, f"{name}/q": benjamini_hochberg(p)}


def against_null(group: Sequence[Candidate]) -> list[Evaluated]:
    """Score all candidates of a group in every order; they have the same fits, and as many orders."""
    tallies = [_Tally(one) for one in group]
    first = group[0]
    names = first.data.name if len(group) == 1 else f"{len(group)} subjects of {first.data.dataset}"
    size = 1 if first.data.kind == "continuous" else BATCH
    batches = [range(start, min(start + size, len(first.orders))) for start in range(0, len(first.orders), size)]
    for batch in track(batches, f"{names}, {first.features}: permutations{f' by {size}' if size > 1 else ''}"):
        for tally in tallies:
            scored = tally.candidate.scorer.score(list(tally.candidate.orders[batch]))
            for row, (cells, by_voxel) in zip(batch, scored, strict=True):
                tally.add(row, cells, by_voxel)
    tests: Sequence[VoxelTest | None] = [None] * len(group)
    if len(first.map_orders) and tallies[0].by_voxel is not None:
        tests = _voxel_tests(group, f"{names}, {first.features}: permutations of voxels")
    return [
        Evaluated(one.data.subject, one.features, tally.cells, tally.null, tally.maps(test))
        for one, tally, test in zip(group, tallies, tests, strict=True)
    ]


def _voxel_tests(group: Sequence[Candidate], label: str) -> list[VoxelTest]:
    """Order by order, until every voxel of every subject is decided."""
    fits = list(group[0].fits())
    tests = [VoxelTest(fits, one.data.responses) for one in group]
    moves = group[0].data.kind == "continuous"  # the features, else the responses
    for k in track(range(len(group[0].map_orders)), label):
        going = [(one, test) for one, test in zip(group, tests, strict=True) if not test.decided]
        if not going:
            break
        if moves:
            fits = list(group[0].fits(group[0].map_orders[k], search=False))
        for one, test in going:
            test.add(fits, None if moves else one.map_orders[k])
    return tests
