"""The published methods a to e, to reproduce what others did: all but a careful reading of them leak."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import polars as pl

from arcuate.splits.assemble import Coded, Codes, from_parts, part_of_rank, shuffled_parts, stories
from arcuate.splits.parts import EIGHT_ONE_ONE, Ratio
from arcuate.splits.record import Split

if TYPE_CHECKING:
    from arcuate.samples.table import SampleTable


@dataclass(frozen=True, kw_only=True)
class BySubject:
    """Method (a): cut the shuffled subjects. Texts are on both sides.

    Examples
    --------
    >>> from arcuate.samples.read import read_samples
    >>> table = read_samples(pl.DataFrame({"subject": list("abcd"), "text_id": ["x"] * 4}))
    >>> BySubject(ratio=Ratio(3, 1)).split(table).counts
    {'train': 3, 'test': 1, 'dropped': 0}
    """

    name: ClassVar[str] = "a"
    ratio: Ratio = EIGHT_ONE_ONE
    seed: int = 1

    def split(self, table: SampleTable) -> Split:
        started = time.perf_counter()
        rows = table.rows()
        subject = Coded.of(rows["subject"])
        parts = shuffled_parts(self.ratio, len(subject), self.seed)
        return from_parts(table, rows, parts[subject.codes], self, unit=f"{len(subject)} subjects", started=started)


@dataclass(frozen=True, kw_only=True)
class ByStory:
    """Method (b): cut the shuffled stories. Subjects are on both sides.

    Examples
    --------
    >>> from arcuate.samples.read import read_samples
    >>> runs = pl.DataFrame({"subject": ["a", "a"], "story": ["x", "y"], "n_trs": [5, 5]})
    >>> ByStory(ratio=Ratio(1, 1)).split(read_samples(runs, window=2)).counts
    {'train': 4, 'test': 4, 'dropped': 0}
    """

    name: ClassVar[str] = "b"
    ratio: Ratio = EIGHT_ONE_ONE
    seed: int = 1

    def split(self, table: SampleTable) -> Split:
        started = time.perf_counter()
        rows = table.rows()
        story = stories(table, rows, self.name)
        parts = shuffled_parts(self.ratio, len(story), self.seed)
        return from_parts(table, rows, parts[story.codes], self, unit=f"{len(story)} stories", started=started)


@dataclass(frozen=True, kw_only=True)
class BySample:
    """Method (c): cut all the shuffled samples. Subjects and texts are on both sides.

    Examples
    --------
    >>> from arcuate.samples.read import read_samples
    >>> table = read_samples(pl.DataFrame({"subject": ["a"] * 5, "text_id": ["x"] * 5}))
    >>> BySample(ratio=Ratio(4, 1)).split(table).counts
    {'train': 4, 'test': 1, 'dropped': 0}
    """

    name: ClassVar[str] = "c"
    ratio: Ratio = EIGHT_ONE_ONE
    seed: int = 1

    def split(self, table: SampleTable) -> Split:
        started = time.perf_counter()
        rows = table.rows()
        n = len(rows)
        parts = shuffled_parts(self.ratio, n, self.seed)
        return from_parts(table, rows, parts, self, unit=f"{n} samples", started=started)


@dataclass(frozen=True, kw_only=True)
class BySampleInStory:
    """Method (d): cut the shuffled samples of each story. Subjects and texts are on both sides.

    Examples
    --------
    >>> from arcuate.samples.read import read_samples
    >>> runs = pl.DataFrame({"subject": ["a", "a"], "story": ["x", "y"], "n_trs": [4, 8]})
    >>> split = BySampleInStory(ratio=Ratio(1, 1)).split(read_samples(runs, window=1))
    >>> split.frame.filter(pl.col("part") == "test")["story"].value_counts().sort("story").rows()
    [('x', 2), ('y', 4)]
    """

    name: ClassVar[str] = "d"
    ratio: Ratio = EIGHT_ONE_ONE
    seed: int = 1

    def split(self, table: SampleTable) -> Split:
        started = time.perf_counter()
        rows = table.rows()
        story = stories(table, rows, self.name)
        order = np.random.default_rng(self.seed).permutation(len(story.codes))
        rank = _rank_within(story.codes[order])
        place = np.empty(len(order), np.int64)
        place[order] = rank
        size = np.bincount(story.codes)[story.codes]
        parts = part_of_rank(self.ratio, place, size)
        return from_parts(table, rows, parts, self, unit=f"samples of {len(story)} stories", started=started)


@dataclass(frozen=True, kw_only=True)
class ByPositionInStory:
    """Method (e): cut each story by position, train in the middle; which part is at which end, by the seed.

    The position is the sample's segment; in a table without segments, the place at which the text
    first stands among its story's texts.

    Examples
    --------
    >>> from arcuate.samples.read import read_samples
    >>> run = pl.DataFrame({"subject": ["a"], "story": ["x"], "n_trs": [5]})
    >>> ByPositionInStory(ratio=Ratio(3, 1, 1), seed=1).split(read_samples(run, window=1)).frame["part"].to_list()
    ['val', 'train', 'train', 'train', 'test']
    """

    name: ClassVar[str] = "e"
    ratio: Ratio = EIGHT_ONE_ONE
    seed: int = 1

    def split(self, table: SampleTable) -> Split:
        started = time.perf_counter()
        rows = table.rows()
        story = stories(table, rows, self.name)
        position, size = _positions(rows, story)
        order = self._order_of_parts()
        upto = self.ratio.cuts(size)
        lengths = np.diff(upto, axis=1)[:, order]
        ends = np.cumsum(lengths, axis=1)[:, :-1]
        slot = (position[:, None] >= ends[story.codes]).sum(axis=1)
        parts = np.asarray(order, np.int64)[slot]
        return from_parts(table, rows, parts, self, unit=f"positions in {len(story)} stories", started=started)

    def _order_of_parts(self) -> list[int]:
        """Parts from the story's start to its end: train in the middle, the others at the two ends."""
        others = list(range(1, len(self.ratio.values)))
        order = [*others[0::2], 0, *others[1::2]]
        return order[::-1] if np.random.default_rng(self.seed).integers(2) else order


def _rank_within(groups: Codes) -> Codes:
    """The place of each element among those of its group, in the order given.

    Examples
    --------
    >>> _rank_within(np.array([1, 0, 1, 1])).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(groups, kind="stable")
    first = np.cumsum(np.bincount(groups)) - np.bincount(groups)
    rank = np.empty(len(groups), np.int64)
    rank[order] = np.arange(len(groups)) - first[groups[order]]
    return rank


def _positions(rows: pl.DataFrame, story: Coded) -> tuple[Codes, Codes]:
    """The place of each sample among its story's distinct positions, and how many each story has."""
    frame = pl.DataFrame({"story": story.codes, "row": np.arange(len(story.codes))})
    if "segment" in rows.columns:
        frame = frame.with_columns(place=rows["segment"].cast(pl.Int64))
    else:
        text = rows["text_node"]
        first = frame.with_columns(text=text).select(pl.col("row").min().over("story", "text"))
        frame = frame.with_columns(place=first.to_series())
    ranked = frame.select(
        rank=pl.col("place").rank("dense").over("story").cast(pl.Int64) - 1, story=pl.col("story")
    )
    size = ranked.group_by("story").agg(pl.col("rank").max() + 1).sort("story")["rank"].to_numpy()
    return ranked["rank"].to_numpy(), size
