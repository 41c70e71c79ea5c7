"""Method f, the papers' leak-free split: greedy picks, no regard to the ratio of what is kept."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from arcuate.errors import ArcuateError
from arcuate.splits.assemble import Coded, Codes, from_nodes, shuffled_parts
from arcuate.splits.parts import EIGHT_ONE_ONE, Ratio
from arcuate.splits.record import Split

if TYPE_CHECKING:
    from arcuate.samples.table import SampleTable

Side = Literal["fewer", "subjects", "texts"]


@dataclass(frozen=True, kw_only=True)
class GreedyPicks:
    """Method (f): each node of the larger side follows one node of the smaller side, which is cut.

    `smaller` says which side is shuffled and cut: 'fewer' (the papers' text: always the side with fewer
    nodes), or one of the two by name (their pseudo-code: subjects for EEG, texts for fMRI).

    Examples
    --------
    >>> import polars as pl
    >>> from arcuate.samples.read import read_samples
    >>> crossed = pl.DataFrame({"subject": list("aabb"), "text_id": list("xyxy")})
    >>> GreedyPicks(ratio=Ratio(1, 1)).split(read_samples(crossed)).counts
    {'train': 1, 'test': 1, 'dropped': 2}
    """

    name: ClassVar[str] = "f"
    ratio: Ratio = EIGHT_ONE_ONE
    seed: int = 1
    smaller: Side = "fewer"

    def split(self, table: SampleTable) -> Split:
        started = time.perf_counter()
        rows = table.rows()
        subject, text = Coded.of(rows["subject"]), Coded.of(rows["text_node"])
        cut_subjects = self._subjects_are_cut(table, len(subject), len(text))
        subject_part, text_part = greedy_parts(
            subject.codes, text.codes, self.ratio, self.seed, cut_subjects=cut_subjects
        )
        return from_nodes(
            table, rows, subject_part[subject.codes], text_part[text.codes], self, started=started
        )

    def _subjects_are_cut(self, table: SampleTable, n_subjects: int, n_texts: int) -> bool:
        if self.smaller not in ("fewer", "subjects", "texts"):
            raise ArcuateError(f"smaller is {self.smaller!r}. Use 'fewer', 'subjects' or 'texts'.")
        if self.smaller != "fewer":
            return self.smaller == "subjects"
        if n_subjects == n_texts:
            return table.unit == "text"  # as the papers do: subjects for EEG, stories for fMRI
        return n_subjects < n_texts


def greedy_parts(
    subject: Codes, text: Codes, ratio: Ratio, seed: int, *, cut_subjects: bool
) -> tuple[Codes, Codes]:
    """The part of each subject and of each text, given the two ends of each sample or edge.

    Examples
    --------
    >>> ends = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> [parts.tolist() for parts in greedy_parts(*ends, Ratio(1, 1), 1, cut_subjects=True)]
    [[0, 1], [0, 1]]
    """
    cut, follow = (subject, text) if cut_subjects else (text, subject)
    n_cut, n_follow = int(cut.max()) + 1, int(follow.max()) + 1
    parts = shuffled_parts(ratio, n_cut, seed)
    following = parts[least_picked(follow, cut, n_follow, n_cut)]
    return (parts, following) if cut_subjects else (following, parts)


def least_picked(larger: Codes, smaller: Codes, n_larger: int, n_smaller: int) -> Codes:
    """The neighbour that each larger-side node picks: the one picked least so far, the first of equals.

    `larger` and `smaller` are the two ends of each sample. Nodes pick in sorted order.

    Examples
    --------
    >>> least_picked(np.array([0, 0, 1, 1, 2]), np.array([0, 1, 0, 1, 0]), 3, 2).tolist()
    [0, 1, 0]
    """
    pairs = np.sort(larger * n_smaller + smaller)
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]  # as np.unique, which is ten times slower here
    neighbours = pairs % n_smaller
    first = np.searchsorted(pairs // n_smaller, np.arange(n_larger + 1))
    picked = np.zeros(n_smaller, np.int64)
    choice = np.empty(n_larger, np.int64)
    for node in range(n_larger):
        mine = neighbours[first[node]:first[node + 1]]
        chosen = mine[picked[mine].argmin()]
        choice[node] = chosen
        picked[chosen] += 1
    return choice
