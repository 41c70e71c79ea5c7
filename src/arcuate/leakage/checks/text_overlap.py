"""Texts on both sides: a decoder can recite what it saw in training."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from arcuate.leakage.evidence import Evidence, count
from arcuate.leakage.findings import Finding
from arcuate.leakage.rates import pairs_of_parts, segment_shares
from arcuate.leakage.texts import wording_of

NAME = "text-overlap"


def text_overlap(evidence: Evidence) -> Iterator[Finding]:
    """Yield a leak for each pair of parts that share a text, or segments of a story.

    A story on both sides of which no segment is shared is a warning.

    Examples
    --------
    >>> from arcuate.leakage.tally import Tally
    >>> rows = pl.DataFrame({"subject": ["a", "b"], "text": ["Call me Ishmael.", "call me ishmael"],
    ...                      "part": ["train", "test"]})
    >>> [found] = text_overlap(Evidence(tally=Tally.of(rows, "text")))
    >>> found.message
    '1 of 1 text in test also in train'
    """
    for later, earlier in pairs_of_parts(evidence.tally.parts):
        if evidence.tally.unit == "story":
            yield from _shared_segments(evidence, later, earlier)
        else:
            yield from _shared_texts(evidence, later, earlier)


def _shared_texts(evidence: Evidence, later: str, earlier: str) -> Iterator[Finding]:
    texts = evidence.tally.by("node")
    shared = texts.filter((pl.col(later) > 0) & (pl.col(earlier) > 0))
    if shared.is_empty():
        return
    worst = shared.sort([later, "node"], descending=[True, False]).head(10)
    wording = wording_of(evidence.tally, worst["node"])
    there = count(int((texts[later] > 0).sum()), "text")
    yield evidence.finding(
        NAME, "leak", (later, earlier), samples=shared[later].sum(), culprits=len(shared),
        examples=[
            f"{wording[row['node']]}: {row[later]:,} in {later}, {row[earlier]:,} in {earlier}"
            for row in worst.iter_rows(named=True)
        ],
        message=f"{len(shared):,} of {there} in {later} also in {earlier}",
        kind="L1.4",
    )


def _shared_segments(evidence: Evidence, later: str, earlier: str) -> Iterator[Finding]:
    rows, shares = segment_shares(evidence.tally, later, earlier)
    windows = evidence.tally.groups[rows].with_columns(share=shares)
    touched = windows.filter(pl.col("share") > 0)
    if len(touched):
        stories = touched.group_by("node").agg(
            pl.col("samples").sum(), ((pl.col("share") * pl.col("samples")).sum() / pl.col("samples").sum()),
        ).sort(["samples", "node"], descending=[True, False])
        yield evidence.finding(
            NAME, "leak", (later, earlier), samples=touched["samples"].sum(), culprits=len(stories),
            examples=[
                f"{row['node']}: {count(row['samples'], 'sample')} of {later} with {row['share']:.0%} of the "
                f"segments in {earlier}" for row in stories.head(10).iter_rows(named=True)
            ],
            message=f"segments of {count(len(stories), 'story', 'stories')} in {later} also in {earlier}",
            kind="L1.4",
        )
    yield from _shared_stories(evidence, later, earlier, touched["node"].unique().to_list())


def _shared_stories(evidence: Evidence, later: str, earlier: str, known: list[str]) -> Iterator[Finding]:
    stories = evidence.tally.by("node").filter(
        (pl.col(later) > 0) & (pl.col(earlier) > 0) & ~pl.col("node").is_in(known)
    )
    if stories.is_empty():
        return
    yield evidence.finding(
        NAME, "warning", (later, earlier), samples=stories[later].sum(), culprits=len(stories),
        examples=[
            f"{row['node']}: {row[later]:,} in {later}, {row[earlier]:,} in {earlier}"
            for row in stories.sort([later, "node"], descending=[True, False]).head(10).iter_rows(named=True)
        ],
        message=f"{count(len(stories), 'story', 'stories')} of {later} also in {earlier}, but no segment is shared",
        kind="L3.2",
    )
