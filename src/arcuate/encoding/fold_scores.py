"""Pairwise and voxelwise scores over folds, from `arcuate.encoding.fold_fit`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from arcuate.datasets.responses import BrainResponses
from arcuate.encoding.fold_fit import FoldFit, Predicted, predict
from arcuate.encoding.result import Cell, Measured
from arcuate.encoding.select import CIRCULAR, FIXED, Selection, best, fixed_columns, spheres, stability
from arcuate.encoding.settings import EncodingSettings
from arcuate.errors import ArcuateError
from arcuate.metrics.pairwise import MATCHES, SIMILARITIES, Pairwise, accuracy_over, partners, similarity_matrix
from arcuate.metrics.voxelwise import (
    VOXELWISE,
    best_voxels,
    correlation,
    explained_variance,
    over_voxels,
    r2,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

# Orders of few voxels go through a fold side by side, up to so many columns.
STACKED = 4096

# What is computed of every voxel; r2_simple follows from r.
BY_VOXEL = {"ev": explained_variance, "r2": r2, "r": correlation}

Cells = dict[Cell, Measured]


@dataclass(frozen=True, eq=False)
class FoldScores:
    """Scores of responses, in any order, over some folds; what does not depend on the order is made once."""

    data: BrainResponses
    fits: Callable[[np.ndarray | None], Iterable[FoldFit]]  # of features in an order
    settings: EncodingSettings
    wanted: tuple[str, ...]  # of "pairwise", "voxelwise"

    def score(self, orders: Sequence[np.ndarray | None]) -> list[tuple[Cells, np.ndarray]]:
        """For each order: all cells, and the mean over folds of every voxel's correlation."""
        if self.data.kind == "continuous":  # the features move, the responses stay
            return [self._score(self.fits(order), [None])[0] for order in orders]
        size = max(1, STACKED // self.data.n_voxels)
        found = []
        for start in range(0, len(orders), size):
            found += self._score(self.fits(None), orders[start : start + size])
        return found

    def _score(
        self, fits: Iterable[FoldFit], orders: Sequence[np.ndarray | None]
    ) -> list[tuple[Cells, np.ndarray]]:
        """For responses in each order."""
        responses, order = self.data.responses, orders[0]
        if len(orders) > 1:  # side by side, as if they were more voxels
            order = None
            responses = np.hstack([responses if one is None else responses[one] for one in orders])
        tallies = [_Tally(self.data.n_voxels) for _ in orders]
        for index, fit in enumerate(fits):
            predicted = predict(fit, responses, order, self._training_rules())
            parts = _split(predicted, len(orders))
            if "pairwise" in self.wanted:
                columns = [self._columns(fit, part, one) for part, one in zip(parts, orders, strict=True)]
                for tally, cells in zip(tallies, self._pairwise(fit, parts, columns, index), strict=True):
                    tally.add_pairs(cells)
            if "voxelwise" in self.wanted:
                values = {name: metric(predicted.targets, predicted.predictions) for name, metric in BY_VOXEL.items()}
                for k, (tally, part) in enumerate(zip(tallies, parts, strict=True)):
                    of = slice(k * self.data.n_voxels, (k + 1) * self.data.n_voxels)
                    own = {name: by_voxel[of] for name, by_voxel in values.items()}
                    tally.add_voxels(own, part.training.get("ev"), self.settings.top)
        return [tally.result() for tally in tallies]

    def needs_training(self) -> bool:
        """Whether the folds must be fitted with training scores."""
        return bool(self._training_rules())

    def _training_rules(self) -> tuple[str, ...]:
        rules = set()
        if "voxelwise" in self.wanted and self.data.n_voxels > self.settings.top:
            rules.add("ev")
        if "pairwise" in self.wanted:
            rules |= {"ev": {"ev"}, "r": {"r"}, "searchlight": {"ev"}}.get(self.settings.select.rule, set())
        return tuple(sorted(rules))

    def _columns(self, fit: FoldFit, predicted: Predicted, order: np.ndarray | None) -> np.ndarray:
        selection, data = self.settings.select, self.data
        if selection.rule in FIXED:
            return self._fixed
        if selection.rule == "searchlight":
            scores = self._spheres @ predicted.training["ev"]
        elif selection.rule == "stable":
            assert data.repetitions is not None
            rows = fit.fold.train if order is None else order[fit.fold.train]
            scores = stability(np.asarray(data.repetitions[rows], dtype=np.float64))
        elif selection.rule == CIRCULAR:
            scores = explained_variance(predicted.targets, predicted.predictions)
            scores = np.where(np.isnan(scores), -np.inf, scores)
        else:
            scores = predicted.training[selection.rule]
        return best(scores, selection.number)

    @cached_property
    def _fixed(self) -> np.ndarray:
        return fixed_columns(self.settings.select, self.data.n_voxels, self.data.rois)

    @cached_property
    def _spheres(self) -> csr_matrix:
        return spheres(self.data.coordinates, self.settings.select.radius)

    @cached_property
    def _counts(self) -> dict[int, np.ndarray]:
        return {}

    def _pairs_of(self, fit: FoldFit, index: int) -> np.ndarray:
        """Which test rows of a fold are compared, and how often; the same for every order."""
        if index not in self._counts:
            n, s = len(fit.fold.test), self.settings
            if self.data.kind == "continuous":
                rng = np.random.default_rng([s.seed, index])
                counts = partners(fit.fold.test, s.partners, s.distance, rng, allow_none=s.leave_out_lonely)
            else:
                counts = np.triu(np.ones((n, n), dtype=np.int64), 1)
            self._counts[index] = counts
        return self._counts[index]

    def _pairwise(
        self, fit: FoldFit, parts: Sequence[Predicted], columns: Sequence[np.ndarray], index: int
    ) -> list[dict[Cell, Pairwise]]:
        targets = np.stack([part.targets[:, of] for part, of in zip(parts, columns, strict=True)])
        predictions = np.stack([part.predictions[:, of] for part, of in zip(parts, columns, strict=True)])
        counts = self._pairs_of(fit, index)
        found: list[dict[Cell, Pairwise]] = [{} for _ in parts]
        for similarity in SIMILARITIES:
            f = similarity_matrix(targets, predictions, similarity)
            for match in MATCHES:
                cell = Cell("pairwise", similarity, match, None, self.settings.select.label)
                for cells, one in zip(found, accuracy_over(f, match, counts), strict=True):
                    cells[cell] = one
        return found


def _split(predicted: Predicted, number: int) -> list[Predicted]:
    """The orders that were put side by side, apart again."""
    if number == 1:
        return [predicted]
    width = predicted.targets.shape[1] // number
    parts = []
    for k in range(number):
        of = slice(k * width, (k + 1) * width)
        training = {rule: scores[of] for rule, scores in predicted.training.items()}
        parts.append(Predicted(
            predicted.targets[:, of], predicted.predictions[:, of], training, predicted.alphas[of],
            predicted.constant,
        ))
    return parts


class _Tally:
    """Scores of one order, fold by fold."""

    def __init__(self, n_voxels: int):
        self.pairs: dict[Cell, list[Pairwise]] = {}
        self.voxels: dict[Cell, list[Measured]] = {}
        self.total, self.count = np.zeros(n_voxels), np.zeros(n_voxels)

    def add_pairs(self, cells: dict[Cell, Pairwise]) -> None:
        for cell, one in cells.items():
            self.pairs.setdefault(cell, []).append(one)

    def add_voxels(self, values: dict[str, np.ndarray], training: np.ndarray | None, top: int) -> None:
        r = values["r"]
        for cell, measured in voxelwise_cells(values | {"r2_simple": r * np.abs(r)}, training, top).items():
            self.voxels.setdefault(cell, []).append(measured)
        self.total += np.nan_to_num(r)
        self.count += ~np.isnan(r)

    def result(self) -> tuple[Cells, np.ndarray]:
        cells = {cell: _pooled(parts) for cell, parts in self.pairs.items()}
        cells |= {cell: _averaged(parts) for cell, parts in self.voxels.items()}
        undefined = np.full(len(self.total), np.nan)
        return cells, np.divide(self.total, self.count, out=undefined, where=self.count > 0)


def lonely_scans(fits: Iterable[FoldFit], distance: int) -> int:
    """Test scans without a partner at the distance in their fold.

    Examples
    --------
    >>> lonely_scans([], 20)
    0
    """
    lonely = 0
    for fit in fits:
        test = fit.fold.test
        lonely += int((np.abs(test[:, None] - test[None, :]).max(axis=1) < distance).sum())
    return lonely


def check_selection(selection: Selection, data: BrainResponses) -> None:
    """Refuse a selection that these data cannot give, before any work starts.

    Examples
    --------
    >>> data = BrainResponses(dataset="toy", subject="1", kind="isolated", stimuli=("a", "b"),
    ...                       responses=np.eye(2))
    >>> check_selection(Selection("stable", 1), data)
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: toy/1 has no single repetitions, which selection by stability needs. ...
    """
    if selection.rule == "stable" and data.repetitions is None:
        raise ArcuateError(
            f"{data.name} has no single repetitions, which selection by stability needs. Use --select ev."
        )
    if selection.rule == "searchlight" and data.coordinates is None:
        raise ArcuateError(f"{data.name} has no coordinates, which a searchlight needs. Use --select ev.")
    if selection.rule in FIXED:
        fixed_columns(selection, data.n_voxels, data.rois)
    elif selection.number > data.n_voxels:
        raise ArcuateError(
            f"Selection {selection.rule!r} asks for {selection.number} voxels, {data.name} has {data.n_voxels}. "
            f"Give --voxels {data.n_voxels} or less, or --select none."
        )


def voxelwise_cells(values: dict[str, np.ndarray], training: np.ndarray | None, top: int = 500) -> Cells:
    """EV, R² and r2_simple × mean and sum × all voxels, the top 500 on train, and (circular) on test.

    Where there are no more than 500 voxels, they are all of them.

    Examples
    --------
    >>> zeros = np.zeros(3)
    >>> len(voxelwise_cells({"ev": zeros, "r2": zeros, "r2_simple": zeros}, training=None))
    6
    """
    sets: dict[str, np.ndarray | slice] = {"all": slice(None)}
    if training is not None and len(values["ev"]) > top:
        sets[f"top{top}_train"] = best(training, top)
        sets[f"top{top}_test (circular)"] = best_voxels(values["ev"], top)
    cells = {}
    for where, columns in sets.items():
        for name in VOXELWISE:
            by_voxel = values[name]
            for aggregate in ("mean", "sum"):
                found = over_voxels(by_voxel[columns], aggregate)
                cells[Cell("voxelwise", name, None, aggregate, where)] = Measured(
                    found.value, found.n, undefined=found.undefined
                )
    return cells


def _pooled(parts: list[Pairwise]) -> Measured:
    n = sum(part.n for part in parts)
    value = sum(part.value * part.n for part in parts) / n
    return Measured(value, n, sum(part.ties for part in parts), sum(part.undefined for part in parts))


def _averaged(parts: list[Measured]) -> Measured:
    value = float(np.mean([part.value for part in parts]))
    return Measured(value, max(part.n for part in parts), undefined=sum(part.undefined for part in parts))
