"""Windows of one run on both sides that overlap, or lie closer than the haemodynamic response."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from arcuate.leakage.evidence import Evidence, NotChecked, count
from arcuate.leakage.findings import Finding
from arcuate.leakage.intervals import Union, on_one_line
from arcuate.leakage.rates import pairs_of_parts

NAME = "window-overlap"
CLOSE = "closer-than-response"


def window_overlap(evidence: Evidence) -> Iterator[Finding]:
    """Yield a leak for each pair of parts that hold overlapping windows of one recorded run.

    Examples
    --------
    >>> from arcuate.leakage.tally import Tally
    >>> rows = pl.DataFrame({"subject": ["a", "a"], "story": ["x", "x"], "segment": [0, 9],
    ...                      "part": ["train", "test"]})
    >>> [found] = window_overlap(Evidence(tally=Tally.of(rows, "story", window=10)))
    >>> found.message, found.examples
    ('1 window of test overlaps a window of the same run in train', ('a · x: 1 window',))
    """
    windows = _windows(evidence)
    for later, earlier in pairs_of_parts(evidence.tally.parts):
        touched = _against(windows, later, earlier).filter(pl.col("covered") > 0)
        if len(touched):
            n = int(touched["samples"].sum())
            yield evidence.finding(
                NAME, "leak", (later, earlier), samples=n, **_by_run(touched), kind="L1.4",
                message=f"{count(n, 'window')} of {later} overlap{'s' if n == 1 else ''} a window "
                        f"of the same run in {earlier}",
            )


def closer_than_response(evidence: Evidence) -> Iterator[Finding]:
    """Yield a warning where windows of one run on two sides are closer than the response (10 s).

    Examples
    --------
    >>> from arcuate.leakage.tally import Tally
    >>> rows = pl.DataFrame({"subject": ["a", "a"], "story": ["x", "x"], "segment": [0, 12],
    ...                      "tr_s": [1.5, 1.5], "part": ["train", "test"]})
    >>> [found] = closer_than_response(Evidence(tally=Tally.of(rows, "story", window=10)))
    >>> found.message
    '1 window of test begins or ends within 10 s of a window of the same run in train'
    """
    windows = _windows(evidence)
    if "tr_s" not in windows.columns:
        raise NotChecked("no times are known: the table has no 'tr_s' (seconds a segment)")
    response = evidence.settings.response_s
    for later, earlier in pairs_of_parts(evidence.tally.parts):
        near = _against(windows, later, earlier).filter(
            (pl.col("covered") == 0) & (pl.col("gap") * pl.col("tr_s") < response)
        )
        if len(near):
            n = int(near["samples"].sum())
            yield evidence.finding(
                CLOSE, "warning", (later, earlier), samples=n, **_by_run(near), kind="L3.2",
                message=f"{count(n, 'window')} of {later} begin{'s' if n == 1 else ''} or "
                        f"end{'s' if n == 1 else ''} within {response:g} s of a window of the same run in {earlier}",
            )


def _windows(evidence: Evidence) -> pl.DataFrame:
    """`line` (the run), `start`, `length`, `part`, `samples`, and `tr_s` where times are known."""
    if evidence.windows is not None:
        return evidence.windows.rename({"run": "line"})
    tally = evidence.tally
    if tally.unit != "story":
        raise NotChecked("the table does not say which stretch of which run a sample is")
    run = [pl.lit(" · "), pl.col("run").cast(pl.String).fill_null("run ?")] if tally.has("run") else []
    line = pl.concat_str(pl.col("subject"), pl.lit(" · "), pl.col("story").cast(pl.String), *run)
    times = ["tr_s"] if tally.has("tr_s") else []
    return tally.groups.select(
        line.alias("line"), pl.col("segment").alias("start"), pl.col("n_segments").alias("length"),
        "part", "samples", *times,
    )


def _against(windows: pl.DataFrame, later: str, earlier: str) -> pl.DataFrame:
    """The windows of `later` with how much of each `earlier` covers, and the gap to its nearest window."""
    line = windows["line"].rank("dense").to_numpy().astype(np.int64)
    first, length = windows["start"].to_numpy(), windows["length"].to_numpy()
    # Runs are put so far apart that no gap reaches from one to the next.
    reach = int((first + length).max() - min(first.min(), 0))
    starts, ends = on_one_line(line, first, first + length, apart=reach + 1)
    part = windows["part"].to_numpy()
    union = Union.of(starts[part == earlier], ends[part == earlier])
    rows = np.flatnonzero(part == later)
    lines_there = np.isin(line[rows], line[part == earlier])
    return windows[rows].with_columns(
        covered=union.count(starts[rows], ends[rows]),
        gap=union.gap(starts[rows], ends[rows]).astype(float), same_run=lines_there,
    ).filter("same_run")


def _by_run(windows: pl.DataFrame) -> dict[str, Any]:
    runs = windows.group_by("line").agg(pl.col("samples").sum()).sort(
        ["samples", "line"], descending=[True, False])
    examples = [f"{line}: {count(n, 'window')}" for line, n in runs.head(10).iter_rows()]
    return {"culprits": len(runs), "examples": examples}
