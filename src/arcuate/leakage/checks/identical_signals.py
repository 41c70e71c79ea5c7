"""The same signal bytes under two samples, and signals that hold nothing: NaN or one constant."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from arcuate.leakage.evidence import Evidence, NotChecked, count
from arcuate.leakage.findings import Finding
from arcuate.leakage.rates import pairs_of_parts

NAME = "identical-signals"


def identical_signals(evidence: Evidence) -> Iterator[Finding]:
    """Yield a leak where parts share a signal, a warning where a part repeats one or has dead ones.

    Examples
    --------
    >>> from arcuate.leakage.tally import Tally
    >>> rows = pl.DataFrame({"subject": ["a", "b"], "text_id": ["x", "y"], "part": ["train", "test"]})
    >>> signals = pl.DataFrame({"sample": ["1", "2"], "subject": ["a", "b"], "part": ["train", "test"],
    ...     "digest": ["ff", "ff"], "nan": [False, False], "constant": [False, False]})
    >>> [found] = identical_signals(Evidence(tally=Tally.of(rows, "text"), signals=signals))
    >>> found.severity, found.examples
    ('leak', ('2 (b, test) = 1 (a, train)',))
    """
    if evidence.signals is None:
        raise NotChecked("no signal store was given (--signals FOLDER)")
    used = evidence.signals.filter(pl.col("part") != "dropped")
    alive = used.filter(~pl.col("nan") & ~pl.col("constant"))
    for later, earlier in pairs_of_parts(evidence.tally.parts):
        yield from _across(evidence, alive, later, earlier)
    for part in evidence.tally.parts:
        yield from _within(evidence, alive.filter(pl.col("part") == part), part)
        for fault, what in (("nan", "hold NaN"), ("constant", "are constant")):
            yield from _dead(evidence, used.filter(pl.col(fault) & (pl.col("part") == part)), part, what)


def _across(evidence: Evidence, signals: pl.DataFrame, later: str, earlier: str) -> Iterator[Finding]:
    theirs = signals.filter(pl.col("part") == earlier).group_by("digest").agg(
        pl.struct("sample", "subject").sort().first().alias("twin"))
    shared = signals.filter(pl.col("part") == later).join(theirs, on="digest", how="inner").sort("sample")
    if shared.is_empty():
        return
    yield evidence.finding(
        NAME, "leak", (later, earlier), samples=len(shared), culprits=shared["digest"].n_unique(),
        examples=[
            f"{row['sample']} ({row['subject']}, {later}) = "
            f"{row['twin']['sample']} ({row['twin']['subject']}, {earlier})"
            for row in shared.head(10).iter_rows(named=True)
        ],
        message=f"{count(len(shared), 'sample')} of {later} with the very signal of a sample in {earlier}",
        kind="L1.4",
    )


def _within(evidence: Evidence, signals: pl.DataFrame, part: str) -> Iterator[Finding]:
    repeated = signals.filter(pl.col("digest").is_duplicated())
    if repeated.is_empty():
        return
    groups = repeated.group_by("digest").agg(
        (pl.col("sample") + " (" + pl.col("subject") + ")").sort().alias("names")).sort("names")
    yield evidence.finding(
        NAME, "warning", (part,), samples=len(repeated), culprits=len(groups),
        examples=[" = ".join(names[:3]) for names in groups["names"].head(10).to_list()],
        message=f"{count(len(repeated), 'sample')} of {part} share their signal with another sample of {part}",
        kind="L1.4",
    )


def _dead(evidence: Evidence, signals: pl.DataFrame, part: str, what: str) -> Iterator[Finding]:
    if signals.is_empty():
        return
    yield evidence.finding(
        NAME, "warning", (part,), samples=len(signals), culprits=len(signals),
        examples=[
            f"{row['sample']} ({row['subject']})" for row in signals.sort("sample").head(10).iter_rows(named=True)
        ],
        message=f"signals of {count(len(signals), 'sample')} of {part} {what}", kind="L3.3",
    )
