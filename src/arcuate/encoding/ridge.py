"""Ridge in closed form: one factorisation serves all alphas, folds, permutations and voxels.

With intercept, centred kernel K and H = 11ᵀ/n + K(K + αI)⁻¹, the residual is r = MY with M = I − H.
For rows L left out together, the residuals of a model fitted on the others are (M_LL)⁻¹ r_L. So the
held-out predictions are linear in Y with weights I − (M_LL)⁻¹ M_L: they never need a refit, and a
permutation of the responses needs nothing but a product with the same weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arcuate.errors import ArcuateError


@dataclass(frozen=True, eq=False)
class Decomposition:
    """Eigenvectors (columns, all of mean 0) and eigenvalues of the centred linear kernel of some features."""

    vectors: np.ndarray
    values: np.ndarray


def check_alpha(alpha: float) -> None:
    """Refuse a penalty that leaves the closed form undefined.

    Examples
    --------
    >>> check_alpha(10)
    """
    if not (np.isfinite(alpha) and alpha > 0):
        raise ArcuateError(f"alpha is {alpha}. Give a positive number.")


def decompose(features: np.ndarray) -> Decomposition:
    """Factorise the features once.

    The n − 1 vectors are orthogonal to 1 by construction, not by subtraction, so that a small α keeps
    its digits even where the features can fit everything.

    Examples
    --------
    >>> decompose(np.array([[0.0], [1.0], [2.0]])).values.round(6) + 0.0
    array([0., 2.])
    """
    features = np.asarray(features, dtype=np.float64)
    n = len(features)
    if n < 2:
        raise ArcuateError(f"{n} rows of features: a fit needs at least 2.")
    # The Householder reflection that takes 1/√n to the first axis; its other columns span what is left.
    axis = np.full(n, -1 / np.sqrt(n))
    axis[0] += 1
    axis /= np.linalg.norm(axis)
    reduced = (features - 2 * np.outer(axis, axis @ features))[1:]
    values, vectors = np.linalg.eigh(reduced @ reduced.T)
    padded = np.concatenate([np.zeros((1, n - 1)), vectors])
    return Decomposition(padded - 2 * np.outer(axis, axis @ padded), np.maximum(values, 0))


def residual_maker(decomposition: Decomposition, alpha: float) -> np.ndarray:
    """M = I − H, so that MY are the residuals of a fit on all rows.

    It is built from α/(λ + α), since 1 − λ/(λ + α) would lose the digits of a small α.

    Examples
    --------
    >>> x, y = np.array([[0.0], [1.0], [2.0]]), np.array([[1.0], [2.0], [3.0]])
    >>> (residual_maker(decompose(x), 1e-9) @ y).round(6) + 0.0
    array([[0.],
           [0.],
           [0.]])
    """
    check_alpha(alpha)
    shrunk = decomposition.vectors * (alpha / (decomposition.values + alpha))
    return shrunk @ decomposition.vectors.T


def held_out_weights(maker: np.ndarray, test: np.ndarray, left_out: np.ndarray | None = None) -> np.ndarray:
    """Weights w, test rows × all rows, so that wY predicts `test` from the rows that are not left out.

    `left_out` (the test rows by default) may also hold a gap around them. The weights of left-out rows are 0.

    Examples
    --------
    >>> x, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[0.0], [2.0], [4.0], [99.0]])
    >>> (held_out_weights(residual_maker(decompose(x), 1e-9), np.array([3])) @ y).round(4)
    array([[6.]])
    """
    left_out = np.asarray(test if left_out is None else left_out)
    if len(left_out) >= len(maker):
        raise ArcuateError(f"All {len(maker)} rows are left out: none remains to fit on.")
    of_test = np.searchsorted(left_out, test, sorter=np.argsort(left_out))
    rows = np.argsort(left_out)[of_test]
    block = maker[np.ix_(left_out, left_out)]
    weights = -np.linalg.solve(block, maker[left_out])[rows]
    weights[:, left_out] = 0  # exact: the solve leaves −1 on the diagonal and rounding elsewhere
    return weights


def weights_of_new_rows(
    decomposition: Decomposition, features: np.ndarray, new: np.ndarray, alphas: Sequence[float]
) -> list[np.ndarray]:
    """For each alpha, weights w, new rows × rows, so that wY predicts the new rows from a fit on all of `features`.

    Examples
    --------
    >>> x = np.array([[0.0], [1.0], [2.0]])
    >>> (weights_of_new_rows(decompose(x), x, np.array([[3.0]]), [1e-9])[0] @ (2 * x)).round(4)
    array([[6.]])
    """
    mean = features.mean(axis=0)
    vectors, values = decomposition.vectors, decomposition.values
    projected = (new - mean) @ ((features - mean).T @ vectors)
    # Directions without features predict nothing; what rounding leaves of them would count under a small alpha.
    projected[:, values <= len(values) * np.finfo(np.float64).eps * values.max(initial=0.0)] = 0
    found = []
    for alpha in alphas:
        check_alpha(alpha)
        found.append((projected / (values + alpha)) @ vectors.T + 1 / len(features))
    return found


def predict_held_out(
    features: np.ndarray, responses: np.ndarray, alpha: float, test: np.ndarray,
    left_out: np.ndarray | None = None,
) -> np.ndarray:
    """Ridge predictions of `test` from a fit on the rows that are not left out.

    Examples
    --------
    >>> x = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> predict_held_out(x, 2 * x, 1e-9, np.array([0])).round(4) + 0.0
    array([[0.]])
    """
    return held_out_weights(residual_maker(decompose(features), alpha), test, left_out) @ responses


def fit(features: np.ndarray, responses: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients (features × voxels) and intercepts, in the smaller of the two spaces.

    Examples
    --------
    >>> coefficients, intercepts = fit(np.array([[0.0], [1.0], [2.0]]), np.array([[1.0], [3.0], [5.0]]), 1e-9)
    >>> coefficients.round(4), intercepts.round(4)
    (array([[2.]]), array([1.]))
    """
    check_alpha(alpha)
    mean_x, mean_y = features.mean(axis=0), responses.mean(axis=0)
    x, y = features - mean_x, responses - mean_y
    n, p = x.shape
    if p <= n:
        coefficients = np.linalg.solve(x.T @ x + alpha * np.eye(p), x.T @ y)
    else:
        coefficients = x.T @ np.linalg.solve(x @ x.T + alpha * np.eye(n), y)
    return coefficients, mean_y - mean_x @ coefficients
