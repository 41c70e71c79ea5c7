"""The distinct texts of a split and the parts that each is in, for the checks that read words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from arcuate.leakage.evidence import NotChecked, clipped
from arcuate.leakage.tally import Tally


@dataclass(frozen=True, eq=False)
class Texts:
    """Distinct texts, the text node of each, and the samples it has in each part.

    Examples
    --------
    >>> rows = pl.DataFrame({"subject": ["a", "b"], "text": ["One.", "Two."], "part": ["train", "test"]})
    >>> texts = Texts.of(Tally.of(rows, "text"))
    >>> texts.words, texts.samples("test").tolist()
    (['One.', 'Two.'], [0, 1])
    """

    words: list[str]
    nodes: npt.NDArray[np.str_]
    counts: pl.DataFrame

    @classmethod
    def of(cls, tally: Tally) -> Texts:
        """Collect them; a table without wording cannot be read for words."""
        if not tally.has("text"):
            raise NotChecked("the table has no 'text' column, only names of texts")
        counts = tally.wording
        return cls(counts["text"].to_list(), counts["node"].to_numpy().astype(str), counts)

    def samples(self, part: str) -> npt.NDArray[np.int64]:
        """Samples of each text in `part`."""
        return self.counts[part].to_numpy()

    def other_sides(self, first: npt.NDArray[np.int64], second: npt.NDArray[np.int64],
                    later: str, earlier: str) -> npt.NDArray[np.bool_]:
        """Whether `first` is in `later` and `second` in `earlier`, and they are not one and the same node."""
        there, here = self.samples(later)[first] > 0, self.samples(earlier)[second] > 0
        return there & here & (self.nodes[first] != self.nodes[second])


def wording_of(tally: Tally, nodes: pl.Series) -> dict[str, str]:
    """A name to show for each text node: its words, quoted, where the table has them, else the name itself.

    Examples
    --------
    >>> rows = pl.DataFrame({"subject": ["a"], "text": ["Call me Ishmael."], "part": ["train"]})
    >>> tally = Tally.of(rows, "text")
    >>> list(wording_of(tally, tally.groups["node"]).values())
    ['“Call me Ishmael.”']
    """
    names = {node: node for node in nodes.to_list()}
    if tally.unit == "story" or not tally.has("text"):
        return names
    texts = tally.groups.filter(pl.col("node").is_in(nodes.implode())).group_by("node").agg(pl.col("text").min())
    return names | {node: f"“{clipped(text)}”" for node, text in texts.iter_rows() if text is not None}
