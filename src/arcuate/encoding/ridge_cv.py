"""Ridge with one alpha a voxel, chosen by cross-validation: all alphas and folds from one factorisation.

The held-out weights of every alpha and fold come from the one residual maker (`arcuate.encoding.ridge`);
what is left is one matrix product an alpha and fold, done on blocks of voxels that stay in the cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from arcuate.encoding.folds import Fold
from arcuate.encoding.ridge import Decomposition, decompose, held_out_weights, residual_maker
from arcuate.errors import ArcuateError

BLOCK = 2048
ONE = np.ones(1)


@dataclass(frozen=True, eq=False)
class AlphaSearch:
    """Held-out weights of every alpha and fold, ready for any responses to the same stimuli."""

    alphas: np.ndarray
    folds: tuple[Fold, ...]
    weights: tuple[tuple[np.ndarray, ...], ...]  # by alpha, by fold: test × train rows
    decomposition: Decomposition


def prepare_search(
    features: np.ndarray, folds: Sequence[Fold], alphas: Sequence[float], dtype: type = np.float64,
    scales: Sequence[np.ndarray] = (ONE,),
) -> AlphaSearch:
    """Make the weights of a search; they depend on the features alone.

    `scales` multiply the features: for banded ridge, where each scale and alpha is a candidate.

    Examples
    --------
    >>> from arcuate.encoding.folds import shuffled_folds
    >>> x = np.random.default_rng(1).normal(size=(10, 3))
    >>> len(prepare_search(x, shuffled_folds(10, 5, seed=1), (1.0, 10.0)).weights)
    2
    """
    return search_of([decompose(features * scale) for scale in scales], folds, alphas, dtype)


def search_of(
    decompositions: Sequence[Decomposition], folds: Sequence[Fold], alphas: Sequence[float], dtype: type = np.float64
) -> AlphaSearch:
    """A search from features that are factorised already, once for each scale.

    Examples
    --------
    >>> from arcuate.encoding.folds import shuffled_folds
    >>> x = np.random.default_rng(1).normal(size=(10, 3))
    >>> search_of([decompose(x)], shuffled_folds(10, 5, seed=1), (1.0, 10.0)).alphas.tolist()
    [1.0, 10.0]
    """
    if not len(alphas) or not len(folds):
        raise ArcuateError(f"{len(alphas)} alphas and {len(folds)} folds: a search needs one of each.")
    n = len(decompositions[0].vectors)
    weights: list[tuple[np.ndarray, ...]] = []
    for decomposition in decompositions:
        for alpha in alphas:
            maker = residual_maker(decomposition, alpha)
            weights.append(tuple(
                held_out_weights(maker, fold.test, fold.left_out(n))[:, fold.train].astype(dtype)
                for fold in folds
            ))
    every = np.tile(np.asarray(alphas, dtype=np.float64), len(decompositions))
    return AlphaSearch(every, tuple(folds), tuple(weights), decomposition)


def voxel_blocks(n_voxels: int, size: int = BLOCK) -> Iterator[slice]:
    """Consecutive slices of voxels.

    Examples
    --------
    >>> [(block.start, block.stop) for block in voxel_blocks(5, 2)]
    [(0, 2), (2, 4), (4, 5)]
    """
    for start in range(0, n_voxels, size):
        yield slice(start, min(start + size, n_voxels))


def search_losses(search: AlphaSearch, responses: np.ndarray) -> np.ndarray:
    """Mean over folds of the held-out squared error, alphas × voxels.

    Examples
    --------
    >>> from arcuate.encoding.folds import shuffled_folds
    >>> x = np.arange(10.0)[:, None]
    >>> search = prepare_search(x, shuffled_folds(10, 5, seed=1), (1e-6, 1e6))
    >>> losses = search_losses(search, 2 * x)
    >>> bool(losses[0] < losses[1])
    True
    """
    losses = np.zeros((len(search.alphas), responses.shape[1]))
    dtype = search.weights[0][0].dtype
    parts = [
        (responses[fold.train].astype(dtype, copy=False), responses[fold.test].astype(dtype, copy=False))
        for fold in search.folds
    ]
    for row, of_alpha in enumerate(search.weights):
        for weights, (train, test) in zip(of_alpha, parts, strict=True):
            error = weights @ train
            error -= test
            losses[row] += np.einsum("ij,ij->j", error, error) / len(test)
    return losses / len(search.folds)


def choose_alphas(
    search: AlphaSearch, responses: np.ndarray, block: int = BLOCK, device: str = "cpu"
) -> np.ndarray:
    """Index of the best alpha of every voxel; the larger of two that do equally well.

    On another device than the CPU the products are torch's, in single precision.

    Examples
    --------
    >>> from arcuate.encoding.folds import shuffled_folds
    >>> x = np.arange(10.0)[:, None]
    >>> search = prepare_search(x, shuffled_folds(10, 5, seed=1), (1e-6, 1e6))
    >>> choose_alphas(search, np.hstack([2 * x, np.ones((10, 1))])).tolist()
    [0, 1]
    """
    if responses.shape[0] != len(search.decomposition.vectors):
        raise ArcuateError(
            f"{responses.shape[0]} rows of responses for {len(search.decomposition.vectors)} rows of features."
        )
    chosen = np.empty(responses.shape[1], dtype=np.int64)
    slope = 1e-10 * np.log(search.alphas)[:, None]  # as himalaya breaks ties
    losses_of = search_losses
    if device != "cpu":
        from arcuate.encoding.ridge_torch import losses_on_device

        losses_of = partial(losses_on_device, device=device)
    for part in voxel_blocks(responses.shape[1], block):
        chosen[part] = np.argmax(slope - losses_of(search, responses[:, part]), axis=0)
    return chosen


def fit_dual(search: AlphaSearch, responses: np.ndarray, chosen: np.ndarray, block: int = BLOCK) -> np.ndarray:
    """Dual coefficients a (rows × voxels) of fits on all rows: predictions are mean(Y) + K_c a.

    Examples
    --------
    >>> from arcuate.encoding.folds import shuffled_folds
    >>> x = np.arange(10.0)[:, None]
    >>> search = prepare_search(x, shuffled_folds(10, 5, seed=1), (1e-6,))
    >>> slope = (x - x.mean()).T @ fit_dual(search, 2 * x, np.array([0]))
    >>> slope.round(4).tolist()
    [[2.0]]
    """
    vectors = search.decomposition.vectors.astype(responses.dtype)
    values = search.decomposition.values
    dual = np.empty(responses.shape, dtype=responses.dtype)
    for part in voxel_blocks(responses.shape[1], block):
        rotated = vectors.T @ responses[:, part]
        rotated /= (values[:, None] + search.alphas[chosen[part]][None, :]).astype(responses.dtype)
        dual[:, part] = vectors @ rotated
    return dual
