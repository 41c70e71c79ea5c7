"""What a simulated brain does with words: a mixing of word features, seen through noise.

Everything here avoids BLAS on purpose (`einsum` without optimisation): its sums may differ in the
last bit with the number of threads, and the same seed must give the same bytes everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arcuate.datasets.simulation.grammar import VOCABULARY

N_FEATURES = 24
# How much of a subject's mixing is his own; the rest is shared, which is what a cross-subject
# decoder can use.
OWN_PART = 0.3
NOISE_MEMORY = 0.4
DRIFT = 0.3
HRF_SECONDS = 24.0

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Brain:
    """One subject: how word features reach the sensors, and how noisy that is.

    `responses` holds the noise-free response to every word of the vocabulary, unit variance a sensor.
    """

    responses: Floats
    snr: float

    @classmethod
    def of_subject(cls, subject: int, n_sensors: int, snr: float, seed: int) -> Brain:
        """The brain of one subject; the shared part depends on the seed alone."""
        shared = np.random.default_rng([seed, 1])
        features = shared.standard_normal((len(VOCABULARY), N_FEATURES))
        common = shared.standard_normal((N_FEATURES, n_sensors))
        own = np.random.default_rng([seed, 2, subject]).standard_normal((N_FEATURES, n_sensors))
        mixing = math.sqrt(1 - OWN_PART**2) * common + OWN_PART * own
        return cls(np.einsum("wf,fs->ws", features, mixing) / math.sqrt(N_FEATURES), snr)

    def read(self, words: list[int], n_frames: int, rng: np.random.Generator) -> Floats:
        """EEG while reading: one frame a word; frames after the last word hold noise alone.

        Every recording has the same number of frames, so that at SNR 0 not even its length tells
        anything about the text.
        """
        signal = np.zeros((n_frames, self.responses.shape[1]))
        signal[: len(words)] = self.responses[words]
        return self._seen(signal, rng)

    def listen(self, segments: list[list[int]], tr: float, rng: np.random.Generator) -> Floats:
        """fMRI while listening: the summed responses of each TR's words, blurred by the haemodynamics."""
        drive = np.stack([self.responses[words].sum(axis=0) if words else np.zeros(self.responses.shape[1])
                          for words in segments])
        kernel = haemodynamic_response(tr)
        signal = np.zeros_like(drive)
        for lag, weight in enumerate(kernel[: len(drive)]):
            signal[lag:] += weight * drive[: len(drive) - lag]
        return self._seen((signal - signal.mean(axis=0)) / max(float(signal.std()), 1e-12), rng)

    def _seen(self, signal: Floats, rng: np.random.Generator) -> Floats:
        """Signal and noise mixed so that their variances stand in the ratio `snr`, unit variance together."""
        noise = autocorrelated_noise(len(signal), signal.shape[1], rng)
        return (math.sqrt(self.snr) * signal + noise) / math.sqrt(1 + self.snr)


def haemodynamic_response(tr: float) -> Floats:
    """The canonical double-gamma response, sampled at each TR, unit energy.

    Examples
    --------
    >>> kernel = haemodynamic_response(1.0)
    >>> int(kernel.argmax()), round(float((kernel**2).sum()), 6)
    (5, 1.0)
    """
    time = np.arange(0, HRF_SECONDS, tr)
    peak = time**5 * np.exp(-time) / math.gamma(6)
    undershoot = time**15 * np.exp(-time) / math.gamma(16)
    kernel = peak - undershoot / 6
    return kernel / math.sqrt(float((kernel**2).sum()))


def autocorrelated_noise(n_frames: int, n_sensors: int, rng: np.random.Generator) -> Floats:
    """First-order autoregressive noise with a slow drift, unit variance on average.

    Examples
    --------
    >>> noise = autocorrelated_noise(4000, 3, np.random.default_rng(0))
    >>> abs(float(noise.std()) - 1) < 0.05, 0.3 < float(np.corrcoef(noise[1:, 0], noise[:-1, 0])[0, 1]) < 0.6
    (True, True)
    """
    noise = rng.standard_normal((n_frames, n_sensors))
    innovation = math.sqrt(1 - NOISE_MEMORY**2)
    for frame in range(1, n_frames):
        noise[frame] = NOISE_MEMORY * noise[frame - 1] + innovation * noise[frame]
    phase = rng.uniform(0, 2 * math.pi, n_sensors)
    drift = math.sqrt(2) * np.cos(math.pi * np.arange(n_frames)[:, None] / max(n_frames, 2) + phase)
    return math.sqrt(1 - DRIFT**2) * noise + DRIFT * drift


def as_volumes(grid: Floats, shape: tuple[int, int, int], rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """Spread a coarse grid of regions over the voxels of each frame, with some noise of each voxel's own.

    Examples
    --------
    >>> as_volumes(np.ones((2, 8)), (4, 4, 4), np.random.default_rng(0)).shape
    (2, 4, 4, 4)
    """
    side = round(grid.shape[1] ** (1 / 3))
    coarse = grid.reshape(len(grid), side, side, side).astype(np.float32)
    for axis, size in enumerate(shape, start=1):
        coarse = np.take(coarse, (np.arange(size) * side) // size, axis=axis)
    return coarse + np.float32(0.5) * rng.standard_normal(coarse.shape, dtype=np.float32)
