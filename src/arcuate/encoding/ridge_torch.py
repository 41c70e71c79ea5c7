"""The search and the products of ridge regression in plain torch, for GPUs.

The weights are made in double precision, from one factorisation; the products with the voxels, which are nearly all of
the work, are done in single.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from arcuate.encoding.folds import Fold
from arcuate.encoding.ridge_cv import AlphaSearch
from arcuate.errors import ArcuateError

if TYPE_CHECKING:
    from torch import Tensor

# Bytes of predictions held at once; the rest of the card is left to the responses.
CHUNK_BYTES = 2 * 2**30


@dataclass(frozen=True, eq=False)
class TorchFit:
    """The index of every voxel's alpha, its cross-validated squared error, and dual coefficients (rows × voxels)."""

    chosen: np.ndarray
    losses: np.ndarray
    dual: np.ndarray


def fit_on_device(
    features: np.ndarray, responses: np.ndarray, folds: Sequence[Fold], alphas: Sequence[float], device: str = "cuda",
) -> TorchFit:
    """Choose one alpha a voxel by cross-validation and fit all rows with it; predictions are mean(Y) + K_c·dual.

    Examples
    --------
    >>> from arcuate.encoding.folds import shuffled_folds
    >>> x = np.arange(10.0)[:, None]
    >>> y = np.hstack([2 * x, np.ones((10, 1))])
    >>> fit_on_device(x, y, shuffled_folds(10, 5, seed=1), (1e-6, 1e6), device="cpu").chosen.tolist()
    [0, 1]
    """
    import torch

    if len(features) != len(responses):
        raise ArcuateError(f"{len(responses)} rows of responses for {len(features)} rows of features.")
    x = torch.as_tensor(np.asarray(features), dtype=torch.float64, device=device)
    y = torch.as_tensor(np.asarray(responses), dtype=torch.float32, device=device)
    inverses = _inverses(x, alphas)
    losses = _losses(inverses, y, folds, alphas)
    slope = 1e-10 * torch.log(torch.as_tensor(alphas, dtype=torch.float64, device=device))[:, None]
    chosen = torch.argmax(slope - losses, dim=0)
    dual = torch.empty_like(y)
    for row in torch.unique(chosen).tolist():
        columns = torch.nonzero(chosen == row).ravel()
        dual[:, columns] = inverses[row].to(torch.float32) @ y[:, columns]
    best = losses.gather(0, chosen[None])[0]
    return TorchFit(chosen.cpu().numpy(), best.cpu().numpy(), dual.cpu().numpy())


def _inverses(x: Tensor, alphas: Sequence[float]) -> Tensor:
    """(K_c + αI)⁻¹ on what is orthogonal to 1, alphas × rows × rows; α times it is the residual maker M.

    The intercept is taken out by a reflection, as in `arcuate.encoding.ridge.decompose`.
    """
    import torch

    n = len(x)
    axis = torch.full((n,), -1 / n**0.5, dtype=x.dtype, device=x.device)
    axis[0] += 1
    axis /= torch.linalg.norm(axis)
    reduced = (x - 2 * torch.outer(axis, axis @ x))[1:]
    values, vectors = torch.linalg.eigh(reduced @ reduced.T)
    padded = torch.cat([torch.zeros((1, n - 1), dtype=x.dtype, device=x.device), vectors])
    vectors = padded - 2 * torch.outer(axis, axis @ padded)
    shrunk = values.clamp(min=0) + torch.as_tensor(alphas, dtype=x.dtype, device=x.device)[:, None]
    return (vectors / shrunk[:, None, :]) @ vectors.T


def _losses(inverses: Tensor, y: Tensor, folds: Sequence[Fold], alphas: Sequence[float]) -> Tensor:
    """Mean over folds of the held-out squared error, alphas × voxels."""
    import torch

    n, n_voxels = y.shape
    total = torch.zeros((len(alphas), n_voxels), dtype=torch.float64, device=y.device)
    for fold in folds:
        left_out, train, test = (_index(rows, y) for rows in (fold.left_out(n), fold.train, fold.test))
        # α cancels: −(M_LL)⁻¹ M_LT is the same for M and for M/α.
        block = inverses[:, left_out[:, None], left_out]
        weights = -torch.linalg.solve(block, inverses[:, left_out[:, None], train])
        weights = weights[:, torch.isin(left_out, test)].to(torch.float32).contiguous()
        y_train, y_test = y[train], y[test]
        size = max(1, CHUNK_BYTES // (4 * len(alphas) * len(test)))
        for start in range(0, n_voxels, size):
            part = slice(start, start + size)
            error = torch.matmul(weights, y_train[:, part])
            error -= y_test[:, part]
            total[:, part] += (error.square_().sum(dim=1) / len(test)).to(torch.float64)
    return total / len(folds)


def losses_on_device(search: AlphaSearch, responses: np.ndarray, device: str = "cuda") -> np.ndarray:
    """`arcuate.encoding.ridge_cv.search_losses` on a device; the weights are copied there once.

    Examples
    --------
    >>> from arcuate.encoding.folds import shuffled_folds
    >>> from arcuate.encoding.ridge_cv import prepare_search, search_losses
    >>> x = np.random.default_rng(1).normal(size=(10, 3))
    >>> search = prepare_search(x, shuffled_folds(10, 5, seed=1), (1.0, 10.0))
    >>> np.allclose(losses_on_device(search, 2 * x, "cpu"), search_losses(search, 2 * x), rtol=1e-4)
    True
    """
    import torch

    y = torch.as_tensor(np.ascontiguousarray(responses), dtype=torch.float32, device=device)
    total = torch.zeros((len(search.alphas), y.shape[1]), dtype=torch.float64, device=device)
    for fold, weights in zip(search.folds, _weights_on(search, device), strict=True):
        error = torch.matmul(weights, y[_index(fold.train, y)])
        error -= y[_index(fold.test, y)]
        total += (error.square_().sum(dim=1) / len(fold.test)).to(torch.float64)
    return (total / len(search.folds)).cpu().numpy()


def product_on_device(matrix: np.ndarray, values: np.ndarray, device: str = "cuda") -> np.ndarray:
    """matrix @ values on a device, in single precision; the values are centred first, so that it suffices.

    Examples
    --------
    >>> product_on_device(np.array([[1.0, 1.0]]), np.array([[1000.25], [1000.5]]), "cpu").tolist()
    [[2000.75]]
    """
    import torch

    centre = values.mean(axis=0)
    on_device = torch.as_tensor(values - centre, dtype=torch.float32, device=device)
    product = torch.as_tensor(matrix, dtype=torch.float32, device=device) @ on_device
    return product.cpu().numpy() + np.outer(matrix.sum(axis=1), centre)


@lru_cache(maxsize=16)
def _weights_on(search: AlphaSearch, device: str) -> list[Tensor]:
    """By fold, alphas × test × train."""
    import torch

    by_fold = zip(*search.weights, strict=True)
    return [torch.as_tensor(np.stack(of_fold), dtype=torch.float32, device=device) for of_fold in by_fold]


def _index(rows: np.ndarray, like: Tensor) -> Any:
    import torch

    return torch.as_tensor(np.sort(rows), dtype=torch.int64, device=like.device)
