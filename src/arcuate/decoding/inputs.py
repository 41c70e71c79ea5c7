"""The signal a model is given: the real one, or a control that cannot carry the text."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from arcuate.decoding.config import INPUTS
from arcuate.errors import ArcuateError, UnknownName

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SignalSource:
    """Where each sample's signal comes from.

    * "real": its own frames.
    * "shuffled": another sample's of the same part, in one random cycle, so that none keeps its own.
    * "noise": as many frames as its own, of Gaussian noise; a frame's noise depends on the seed and the
      frame alone, not on the batch.
    * "zero": as many frames as its own, all zero.
    """

    kind: str = "real"
    seed: int = 0
    mean: float = 0.0
    scale: float = 1.0
    swapped: npt.NDArray[np.int64] | None = field(default=None, repr=False)

    def rows(self, rows: Rows) -> Rows:
        """Whose frames stand for each row's."""
        return rows if self.swapped is None else self.swapped[rows]

    def made_up(self, numbers: Rows, frame_shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
        """Frames of noise or of zeros, one for each frame number."""
        frames = np.zeros((len(numbers), *frame_shape), dtype=np.float32)
        if self.kind == "noise":
            for i, number in enumerate(numbers.tolist()):
                generator = np.random.Generator(np.random.Philox(key=[self.seed, number]))
                frames[i] = generator.standard_normal(frame_shape, dtype=np.float32)
            frames *= self.scale
            frames += self.mean
        return frames


def signal_source(
    kind: str, n_samples: int, parts: list[Rows], seed: int = 0, mean: float = 0.0, scale: float = 1.0
) -> SignalSource:
    """The source for samples in `parts`; shuffling never crosses from one part to another.

    Examples
    --------
    >>> source = signal_source("shuffled", 5, [np.array([0, 1, 2]), np.array([3, 4])], seed=1)
    >>> source.rows(np.array([3, 4])).tolist(), 0 in source.rows(np.array([0])).tolist()
    ([4, 3], False)
    """
    if kind not in INPUTS:
        raise UnknownName("Input", kind, INPUTS)
    if kind != "shuffled":
        return SignalSource(kind, seed, mean, scale)
    swapped = np.arange(n_samples)
    generator = np.random.default_rng([seed, 0x5F])
    for rows in parts:
        if len(rows) == 1:
            raise ArcuateError("A part with one sample cannot be shuffled. Use another control input.")
        cycle = rows[generator.permutation(len(rows))]
        swapped[cycle] = np.roll(cycle, 1)
    return SignalSource(kind, seed, mean, scale, swapped)
