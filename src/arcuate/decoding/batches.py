"""Batches from the signal store: each frame is read once a batch and copied once, whatever windows hold it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from arcuate.decoding.data import DecodingData
from arcuate.decoding.inputs import SignalSource
from arcuate.decoding.plan import Rows
from arcuate.decoding.tokens import IGNORED
from arcuate.errors import ArcuateError

ROUND_TO = 4  # lengths are padded to multiples of it: 8 would pad a sixth of a ZuCo sentence for nothing
AHEAD = 3  # batches prepared while one is used


@dataclass(frozen=True, eq=False)
class Batch:
    """Tensors of a batch.

    `frames` holds each frame once; window b is `frames[index[b]]` where `mask[b]`. `total_tokens` and
    `total_frames` count the whole batch over all processes and pieces, so that a mean over them is the
    same whatever number of processes shares the batch.
    """

    frames: torch.Tensor
    index: torch.Tensor
    mask: torch.Tensor
    labels: torch.Tensor
    rows: Rows
    total_tokens: int = 0
    total_frames: int = 0
    ready: Any = field(default=None, repr=False)

    def to(self, device: torch.device) -> Batch:
        """The same batch on a device; copies from pinned memory do not wait."""
        names = ("frames", "index", "mask", "labels")
        return replace(self, **{n: getattr(self, n).to(device, non_blocking=True) for n in names})

    def windows(self) -> torch.Tensor:
        """(batch, length, *frame_shape), zeros where padded: the form the published code takes."""
        gathered = self.frames[self.index]
        mask = self.mask.reshape(*self.mask.shape, *[1] * (self.frames.ndim - 1))
        return gathered * mask.to(gathered.dtype)


@dataclass(eq=False)
class BatchMaker:
    """Turns rows into batches, checking each frame for NaN the first time it is read."""

    data: DecodingData
    targets: Sequence[npt.NDArray[np.int64]]
    source: SignalSource
    pin: bool = False
    _seen: npt.NDArray[np.bool_] = field(init=False)
    _one_length: bool = field(init=False)

    def __post_init__(self) -> None:
        self._one_length = bool((self.data.n_frames == self.data.n_frames[0]).all())
        self._seen = np.zeros(int(self.data.run_offset[-1]), dtype=bool)

    def make(self, rows: Rows, total_rows: Rows | None = None) -> Batch:
        """The batch of `rows`, which are a part of `total_rows`."""
        total_rows = rows if total_rows is None else total_rows
        signal_rows = self.source.rows(rows)
        lengths = self.data.n_frames[signal_rows]
        # Windows of one length (fMRI) need no padding at all.
        length = int(lengths.max()) if self._one_length else _round_up(int(lengths.max()))
        mask = np.arange(length) < lengths[:, None]
        numbers = (self.data.first_frame[signal_rows][:, None] + np.arange(length))[mask]
        unique, inverse = np.unique(numbers, return_inverse=True)
        index = np.zeros(mask.shape, dtype=np.int64)
        index[mask] = inverse
        return Batch(
            frames=self._frames(unique), index=self._tensor(index), mask=self._tensor(mask),
            labels=self._tensor(self._labels(rows)), rows=rows,
            total_tokens=sum(len(self.targets[row]) for row in total_rows),
            total_frames=int(self.data.n_frames[self.source.rows(total_rows)].sum()),
        )

    def _labels(self, rows: Rows) -> npt.NDArray[np.int64]:
        longest = _round_up(max(len(self.targets[row]) for row in rows))
        labels = np.full((len(rows), longest), IGNORED, dtype=np.int64)
        for i, row in enumerate(rows):
            labels[i, : len(self.targets[row])] = self.targets[row]
        return labels

    def _frames(self, unique: Rows) -> torch.Tensor:
        if self.source.kind in ("noise", "zero"):
            return self._pinned(torch.from_numpy(self.source.made_up(unique, self.data.frame_shape)))
        store, offsets = self.data.store, self.data.run_offset
        # Neighbouring numbers of one run are one copy.
        run = np.searchsorted(offsets, unique, side="right") - 1
        cuts = np.flatnonzero((np.diff(unique) != 1) | (np.diff(run) != 0)) + 1
        starts, ends = [0, *cuts.tolist()], [*cuts.tolist(), len(unique)]
        name = store.runs[int(run[0])]
        dtype = torch.float16 if store.array(name).dtype == np.float16 else torch.float32
        out = torch.empty((len(unique), *self.data.frame_shape), dtype=dtype, pin_memory=self.pin)
        view = out.numpy()
        for first, last in zip(starts, ends, strict=True):
            at = int(unique[first] - offsets[run[first]])
            np.copyto(view[first:last], store.array(store.runs[int(run[first])])[at:at + last - first])
        self._check(view, unique, run)
        return out

    def _check(self, frames: npt.NDArray[np.floating], unique: Rows, run: Rows) -> None:
        new = np.flatnonzero(~self._seen[unique])
        if len(new) == 0:
            return
        whole = len(new) == len(unique)
        finite = np.isfinite(frames if whole else frames[new]).reshape(len(new), -1).all(axis=1)
        if not finite.all():
            bad = int(new[np.flatnonzero(~finite)[0]])
            name = self.data.store.runs[int(run[bad])]
            raise ArcuateError(
                f"{self.data.store.folder}: run {name!r} has NaN or infinity in frame "
                f"{int(unique[bad] - self.data.run_offset[run[bad]])}. Leave out the samples that hold it, or "
                "mask it before storing."
            )
        self._seen[unique] = True

    def _tensor(self, array: npt.NDArray[Any]) -> torch.Tensor:
        return self._pinned(torch.from_numpy(array))

    def _pinned(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.pin_memory() if self.pin else tensor


@dataclass(eq=False)
class BatchStream:
    """Batches of one epoch in order, prepared ahead by threads and copied to the GPU beside its work."""

    maker: BatchMaker
    plan: Sequence[tuple[Rows, Rows]]  # (this process's rows, the whole batch's rows)
    device: torch.device

    def __len__(self) -> int:
        return len(self.plan)

    def __iter__(self) -> Iterator[Batch]:
        if self.device.type != "cuda":
            for rows, whole in self.plan:
                yield self.maker.make(rows, whole)
            return
        with ThreadPoolExecutor(AHEAD) as pool:
            waiting: list[Future[Batch]] = []
            stream = torch.cuda.Stream(self.device)
            steps = iter(self.plan)
            for rows, whole in steps:
                waiting.append(pool.submit(self._ahead, rows, whole, stream))
                if len(waiting) > AHEAD:
                    yield self._arrived(waiting.pop(0).result())
            while waiting:
                yield self._arrived(waiting.pop(0).result())

    def _ahead(self, rows: Rows, whole: Rows, stream: Any) -> Batch:
        batch = self.maker.make(rows, whole)
        with torch.cuda.stream(stream):
            moved = batch.to(self.device)
            event = torch.cuda.Event()
            event.record(stream)
        return replace(moved, ready=event)

    def _arrived(self, batch: Batch) -> Batch:
        current = torch.cuda.current_stream(self.device)
        current.wait_event(batch.ready)
        for tensor in (batch.frames, batch.index, batch.mask, batch.labels):
            tensor.record_stream(current)  # the allocator must not give it away while it is in use
        return replace(batch, ready=None)


def _round_up(length: int) -> int:
    return -(-length // ROUND_TO) * ROUND_TO
