"""Audit rows with a `part` column where they lie, against a bare polars streaming group-by by the same columns."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.measure import fastest, in_fresh_process

ME = "benchmarks.audit"
CHUNK = 5_000_000
KEYS = ["subject", "story", "text", "part"]


def write_table(path: str, rows: int) -> None:
    """A Parquet table of `rows` samples: 500 subjects × 2,000 texts of 50 stories, parts at random (method c)."""
    import numpy as np
    import polars as pl
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    texts = pl.Series([" ".join(f"word{i}" for i in rng.integers(0, 5000, 8)) for _ in range(2_000)])
    stories = pl.Series([f"story-{i // 40}" for i in range(2_000)])
    subjects = pl.Series([f"sub-{i:04d}" for i in range(500)])
    parts = pl.Series(["train"] * 8 + ["val", "test"])
    writer = None
    for start in range(0, rows, CHUNK):
        n = min(CHUNK, rows - start)
        text = rng.integers(0, len(texts), n)
        chunk = pl.DataFrame({
            "subject": subjects.gather(rng.integers(0, len(subjects), n)), "story": stories.gather(text),
            "text": texts.gather(text), "part": parts.gather(rng.integers(0, len(parts), n)),
        }).to_arrow()
        writer = writer or pq.ParquetWriter(path, chunk.schema)
        writer.write_table(chunk, row_group_size=500_000)
    if writer is not None:
        writer.close()


def bare(path: str) -> int:
    """The peer: polars alone, counting by the same columns."""
    import polars as pl

    return len(pl.scan_parquet(path).group_by(KEYS).len().collect(engine="streaming"))


def ours(path: str) -> int:
    """arcuate: read, validate, count, rates of all pairs, and every check that the table allows."""
    import arcuate as arc

    found = arc.audit(path)
    assert found.verdict == "leak"
    return len(found.tallies[0].groups)


def main() -> None:
    """Print a table of ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "samples.parquet")
        in_fresh_process(ME, "write_table", path, options.rows)
        peer, own = fastest(options.times, ME, "bare", path), fastest(options.times, ME, "ours", path)
    assert own.result == peer.result, "the audit must see every group"
    print(f"{'rows':>13} {'groups':>10} {'bare polars':>12} {'arcuate':>10} {'ratio':>7} {'memory':>9} {'bare':>9}")
    print(f"{options.rows:>13,} {own.result:>10,} {peer.seconds:>10.1f} s {own.seconds:>8.1f} s "
          f"{own.seconds / peer.seconds:>6.2f}× {own.gib:>5.2f} GiB {peer.gib:>5.2f} GiB")


if __name__ == "__main__":
    main()
