"""Long n-grams on both sides, and short sentences that stand whole inside a text of the other side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from arcuate.leakage.evidence import MOST_EXAMPLES, Evidence, clipped, count
from arcuate.leakage.findings import Finding
from arcuate.leakage.rates import pairs_of_parts
from arcuate.leakage.texts import Texts
from arcuate.leakage.word_runs import Occurrences, occurrences, partners
from arcuate.samples.text_identity import words

NAME = "ngram-overlap"
Ints = npt.NDArray[np.int64]


def ngram_overlap(evidence: Evidence) -> Iterator[Finding]:
    """Yield a leak for each pair of parts whose texts share a long n-gram (8 words by default).

    A sentence shorter than that, down to 4 words, is looked for whole in the texts of the other side,
    both ways round; windows of a story are no sentences, so only their n-grams count. Texts that are
    equal are left to the text overlap check.

    Examples
    --------
    >>> import polars as pl
    >>> from arcuate.leakage.tally import Tally
    >>> rows = pl.DataFrame({"subject": ["a", "b"], "part": ["train", "test"],
    ...     "text": ["He said: the whale is white, and sighed.", "The whale is white."]})
    >>> [found] = ngram_overlap(Evidence(tally=Tally.of(rows, "text")))
    >>> found.examples
    ('“the whale is white” in test; train has “He said: the whale is white, and sighed.”',)
    """
    texts, settings = Texts.of(evidence.tally), evidence.settings
    shortest = settings.shortest if evidence.tally.unit == "text" else settings.ngram
    runs = list(occurrences(texts.words, shortest, settings.ngram))
    for later, earlier in pairs_of_parts(evidence.tally.parts):
        text, place, size, partner = _shared(texts, runs, settings.ngram, later, earlier)
        culprits = np.unique(text)
        if not len(culprits):
            continue
        order = np.lexsort((place, text, -size))
        shown = order[np.sort(np.unique(text[order], return_index=True)[1])[:MOST_EXAMPLES]]
        yield evidence.finding(
            NAME, "leak", (later, earlier), samples=texts.samples(later)[culprits].sum(), culprits=len(culprits),
            examples=[
                f"“{_spoken(texts.words[text[at]], place[at], size[at])}” in {later}; "
                f"{earlier} has “{clipped(texts.words[partner[at]])}”" for at in shown
            ],
            message=f"{count(len(culprits), 'text')} of {later} with {settings.ngram} words in a row, "
                    f"or a whole short sentence, of a text in {earlier}",
            kind="L1.4",
        )


def _shared(
    texts: Texts, runs: Sequence[Occurrences], ngram: int, later: str, earlier: str
) -> tuple[Ints, Ints, Ints, Ints]:
    """Text, first word, number of words and partner of every shared run in `later`."""
    in_later, in_earlier = texts.samples(later) > 0, texts.samples(earlier) > 0
    found: list[tuple[Ints, Ints, Ints, Ints]] = []
    for run in runs:
        ours, theirs = run.of(in_later[run.text]), run.of(in_earlier[run.text])
        # A run shorter than the n-gram counts only where it is a whole sentence, of either side.
        sides = [(ours, theirs)] if run.size == ngram else [
            (ours.of(ours.whole), theirs), (ours, theirs.of(theirs.whole))]
        for mine, other in sides:
            partner = partners(mine, other, texts.nodes)
            hit = partner >= 0
            size = np.full(int(hit.sum()), run.size)
            found.append((mine.text[hit], mine.place[hit], size, partner[hit]))
    text, place, size, partner = (np.concatenate(column) for column in zip(*found, strict=True))
    return text, place, size, partner


def _spoken(text: str, place: int, size: int) -> str:
    return clipped(" ".join(words(text)[place : place + size]))
