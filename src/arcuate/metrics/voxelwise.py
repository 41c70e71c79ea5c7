"""Voxelwise scores of predicted responses: one number a column, NaN where it is undefined.

A voxel that is constant in the test part has no variance to explain: its score is NaN, never 0,
and `over_voxels` says how many there were.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from arcuate.errors import ArcuateError, UnknownName


def _check(targets: np.ndarray, predictions: np.ndarray) -> None:
    if targets.shape != predictions.shape or targets.ndim != 2:
        raise ArcuateError(
            f"Targets have shape {targets.shape}, predictions {predictions.shape}. "
            "Give (samples, voxels), the same for both."
        )
    if len(targets) < 2:
        raise ArcuateError(f"{len(targets)} test samples: a voxelwise score needs at least 2.")


def _ratio(numerator: np.ndarray, denominator: np.ndarray, defined: np.ndarray) -> np.ndarray:
    return np.divide(numerator, denominator, out=np.full(len(numerator), np.nan), where=defined)


def varies(values: np.ndarray) -> np.ndarray:
    """Which columns are not constant.

    Examples
    --------
    >>> varies(np.array([[1.0, 1.0], [1.0, 2.0]])).tolist()
    [False, True]
    """
    return values.max(axis=0) > values.min(axis=0)


def explained_variance(targets: np.ndarray, predictions: np.ndarray) -> np.ndarray:
    """1 − var(target − prediction) / var(target), as scikit-learn's; higher is better, at most 1.

    Examples
    --------
    >>> explained_variance(np.array([[0.0], [1.0]]), np.array([[5.0], [6.0]]))
    array([1.])
    """
    _check(targets, predictions)
    return 1 - _ratio((targets - predictions).var(axis=0), targets.var(axis=0), varies(targets))


def r2(targets: np.ndarray, predictions: np.ndarray) -> np.ndarray:
    """scikit-learn's R²: a wrong mean counts against it; higher is better, at most 1.

    Examples
    --------
    >>> r2(np.array([[0.0], [1.0]]), np.array([[5.0], [6.0]]))
    array([-99.])
    """
    _check(targets, predictions)
    return 1 - _ratio(((targets - predictions) ** 2).mean(axis=0), targets.var(axis=0), varies(targets))


def correlation(targets: np.ndarray, predictions: np.ndarray) -> np.ndarray:
    """Pearson's r over samples; NaN where target or prediction is constant.

    Examples
    --------
    >>> correlation(np.array([[0.0], [1.0], [2.0]]), np.array([[1.0], [3.0], [5.0]])).round(6)
    array([1.])
    """
    _check(targets, predictions)
    t, p = targets - targets.mean(axis=0), predictions - predictions.mean(axis=0)
    norm = np.sqrt(np.einsum("ij,ij->j", t, t) * np.einsum("ij,ij->j", p, p))
    return _ratio(np.einsum("ij,ij->j", t, p), norm, varies(targets) & varies(predictions) & (norm > 0))


def r2_simple(targets: np.ndarray, predictions: np.ndarray) -> np.ndarray:
    """r·|r| (Jain & Huth 2018): no R², since neither scale nor mean of the prediction matter.

    Examples
    --------
    >>> r2_simple(np.array([[0.0], [1.0], [2.0]]), np.array([[5.0], [3.0], [1.0]])).round(6)
    array([-1.])
    """
    r = correlation(targets, predictions)
    return r * np.abs(r)


VOXELWISE: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "ev": explained_variance,
    "r2": r2,
    "r2_simple": r2_simple,
}


@dataclass(frozen=True)
class OverVoxels:
    """A mean or sum over the `n` voxels with a score; `undefined` others had none."""

    value: float
    n: int
    undefined: int


def over_voxels(values: np.ndarray, aggregate: str = "mean") -> OverVoxels:
    """Mean or sum of the voxels that have a score.

    Examples
    --------
    >>> over_voxels(np.array([0.2, np.nan, 0.4]))
    OverVoxels(value=0.30000000000000004, n=2, undefined=1)
    """
    if aggregate not in ("mean", "sum"):
        raise UnknownName("Aggregate", aggregate, ("mean", "sum"))
    defined = values[~np.isnan(values)]
    value = np.nan if not len(defined) else defined.mean() if aggregate == "mean" else defined.sum()
    return OverVoxels(float(value), len(defined), len(values) - len(defined))


def best_voxels(values: np.ndarray, number: int) -> np.ndarray:
    """Columns of the `number` largest scores, sorted; NaN is never chosen, ties go to the lower column.

    Examples
    --------
    >>> best_voxels(np.array([0.1, np.nan, 0.3, 0.3]), 2).tolist()
    [2, 3]
    """
    usable = np.flatnonzero(~np.isnan(values))
    order = np.argsort(-values[usable], kind="stable")[:number]
    return np.sort(usable[order])
