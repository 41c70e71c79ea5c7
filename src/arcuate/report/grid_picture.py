"""The picture of a split: subjects × texts, each cell coloured by its part; a leak is seen at once.

Both sides are ordered by part, so a split without leaks shows as separate blocks; whatever stands in
two parts gets a red mark at its edge of the picture.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl
from markupsafe import Markup

from arcuate.leakage.tally import Tally
from arcuate.leakage.texts import wording_of
from arcuate.report.blocks import Picture
from arcuate.report.svg import drawing, element, label

WIDTH, LABEL, MARK = 1090.0, 165.0, 12.0
MOST_COLUMNS, MOST_ROWS = 900, 60
MOST_TITLES = 6_000
GAP = 0.6
COLOURS = ("train", "val", "test", "dropped")


@dataclass(frozen=True, eq=False)
class Side:
    """The names along one side in the order drawn, and which of them stand in two parts.

    Where there are too many to draw, neighbours share a place: `place` is each name's.
    """

    names: list[str]
    labels: list[str]
    place: npt.NDArray[np.int64]
    in_two: npt.NDArray[np.bool_]
    places: int

    def title(self, at: int) -> str:
        """What stands at a place."""
        members = np.flatnonzero(self.place == at)
        first = self.labels[members[0]]
        return first if len(members) == 1 else f"{first} and {len(members) - 1} more"


def grid_picture(tally: Tally) -> Picture:
    """Draw the longer side along the page, the shorter one down it.

    Examples
    --------
    >>> rows = pl.DataFrame({"subject": ["a", "b"], "text_id": ["x", "x"], "part": ["train", "test"]})
    >>> "in two parts" in grid_picture(Tally.of(rows, "text")).svg
    True
    """
    parts = [*tally.parts, "dropped"]
    nodes = "stories" if tally.unit == "story" else "texts"
    down, along = ("node", "subject") if _n(tally, "subject") >= _n(tally, "node") else ("subject", "node")
    rows = _side(tally, down, MOST_ROWS)
    columns = _side(tally, along, MOST_COLUMNS, other=rows, across=down)
    names = {"subject": "subjects", "node": nodes}
    svg = _draw(_counts(tally, down, rows, along, columns, parts), rows, columns, parts, names[along])
    shown = "" if columns.places == len(columns.names) and rows.places == len(rows.names) else (
        f" Neighbours are drawn together: {len(rows.names):,} × {len(columns.names):,} in {rows.places} × "
        f"{columns.places} cells.")
    return Picture(
        svg, f"{names[down].capitalize()} (down) × {names[along]} (along), coloured by part; both are ordered by "
        f"part, so a clean split falls into separate blocks. A red mark at the edge: in two parts, a leak.{shown}",
        legend=(*((colour_of(part), part) for part in parts if tally.totals.get(part)), ("empty", "not recorded")),
    )


def _n(tally: Tally, column: str) -> int:
    return int(tally.groups[column].n_unique())


def _side(tally: Tally, column: str, most: int, other: Side | None = None, across: str = "") -> Side:
    """Order by part, then by the first place of the other side that a name is found at, then by size."""
    counts = tally.by(column)
    matrix = counts.select(tally.parts).to_numpy() if tally.parts else np.zeros((len(counts), 1), np.int64)
    main = np.where(matrix.sum(axis=1) > 0, matrix.argmax(axis=1), len(tally.parts))
    names = counts[column].cast(pl.String).to_list()
    first = np.zeros(len(names)) if other is None else _first_place(tally, column, names, across, other)
    order = np.lexsort((np.arange(len(names)), -matrix.sum(axis=1), first, main))
    place = np.arange(len(names)) // -(-len(names) // most)
    drawn = [names[at] for at in order]
    in_two = ((matrix > 0).sum(axis=1) > 1)[order]
    return Side(drawn, labels_of(tally, column, drawn), place, in_two, int(place[-1]) + 1)


def labels_of(tally: Tally, column: str, names: list[str]) -> list[str]:
    """What to write for each name: a text's own words where the table has them.

    Examples
    --------
    >>> rows = pl.DataFrame({"subject": ["a"], "text": ["Call me Ishmael."], "part": ["train"]})
    >>> tally = Tally.of(rows, "text")
    >>> labels_of(tally, "node", tally.groups["node"].to_list()), labels_of(tally, "subject", ["a"])
    (['“Call me Ishmael.”'], ['a'])
    """
    if column != "node":
        return names
    wording = wording_of(tally, pl.Series(names, dtype=pl.String))
    return [wording[name] for name in names]


def _first_place(tally: Tally, column: str, names: list[str], across: str, other: Side) -> npt.NDArray[np.float64]:
    kept = tally.groups.filter(pl.col("part").is_in(tally.parts))
    at = kept[across].cast(pl.String).replace_strict(other.names, np.arange(len(other.names)))
    found = kept.select(pl.col(column).cast(pl.String), at=at).group_by(column).agg(pl.col("at").min())
    firsts = dict(found.iter_rows())
    return np.array([firsts.get(name, len(other.names)) for name in names], float)


def _counts(
    tally: Tally, down: str, rows: Side, along: str, columns: Side, parts: list[str]
) -> npt.NDArray[np.int64]:
    """Samples by (row, column, part)."""
    groups = tally.groups.group_by(down, along, "part").agg(pl.col("samples").sum())
    at = [
        side.place[groups[name].cast(pl.String).replace_strict(side.names, np.arange(len(side.names))).to_numpy()]
        for name, side in ((down, rows), (along, columns))
    ]
    part = groups["part"].replace_strict(parts, np.arange(len(parts))).to_numpy()
    counts = np.zeros((rows.places, columns.places, len(parts)), np.int64)
    np.add.at(counts, (*at, part), groups["samples"].to_numpy())
    return counts


@dataclass(frozen=True, eq=False)
class _Grid:
    """The drawing: what stands along its sides, and the size of a cell."""

    rows: Side
    columns: Side
    parts: list[str]
    wide: float
    high: float
    top: float = MARK + 8.0

    @property
    def titled(self) -> bool:
        """Whether each cell says what it is; in large pictures equal neighbours are one shape instead."""
        return self.columns.places * self.rows.places <= MOST_TITLES

    @property
    def foot(self) -> float:
        return self.top + self.rows.places * self.high

    def row(self, at: int, counts: npt.NDArray[np.int64]) -> Markup:
        """One row: its name, marked where it stands in two parts, and its cells."""
        y = self.top + at * self.high
        name, in_two = self.rows.title(at), bool(self.rows.in_two[self.rows.place == at].any())
        pieces = [
            label(LABEL - 10, y + self.high / 2 + 3.5, _short(name, 20), text_anchor="end",
                  class_="alarm" if in_two else None),
            element("rect", x=LABEL, y=y, width=len(counts) * self.wide, height=self.high - GAP, class_="fill-empty"),
        ]
        if in_two:
            mark = element("title", f"{name}: in two parts")
            pieces.append(element("circle", mark, cx=LABEL - 4.5, cy=y + self.high / 2, r=2.6, class_="fill-bad"))
        start = 0
        while start < len(counts):
            end = start + 1
            while not self.titled and end < len(counts) and np.array_equal(counts[end] > 0, counts[start] > 0):
                end += 1
            pieces += self.cells(at, start, end, counts[start])
            start = end
        return element("g", *pieces)

    def cells(self, at: int, start: int, end: int, count: npt.NDArray[np.int64]) -> list[Markup]:
        """One rectangle for each part that the cell is in, one above the other."""
        there = np.flatnonzero(count)
        words = ", ".join(f"{count[part]:,} {self.parts[part]}" for part in there)
        who = f"{self.rows.title(at)} × {self.columns.title(start)}: {words}"
        title = [element("title", who)] if self.titled else []
        y, high = self.top + at * self.high, (self.high - GAP) / max(len(there), 1)
        return [
            element("rect", *title, x=LABEL + start * self.wide, y=y + place * high, height=high,
                    width=(end - start) * self.wide - min(GAP, self.wide / 8),
                    class_=f"fill-{colour_of(self.parts[part])}")
            for place, part in enumerate(there)
        ]

    def marks(self) -> list[Markup]:
        """A red arrow above each column that stands in two parts."""
        half = min(4.0, self.wide)
        return [
            element("path", element("title", f"{self.columns.title(at)}: in two parts"), class_="fill-bad",
                    d=f"M{LABEL + (at + 0.5) * self.wide:.1f} {self.top - 3:.1f}l-{half:.1f} -8h{2 * half:.1f}z")
            for at in np.unique(self.columns.place[self.columns.in_two])
        ]

    def names(self) -> list[Markup]:
        """The columns' names, aslant, where there is room."""
        return [
            label(0, 0, _short(name, 14), text_anchor="end",
                  transform=f"translate({LABEL + (at + 0.5) * self.wide + 4:.1f} {self.foot + 8:.1f}) rotate(-55)")
            for at, name in enumerate(self.columns.labels)
        ]


