"""How much memory and time an evaluation will take, said before it starts."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from arcuate.datasets.responses import BrainResponses
from arcuate.encoding.evaluate import KEPT_BYTES, evaluate
from arcuate.encoding.features.record import Features
from arcuate.encoding.scorers import Fits, folds_of
from arcuate.encoding.select import FIXED
from arcuate.encoding.settings import EncodingSettings

INTERPRETER = 400 * 2**20  # Python, numpy, scipy and a reader
TRIAL_VOXELS = 1024
TRIAL_FEATURES = 256
SLOW = 1.0  # seconds, from which one permutation is enough to tell


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


@dataclass(frozen=True)
class Trial:
    """Seconds for noise in the shape of the data: of the fits, of the rest, and of an order without its fits."""

    fits: float
    rest: float
    order: float = 0.0


def trial(data: BrainResponses, settings: EncodingSettings) -> Trial:
    """Evaluate noise for some of the voxels, with and without a few permutations.

    Two numbers of voxels tell apart what grows with them from what does not.

    Examples
    --------
    >>> data = BrainResponses(dataset="toy", subject="1", kind="isolated", stimuli=tuple("abcdef"),
    ...                       responses=np.ones((6, 10)))
    >>> trial(data, EncodingSettings(folds=3)).rest > 0
    True
    """
    once = replace(settings, permutations=0, map_permutations=0, bands=0)
    if settings.select.rule == "roi":
        once = replace(once, select=replace(settings.select, rule="random"))
    rows = "scans" if data.kind == "continuous" else "stimuli"
    values = np.random.default_rng(0).normal(size=(data.n_rows, TRIAL_FEATURES))
    features = Features("noise", values, "noise", rows=rows)  # type: ignore[arg-type]
    few = min(data.n_voxels, max(TRIAL_VOXELS, settings.top + 1, settings.select.number))
    evaluate([(_noise(data, few), features)], once)  # the first time is never like the others
    fits = 0.0
    if _in_folds(data, settings):
        make = Fits(features, data.runs, data.kind, tuple(folds_of(data, once)), once, _trained(data, settings))
        fits = _seconds(lambda: list(make()))
    sizes = [few] if data.n_voxels < 4 * few else [few, 4 * few]
    rests, orders = [], []
    for size in sizes:
        noise = _noise(data, size)
        rests.append(_seconds(lambda noise=noise: evaluate([(noise, features)], once)) - fits)  # type: ignore[misc]
        if settings.permutations:
            number = 1 if rests[-1] > SLOW else 5
            more = replace(once, permutations=number)
            both = _seconds(lambda noise=noise, more=more: evaluate([(noise, features)], more))  # type: ignore[misc]
            orders.append((both - rests[-1] - fits) / number - (fits if data.kind == "continuous" else 0))
    scale = max(settings.bands, 1)
    rest, order = (scale * _at(data.n_voxels, sizes, seconds) for seconds in (rests, orders))
    return Trial(scale * fits, rest, order)


def _noise(data: BrainResponses, n_voxels: int) -> BrainResponses:
    """Noise in the shape of the data, for so many voxels."""
    rng, n = np.random.default_rng(n_voxels), data.n_rows
    repetitions = data.repetitions
    return replace(
        data, responses=rng.normal(size=(n, n_voxels)), rois={}, excluded=(),
        coordinates=None if data.coordinates is None else data.coordinates[:n_voxels],
        repetitions=None if repetitions is None else rng.normal(size=(n, repetitions.shape[1], n_voxels)),
    )


def _at(n_voxels: int, sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """Seconds for all voxels, on the line through the sizes tried; never less than for the largest of them."""
    if not seconds:
        return 0.0
    slope = (seconds[-1] - seconds[0]) / (sizes[-1] - sizes[0]) if len(sizes) > 1 else 0.0
    return max(seconds[-1], 0.0) + max(slope, 0.0) * (n_voxels - sizes[-1])


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _by_pair(data: BrainResponses, settings: EncodingSettings) -> bool:
    return settings.folds == "leave-two-out" and data.kind == "isolated" and "pairwise" in settings.scores


def _in_folds(data: BrainResponses, settings: EncodingSettings) -> bool:
    return "voxelwise" in settings.scores or ("pairwise" in settings.scores and not _by_pair(data, settings))


def _trained(data: BrainResponses, settings: EncodingSettings) -> bool:
    return data.n_voxels > settings.top or settings.select.rule not in FIXED


def estimate(
    data: BrainResponses, settings: EncodingSettings, *, n_subjects: int, n_features: int, tried: Trial | None = None,
) -> Estimate:
    """Memory and time for `n_subjects` like this one and `n_features` sets of features, from a short trial.

    Examples
    --------
    >>> data = BrainResponses(dataset="toy", subject="1", kind="isolated", stimuli=tuple("abcdef"),
    ...                       responses=np.ones((6, 10)))
    >>> tried = Trial(fits=0.5, rest=1.0, order=0.25)
    >>> estimate(data, EncodingSettings(permutations=8), n_subjects=1, n_features=2, tried=tried).seconds
    7.0
    """
    tried = tried or trial(data, settings)
    seconds = n_subjects * (tried.rest + settings.permutations * tried.order)
    # Of scans, every order needs its own fits; small subjects share them.
    groups = 1 if n_subjects * data.responses.nbytes <= KEPT_BYTES else n_subjects
    seconds += tried.fits * (groups * (1 + settings.permutations) if data.kind == "continuous" else 1)
    return Estimate(_memory(data, settings) + INTERPRETER, n_features * seconds)


def _memory(data: BrainResponses, settings: EncodingSettings) -> float:
    """Bytes at the peak."""
    n, voxels = data.n_rows, data.n_voxels
    folds = len(np.unique(data.runs)) if settings.folds == "runs" else settings.n_folds
    test, train = n / folds, n - n / folds
    candidates = len(settings.alphas) * max(settings.bands, 1) if settings.alpha == "cv" else 1
    memory = float(data.responses.nbytes)
    if _in_folds(data, settings):
        weights = candidates * (test * train + (train**2 if _trained(data, settings) else 0)) * folds
        search = candidates * train**2 * folds if candidates > 1 else 0
        # Of scans, the fits of the observed and of the last order are held.
        orders = 2 if data.kind == "continuous" and (settings.permutations or settings.map_permutations) else 1
        memory += 8 * (orders * (weights + search) + 6 * test * voxels)
    if settings.map_permutations:
        memory += 2 * data.responses.nbytes
    if _by_pair(data, settings):
        memory += 8 * (2 if settings.select.rule in FIXED else 5) * n * voxels
    if "rsa" in settings.scores:
        memory += 8 * (voxels * n + 6 * n**2)
    return memory
