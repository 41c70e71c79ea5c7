"""How much memory and time an evaluation will take, said before it starts."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from arcuate.datasets.responses import BrainResponses
from arcuate.encoding.select import FIXED
from arcuate.encoding.settings import EncodingSettings

INTERPRETER = 400 * 2**20  # Python, numpy, scipy and a reader
ELEMENTWISE = 30  # operations a voxel and test row for all scores of a fold, roughly


@dataclass(frozen=True)
class Estimate:
    """Bytes at the peak and seconds in all.

    Examples
    --------
    >>> str(Estimate(2 * 2**30, 90.0))
    'about 2.0 GiB of memory and 2 minutes'
    """

    bytes: float
    seconds: float

    def __str__(self) -> str:
        minutes = self.seconds / 60
        span = f"{self.seconds:.0f} seconds" if minutes < 1.5 else f"{minutes:.0f} minutes"
        if minutes > 120:
            span = f"{minutes / 60:.1f} hours"
        return f"about {self.bytes / 2**30:.1f} GiB of memory and {span}"


def multiply_rate() -> float:
    """Floating-point operations a second of this machine's matrix product, by a short trial.

    Examples
    --------
    >>> multiply_rate() > 1e6
    True
    """
    a, b = np.ones((512, 512)), np.ones((512, 1024))
    a @ b
    start = time.perf_counter()
    a @ b
    return 2 * a.size * b.shape[1] / max(time.perf_counter() - start, 1e-6)


def estimate(
    data: BrainResponses, settings: EncodingSettings, *, n_subjects: int, n_features: int,
    rate: float | None = None,
) -> Estimate:
    """Memory and time for `n_subjects` like this one and `n_features` sets of features.

    Examples
    --------
    >>> data = BrainResponses(dataset="toy", subject="1", kind="isolated", stimuli=tuple("abcdef"),
    ...                       responses=np.ones((6, 10)))
    >>> estimate(data, EncodingSettings(folds=3), n_subjects=1, n_features=1, rate=1e9).bytes > 0
    True
    """
    n, voxels = data.n_rows, data.n_voxels
    folds = len(np.unique(data.runs)) if settings.folds == "runs" else settings.n_folds
    test, train = n / folds, n - n / folds
    candidates = len(settings.alphas) * max(settings.bands, 1) if settings.alpha == "cv" else 1
    by_pair = settings.folds == "leave-two-out" and data.kind == "isolated" and "pairwise" in settings.scores
    in_folds = "voxelwise" in settings.scores or not by_pair
    trained = voxels > settings.top or settings.select.rule not in FIXED
    memory, work = float(data.responses.nbytes), 0.0
    if in_folds:
        weights = candidates * (test * train + (train**2 if trained else 0)) * folds
        search = candidates * train**2 * folds if candidates > 1 else 0
        memory += 8 * (weights + search + 6 * test * voxels)
        products = test * train + (train**2 if trained else 0) + (candidates * train**2 if candidates > 1 else 0)
        work += 2 * folds * voxels * products + ELEMENTWISE * n * voxels
    if by_pair and settings.select.rule not in FIXED:
        memory += 8 * 5 * n * voxels
        work += n**2 / 2 * 60 * voxels
    elif by_pair:
        memory += 8 * 2 * n * voxels
        work += n**2 * 500
    if "rsa" in settings.scores:
        memory += 8 * (voxels * n + 6 * n**2)
        work += 4 * n**2
    evaluations = n_subjects * n_features * (1 + settings.permutations)
    factorise = 25 * n**3 * folds * max(settings.bands, 1) * n_features + 4 * n**3 * candidates * n_features
    # Small products and the elementwise part reach a fraction of the rate of a large product.
    seconds = (evaluations * work * 2.5 + factorise * 4) / (rate or multiply_rate())
    return Estimate(memory + INTERPRETER, seconds)
