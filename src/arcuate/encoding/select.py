"""Voxel selection: seven rules that see the training part only, and one that is circular, to show its effect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arcuate.errors import ArcuateError, UnknownName

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

RULES: dict[str, str] = {
    "none": "all voxels",
    "ev": "explained variance of the model on the training part",
    "r": "correlation of the model's fit with the training part",
    "stable": "correlation between repetitions of the training stimuli",
    "random": "a seeded random draw",
    "roi": "the voxels of a region of interest",
    "searchlight": "mean training explained variance of a sphere around the voxel",
    "top500_test": "CIRCULAR: explained variance on the test part",
}
FIXED = ("none", "random", "roi")  # do not look at the responses
CIRCULAR = "top500_test"


@dataclass(frozen=True)
class Selection:
    """A rule and how many voxels it keeps.

    Examples
    --------
    >>> Selection("ev", 500).label
    'ev:500'
    >>> Selection("top500_test").label
    'top500_test:500 (circular)'
    """

    rule: str = "none"
    number: int = 500
    seed: int = 1
    roi: str | None = None
    radius: float = 6.0

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise UnknownName("Voxel selection", self.rule, RULES)
        if self.number < 1:
            raise ArcuateError(f"{self.number} voxels were asked for. Give at least 1.")
        if self.rule == "roi" and self.roi is None:
            raise ArcuateError("Selection by region needs a region's name (--roi NAME).")

    @property
    def label(self) -> str:
        if self.rule == "none":
            return "all"
        if self.rule == "roi":
            return f"roi:{self.roi}"
        return f"{self.rule}:{self.number}" + (" (circular)" if self.rule == CIRCULAR else "")


def fixed_columns(selection: Selection, n_voxels: int, rois: Mapping[str, np.ndarray]) -> np.ndarray:
    """The columns of a rule that does not look at the responses.

    Examples
    --------
    >>> fixed_columns(Selection("random", 2, seed=1), 5, {}).tolist()
    [1, 2]
    """
    if selection.rule == "none":
        return np.arange(n_voxels)
    if selection.rule == "random":
        check_number(selection, n_voxels)
        drawn = np.random.default_rng(selection.seed).choice(n_voxels, selection.number, replace=False)
        return np.sort(drawn)
    name = str(selection.roi)
    if name not in rois:
        raise UnknownName("Region of interest", name, rois)
    return np.asarray(rois[name])


def check_number(selection: Selection, n_voxels: int) -> None:
    """Refuse to select more voxels than there are.

    Examples
    --------
    >>> check_number(Selection("ev", 5), 10)
    """
    if selection.number > n_voxels:
        raise ArcuateError(
            f"Selection {selection.rule!r} asks for {selection.number} voxels, the data have {n_voxels}. "
            f"Give --voxels {n_voxels} or less, or --select none."
        )


def score_of_moments(
    rule: str, total: np.ndarray, residual_product: np.ndarray, residual: np.ndarray
) -> np.ndarray:
    """Training EV or r of voxels from Σ(y − ȳ)², Σ y·e and Σ e², e the training residual (of mean 0).

    Constant voxels have no score (−inf: never chosen).

    Examples
    --------
    >>> y, fitted = np.array([1.0, 2.0, 3.0]), np.array([1.5, 2.0, 2.5])
    >>> e = y - fitted
    >>> float(score_of_moments("ev", np.array(2.0), np.array((y * e).sum()), np.array((e * e).sum())))
    0.75
    """
    constant = ~(total > 1e-12 * np.abs(total).max(initial=0.0))
    if rule == "r":
        spread = np.sqrt(np.maximum(total * (total - 2 * residual_product + residual), 0))
        constant |= ~(spread > 1e-12 * total)
        scores = (total - residual_product) / np.where(constant, 1, spread)
    else:
        scores = 1 - residual / np.where(constant, 1, total)
    return np.where(constant, -np.inf, scores)


def stability(repetitions: np.ndarray) -> np.ndarray:
    """Mean correlation over all pairs of different repetitions (stimuli × repetitions × voxels).

    Examples
    --------
    >>> wave = np.sin(np.arange(9.0))[:, None, None]
    >>> stability(np.repeat(wave, 6, axis=1)).round(6)
    array([1.])
    """
    sums, products = repetition_moments(repetitions)
    return stability_of_moments(sums, products, len(repetitions))


def repetition_moments(repetitions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Σx (repetitions × voxels) and Σ x_a·x_b (repetitions × repetitions × voxels) over stimuli.

    Examples
    --------
    >>> [part.shape for part in repetition_moments(np.ones((4, 3, 2)))]
    [(3, 2), (3, 3, 2)]
    """
    return repetitions.sum(axis=0), np.einsum("nav,nbv->abv", repetitions, repetitions)


def stability_of_moments(sums: np.ndarray, products: np.ndarray, n: int) -> np.ndarray:
    """Stability from moments over n stimuli; leading axes may hold a batch. Constant voxels: −inf.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(size=(20, 3, 2))
    >>> np.allclose(stability_of_moments(*repetition_moments(x), 20), stability(x))
    True
    """
    count = sums.shape[-2]
    if count < 2:
        raise ArcuateError(f"Stability needs two repetitions or more; there is {count}.")
    covariance = products - sums[..., :, None, :] * sums[..., None, :, :] / n
    variance = np.einsum("...aav->...av", covariance)
    constant = ~(variance.min(axis=-2) > 1e-12 * np.abs(products).max(initial=0.0))
    spread = np.sqrt(np.where(constant[..., None, :], 1, variance))
    first, second = np.triu_indices(count, 1)
    r = covariance[..., first, second, :] / (spread[..., first, :] * spread[..., second, :])
    return np.where(constant, -np.inf, r.mean(axis=-2))


def spheres(coordinates: np.ndarray | None, radius: float) -> csr_matrix:
    """Averages over the voxels within `radius` of each voxel, as a sparse voxels × voxels matrix.

    Examples
    --------
    >>> spheres(np.array([[0.0, 0, 0], [1, 0, 0], [9, 0, 0]]), 2.0).toarray().tolist()
    [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]
    """
    if coordinates is None:
        raise ArcuateError("A searchlight needs the voxels' coordinates, which this dataset does not give.")
    from scipy.sparse import csr_matrix
    from scipy.spatial import cKDTree

    tree = cKDTree(coordinates)
    near = tree.query_ball_point(coordinates, radius, return_sorted=True)
    sizes = np.array([len(one) for one in near])
    return csr_matrix(
        (np.repeat(1 / sizes, sizes), np.concatenate([np.asarray(one) for one in near]),
         np.concatenate([[0], np.cumsum(sizes)])),
        shape=(len(sizes), len(sizes)),
    )


def best(scores: np.ndarray, number: int) -> np.ndarray:
    """Columns of the `number` best scores along the last axis, sorted.

    Examples
    --------
    >>> best(np.array([[0.1, 0.3, 0.2], [0.9, 0.1, 0.5]]), 2).tolist()
    [[1, 2], [0, 2]]
    """
    if number >= scores.shape[-1]:
        return np.broadcast_to(np.arange(scores.shape[-1]), scores.shape).copy()
    return np.sort(np.argpartition(-scores, number - 1, axis=-1)[..., :number], axis=-1)
