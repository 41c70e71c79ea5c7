"""Parts that are empty, off their ratio, or differ in age, sex or task; texts that one subject read alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from arcuate.leakage.evidence import Evidence, count
from arcuate.leakage.findings import Finding
from arcuate.leakage.rates import pairs_of_parts
from arcuate.leakage.texts import wording_of

NAME = "imbalance"
# Rules of thumb, on purpose coarse: half a standard deviation of age, a fifth of the samples elsewhere.
AGE_DIFFERENCE = 0.5
SHARE_DIFFERENCE = 0.2


def imbalance(evidence: Evidence) -> Iterator[Finding]:
    """Yield warnings on the shape of the parts.

    Examples
    --------
    >>> from arcuate.leakage.tally import Tally
    >>> rows = pl.DataFrame({"subject": ["a", "b"], "text_id": ["x", "x"], "part": ["train", "train"]})
    >>> [found] = imbalance(Evidence(tally=Tally.of(rows, "text")))
    >>> found.message, found.kind
    ('test is empty', 'L1.1')
    """
    yield from _empty(evidence)
    yield from _off_ratio(evidence)
    yield from _read_by_one(evidence)
    for later, earlier in pairs_of_parts(evidence.tally.parts):
        if earlier == "train":
            yield from _age(evidence, later)
            for column in ("sex", "task"):
                yield from _shares(evidence, later, column)


def _empty(evidence: Evidence) -> Iterator[Finding]:
    asked = len(evidence.settings.ratio or ())
    needed = ("train", "val", "test") if asked == 3 else ("train", "test")
    for part in needed:
        if part not in evidence.tally.parts:
            yield evidence.finding(
                NAME, "warning", (part,), samples=0, culprits=1, examples=[part],
                message=f"{part} is empty", kind="L1.1",
            )


def _off_ratio(evidence: Evidence) -> Iterator[Finding]:
    ratio, totals = evidence.settings.ratio, evidence.tally.totals
    if ratio is None or len(ratio) != len(evidence.tally.parts):
        return
    kept = sum(totals[part] for part in evidence.tally.parts)
    for part, wanted in zip(evidence.tally.parts, np.asarray(ratio) / sum(ratio), strict=True):
        share = totals[part] / kept
        if abs(share - wanted) > evidence.settings.tolerance * wanted + 1e-9:
            yield evidence.finding(
                NAME, "warning", (part,), samples=totals[part], culprits=1,
                examples=[f"{part}: {share:.1%} of the kept samples, {wanted:.1%} was asked for"],
                message=f"{part} has {share:.1%} of the kept samples instead of {wanted:.1%}", kind="L3.3",
            )


def _read_by_one(evidence: Evidence) -> Iterator[Finding]:
    groups = evidence.tally.groups
    if groups["subject"].n_unique() < 2:
        return
    texts = groups.group_by("node").agg(
        pl.col("subject").n_unique().alias("subjects"), pl.col("subject").min(), pl.col("samples").sum(),
    ).filter(pl.col("subjects") == 1).sort(["samples", "node"], descending=[True, False])
    if len(texts):
        word = ("story", "stories") if evidence.tally.unit == "story" else ("text", "texts")
        wording = wording_of(evidence.tally, texts["node"].head(10))
        yield evidence.finding(
            NAME, "warning", evidence.tally.parts, samples=texts["samples"].sum(), culprits=len(texts),
            of=int(groups["samples"].sum()),
            examples=[f"{wording[row['node']]}: only {row['subject']}" for row in texts.head(10).iter_rows(named=True)],
            message=f"{count(len(texts), *word)} with one reader only: person and text cannot be told apart there",
            kind="L3.3",
        )


def _age(evidence: Evidence, later: str) -> Iterator[Finding]:
    if not evidence.tally.has("age"):
        return
    ages = evidence.tally.groups.select(
        "subject", "part", age=pl.col("age").cast(pl.Float64, strict=False)
    ).filter(pl.col("age").is_finite()).group_by("part", "subject").agg(pl.col("age").mean())
    one, two = (ages.filter(pl.col("part") == part)["age"].to_numpy() for part in (later, "train"))
    if len(one) < 2 or len(two) < 2:
        return
    spread = np.sqrt((one.var(ddof=1) + two.var(ddof=1)) / 2)
    apart = abs(one.mean() - two.mean())
    if apart > AGE_DIFFERENCE * spread and apart > 0:
        said = f"mean age is {one.mean():.1f} in {later} and {two.mean():.1f} in train"
        yield evidence.finding(
            NAME, "warning", (later, "train"), samples=evidence.tally.totals[later], culprits=1,
            examples=[said], message=said, kind="L3.3",
        )


def _shares(evidence: Evidence, later: str, column: str) -> Iterator[Finding]:
    """Half the summed difference of the shares: the share of samples that would have to change hands."""
    if not evidence.tally.has(column):
        return
    counts = evidence.tally.by(column).filter(pl.col(column).is_not_null())
    if not counts[later].sum() or not counts["train"].sum():
        return
    one, two = counts[later] / counts[later].sum(), counts["train"] / counts["train"].sum()
    if float((one - two).abs().sum()) / 2 > SHARE_DIFFERENCE:
        worst = counts.with_columns(one=one, two=two).sort((pl.col("one") - pl.col("two")).abs(), descending=True)
        yield evidence.finding(
            NAME, "info" if _follows_story(evidence, column) else "warning", (later, "train"),
            samples=evidence.tally.totals[later], culprits=1, examples=[
                f"{column} {row[column]}: {row['one']:.0%} of {later}, {row['two']:.0%} of train"
                for row in worst.head(5).iter_rows(named=True)
            ],
            message=f"{column} is spread differently in {later} and train", kind="L3.3",
        )


def _follows_story(evidence: Evidence, column: str) -> bool:
    """Whether each story has one value only: then no split that parts the stories can balance it."""
    if evidence.tally.unit != "story":
        return False
    return int(evidence.tally.groups.group_by("node").agg(pl.col(column).n_unique())[column].max() or 0) <= 1  # type: ignore[arg-type]
