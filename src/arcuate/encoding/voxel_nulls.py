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
             for block in voxel_blocks(responses.shape[1])]  # fmt: skip
    r, p, used = (np.concatenate([part[k] for part in parts]) for k in range(3))
    return VoxelNull(r, p, used)


def _block(
    fits: Sequence[FoldFit], responses: np.ndarray, orders: np.ndarray, stop_after: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    dtype = responses.dtype if responses.dtype == np.float32 else np.float64
    responses = responses.astype(dtype, copy=False)
    weights = [tuple(one.astype(dtype, copy=False) for one in fit.weights) for fit in fits]
    chosen = [_alphas(fit, responses) for fit in fits]
    observed = _mean_correlation(fits, weights, chosen, responses)
    n_voxels = responses.shape[1]
    above, used = np.zeros(n_voxels, dtype=np.int64), np.zeros(n_voxels, dtype=np.int64)
    going = np.flatnonzero(~np.isnan(observed))
    for order in orders:
        if not len(going):
            break
        of_going = [one[going] for one in chosen]
        null = _mean_correlation(fits, weights, of_going, responses[order][:, going])
        above[going] += null >= observed[going]
        used[going] += 1
        going = going[above[going] < stop_after]
    stopped = above >= stop_after
    p = np.where(stopped, above / np.maximum(used, 1), (above + 1) / (used + 1))
    return observed, np.where(np.isnan(observed), np.nan, p), used


def _alphas(fit: FoldFit, responses: np.ndarray) -> np.ndarray:
    if fit.search is None:
        return np.zeros(responses.shape[1], dtype=np.int64)
    return choose_alphas(fit.search, prepared(fit, responses)[0], device=fit.device)


def _mean_correlation(
    fits: Sequence[FoldFit], weights: list[tuple[np.ndarray, ...]], chosen: list[np.ndarray], responses: np.ndarray
) -> np.ndarray:
    total = np.zeros(responses.shape[1])
    for fit, by_alpha, alphas in zip(fits, weights, chosen, strict=True):
        train, test, _ = prepared(fit, responses)
        predictions = np.empty_like(test)
        for alpha in np.unique(alphas):
            columns = np.flatnonzero(alphas == alpha)
            predictions[:, columns] = by_alpha[alpha] @ train[:, columns]
        total += correlation(test, predictions)
    return total / len(fits)
