"""A small picture of several curves over epochs: no script, so that the page stays small."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from markupsafe import Markup

from arcuate.report.blocks import Picture
from arcuate.report.svg import drawing, element, label

_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 640.0, 300.0, 56.0, 12.0, 90.0, 34.0
# Okabe & Ito's hues; read on light and on dark ground.
HUES = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8a8a3a")
DASHES = {"solid": None, "dashed": "7 4", "dotted": "2 4"}


def curve_picture(
    curves: Mapping[str, Sequence[float]], caption: str, *, styles: Mapping[str, str] | None = None,
) -> Picture:
    """Draw each curve over 1, 2, 3, ...; its name stands at its end, its values in its tooltip.

    Examples
    --------
    >>> picture = curve_picture({"f": [2.0, 1.0, 1.5]}, "Validation loss", styles={"f": "dashed"})
    >>> "f: lowest 1 at epoch 2, 1.5 at the end" in picture.svg
    True
    """
    values = [value for curve in curves.values() for value in curve]
    low, high = min(values), max(values)
    longest = max(len(curve) for curve in curves.values())

    def x(step: float) -> float:
        return _LEFT + (step - 1) / max(1, longest - 1) * (_WIDTH - _LEFT - _RIGHT)

    def y(value: float) -> float:
        return _TOP + (high - value) / ((high - low) or 1.0) * (_HEIGHT - _TOP - _BOTTOM)

    parts = _axes(low, high, longest, x, y)
    ends = sorted(curves, key=lambda name: -curves[name][-1])
    places = _apart([y(curves[name][-1]) for name in ends])
    height_of = dict(zip(ends, places, strict=True))
    for number, (name, curve) in enumerate(curves.items()):
        colour, dash = HUES[number % len(HUES)], DASHES[(styles or {}).get(name, "solid")]
        points = " ".join(f"{x(step):.1f},{y(value):.1f}" for step, value in enumerate(curve, start=1))
        lowest = list(curve).index(min(curve))
        told = f"{name}: lowest {curve[lowest]:.4g} at epoch {lowest + 1}, {curve[-1]:.4g} at the end"
        parts.append(element(
            "g", element("title", told),
            element("polyline", points=points, fill="none", stroke=colour, stroke_width=2, stroke_dasharray=dash),
            label(x(len(curve)) + 8, height_of[name] + 4, name, font_size=12),
        ))
    return Picture(drawing(_WIDTH, _HEIGHT, parts, description=caption), caption)


def _axes(
    low: float, high: float, longest: int, x: Callable[[float], float], y: Callable[[float], float],
) -> list[Markup]:
    parts = [element("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y(low), y2=y(low), stroke="var(--line)"),
             label(x((1 + longest) / 2), _HEIGHT - 4, "epoch", text_anchor="middle", class_="soft", font_size=12)]
    for value in (low, (low + high) / 2, high):
        parts.append(label(_LEFT - 8, y(value) + 4, f"{value:.3g}", text_anchor="end", class_="soft", font_size=12))
    for step in sorted({1, (1 + longest) // 2, longest}):
        parts.append(label(x(step), _HEIGHT - 18, str(step), text_anchor="middle", class_="soft", font_size=12))
    return parts


def _apart(heights: Sequence[float], least: float = 13.0) -> list[float]:
    """Labels in order from the top, moved down where they would overlap.

    Examples
    --------
    >>> _apart([10.0, 12.0, 50.0])
    [10.0, 23.0, 50.0]
    """
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + least) if placed else height)
    return placed
