"""Permutation p-values of single voxels at scale: stop a voxel as soon as it is clearly not significant.

After Besag & Clifford (1991): permutations of a voxel end once `stop_after` of them did as well as the
observed order; p is then stop_after / used, which is as valid as with all of them. Most voxels of a brain
end after a few dozen of 1,000 permutations, and the weights of the folds are shared by all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arcuate.encoding.fold_fit import FoldFit, prepared
from arcuate.encoding.ridge_cv import choose_alphas, voxel_blocks
from arcuate.errors import ArcuateError
from arcuate.metrics.voxelwise import correlation

# Voxels that go through a fold together: their predictions stay in the cache.
BLOCK = 2048


@dataclass(frozen=True, eq=False)
class VoxelNull:
    """Mean over folds of every voxel's correlation, its p-value, and how many permutations that took."""

    r: np.ndarray
    p: np.ndarray
    used: np.ndarray


class VoxelTest:
    """The voxels of a subject, tested order by order; those that are decided take no further part.

    Each voxel keeps, in every fold, the alpha that was chosen for the observed order.

    Examples
    --------
    >>> from arcuate.encoding.fold_fit import fit_fold
    >>> from arcuate.encoding.folds import shuffled_folds
    >>> from arcuate.encoding.settings import EncodingSettings
    >>> x = np.random.default_rng(1).normal(size=(40, 2))
    >>> fits = [fit_fold(x, fold, np.zeros(40), EncodingSettings(alpha=1.0), "isolated", training=False)
    ...         for fold in shuffled_folds(40, 4, seed=1)]
    >>> test = VoxelTest(fits, x)
    >>> test.add(fits, np.arange(40)[::-1])
    >>> test.result().p.tolist()
    [0.5, 0.5]
    """

    def __init__(self, fits: Sequence[FoldFit], responses: np.ndarray, stop_after: int = 10):
        if stop_after < 1:
            raise ArcuateError(f"stop_after is {stop_after}. Give at least 1.")
        self.stop_after = stop_after
        self._ready: tuple[Sequence[FoldFit], list[list[np.ndarray]]] = ((), [])
        # One row a voxel, so that those of one alpha, and those still going, are copied row by row.
        self._series = _centred_rows(responses)
        n_voxels = len(self._series)
        self._alphas = np.zeros((len(fits), n_voxels), dtype=np.int64)
        # Where a drift is taken out the features move, not the responses: what is to be predicted stays the same.
        self._unmoved = [np.empty((n_voxels, len(fit.fold.test)), dtype=self._series.dtype)
                         for fit in fits if fit.drift is not None]  # fmt: skip
        for block in voxel_blocks(n_voxels):
            for k, fit in enumerate(fits):
                if fit.search is None and fit.drift is None:
                    continue
                train, test, _ = prepared(fit, self._series[block].T)
                if fit.search is not None:
                    self._alphas[k, block] = choose_alphas(fit.search, train, device=fit.device)
                if fit.drift is not None:
                    self._unmoved[k][block] = test.T
        self.above = np.zeros(n_voxels, dtype=np.int64)
        self.used = np.zeros(n_voxels, dtype=np.int64)
        self._going = np.arange(n_voxels)
        self.observed = self._correlation(fits, None)
        self._keep(~np.isnan(self.observed))

    @property
    def decided(self) -> bool:
        """Whether no voxel needs another order."""
        return not len(self._going)

    def add(self, fits: Sequence[FoldFit], order: np.ndarray | None) -> None:
        """One more order: of the responses, or (None) of the features that `fits` were made from."""
        null = self._correlation(fits, order)
        # Less than rounding below the observed order is as good as it.
        self.above[self._going] += null >= self.observed[self._going] - _TIE[self._series.dtype]
        self.used[self._going] += 1
        self._keep(self.above[self._going] < self.stop_after)

    def result(self) -> VoxelNull:
        """p is NaN where a voxel has no correlation."""
        ended = self.above >= self.stop_after
        p = np.where(ended, self.above / np.maximum(self.used, 1), (self.above + 1) / (self.used + 1))
        return VoxelNull(self.observed, np.where(np.isnan(self.observed), np.nan, p), self.used)

    def _keep(self, going: np.ndarray) -> None:
        if not going.all():
            self._going, self._series = self._going[going], self._series[going]
            self._alphas = self._alphas[:, going]
            self._unmoved = [targets[going] for targets in self._unmoved]

    def _correlation(self, fits: Sequence[FoldFit], order: np.ndarray | None) -> np.ndarray:
        """Mean over folds, of the voxels that are still going."""
        total = np.zeros(len(self._going))
        rows = np.arange(self._series.shape[1]) if order is None else order
        for k, (fit, of_fold, alphas) in enumerate(zip(fits, self._weights(fits), self._alphas, strict=True)):
            train, test = rows[fit.fold.train], rows[fit.fold.test]
            spread = np.zeros((len(rows), len(test)), dtype=self._series.dtype)
            for alpha in np.unique(alphas):
                voxels = np.flatnonzero(alphas == alpha)
                few = len(voxels) < len(test)  # then it is they that are put in order, else the weights
                if not few:
                    spread[train] = of_fold[alpha]
                for part in voxel_blocks(len(voxels), BLOCK):
                    series = self._series[voxels[part]]
                    predictions = series[:, train] @ of_fold[alpha] if few else series @ spread
                    targets = self._unmoved[k][voxels[part]] if self._unmoved else series[:, test]
                    total[voxels[part]] += correlation(targets.T, predictions.T)
        return total / len(fits)

    def _weights(self, fits: Sequence[FoldFit]) -> list[list[np.ndarray]]:
        """By fold and alpha; made once for orders of the responses, whose fits are the same."""
        if self._ready[0] is not fits:
            made = [[_from_train(fit, one).astype(self._series.dtype) for one in fit.weights] for fit in fits]
            self._ready = (fits, made)
        return self._ready[1]


