"""Texts on both sides that differ by punctuation, a word, or a version of the story."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from arcuate.leakage.evidence import Evidence, NotChecked, clipped, count
from arcuate.leakage.findings import Finding
from arcuate.leakage.rates import pairs_of_parts
from arcuate.leakage.tally import Tally
from arcuate.leakage.texts import Texts
from arcuate.samples.near_duplicates import Shingles, near_pairs_of_shingles

NAME = "near-duplicate-text"


def near_duplicate_text(evidence: Evidence) -> Iterator[Finding]:
    """Yield a leak for each pair of parts that hold near-duplicate texts; the pairs are named.

    Examples
    --------
    >>> rows = pl.DataFrame({"subject": ["a", "b"], "part": ["train", "test"],
    ...     "text": ["one two three four five six seven eight", "one two three four five six seven eight nine"]})
    >>> [found] = near_duplicate_text(Evidence(tally=Tally.of(rows, "text")))
    >>> found.samples, found.examples[0][:14]
    (1, 'Jaccard 0.86: ')
    """
    threshold = evidence.settings.near_duplicates
    if threshold is None:
        raise NotChecked("near-duplicates are off")
    texts, shingles = _compared(evidence.tally)
    pairs = near_pairs_of_shingles(shingles, threshold)
    first = np.array([pair.first for pair in pairs], np.int64)
    second = np.array([pair.second for pair in pairs], np.int64)
    jaccard = np.array([pair.jaccard for pair in pairs])
    # Either text of a pair may be the one in the later part.
    one, other, jaccard = np.append(first, second), np.append(second, first), np.append(jaccard, jaccard)
    for later, earlier in pairs_of_parts(evidence.tally.parts):
        across = texts.other_sides(one, other, later, earlier)
        if not across.any():
            continue
        culprits = np.unique(one[across])
        order = np.lexsort((other[across], one[across], -jaccard[across]))[:10]
        yield evidence.finding(
            NAME, "leak", (later, earlier), samples=texts.samples(later)[culprits].sum(), culprits=len(culprits),
            examples=[
                f"Jaccard {value:.2f}: “{clipped(texts.words[a])}” in {later}, "
                f"“{clipped(texts.words[b])}” in {earlier}"
                for a, b, value in zip(
                    one[across][order], other[across][order], jaccard[across][order], strict=True)
            ],
            message=f"{count(len(culprits), 'text')} of {later} nearly equal to a text in {earlier} "
                    f"(Jaccard from {threshold:g})",
            kind="L1.4",
        )


def _compared(tally: Tally) -> tuple[Texts, Shingles]:
    """What is compared: text with text; of windows, story with story, since short windows often agree by chance."""
    texts = Texts.of(tally)
    shingles = Shingles.of_texts(texts.words)
    if tally.unit == "text":
        return texts, shingles
    stories, owner = np.unique(texts.nodes, return_inverse=True)
    counts = tally.by("node").filter(pl.col("node").is_in(stories.tolist()))
    return Texts(stories.tolist(), stories, counts), Shingles.union(shingles, owner, len(stories))
