"""The frontier of a table as a page or a picture: training data kept against test size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arcuate.atomic import write_text
from arcuate.errors import ArcuateError
from arcuate.report.blocks import Column, Paragraph, Plot, Section, Table
from arcuate.report.page import render_page
from arcuate.report.palette import LIGHT
from arcuate.report.svg import drawing, element, label
from arcuate.splits.frontier import Frontier, Point

SERIES = (("retained", "kept in all", "neutral"), ("train_kept", "kept for training", "train"),
          ("test_kept", "kept for testing", "test"))
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 720.0, 420.0, 60.0, 50.0, 20.0, 150.0


def write_frontier(found: Frontier, path: str | Path, title: str = "Training data kept against test size") -> Path:
    """Write an interactive page (.html) or a picture (.svg).

    Examples
    --------
    >>> import tempfile
    >>> point = Point(asked=0.1, feasible=True, test_share=0.1, train_kept=0.5, test_kept=0.06, retained=0.6)
    >>> found = Frontier((point,), "8:1:1", 0.1, "frontier:8:1:1")
    >>> write_frontier(found, Path(tempfile.mkdtemp()) / "frontier.svg").read_text()[:4]
    '<svg'
    """
    path = Path(path)
    if path.suffix == ".html":
        return write_text(path, frontier_page(found, title))
    if path.suffix == ".svg":
        return write_text(path, frontier_picture(found, title))
    raise ArcuateError(f"{path} ends in {path.suffix!r}. Draw the frontier to .html or .svg.")


def frontier_page(found: Frontier, title: str) -> str:
    """One page: the plot, and the table that it is drawn from."""
    table = Table(
        "Optimal splits at rising test shares",
        (Column("test asked %", numeric=True), Column("test share %", numeric=True),
         Column("train kept %", numeric=True), Column("test kept %", numeric=True),
         Column("kept %", numeric=True), Column("bound %", numeric=True), "proved"),
        [_row(point) for point in found.points],
    )
    blocks = (Paragraph(_about(found)), Plot(figure(found), "What is kept, as a share of all samples."), table)
    section = Section("frontier", "The trade-off", blocks)
    return render_page(title, None, [section], signature=found.signature)


def figure(found: Frontier) -> dict[str, Any]:
    """The plot as Plotly takes it.

    Examples
    --------
    >>> [line["name"] for line in figure(Frontier((), "8:1:1", 0.1, ""))["data"]]
    ['kept in all', 'kept for training', 'kept for testing']
    """
    reached = [point for point in found.points if point.feasible]
    data = [
        {
            "type": "scatter", "mode": "lines+markers", "name": name, "line": {"color": LIGHT[colour], "width": 3},
            "x": [100 * (point.test_share or 0) for point in reached],
            "y": [100 * (getattr(point, key) or 0) for point in reached],
        }
        for key, name, colour in SERIES
    ]
    layout = {
        "xaxis": {"title": {"text": "test share of what is kept (%)"}, "rangemode": "tozero"},
        "yaxis": {"title": {"text": "share of all samples (%)"}, "range": [0, 102]},
        "hovermode": "x unified",
    }
    return {"data": data, "layout": layout}


def frontier_picture(found: Frontier, title: str) -> str:
    """The plot as one SVG file, for a paper or a slide."""
    reached = [point for point in found.points if point.feasible and point.test_share is not None]
    widest = max([point.test_share or 0 for point in reached], default=1.0) or 1.0

    def place(share: float, value: float) -> tuple[float, float]:
        x = LEFT + share / widest * (WIDTH - LEFT - RIGHT)
        return x, HEIGHT - BOTTOM - value * (HEIGHT - BOTTOM - TOP)

    shapes = [element("rect", x=0, y=0, width=WIDTH, height=HEIGHT, fill=LIGHT["card"])]
    for value in (0, 0.25, 0.5, 0.75, 1):
        (x1, y), (x2, _) = place(0, value), place(widest, value)
        shapes += [element("line", x1=x1, x2=x2, y1=y, y2=y, stroke=LIGHT["line"]),
                   label(x1 - 8, y + 4, f"{value:.0%}", text_anchor="end", font_size=12, fill=LIGHT["soft"])]
    shapes += _ticks([place(point.test_share or 0, 0) for point in reached], reached)
    for row, (key, name, colour) in enumerate(SERIES):
        corners = [place(point.test_share or 0, getattr(point, key)) for point in reached]
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
        shapes += [element("polyline", points=joined, fill="none", stroke=LIGHT[colour], stroke_width=3),
                   *(element("circle", cx=x, cy=y, r=4.0, fill=LIGHT[colour]) for x, y in corners),
                   label(WIDTH - RIGHT + 14, TOP + 20 + 22 * row, name, font_size=13, fill=LIGHT[colour])]
    shapes.append(label(LEFT, HEIGHT - 10, "test share of what is kept", font_size=12, fill=LIGHT["ink"]))
    picture = drawing(WIDTH, HEIGHT, shapes, description=title)
    return str(picture).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" ', 1) + "\n"


def _ticks(corners: list[tuple[float, float]], reached: list[Point]) -> list[Any]:
    """The test shares under the axis, without those that would overlap the one before."""
    shapes, last = [], float("-inf")
    for (x, y), point in zip(corners, reached, strict=True):
        if x - last >= 30:
            words = f"{point.test_share:.0%}"
            shapes.append(label(x, y + 18, words, text_anchor="middle", font_size=11, fill=LIGHT["soft"]))
            last = x
    return shapes


def _row(point: Point) -> tuple[object, ...]:
    shares = (point.asked, point.test_share, point.train_kept, point.test_kept, point.retained, point.bound)
    percent = [None if share is None else 100 * share for share in shares]
    return (*percent, "no split reaches it" if not point.feasible else "yes" if point.proved else "no")


def _about(found: Frontier) -> str:
    missed = [f"{point.asked:.1%}" for point in found.points if not point.feasible]
    words = (
        f"Each point is an optimal split in which no subject and no text is in two parts, at tolerance "
        f"{found.tolerance:g}; parts other than test keep their ratio in {found.ratio}."
    )
    if found.crossed is not None:
        words += (
            f" If every subject had every text, {found.ratio} would keep {found.crossed:.1%} at most."
        )
    return words + (f" No split reaches a test share of {', '.join(missed)}." if missed else "")
