"""A digest of every sample's stored signal, and whether it holds anything."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arcuate.progress import track

if TYPE_CHECKING:
    from arcuate.signals.store import SignalStore


def signal_digests(store: SignalStore, rows: pl.DataFrame) -> pl.DataFrame:
    """Hash the frames of each sample; a stretch that several samples share is read once.

    Examples
    --------
    >>> import tempfile
    >>> from arcuate.signals.store import write_store
    >>> store = write_store(tempfile.mkdtemp(), [("r", [[1.0], [2.0], [1.0], [2.0], [0.0], [0.0]], {})])
    >>> rows = pl.DataFrame({"sample": ["a", "b", "c"], "subject": "s", "part": "train", "run": "r",
    ...                      "start": [0, 2, 4], "n_frames": 2})
    >>> found = signal_digests(store, rows)
    >>> found["digest"].n_unique(), found["constant"].to_list()
    (2, [False, False, True])
    """
    stretches = rows.select("run", pl.col("start", "n_frames").cast(pl.Int64)).unique().sort("run", "start", "n_frames")
    found = []
    for run, start, length in track(stretches.iter_rows(), "hashing signals", total=len(stretches)):
        frames = store.window(run, start, length)
        nan = bool(np.isnan(frames).any())
        digest = hashlib.blake2b(np.ascontiguousarray(frames).tobytes(), digest_size=16).hexdigest()
        found.append((digest, nan, not nan and bool((frames == frames.flat[0]).all())))
    about = pl.DataFrame(found, schema={"digest": pl.String, "nan": pl.Boolean, "constant": pl.Boolean}, orient="row")
    placed = rows.with_columns(pl.col("start", "n_frames").cast(pl.Int64)).join(
        pl.concat([stretches, about], how="horizontal"), on=["run", "start", "n_frames"], how="left")
    return placed.select("sample", "subject", "part", "digest", "nan", "constant")
