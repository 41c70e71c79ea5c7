"""Brain signals on disk: runs as memory-mapped arrays, an index, and a checksum for each.

A store is a folder::

    index.parquet     one row a run: name, file, shape, type, bytes, SHA-256, what it is
    runs/000000.npy   the run's frames, (n_frames, *frame_shape), float16 or float32

Only numpy and pyarrow are needed to read and write it, so that training runs on bare machines.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from arcuate.errors import ArcuateError, UnknownName
from arcuate.signals.index import RunRecord, check_file, file_sha256, read_index
from arcuate.signals.write import Dtype, SignalWriter

__all__ = ["SignalStore", "SignalWriter", "write_store"]


@dataclass(frozen=True, eq=False)
class SignalStore:
    """Runs of frames on disk; nothing is read until asked for, and windows are views.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp()) / "signals"
    >>> frames = np.arange(12, dtype="float32").reshape(4, 3)
    >>> store = write_store(folder, [("sub-01_pieman", frames, {"tr": 1.5})], dtype="float32")
    >>> store.runs, store.frame_shape, store.n_frames("sub-01_pieman")
    (('sub-01_pieman',), (3,), 4)
    >>> store.window("sub-01_pieman", 1, 2)
    array([[3., 4., 5.],
           [6., 7., 8.]], dtype=float32)
    """

    folder: Path
    records: Mapping[str, RunRecord]
    frame_shape: tuple[int, ...]
    _maps: dict[str, npt.NDArray[np.floating]] = field(default_factory=dict, repr=False)

    @classmethod
    def open(cls, folder: str | Path) -> SignalStore:
        """Read the index and check that every run is there, whole by its size, and inside the folder."""
        folder = Path(folder)
        records, frame_shape = read_index(folder)
        for record in records.values():
            check_file(folder, record)
        return cls(folder=folder, records=records, frame_shape=frame_shape)

    def __reduce__(self) -> tuple[Any, ...]:
        # Data-loader processes map the files again instead of being sent their content.
        return SignalStore.open, (self.folder,)

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs' names, in the order they were written."""
        return tuple(self.records)

    @property
    def total_frames(self) -> int:
        """Frames of all runs together."""
        return sum(record.n_frames for record in self.records.values())

    @property
    def sha256(self) -> str:
        """One checksum for the whole store: of the names and checksums of its runs."""
        lines = "".join(f"{json.dumps(r.name)} {r.sha256}\n" for r in self.records.values())
        return hashlib.sha256(lines.encode("utf-8")).hexdigest()

    def n_frames(self, run: str) -> int:
        """How many frames a run has."""
        return self._record(run).n_frames

    def meta(self, run: str) -> Mapping[str, Any]:
        """What the writer said about a run."""
        return self._record(run).meta

    def array(self, run: str) -> npt.NDArray[np.floating]:
        """All frames of a run, (n_frames, *frame_shape), read-only and still on disk."""
        mapped = self._maps.get(run)
        if mapped is None:
            mapped = self._maps[run] = _map(self.folder, self._record(run), self.frame_shape)
        return mapped

    def window(self, run: str, start: int, length: int) -> npt.NDArray[np.floating]:
        """Frames [start, start + length) of a run as a view: overlapping windows share their memory."""
        array = self.array(run)
        if start < 0 or length < 1 or start + length > len(array):
            raise ArcuateError(
                f"{self.folder}: run {run!r} has {len(array)} frames but frames "
                f"{start}..{start + length - 1} were asked for. Prepare the samples again for this store."
            )
        return array[start:start + length]

    def verify(self) -> None:
        """Compare every run's bytes with its checksum; the first that differs is an error."""
        for record in self.records.values():
            path = self.folder / record.file
            if file_sha256(path) != record.sha256:
                raise ArcuateError(
                    f"{path} (run {record.name!r}) does not match its checksum {record.sha256[:12]}…: "
                    "the file was changed or damaged. Copy it again, or prepare the dataset again."
                )

    def _record(self, run: str) -> RunRecord:
        try:
            return self.records[run]
        except KeyError:
            raise UnknownName(f"{self.folder}: run", run, list(self.records)[:8]) from None


def write_store(
    folder: str | Path, runs: Iterable[tuple[str, npt.ArrayLike, Mapping[str, Any]]],
    dtype: Dtype = "float16", overwrite: bool = False,
) -> SignalStore:
    """Write all runs, given as (name, frames, what it is), and open the result.

    Examples
    --------
    >>> import tempfile
    >>> store = write_store(Path(tempfile.mkdtemp()) / "s", [("a", np.zeros((3, 4)), {"subject": "01"})])
    >>> store.array("a").dtype, store.meta("a")
    (dtype('float16'), {'subject': '01'})
    """
    with SignalWriter(folder, dtype=dtype, overwrite=overwrite) as writer:
        for name, frames, meta in runs:
            writer.add(name, frames, meta)
    return SignalStore.open(folder)


def _map(folder: Path, record: RunRecord, frame_shape: tuple[int, ...]) -> npt.NDArray[np.floating]:
    path = folder / record.file
    expected = (record.n_frames, *frame_shape)
    try:
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise ArcuateError(f"{path} (run {record.name!r}) cannot be mapped: {error}.") from error
    if mapped.shape != expected or mapped.dtype.name != record.dtype or not mapped.flags.c_contiguous:
        raise ArcuateError(
            f"{path} (run {record.name!r}) holds {mapped.dtype} {mapped.shape}, the index says "
            f"{record.dtype} {expected}. Prepare the dataset again."
        )
    return np.asarray(mapped)  # a plain view: slicing np.memmap costs several times more
