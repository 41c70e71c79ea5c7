"""Runs of words that texts share, found exactly: words and runs are numbered, not hashed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arcuate.samples.text_identity import words

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Every place where a run of `size` words stands: the run's number, the text, the first word.

    Examples
    --------
    >>> runs = {found.size: found for found in occurrences(["a b c", "B, c"], 1, 2)}
    >>> runs[2].run.tolist(), runs[2].text.tolist(), runs[2].place.tolist(), runs[2].whole.tolist()
    ([0, 1, 1], [0, 0, 1], [0, 1, 0], [False, False, True])
    """

    size: int
    run: Ints
    text: Ints
    place: Ints
    whole: npt.NDArray[np.bool_]

    def of(self, rows: npt.NDArray[np.bool_]) -> Occurrences:
        """Some of the occurrences."""
        return Occurrences(self.size, self.run[rows], self.text[rows], self.place[rows], self.whole[rows])


def occurrences(texts: Sequence[str], shortest: int, longest: int) -> Iterator[Occurrences]:
    """Yield all runs of `shortest` words, then of one more, up to `longest`; none crosses from text to text."""
    vocabulary: dict[str, int] = {}
    listed = [[vocabulary.setdefault(word, len(vocabulary)) for word in words(text)] for text in texts]
    lengths = np.array([len(numbers) for numbers in listed], np.int64)
    flat = np.array([number for numbers in listed for number in numbers], np.int64)
    text = np.repeat(np.arange(len(lengths)), lengths)
    place = np.arange(len(flat)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    run = flat
    for size in range(1, longest + 1):
        fits = place + size <= lengths[text]
        if size > 1:
            # Runs grow by a word at a time and are numbered afresh, so that no product overflows.
            following = np.append(flat[size - 1 :], np.zeros(min(size - 1, len(flat)), np.int64))
            run = np.unique(run * len(vocabulary) + following, return_inverse=True)[1].astype(np.int64)
        if size >= shortest:
            yield Occurrences(size, run[fits], text[fits], place[fits], (lengths[text] == size)[fits])


def partners(ours: Occurrences, theirs: Occurrences, nodes: npt.NDArray[np.str_]) -> Ints:
    """For each of `ours`, a text among `theirs` with the same run but another node, or -1.

    Looking at the smallest and the largest node of each run is enough: if any node differs from ours,
    one of these two does.

    Examples
    --------
    >>> [runs] = occurrences(["a b", "a b", "b c"], 2, 2)
    >>> partners(runs, runs, np.array(["x", "y", "z"])).tolist()
    [1, 0, -1]
    """
    found = np.full(len(ours.run), -1, np.int64)
    if not len(theirs.run):
        return found
    node = np.unique(nodes, return_inverse=True)[1]
    order = np.lexsort((theirs.text, node[theirs.text], theirs.run))
    run, text = theirs.run[order], theirs.text[order]
    low, high = np.searchsorted(run, ours.run, "left"), np.searchsorted(run, ours.run, "right")
    there = high > low
    for at in (np.minimum(low, len(run) - 1), np.maximum(high - 1, 0)):
        fresh = there & (found < 0) & (node[text[at]] != node[ours.text])
        found[fresh] = text[at][fresh]
    return found
