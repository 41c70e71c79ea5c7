"""Bootstrap interval of a mean over subjects."""

from __future__ import annotations

import numpy as np

from arcuate.errors import ArcuateError

RESAMPLES = 10_000


def interval_over_subjects(
    values: np.ndarray, *, level: float = 0.95, seed: int = 1, resamples: int = RESAMPLES
) -> tuple[float, float]:
    """Percentile bootstrap interval of the mean; a single subject has none: (nan, nan).

    Examples
    --------
    >>> low, high = interval_over_subjects(np.array([0.5, 0.6, 0.55, 0.65]))
    >>> 0.5 <= low < 0.575 < high <= 0.65
    True
    """
    values = np.asarray(values, dtype=np.float64)
    if not 0 < level < 1:
        raise ArcuateError(f"The interval's level is {level}. Give a share between 0 and 1.")
    if len(values) < 2:
        return float("nan"), float("nan")
    rng = np.random.default_rng(seed)
    means = values[rng.integers(len(values), size=(resamples, len(values)))].mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
