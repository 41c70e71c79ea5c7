"""The samples table: who was recorded with which text, validated once, counted without expanding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arcuate.errors import ArcuateError
from arcuate.samples.columns import TEXT_COLUMNS, Columns, understand
from arcuate.samples.count import codes, counted, names_of
from arcuate.samples.graph import Graph
from arcuate.samples.text_nodes import TextNodes
from arcuate.samples.validate import Door, positive_window

if TYPE_CHECKING:
    import narwhals as nw
    import numpy.typing as npt
    import polars as pl

Unit = Literal["text", "story"]


@dataclass(frozen=True, eq=False)
class SampleTable:
    """A validated table of samples; every later stage starts from it.

    Attributes
    ----------
    source : str
        Where it came from, for messages.
    columns : Columns
        Which identifying columns there are; `columns.kind` is 'samples' or 'runs'.
    frame : narwhals.LazyFrame
        The rows, with the identifying columns under their own names and the rest as they were.
    window : int
        L: how many segments a sample spans where the table does not say.
    unit : 'text' or 'story'
        What a text node is: a class of equal texts (EEG-like) or a story (windows of fMRI).
    tally : polars.DataFrame
        One row for each distinct (subject, story, text, text_id) there is, with `n` samples and `weight`.
    """

    source: str
    columns: Columns
    frame: nw.LazyFrame[Any]
    window: int
    unit: Unit
    tally: pl.DataFrame = field(repr=False)
    nodes: TextNodes = field(repr=False)
    ordered: bool = True

    @classmethod
    def from_frame(
        cls, frame: Any, *, source: str = "the frame", window: int | None = None, where: Iterable[str] = (),
        same_text: Iterable[str] = (), near_duplicates: float | None = None, unit: str | None = None,
    ) -> SampleTable:
        """Validate a frame of any library that narwhals knows; see `read_samples`."""
        door = Door.open(frame, source)
        columns = understand(door.names, source)
        frame = door.canonical(columns, where)
        length = positive_window(window, columns)
        tally = counted(frame, columns, length, door)
        chosen = _unit(unit, columns, tally, length)
        nodes = TextNodes.of(tally, chosen, columns, frame, source).merged(same_text, near_duplicates)
        return cls(
            source=source, columns=columns, frame=frame, window=length, unit=chosen, tally=tally,
            nodes=nodes, ordered=door.ordered,
        )

    def __len__(self) -> int:
        return int(self.tally["n"].sum())

    @property
    def kind(self) -> str:
        return self.columns.kind

    @cached_property
    def graph(self) -> Graph:
        """The weighted subject × text graph."""
        names, node_of_row = self.nodes.numbered(self.tally)
        return Graph.from_codes(
            names_of(self.tally["subject"]).to_numpy().astype(str), names,
            codes(self.tally["subject"]), node_of_row,
            weights=self.tally["weight"].to_numpy(), samples=self.tally["n"].to_numpy(),
        )

    def with_nodes(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Add `text_node`, the node that each row's text belongs to."""
        return self.nodes.join(frame)

    def rows(self, *others: str) -> pl.DataFrame:
        """One row a sample, in table order: `sample, subject, text_node, [story, segment, n_segments,] weight`.

        A runs table is expanded here, and only here: a sample is named 'RUN_ROW:SEGMENT'.
        """
        from arcuate.samples.rows import sample_rows

        return sample_rows(self, others)

    @cached_property
    def groups(self) -> npt.NDArray[np.int64]:
        """Subject and text-node number of every sample, for the scikit-learn splitters."""
        rows = self.rows()
        subject = np.searchsorted(self.graph.subjects, rows["subject"].to_numpy().astype(str))
        text = np.searchsorted(self.graph.texts, rows["text_node"].to_numpy().astype(str))
        return np.stack([subject, text], axis=1)

    @cached_property
    def identity_hash(self) -> str:
        """SHA-256 of what identifies the samples: equal for equal tables, whatever the file format."""
        from arcuate.samples.rows import identity_hash

        return identity_hash(self)

    def describe(self) -> str:
        """One line for people.

        Examples
        --------
        >>> import polars as pl
        >>> SampleTable.from_frame(pl.DataFrame({"subject": ["a", "b"], "text": ["x", "x"]})).describe()
        '2 samples of 2 subjects and 1 text'
        """
        graph = self.graph
        names = {"text": ("text", "texts"), "story": ("story", "stories")}[self.unit]
        spanning = f", windows of {self.window} segments" if self.unit == "story" and self.window > 1 else ""
        return (
            f"{len(self):,} samples of {len(graph.subjects):,} subject{'s' * (len(graph.subjects) != 1)} "
            f"and {len(graph.texts):,} {names[len(graph.texts) != 1]}{spanning}"
        )


def _unit(asked: str | None, columns: Columns, tally: pl.DataFrame, window: int) -> Unit:
    """A story where samples are windows of one (they overlap), else a class of equal texts."""
    if asked not in (None, "text", "story"):
        raise ArcuateError(f"unit is {asked!r}. Give 'text' or 'story'.")
    has_text = any(columns.has(name) for name in TEXT_COLUMNS)
    windows = columns.has("story") and (columns.kind == "runs" or columns.has("segment"))
    if asked == "story" and not columns.has("story"):
        raise ArcuateError("unit 'story' needs a column 'story' (or 'task'). Add it, or use unit 'text'.")
    if asked == "text" and not has_text:
        raise ArcuateError("unit 'text' needs a column 'text' or 'text_id'. Add it, or use unit 'story'.")
    if asked is not None:
        return "story" if asked == "story" else "text"
    if windows and (not has_text or int(tally["longest"].max() or 1) > 1):  # type: ignore[arg-type]
        return "story"
    return "text"
