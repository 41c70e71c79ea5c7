"""Permutation p-values of single voxels at scale: stop a voxel as soon as it is clearly not significant.

After Besag & Clifford (1991): permutations of a voxel end once `stop_after` of them did as well as the
observed order; p is then stop_after / used, which is as valid as with all of them. Most voxels of a brain
end after a few dozen of 1,000 permutations, and the weights of the folds are shared by all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from arcuate.encoding.fold_fit import FoldFit, prepared
from arcuate.encoding.ridge_cv import choose_alphas, voxel_blocks
from arcuate.errors import ArcuateError

# Voxels that go together: enough that those still going at the end make products of a good size.
BLOCK = 8192


@dataclass(frozen=True, eq=False)
class VoxelNull:
    """Mean over folds of every voxel's correlation, its p-value, and how many permutations that took."""

    r: np.ndarray
    p: np.ndarray
    used: np.ndarray


def voxel_p_values(
    fits: Sequence[FoldFit], responses: np.ndarray, orders: np.ndarray, *, stop_after: int = 10,
) -> VoxelNull:
    """p-values of voxels against responses in these orders.

    Each voxel keeps, in every fold, the alpha that was chosen for the observed order.

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
    if stop_after < 1:
        raise ArcuateError(f"stop_after is {stop_after}. Give at least 1.")
    parts = [_block(fits, np.asarray(responses[:, block]), orders, stop_after)
             for block in voxel_blocks(responses.shape[1], BLOCK)]  # fmt: skip
    r, p, used = (np.concatenate([part[k] for part in parts]) for k in range(3))
    return VoxelNull(r, p, used)


def _block(
    fits: Sequence[FoldFit], responses: np.ndarray, orders: np.ndarray, stop_after: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    dtype = responses.dtype if responses.dtype == np.float32 else np.float64
    responses = responses.astype(dtype, copy=False)
    folds = [_Fold.of(fit, responses) for fit in fits]
    observed = _mean_correlation(folds, None, responses.shape[1])
    n_voxels = responses.shape[1]
    above, used = np.zeros(n_voxels, dtype=np.int64), np.zeros(n_voxels, dtype=np.int64)
    going = np.arange(n_voxels)
    still = ~np.isnan(observed)
    for order in orders:
        if still.sum() < 0.9 * len(going):  # leave those that have ended behind, now and then
            folds, going = [fold.only(still[going]) for fold in folds], going[still[going]]
        if not len(going):
            break
        counted = still[going]
        null = _mean_correlation(folds, order, len(going))
        above[going] += counted & (null >= observed[going])
        used[going] += counted
        still &= above < stop_after
    p = np.where(above >= stop_after, above / np.maximum(used, 1), (above + 1) / (used + 1))
    return observed, np.where(np.isnan(observed), np.nan, p), used


@dataclass(frozen=True, eq=False)
class _Fold:
    """A fold with its voxels sorted by alpha, so that every product is of one piece of memory."""

    fit: FoldFit
    weights: tuple[np.ndarray, ...]
    responses: np.ndarray  # rows × voxels, sorted
    alphas: np.ndarray  # of the sorted voxels
    voxels: np.ndarray  # where the sorted voxels belong

    @classmethod
    def of(cls, fit: FoldFit, responses: np.ndarray) -> _Fold:
        alphas = np.zeros(responses.shape[1], dtype=np.int64)
        if fit.search is not None:
            alphas = choose_alphas(fit.search, prepared(fit, responses)[0], device=fit.device)
        voxels = np.argsort(alphas, kind="stable")
        weights = tuple(one.astype(responses.dtype, copy=False) for one in fit.weights)
        return cls(fit, weights, np.ascontiguousarray(responses[:, voxels]), alphas[voxels], voxels)

    def only(self, kept: np.ndarray) -> _Fold:
        mine = np.flatnonzero(kept[self.voxels])
        new = np.cumsum(kept) - 1
        return replace(self, responses=np.ascontiguousarray(self.responses[:, mine]), alphas=self.alphas[mine],
                       voxels=new[self.voxels[mine]])  # fmt: skip

    def correlation(self, order: np.ndarray | None) -> np.ndarray:
        """Of the voxels, sorted, with their predictions; the mean and scale of a voxel do not matter to it."""
        fold = self.fit.fold
        rows = np.arange(len(self.responses)) if order is None else order
        if self.fit.drift is None:
            train, test = self.responses[rows[fold.train]], self.responses[rows[fold.test]]
        else:
            train, test, _ = prepared(self.fit, self.responses[rows])
        predictions = np.empty_like(test)
        starts = np.flatnonzero(np.diff(self.alphas, prepend=-1))
        for start, stop in zip(starts, [*starts[1:], len(self.alphas)], strict=True):
            np.matmul(self.weights[self.alphas[start]], train[:, start:stop], out=predictions[:, start:stop])
        predictions -= predictions.mean(axis=0)
        test = test - test.mean(axis=0)
        norm = np.sqrt(np.einsum("ij,ij->j", test, test) * np.einsum("ij,ij->j", predictions, predictions))
        undefined = np.full(len(norm), np.nan)
        return np.divide(np.einsum("ij,ij->j", test, predictions), norm, out=undefined, where=norm > 0)


def _mean_correlation(folds: Sequence[_Fold], order: np.ndarray | None, n_voxels: int) -> np.ndarray:
    total = np.zeros(n_voxels)
    for fold in folds:
        total[fold.voxels] += fold.correlation(order)
    return total / len(folds)
