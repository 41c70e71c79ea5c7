"""Noise ceilings: how well could any model do, given how well the data predict themselves?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arcuate.errors import ArcuateError
from arcuate.metrics.voxelwise import correlation


def between_subjects(responses: Sequence[np.ndarray]) -> np.ndarray:
    """r of each subject with the mean of the others, subjects × voxels; all must share the voxels.

    Examples
    --------
    >>> wave = np.sin(np.arange(9.0))[:, None]
    >>> between_subjects([wave, 2 * wave, wave + 1]).round(6).ravel().tolist()
    [1.0, 1.0, 1.0]
    """
    shapes = {np.shape(one) for one in responses}
    if len(responses) < 2 or len(shapes) > 1:
        raise ArcuateError(
            f"{len(responses)} subjects with shapes {sorted(shapes)}. A ceiling between subjects needs "
            "two or more with the same rows and voxels."
        )
    # Standardised, so that a subject with large units does not make up the mean alone.
    scaled = []
    for one in responses:
        spread = one.std(axis=0)
        scaled.append(np.divide(one - one.mean(axis=0), spread, out=np.zeros(one.shape), where=spread > 0))
    total = np.sum(scaled, axis=0)
    return np.stack([correlation(one, total - one) for one in scaled])


def between_repetitions(repetitions: np.ndarray) -> np.ndarray:
    """r of each repetition with the mean of the others, averaged; repetitions are stimuli × reps × voxels.

    Examples
    --------
    >>> wave = np.sin(np.arange(9.0))[:, None, None]
    >>> between_repetitions(np.repeat(wave, 3, axis=1)).round(6).tolist()
    [1.0]
    """
    if repetitions.ndim != 3 or repetitions.shape[1] < 2:
        raise ArcuateError(
            f"Repetitions have shape {repetitions.shape}. A ceiling needs (stimuli, 2 or more, voxels)."
        )
    total = repetitions.sum(axis=1)
    each = [correlation(repetitions[:, k], total - repetitions[:, k]) for k in range(repetitions.shape[1])]
    return np.mean(each, axis=0)


def without_drift(values: np.ndarray, degree: int = 3) -> np.ndarray:
    """Columns less their polynomial drift over the whole run; for ceilings, where no model is fitted.

    Examples
    --------
    >>> abs(without_drift(np.arange(9.0)[:, None], degree=1)).max() < 1e-12
    np.True_
    """
    basis = np.polynomial.legendre.legvander(np.linspace(-1, 1, len(values)), degree)
    q, _ = np.linalg.qr(basis)
    return values - q @ (q.T @ values)
