"""Write a signal store: run by run, in chunks, whole or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Literal

import numpy as np
import numpy.typing as npt

from arcuate.atomic import replacing_folder
from arcuate.errors import ArcuateError, UnknownName
from arcuate.signals.index import RunRecord, write_index

DTYPES = ("float16", "float32")
Dtype = Literal["float16", "float32"]
CHUNK_BYTES = 1 << 24


class SignalWriter:
    """A store being written; it appears under its name only when the block ends without an error.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp()) / "signals"
    >>> with SignalWriter(folder, dtype="float16") as writer:
    ...     writer.add("run-1", np.zeros((5, 2)))
    ...     writer.add_chunks("run-2", (np.ones((2, 2)) for _ in range(3)), n_frames=6)
    >>> from arcuate.signals.store import SignalStore
    >>> store = SignalStore.open(folder)
    >>> [(run, store.n_frames(run)) for run in store.runs]
    [('run-1', 5), ('run-2', 6)]
    """

    def __init__(self, folder: str | Path, dtype: Dtype = "float16", overwrite: bool = False):
        if dtype not in DTYPES:
            raise UnknownName("Signal type", str(dtype), DTYPES)
        self.folder = Path(folder)
        self.dtype = dtype
        self.frame_shape: tuple[int, ...] | None = None
        self._overwrite = overwrite
        self._records: dict[str, RunRecord] = {}
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> SignalWriter:
        self._temporary = self._stack.enter_context(replacing_folder(self.folder, overwrite=self._overwrite))
        (self._temporary / "runs").mkdir()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._stack.__exit__(kind, error, trace)
            return
        with self._stack:  # the index is written inside it, so that its failure removes the folder too
            if not self._records:
                raise ArcuateError(f"No run was written to {self.folder}. A store needs at least one.")
            write_index(self._temporary, self._records.values(), self.frame_shape or ())

    def add(self, name: str, frames: npt.ArrayLike, meta: Mapping[str, Any] | None = None) -> None:
        """Append a run whose frames, (n_frames, *frame_shape), are at hand as one array."""
        array = np.asarray(frames)
        if array.ndim < 2:
            raise ArcuateError(
                f"Run {name!r} has shape {array.shape}. Give frames along the first axis: (n_frames, ...)."
            )
        step = max(1, CHUNK_BYTES // max(1, array[:1].nbytes))
        self.add_chunks(name, (array[i:i + step] for i in range(0, len(array), step)), len(array), meta)

    def add_chunks(
        self, name: str, chunks: Iterable[npt.ArrayLike], n_frames: int, meta: Mapping[str, Any] | None = None
    ) -> None:
        """Append a run piece by piece; the pieces must hold `n_frames` frames together."""
        if not name or name in self._records:
            raise ArcuateError(f"Run name {name!r} is empty or used twice. Give each run its own name.")
        if n_frames < 1:
            raise ArcuateError(f"Run {name!r} has no frames. Leave it out, or check its file.")
        file = f"runs/{len(self._records):06d}.npy"
        with open(self._temporary / file, "wb") as raw:
            out = _Hashing(raw)
            done = self._write_frames(out, name, chunks, n_frames)
        if done != n_frames:
            raise ArcuateError(f"Run {name!r} gave {done} frames where {n_frames} were announced.")
        self._records[name] = RunRecord(
            name=name, file=file, n_frames=n_frames, dtype=self.dtype,
            bytes=out.written, sha256=out.digest.hexdigest(), meta=dict(meta or {}),
        )

    def _write_frames(self, out: _Hashing, name: str, chunks: Iterable[npt.ArrayLike], n_frames: int) -> int:
        done = 0
        for chunk in chunks:
            array = self._checked(name, np.asarray(chunk), first_frame=done)
            if done == 0:
                out.write(_header(self.dtype, (n_frames, *array.shape[1:])))
            out.write(array.tobytes())
            done += len(array)
        return done

    def _checked(self, name: str, chunk: npt.NDArray[Any], first_frame: int) -> npt.NDArray[np.floating]:
        if self.frame_shape is None:
            self.frame_shape = tuple(chunk.shape[1:])
        if tuple(chunk.shape[1:]) != self.frame_shape or chunk.ndim < 2:
            raise ArcuateError(
                f"Run {name!r} has frames of shape {tuple(chunk.shape[1:])}, "
                f"the store holds {self.frame_shape}. "
                "Keep one shape a store: filter the runs, or write two stores."
            )
        if chunk.dtype.kind not in "fiub":
            raise ArcuateError(f"Run {name!r} has type {chunk.dtype}. Give real numbers.")
        _refuse(~np.isfinite(chunk), chunk, name, first_frame, "Remove or mask it before storing.")
        with np.errstate(over="ignore"):
            stored = np.ascontiguousarray(chunk, dtype=self.dtype)
        _refuse(~np.isfinite(stored), chunk, name, first_frame,
                f"{self.dtype} ends at {np.finfo(self.dtype).max:g}. Store float32, or scale the signal.")
        return stored


class _Hashing:
    """A file that keeps the checksum and size of what is written, so that nothing is read twice."""

    def __init__(self, file: BinaryIO):
        self.file = file
        self.digest = hashlib.sha256()
        self.written = 0

    def write(self, data: bytes) -> None:
        self.file.write(data)
        self.digest.update(data)
        self.written += len(data)


def _header(dtype: str, shape: tuple[int, ...]) -> bytes:
    buffer = io.BytesIO()
    description = np.lib.format.dtype_to_descr(np.dtype(dtype).newbyteorder("<"))
    fields = {"descr": description, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(buffer, fields)
    return buffer.getvalue()


def _refuse(bad: npt.NDArray[np.bool_], values: npt.NDArray[Any], name: str, first: int, remedy: str) -> None:
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        raise ArcuateError(
            f"Run {name!r} has {values[where]!s} at frame {first + where[0]}, position {where[1:]} "
            f"({int(bad.sum())} such values in this piece). {remedy}"
        )
