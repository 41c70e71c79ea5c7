"""False discovery rate over voxels."""

from __future__ import annotations

import numpy as np

from arcuate.errors import ArcuateError


def benjamini_hochberg(p_values: np.ndarray) -> np.ndarray:
    """Adjusted p-values (Benjamini & Hochberg 1995); NaN stays NaN and does not count as a test.

    Examples
    --------
    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03, np.nan])).tolist()
    [0.03, 0.04, 0.04, nan]
    """
    p_values = np.asarray(p_values, dtype=np.float64)
    tested = np.flatnonzero(~np.isnan(p_values))
    p = p_values[tested]
    if len(p) and not (p.min() >= 0 and p.max() <= 1):
        raise ArcuateError(f"p-values run from {p.min()} to {p.max()}. They lie between 0 and 1.")
    order = np.argsort(p, kind="stable")
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    adjusted = np.full(p_values.shape, np.nan)
    adjusted[tested[order]] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1)
    return adjusted
