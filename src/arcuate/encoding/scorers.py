"""One subject and one set of features, ready to be scored in any order of the responses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from arcuate.datasets.responses import BrainResponses
from arcuate.encoding.features.record import Features
from arcuate.encoding.fold_fit import FoldFit, fit_fold
from arcuate.encoding.fold_scores import Cells, FoldScores
from arcuate.encoding.folds import Fold, all_pairs, block_folds, run_folds, shuffled_folds
from arcuate.encoding.leave_two_out import Cells as PairCells
from arcuate.encoding.leave_two_out import Pairs, SelectedPairs, gram, score_gram
from arcuate.encoding.result import Cell, Measured
from arcuate.encoding.ridge_banded import band_scales, band_weights
from arcuate.encoding.ridge_cv import ONE
from arcuate.encoding.select import FIXED, fixed_columns, spheres
from arcuate.encoding.settings import EncodingSettings
from arcuate.errors import ArcuateError
from arcuate.metrics.ceiling import without_drift
from arcuate.metrics.rsa import CORRELATIONS, dissimilarity, standardised_triangle

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

# Above so many folds (all pairs, one by one) their fits are made anew instead of kept.
KEPT_FITS = 64


def folds_of(data: BrainResponses, settings: EncodingSettings) -> list[Fold]:
    """The folds of a subject's rows.

    Examples
    --------
    >>> data = BrainResponses(dataset="toy", subject="1", kind="isolated", stimuli=tuple("abcd"),
    ...                       responses=np.eye(4))
    >>> len(folds_of(data, EncodingSettings(folds=2)))
    2
    """
    if settings.folds == "runs":
        return run_folds(data.runs)
    if data.kind == "continuous":
        if settings.folds == "leave-two-out":
            raise ArcuateError(
                f"{data.name} has continuous stimuli: two scans next to their neighbours cannot be left out. "
                "Use --folds runs or a number."
            )
        return block_folds(data.runs, settings.n_folds, settings.gap)
    return shuffled_folds(data.n_rows, settings.n_folds, settings.seed)


@dataclass(frozen=True, eq=False)
class Fits:
    """The fitted folds of some features, in any order; subjects with the same rows share them."""

    features: Features
    runs: np.ndarray
    kind: str
    folds: tuple[Fold, ...]
    settings: EncodingSettings
    training: bool

    def __call__(self, order: np.ndarray | None = None, *, search: bool = True) -> Iterable[FoldFit]:
        """The folds of features that are set against responses in this order.

        Without `search`, they cannot choose alphas. The folds of the last order are kept for the next subject.
        """
        if len(self.folds) > KEPT_FITS:
            return self._made(order, search)
        if order is None:
            return self._kept
        key = (order.tobytes(), search)
        if key not in self._last:
            self._last.clear()
            self._last[key] = list(self._made(order, search))
        return self._last[key]

    @cached_property
    def _kept(self) -> list[FoldFit]:
        return list(self._made(None, search=True))

    @cached_property
    def _last(self) -> dict[tuple[bytes, bool], list[FoldFit]]:
        return {}

    def _made(self, order: np.ndarray | None, search: bool) -> Iterable[FoldFit]:
        scales = [ONE]
        if self.settings.bands:
            groups = self.features.groups
            weights = band_weights(len(groups), self.settings.bands, self.settings.seed)
            scales = band_scales(groups, weights)
        values = self.features.values if order is None else self.features.set_against(order)
        values = np.asarray(values, dtype=np.float64)
        settings = self.settings
        if self.features.own_scale:
            settings = replace(settings, standardise="responses" if settings.zscores(self.kind)[1] else "none")
        for fold in self.folds:
            yield fit_fold(
                values, fold, self.runs, settings, self.kind, training=self.training, scales=scales, search=search
            )


@dataclass(frozen=True, eq=False)
class LeaveTwoOut:
    """Pairwise scores of isolated stimuli over all pairs, in closed form."""

    data: BrainResponses
    pairs: Pairs
    settings: EncodingSettings

    def score(self, order: np.ndarray | None = None) -> Cells:
        """The nine cells for responses in this order."""
        if self._in_gram:
            rows = np.arange(self.data.n_rows) if order is None else order
            found = score_gram(self.pairs, *(matrix[np.ix_(rows, rows)] for matrix in self._gram))
        else:
            found = self._selected(order)
        label = self.settings.select.label
        return {
            Cell("pairwise", similarity, match, None, label): Measured(one.value, one.n, one.ties, one.undefined)
            for (similarity, match), one in found.items()
        }

    @cached_property
    def _in_gram(self) -> bool:
        return self.settings.select.rule in FIXED and not self.settings.zscores("isolated")[1]

    @cached_property
    def _values(self) -> np.ndarray:
        values = np.asarray(self.data.responses, dtype=np.float64)
        if self.settings.select.rule in FIXED:
            return values[:, fixed_columns(self.settings.select, self.data.n_voxels, self.data.rois)]
        return values

    @cached_property
    def _gram(self) -> tuple[np.ndarray, np.ndarray]:
        return gram(self._values)

    @cached_property
    def _spheres(self) -> csr_matrix | None:
        if self.settings.select.rule != "searchlight":
            return None
        return spheres(self.data.coordinates, self.settings.select.radius)

    def _selected(self, order: np.ndarray | None) -> PairCells:
        repetitions = None
        if self.settings.select.rule == "stable":
            assert self.data.repetitions is not None
            repetitions = np.asarray(self.data.repetitions, dtype=np.float64)
        values = self._values
        if order is not None:
            values = values[order]
            repetitions = None if repetitions is None else repetitions[order]
        return SelectedPairs.of(
            self.pairs, values, self.settings.select, repetitions, self._spheres,
            standardise=self.settings.zscores("isolated")[1],
        ).score()


@dataclass(frozen=True, eq=False)
class PairByPair:
    """Leave-two-out where every pair needs its own fit: z-scored features, or one alpha a voxel."""

    folds: FoldScores

    def score(self, order: np.ndarray | None = None) -> Cells:
        """The nine cells for responses in this order."""
        return self.folds.score([order])[0][0]


@dataclass(frozen=True, eq=False)
class Rsa:
    """Agreement of dissimilarities; nothing is fitted, so there are no folds.

    Scans are first freed of drift and z-scored by voxel over all rows. Rows of features that are all 0
    (scans without a word) have no angle: they are left out, and `n` says how many remain.
    """

    data: BrainResponses
    features: Features
    settings: EncodingSettings

    def score(self, order: np.ndarray | None = None) -> Cells:
        """Pearson's and Spearman's r of the upper triangles."""
        rows = self._rows if order is None else order[self._rows]
        values = None
        if order is not None and self.features.of_time:  # what is made from time stays: the features are new ones
            values = self.features.set_against(order)[rows]
        cells = {}
        for correlation in CORRELATIONS:
            language = self._language[correlation]
            if values is not None:
                language = standardised_triangle(dissimilarity(values), correlation)
            value = float(language @ self._triangle(rows, correlation))
            cells[Cell("rsa", correlation, None, None, "all")] = Measured(value, len(rows))
        return cells

    def _triangle(self, rows: np.ndarray, correlation: str) -> np.ndarray:
        if len(rows) == self.data.n_rows:  # the same pairs in any order: they need not be ranked again
            return self._standardised[correlation][rows[self._pairs[0]], rows[self._pairs[1]]]
        return standardised_triangle(self._brain[np.ix_(rows, rows)], correlation)

    @cached_property
    def _rows(self) -> np.ndarray:
        return np.flatnonzero(np.abs(self.features.values).max(axis=1) > 0)

    @cached_property
    def _pairs(self) -> tuple[np.ndarray, np.ndarray]:
        return np.triu_indices(self.data.n_rows, 1)

    @cached_property
    def _language(self) -> dict[str, np.ndarray]:
        matrix = dissimilarity(self.features.values[self._rows])
        return {name: standardised_triangle(matrix, name) for name in CORRELATIONS}

    @cached_property
    def _brain(self) -> np.ndarray:
        values = np.array(self.data.responses, dtype=np.float64)
        if self.data.kind == "continuous":
            for run in np.unique(self.data.runs):
                rows = self.data.runs == run
                values[rows] = without_drift(values[rows], max(self.settings.drift, 0))
            values = values / np.where(values.std(axis=0) > 0, values.std(axis=0), 1)
        return dissimilarity(values)

    @cached_property
    def _standardised(self) -> dict[str, np.ndarray]:
        """Standardised dissimilarities (or their ranks) as symmetric matrices: orders only move them."""
        square = {}
        for name in CORRELATIONS:
            square[name] = np.zeros(self._brain.shape)
            square[name][self._pairs] = standardised_triangle(self._brain, name)
            square[name] += square[name].T
        return square


@dataclass(frozen=True, eq=False)
class Scorer:
    """All scores that were asked for."""

    leave_two_out: LeaveTwoOut | PairByPair | None
    folds: FoldScores | None
    rsa: Rsa | None

    def score(self, orders: Sequence[np.ndarray | None]) -> list[tuple[Cells, np.ndarray | None]]:
        """For each order: every cell, and the correlation of every voxel."""
        found: list[tuple[Cells, np.ndarray | None]] = [({}, None) for _ in orders]
        if self.folds is not None:
            maps = "voxelwise" in self.folds.wanted
            found = [(cells, by_voxel if maps else None) for cells, by_voxel in self.folds.score(orders)]
        for (cells, _), order in zip(found, orders, strict=True):
            if self.leave_two_out is not None:
                cells |= self.leave_two_out.score(order)
            if self.rsa is not None:
                cells |= self.rsa.score(order)
        return found


def every_pair(n_rows: int) -> list[Fold]:
    """All pairs as folds, for settings that need a fit a pair.

    Examples
    --------
    >>> len(every_pair(5))
    10
    """
    rows = np.arange(n_rows)
    return [Fold(np.delete(rows, pair), pair) for pair in all_pairs(n_rows)]
