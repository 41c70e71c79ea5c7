"""Banded ridge: groups of features with penalties of their own (Nunez-Elizalde et al. 2019).

A penalty α/γ_g on group g is a penalty α on features multiplied by √γ_g. So each candidate is a scale
of the features, and the search over candidates and alphas is that of `arcuate.encoding.ridge_cv`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arcuate.errors import ArcuateError

CONCENTRATIONS = (0.1, 1.0)  # as himalaya draws them: sparse weightings and even ones


def band_weights(n_groups: int, number: int, seed: int) -> np.ndarray:
    """`number` weightings γ of the groups, each summing to 1; the first weighs all alike.

    Examples
    --------
    >>> band_weights(2, 3, seed=1).round(2).tolist()[0]
    [0.5, 0.5]
    """
    if number < 1 or n_groups < 1:
        raise ArcuateError(f"{number} weightings of {n_groups} groups were asked for. Give at least 1 of each.")
    rng = np.random.default_rng(seed)
    drawn = [rng.dirichlet([CONCENTRATIONS[k % 2]] * n_groups) for k in range(number - 1)]
    return np.stack([np.full(n_groups, 1 / n_groups), *drawn])


def band_scales(groups: Sequence[tuple[str, int]], weights: np.ndarray) -> list[np.ndarray]:
    """√γ for every feature, one array a weighting.

    Examples
    --------
    >>> band_scales([("a", 2), ("b", 1)], np.array([[0.25, 1.0]]))[0].tolist()
    [0.5, 0.5, 1.0]
    """
    widths = [width for _, width in groups]
    return [np.repeat(np.sqrt(gamma), widths) for gamma in weights]
