"""A small dataset as the papers' Figure 2 shows it: subjects left, texts right, a line for each recording."""

from __future__ import annotations

import numpy as np
import polars as pl
from markupsafe import Markup

from arcuate.leakage.tally import Tally
from arcuate.report.blocks import Picture
from arcuate.report.grid_picture import colour_of, labels_of
from arcuate.report.svg import drawing, element, label

MOST_NODES = 30
LEFT, RIGHT, STEP, TOP = 160.0, 520.0, 22.0, 20.0


def bipartite_picture(tally: Tally) -> Picture | None:
    """Draw it, or None where there are too many subjects or texts to see anything.

    Examples
    --------
    >>> rows = pl.DataFrame({"subject": ["a", "b"], "text_id": ["x", "x"], "part": ["train", "test"]})
    >>> bipartite_picture(Tally.of(rows, "text")).svg.count("<line")
    2
    """
    edges = tally.groups.group_by("subject", "node", "part").agg(pl.col("samples").sum()).sort(
        "subject", "node", "part")
    sides = [_ordered(tally, column) for column in ("subject", "node")]
    if max(len(names) for names, _ in sides) > MOST_NODES:
        return None
    height = STEP * max(len(names) for names, _ in sides)
    places = [
        {name: TOP + height * (at + .5) / len(names) for at, name in enumerate(names)} for names, _ in sides
    ]
    lines = [_line(edge, places[0], places[1]) for edge in edges.iter_rows(named=True)]
    dots = []
    for side, (column, x, anchor) in enumerate((("subject", LEFT, "end"), ("node", RIGHT, "start"))):
        names, in_two = sides[side]
        for name, shown in zip(names, labels_of(tally, column, names), strict=True):
            dots.append(_dot(shown, x, places[side][name], name in in_two, anchor))
    what = "stories" if tally.unit == "story" else "texts"
    return Picture(
        drawing(RIGHT + 180, height + 2 * TOP, lines + dots,
                description=f"{len(sides[0][0])} subjects joined to {len(sides[1][0])} {what}, lines coloured by part"),
        f"Subjects (left) and {what} (right), as in the papers' Figure 2: a line is a recording, its colour the part. "
        "Without leaks it falls into separate pieces, but for the dropped lines; a red ring: in two parts.",
        legend=tuple((colour_of(part), part) for part in (*tally.parts, "dropped") if tally.totals.get(part)),
    )


def _ordered(tally: Tally, column: str) -> tuple[list[str], set[str]]:
    """Names by part, and those that stand in two."""
    counts = tally.by(column)
    matrix = counts.select(tally.parts).to_numpy()
    main = np.where(matrix.sum(axis=1) > 0, matrix.argmax(axis=1), len(tally.parts))
    names = counts[column].cast(pl.String).to_list()
    order = np.lexsort((np.arange(len(names)), main))
    in_two = {names[at] for at in np.flatnonzero((matrix > 0).sum(axis=1) > 1)}
    return [names[at] for at in order], in_two


def _line(edge: dict[str, object], left: dict[str, float], right: dict[str, float]) -> Markup:
    part = str(edge["part"])
    dropped = part == "dropped"
    return element(
        "line", element("title", f"{edge['subject']} – {edge['node']}: {edge['samples']} {part}"),
        x1=LEFT, y1=left[str(edge["subject"])], x2=RIGHT, y2=right[str(edge["node"])], class_=f"line-{colour_of(part)}",
        stroke_width=0.8 if dropped else 1.6, stroke_dasharray="3 3" if dropped else None,
        opacity=0.7 if dropped else 0.9,
    )


def _dot(name: str, x: float, y: float, in_two: bool, anchor: str) -> Markup:
    shown = name if len(name) <= 22 else f"{name[:21]}…"
    ring = element("circle", cx=x, cy=y, r=7, fill="none", class_="line-bad", stroke_width=2) if in_two else Markup("")
    return element(
        "g", element("title", f"{name}: in two parts" if in_two else name), ring,
        element("circle", cx=x, cy=y, r=3.5, class_="fill-ink"),
        label(x + (-13 if anchor == "end" else 13), y + 4, shown, text_anchor=anchor,
              class_="alarm" if in_two else None),
    )
