"""Statistics of the signal, fitted on training windows only and saved with where they come from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from arcuate._version import __version__
from arcuate.atomic import replacing
from arcuate.errors import ArcuateError, UnknownName
from arcuate.signals.store import SignalStore

Window = tuple[str, int, int]  # run, first frame, number of frames
Kind = Literal["zscore", "center", "minmax"]
KINDS = ("zscore", "center", "minmax")
TRAINING_PART = "train"
CHUNK_FRAMES = 64


@dataclass(frozen=True, eq=False)
class Normaliser:
    """(signal − shift) / scale, an element of a frame at a time.

    Examples
    --------
    >>> normaliser = Normaliser("zscore", np.array([1.0]), np.array([2.0]), {})
    >>> normaliser(np.array([[3.0], [5.0]])).tolist()
    [[1.0], [2.0]]
    """

    kind: str
    shift: npt.NDArray[np.float64]
    scale: npt.NDArray[np.float64]
    provenance: Mapping[str, Any]

    def __call__(self, frames: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """Normalise frames, (..., *frame_shape); the result is float32."""
        array = np.asarray(frames)
        shape = self.shift.shape
        if array.shape[array.ndim - len(shape):] != shape:
            raise ArcuateError(
                f"Frames have shape {array.shape}, the statistics were fitted on frames of {shape}. "
                "Fit them on this dataset."
            )
        return ((array - self.shift) / self.scale).astype(np.float32)

    def save(self, path: str | Path) -> Path:
        """Write one `.npz` file that holds the statistics and their provenance."""
        path = Path(path)
        if path.suffix != ".npz":
            raise ArcuateError(f"{path}: statistics are saved as .npz. Give a name that ends so.")
        about = json.dumps({"kind": self.kind, **self.provenance}, sort_keys=True)
        with replacing(path) as temporary:
            np.savez(temporary, shift=self.shift, scale=self.scale, about=np.array(about))
        return path

    @classmethod
    def load(cls, path: str | Path, split_sha256: str | None = None) -> Normaliser:
        """Read what `save` wrote; with `split_sha256`, refuse statistics that another split fitted."""
        path = Path(path)
        try:
            # opened here: numpy leaves the file open when the archive in it is broken
            with open(path, "rb") as file, np.load(file, allow_pickle=False) as stored:
                about = json.loads(str(stored["about"]))
                shift, scale = stored["shift"], stored["scale"]
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            raise ArcuateError(
                f"{path} cannot be read as signal statistics ({error}). Fit them again."
            ) from error
        if split_sha256 is not None and about.get("split_sha256") != split_sha256:
            raise ArcuateError(
                f"{path} was fitted on split {str(about.get('split_sha256'))[:12]}, not on "
                f"{split_sha256[:12]}: its test data may be in it. Fit the statistics on this split."
            )
        return cls(about.pop("kind"), shift, scale, about)


def fit(
    store: SignalStore, windows: Sequence[Window], parts: Sequence[str],
    split_sha256: str, kind: Kind = "zscore",
) -> Normaliser:
    """Fit on the windows whose part is 'train', and on no other.

    Windows and their parts go in together and the choice is made here, so no caller can pass test
    windows by mistake. A frame that several training windows share is counted once.

    Parameters
    ----------
    store
        The signals.
    windows
        (run, first frame, number of frames) of every sample.
    parts
        The split's part of every window.
    split_sha256
        The split's checksum; `Normaliser.load` refuses statistics of another split.
    kind
        'zscore' (mean, standard deviation), 'center' (mean, 1) or 'minmax' (minimum, range).

    Examples
    --------
    >>> import tempfile
    >>> from arcuate.signals.store import write_store
    >>> store = write_store(Path(tempfile.mkdtemp()) / "s", [("a", [[0.0], [2.0], [9.0]], {})])
    >>> fitted = fit(store, [("a", 0, 2), ("a", 2, 1)], ["train", "test"], split_sha256="ab12")
    >>> fitted.shift.tolist(), fitted.scale.tolist(), fitted.provenance["frames"]
    ([1.0], [1.0], 2)
    """
    if kind not in KINDS:
        raise UnknownName("Normalisation", str(kind), KINDS)
    if len(windows) != len(parts):
        raise ArcuateError(f"{len(windows)} windows but {len(parts)} parts. Give one part a window.")
    training = [window for window, part in zip(windows, parts, strict=True) if part == TRAINING_PART]
    if not training:
        raise ArcuateError(f"No window is in part {TRAINING_PART!r} (seen: {sorted(set(parts))[:5]}).")
    intervals = _union(training)
    shift, scale = _minmax(store, intervals) if kind == "minmax" else _moments(store, intervals)
    if kind == "center":
        scale = np.ones_like(scale)
    constant = scale == 0
    provenance = {
        "split_sha256": split_sha256, "fitted_on": [TRAINING_PART], "windows": len(training),
        "frames": sum(end - start for _, start, end in intervals),
        "runs": len({run for run, _, _ in intervals}),
        "frames_sha256": hashlib.sha256(json.dumps(intervals).encode()).hexdigest(),
        "store_sha256": store.sha256, "constant_elements": int(constant.sum()), "arcuate": __version__,
    }
    # An element that never varies in training (outside the head) carries nothing: it becomes 0, not NaN.
    return Normaliser(kind, shift, np.where(constant, 1.0, scale), provenance)


def within_frame(frames: npt.ArrayLike, axis: int | tuple[int, ...] = -1) -> npt.NDArray[np.float32]:
    """Z-score each frame over its own values: fits nothing, so it cannot leak.

    The published EEG-to-text decoder does this to each word's 840 values. Constant frames become 0.

    Examples
    --------
    >>> within_frame([[1.0, 3.0], [5.0, 5.0]]).tolist()
    [[-1.0, 1.0], [0.0, 0.0]]
    """
    array = np.asarray(frames, dtype=np.float64)
    centred = array - array.mean(axis=axis, keepdims=True)
    spread = array.std(axis=axis, keepdims=True)
    return (centred / np.where(spread == 0, 1.0, spread)).astype(np.float32)


def _union(windows: Sequence[Window]) -> list[tuple[str, int, int]]:
    """Windows merged into disjoint [start, end) intervals, sorted: each frame counts once."""
    merged: list[tuple[str, int, int]] = []
    for run, start, length in sorted(set(windows)):
        if merged and merged[-1][0] == run and start <= merged[-1][2]:
            merged[-1] = (run, merged[-1][1], max(merged[-1][2], start + length))
        else:
            merged.append((run, start, start + length))
    return [(run, int(start), int(end)) for run, start, end in merged]


def _chunks(store: SignalStore, intervals: Sequence[Window]) -> Iterator[npt.NDArray[np.float64]]:
    for run, start, end in intervals:
        for first in range(start, end, CHUNK_FRAMES):
            length = min(CHUNK_FRAMES, end - first)
            yield store.window(run, first, length).astype(np.float64)


def _moments(store: SignalStore, intervals: Sequence[Window]) -> tuple[npt.NDArray, npt.NDArray]:
    """Mean and standard deviation in one pass, merged as Chan et al. do: no cancellation."""
    count, mean, squares = 0, np.zeros(store.frame_shape), np.zeros(store.frame_shape)
    for chunk in _chunks(store, intervals):
        n, chunk_mean = len(chunk), chunk.mean(axis=0)
        delta, total = chunk_mean - mean, count + n
        squares += ((chunk - chunk_mean) ** 2).sum(axis=0) + delta**2 * (count * n / total)
        mean += delta * (n / total)
        count = total
    return mean, np.sqrt(squares / count)


def _minmax(store: SignalStore, intervals: Sequence[Window]) -> tuple[npt.NDArray, npt.NDArray]:
    low, high = np.full(store.frame_shape, np.inf), np.full(store.frame_shape, -np.inf)
    for chunk in _chunks(store, intervals):
        np.minimum(low, chunk.min(axis=0), out=low)
        np.maximum(high, chunk.max(axis=0), out=high)
    return low, high - low
