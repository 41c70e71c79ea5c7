"""Read, validate and graph 10 million sample rows, against a bare polars group-by over the same columns."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.measure import fastest

ME = "benchmarks.samples"


def write_table(path: str, rows: int) -> None:
    """A Parquet table of `rows` samples: 2,000 subjects × 20,000 texts of 8 words, ids that look real."""
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(0)
    texts = pl.Series([" ".join(f"word{i}" for i in rng.integers(0, 5000, 8)) for _ in range(20_000)])
    subjects = pl.Series([f"sub-{i:04d}" for i in range(2_000)])
    pl.DataFrame(
        {
            "sample": pl.int_range(rows, eager=True).cast(pl.String),
            "subject": subjects.gather(rng.integers(0, len(subjects), rows)),
            "text": texts.gather(rng.integers(0, len(texts), rows)),
        }
    ).write_parquet(path)


def bare(path: str, columns: list[str]) -> int:
    """The peer: what polars alone needs to group by the identifying columns and to see the ids."""
    import polars as pl

    frame = pl.scan_parquet(path)
    groups = frame.group_by([name for name in columns if name != "sample"]).len().collect(engine="streaming")
    if "sample" in columns:
        frame.group_by("sample").len().select(pl.len()).collect(engine="streaming")
    return len(groups)


def ours(path: str, columns: list[str]) -> int:
    """arcuate: every check included, up to the finished graph."""
    import polars as pl

    import arcuate as arc

    return len(arc.read_samples(pl.scan_parquet(path).select(columns)).graph.weights)


def main() -> None:
    """Print a table of ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "samples.parquet")
        write_table(path, options.rows)
        print(f"{options.rows:,} rows                    bare polars    arcuate    ratio   arcuate's memory")
        for columns in (["subject", "text"], ["sample", "subject", "text"]):
            peer = fastest(options.times, ME, "bare", path, columns)
            own = fastest(options.times, ME, "ours", path, columns)
            assert own.result == peer.result, "the graph must have an edge for each group"
            print(f"{'+'.join(columns):<28} {peer.seconds:>8.2f} s {own.seconds:>8.2f} s "
                  f"{own.seconds / peer.seconds:>7.2f}×  {own.gib:>8.2f} GiB", flush=True)


if __name__ == "__main__":
    main()
