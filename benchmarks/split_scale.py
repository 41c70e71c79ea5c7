"""Every method on a million samples of 10,000 subjects and 50,000 texts: seconds and memory.

Run: python -m benchmarks.split_scale [--samples N] [--time-limit S]
The peer of each method is reading the table itself: a method should cost no more than a few reads.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from arcuate.errors import ArcuateError
from arcuate.samples.read import read_samples
from arcuate.splits.methods import METHODS, method_of
from arcuate.splits.record import write_split


def made_table(folder: Path, n_samples: int, n_subjects: int, n_texts: int) -> Path:
    """Each subject reads texts at random; texts belong to 200 stories."""
    rng = np.random.default_rng(1)
    text = rng.integers(0, n_texts, n_samples)
    frame = pl.DataFrame({
        "subject": pl.Series(rng.integers(0, n_subjects, n_samples)).cast(pl.String),
        "text_id": pl.Series(text).cast(pl.String),
        "story": pl.Series(text % 200).cast(pl.String),
    })
    path = folder / "samples.parquet"
    frame.write_parquet(path)
    return path


def peak_gib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--subjects", type=int, default=10_000)
    parser.add_argument("--texts", type=int, default=50_000)
    parser.add_argument("--time-limit", type=float, default=20.0)
    parser.add_argument("--methods", default=",".join(METHODS))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = made_table(folder, asked.samples, asked.subjects, asked.texts)
        started = time.perf_counter()
        table = read_samples(path)
        table.rows()
        reading = time.perf_counter() - started
        print(f"{table.describe()}; read in {reading:.2f} s, peak {peak_gib():.2f} GiB")
        heads = ("split s", "cpu s", "write s", "x reading", "retained", "gap", "peak GiB")
        print(f"{'method':<9}" + "".join(f"{head:>10}" for head in heads))
        for method in asked.methods.split(","):
            options = {"time_limit": asked.time_limit} if method == "optimal" else {}
            table = read_samples(path)  # so that nothing cached helps a later method
            started, cpu = time.perf_counter(), time.process_time()
            try:
                split = method_of(method, (8, 1, 1), 1, **options).split(table)
            except ArcuateError as error:
                print(f"{method:<9}{time.perf_counter() - started:>9.2f}  {error}")
                continue
            made, cpu = time.perf_counter() - started, time.process_time() - cpu
            write_split(split, folder / f"{method}.parquet")
            written = time.perf_counter() - started - made
            gap = split.manifest["gap"]
            print(f"{method:<9}{made:>10.2f}{cpu:>10.2f}{written:>10.2f}{made / reading:>10.1f}"
                  f"{split.manifest['retained']:>10.4f}{'-' if gap is None else f'{gap:.2%}':>10}{peak_gib():>10.2f}")


if __name__ == "__main__":
    main()
