"""What a page is made of: a verdict, sections, and the blocks inside a section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from markupsafe import Markup

from arcuate.errors import ArcuateError
from arcuate.report.text import number, shown

Tone = Literal["good", "bad", "caution", "neutral"]


@dataclass(frozen=True)
class Verdict:
    """The page's answer, first and in plain words.

    `tone` picks colour and icon; `word` is the answer itself ("Leak"), `sentence` says it in full,
    `details` are one-line reasons.
    """

    word: str
    sentence: str
    tone: Tone = "neutral"
    details: tuple[str, ...] = ()


@dataclass(frozen=True)
class Paragraph:
    """One paragraph of plain text."""

    kind: ClassVar[str] = "paragraph"
    text: str
    tone: Tone | None = None


@dataclass(frozen=True)
class Bullets:
    """A list of plain lines."""

    kind: ClassVar[str] = "bullets"
    items: tuple[str, ...]


@dataclass(frozen=True)
class Facts:
    """Names and values, in two columns: a manifest, the settings of a run."""

    kind: ClassVar[str] = "facts"
    items: Mapping[str, object]


@dataclass(frozen=True)
class Figures:
    """A few large numbers side by side: (value, what it is, tone)."""

    kind: ClassVar[str] = "figures"
    items: tuple[tuple[str, str, Tone], ...]


@dataclass(frozen=True)
class Code:
    """A command to copy."""

    kind: ClassVar[str] = "code"
    text: str
    label: str = "Command"


@dataclass(frozen=True)
class Picture:
    """An inline SVG made with `arcuate.report.svg`, its caption, and its legend (colour variable, words)."""

    kind: ClassVar[str] = "picture"
    svg: Markup
    caption: str
    legend: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.svg, Markup):
            raise ArcuateError("A Picture needs Markup from arcuate.report.svg, not a bare string.")


@dataclass(frozen=True)
class Plot:
    """An interactive Plotly figure (a Figure or its dict); Plotly is inlined only on pages that have one."""

    kind: ClassVar[str] = "plot"
    figure: Any
    caption: str
    height: int = 420


@dataclass(frozen=True)
class Tag:
    """A table cell that is a small coloured word; it sorts by `order` where given."""

    word: str
    tone: Tone = "neutral"
    order: float | None = None


@dataclass(frozen=True)
class Column:
    """One column of a table; numeric columns stand right, sort as numbers and show `digits` decimals."""

    name: str
    numeric: bool = False
    digits: int = 2
    hint: str = ""


@dataclass(frozen=True)
class Table:
    """A table that sorts by any column and, with `search`, filters as one types.

    A cell is text, a number, None, a `Tag`, or a tuple of lines.

    Examples
    --------
    >>> table = Table("Scores", ("model", Column("score", numeric=True)), [("a", 1.5), ("b", None)])
    >>> [cell.shown for cell in table.cells[0]], table.cells[1][1].shown
    (['a', '1.50'], '–')
    """

    kind: ClassVar[str] = "table"
    caption: str
    columns: tuple[Column | str, ...]
    rows: Sequence[Sequence[object]]
    search: bool = False
    note: str = ""
    cells: tuple[tuple[_Cell, ...], ...] = field(init=False, repr=False)
    heads: tuple[Column, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        heads = tuple(Column(column) if isinstance(column, str) else column for column in self.columns)
        for at, row in enumerate(self.rows):
            if len(row) != len(heads):
                raise ArcuateError(
                    f"Row {at} of the table {self.caption!r} has {len(row)} cells but there are "
                    f"{len(heads)} columns. Give one cell a column."
                )
        object.__setattr__(self, "heads", heads)
        object.__setattr__(self, "cells", tuple(tuple(map(_cell, row, heads)) for row in self.rows))


Block = Paragraph | Bullets | Facts | Figures | Code | Picture | Plot | Table


@dataclass(frozen=True)
class Section:
    """One part of a page: `name` is its anchor, `lead` one sentence under the title."""

    name: str
    title: str
    blocks: tuple[Block, ...] = ()
    lead: str = ""

    def __post_init__(self) -> None:
        if not self.name.replace("-", "").isalnum() or not self.name.isascii():
            raise ArcuateError(f"Section name {self.name!r} is an anchor: use letters, digits and '-' only.")


@dataclass(frozen=True)
class _Cell:
    shown: str
    sort: float | None = None
    tone: Tone | None = None
    lines: tuple[str, ...] = ()


def _cell(value: object, column: Column) -> _Cell:
    if isinstance(value, Tag):
        return _Cell(shown(value.word), value.order, value.tone)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _Cell(number(value, column.digits), None if value != value else float(value))
    if isinstance(value, tuple):
        return _Cell(shown("; ".join(map(str, value))), lines=tuple(shown(line) for line in value))
    return _Cell(shown(value))
