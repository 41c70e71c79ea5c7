"""Subjects on both sides: a decoder can recognise the person instead of reading the brain."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from arcuate.leakage.evidence import Evidence, count
from arcuate.leakage.findings import Finding
from arcuate.leakage.rates import pairs_of_parts

NAME = "subject-overlap"


def subject_overlap(evidence: Evidence) -> Iterator[Finding]:
    """Yield a leak for each pair of parts that share a subject.

    Examples
    --------
    >>> from arcuate.leakage.tally import Tally
    >>> rows = pl.DataFrame({"subject": ["a", "a", "b"], "text_id": ["x", "y", "z"],
    ...                      "part": ["train", "test", "test"]})
    >>> [found] = subject_overlap(Evidence(tally=Tally.of(rows, "text")))
    >>> found.examples, found.samples, found.share
    (('a: 1 in test, 1 in train',), 1, 0.5)
    """
    subjects = evidence.tally.by("subject")
    for later, earlier in pairs_of_parts(evidence.tally.parts):
        shared = subjects.filter((pl.col(later) > 0) & (pl.col(earlier) > 0))
        if shared.is_empty():
            continue
        worst = shared.sort([later, "subject"], descending=[True, False])
        there = count(int((subjects[later] > 0).sum()), "subject")
        yield evidence.finding(
            NAME, "leak", (later, earlier), samples=shared[later].sum(), culprits=len(shared),
            examples=[
                f"{row['subject']}: {row[later]:,} in {later}, {row[earlier]:,} in {earlier}"
                for row in worst.head(10).iter_rows(named=True)
            ],
            message=f"{len(shared):,} of {there} in {later} also in {earlier}",
            kind="L3.2",
        )
