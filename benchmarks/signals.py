"""Random batches of overlapping windows: the signal store against HDF5 and against a file a window.

Run: python -m benchmarks.signals
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from arcuate.signals.store import SignalStore, write_store

FRAME, WINDOW, BATCH = (64, 64, 27), 10, 16
N_FRAMES, N_RUNS = 150, 4


def runs() -> Iterator[tuple[str, np.ndarray, dict[str, object]]]:
    rng = np.random.default_rng(0)
    for run in range(N_RUNS):
        yield f"run-{run}", rng.standard_normal((N_FRAMES, *FRAME), dtype=np.float32), {}


def write_peers(folder: Path, store: SignalStore) -> None:
    """The same float16 frames as chunked HDF5, and as one file a window."""
    import h5py

    with h5py.File(folder / "frames.h5", "w") as file:
        for run in store.runs:
            file.create_dataset(run, data=store.array(run), chunks=(1, *FRAME))
    (folder / "windows").mkdir()
    for run in store.runs:
        for start in range(N_FRAMES - WINDOW + 1):
            np.save(folder / "windows" / f"{run}-{start}.npy", store.window(run, start, WINDOW))


def batches_per_second(read: Callable[[str, int], np.ndarray], order: list[tuple[str, int]]) -> float:
    """Copy every window once into a batch, as training does."""
    batch = np.empty((BATCH, WINDOW, *FRAME), dtype=np.float16)
    start = time.perf_counter()
    for position, (run, first) in enumerate(order):
        batch[position % BATCH] = read(run, first)
    return len(order) / BATCH / (time.perf_counter() - start)


def main() -> None:
    import h5py

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = write_store(folder / "store", runs(), dtype="float16")
        write_peers(folder, store)
        order = [(run, start) for run in store.runs for start in range(N_FRAMES - WINDOW + 1)]
        np.random.default_rng(1).shuffle(order)
        order = [(str(run), int(start)) for run, start in order]
        with h5py.File(folder / "frames.h5") as file:
            readers = {
                "signal store (memory map)": lambda run, start: store.window(run, start, WINDOW),
                "HDF5, one frame a chunk": lambda run, start: file[run][start:start + WINDOW],
                "one .npy file a window": lambda run, start: np.load(folder / "windows" / f"{run}-{start}.npy"),
            }
            speeds = {what: max(batches_per_second(read, order) for _ in range(3)) for what, read in readers.items()}
        sizes = [_size(folder / part) for part in ("store", "frames.h5", "windows")]
    ours = speeds["signal store (memory map)"]
    print(f"{N_RUNS} runs of {N_FRAMES} frames {FRAME}, windows of {WINDOW}, batches of {BATCH}, warm cache")
    for (what, speed), size in zip(speeds.items(), sizes, strict=True):
        print(f"{what:28} {speed:8.1f} batches/s   store is {ours / speed:5.2f}× as fast   "
              f"{size / sizes[0]:5.2f}× the disk space")


def _size(path: Path) -> int:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files)


if __name__ == "__main__":
    main()