def _draw(counts: npt.NDArray[np.int64], rows: Side, columns: Side, parts: list[str], along: str) -> Markup:
    wide = min(34.0, (WIDTH - LABEL) / columns.places)
    grid = _Grid(rows, columns, parts, wide, high=min(18.0, max(9.0, 360.0 / rows.places)))
    pieces = [grid.row(at, counts[at]) for at in range(rows.places)] + grid.marks()
    if wide >= 11 and columns.places == len(columns.names):
        pieces, below = pieces + grid.names(), 24.0 + 5.0 * min(14, max(map(len, columns.labels)))
    else:
        count = label(LABEL, grid.foot + 15, f"{len(columns.names):,} {along}", class_="soft")
        pieces, below = [*pieces, count], 22.0
    leaking = int(rows.in_two.sum() + columns.in_two.sum())
    return drawing(
        LABEL + columns.places * wide + 8, grid.foot + below, pieces,
        description=f"{len(rows.names)} by {len(columns.names)} cells coloured by part; {leaking} names in two parts",
    )


def colour_of(part: str) -> str:
    """The palette's name for a part; further test parts look like test.

    Examples
    --------
    >>> colour_of("val"), colour_of("test2")
    ('val', 'test')
    """
    return part if part in COLOURS else "test"


def _short(name: str, longest: int) -> str:
    return name if len(name) <= longest else f"{name[:longest - 1]}…"