# Rounding of a correlation, by precision.
_TIE = {np.dtype(np.float32): 1e-6, np.dtype(np.float64): 1e-12}


def _centred_rows(responses: np.ndarray) -> np.ndarray:
    dtype = np.float32 if responses.dtype == np.float32 else np.float64
    series = np.empty(responses.shape[::-1], dtype=dtype)
    for block in voxel_blocks(len(series), BLOCK):
        part = np.asarray(responses[:, block], dtype=np.float64)
        series[block] = (part - part.mean(axis=0)).T
    return series


def _from_train(fit: FoldFit, weights: np.ndarray) -> np.ndarray:
    """From training responses to predictions, train × test; the drift is taken out on the way."""
    if fit.drift is not None:
        weights = weights - (weights @ fit.drift.at_train) @ fit.drift.of_train
    return np.ascontiguousarray(weights.T)


def voxel_p_values(
    fits: Sequence[FoldFit], responses: np.ndarray, orders: np.ndarray, *, stop_after: int = 10,
) -> VoxelNull:
    """p-values of voxels against responses in these orders.

    Examples
    --------
    >>> from arcuate.encoding.fold_fit import fit_fold
    >>> from arcuate.encoding.folds import shuffled_folds
    >>> from arcuate.encoding.nulls import stimulus_orders
    >>> from arcuate.encoding.settings import EncodingSettings
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=(40, 2))
    >>> fits = [fit_fold(x, fold, np.zeros(40), EncodingSettings(alpha=1.0), "isolated", training=False)
    ...         for fold in shuffled_folds(40, 4, seed=1)]
    >>> found = voxel_p_values(fits, np.hstack([x, rng.normal(size=(40, 1))]), stimulus_orders(40, 99, seed=1))
    >>> found.p[:2].tolist(), bool(found.used[2] < 99)
    ([0.01, 0.01], True)
    """
    test = VoxelTest(fits, responses, stop_after)
    for order in orders:
        if test.decided:
            break
        test.add(fits, order)
    return test.result()
