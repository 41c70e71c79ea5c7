"""Representational similarity analysis: do two spaces agree on which samples are alike?"""

from __future__ import annotations

import numpy as np

from arcuate.errors import ArcuateError, UnknownName

CORRELATIONS = ("pearson", "spearman")


def dissimilarity(values: np.ndarray) -> np.ndarray:
    """Cosine distances between all rows.

    Examples
    --------
    >>> dissimilarity(np.eye(2))
    array([[0., 1.],
           [1., 0.]])
    """
    values = np.asarray(values, dtype=np.float64)
    norms = np.linalg.norm(values, axis=1)
    if not (norms > 0).all():
        row = int(np.flatnonzero(~(norms > 0))[0])
        raise ArcuateError(f"Row {row} has norm {norms[row]}: it has no cosine distance. Leave it out.")
    unit = values / norms[:, None]
    distances = 1 - unit @ unit.T
    np.fill_diagonal(distances, 0)
    return distances


def upper_triangle(matrix: np.ndarray) -> np.ndarray:
    """The entries above the diagonal. The diagonal says nothing (it is 0 in every space), and
    keeping it made pure noise correlate by .90 in published code.

    Examples
    --------
    >>> upper_triangle(np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0]])).tolist()
    [1, 2, 3]
    """
    return matrix[np.triu_indices(len(matrix), 1)]


def standardised_triangle(matrix: np.ndarray, correlation: str = "pearson") -> np.ndarray:
    """The upper triangle (or its ranks) with mean 0 and norm 1: the product of two is their correlation.

    Examples
    --------
    >>> one = standardised_triangle(np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0]]), "spearman")
    >>> round(float(one @ one), 6)
    1.0
    """
    if correlation not in CORRELATIONS:
        raise UnknownName("Correlation", correlation, CORRELATIONS)
    values = upper_triangle(matrix).astype(np.float64)
    if len(values) < 3:
        raise ArcuateError(f"{len(matrix)} samples: RSA needs at least 3.")
    if correlation == "spearman":
        from scipy.stats import rankdata

        values = rankdata(values)
    values -= values.mean()
    norm = np.linalg.norm(values)
    if not norm > 0:
        raise ArcuateError("All samples are equally far apart: RSA is undefined for this space.")
    return values / norm


def rsa(first: np.ndarray, second: np.ndarray, correlation: str = "pearson") -> float:
    """Correlation of the upper triangles of two dissimilarity matrices; higher is better.

    Examples
    --------
    >>> space = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [-1.0, 1.0]])
    >>> round(rsa(dissimilarity(space), dissimilarity(2 * space)), 6)
    1.0
    """
    if first.shape != second.shape:
        raise ArcuateError(f"The matrices have shapes {first.shape} and {second.shape}. Make them agree.")
    return float(standardised_triangle(first, correlation) @ standardised_triangle(second, correlation))
