"""A picture of estimates with intervals, one below the other, against a line at zero."""

from __future__ import annotations

from collections.abc import Sequence

from arcuate.report.blocks import Picture
from arcuate.report.svg import drawing, element, label
from arcuate.report.text import shown

_LEFT, _WIDTH, _ROW, _TOP = 330.0, 720.0, 30.0, 14.0


def interval_picture(rows: Sequence[tuple[str, float, float, float]], caption: str) -> Picture:
    """Draw (label, value, low, high) rows; the axis always holds zero.

    Examples
    --------
    >>> picture = interval_picture([("over noise", 0.1, -0.4, 0.6)], "Gain in ROUGE-1 F")
    >>> "over noise: 0.10 (-0.40 to 0.60)" in picture.svg
    True
    """
    low = min(0.0, *(row[2] for row in rows))
    high = max(0.0, *(row[3] for row in rows))
    margin = 0.08 * ((high - low) or 1.0)
    low, high = low - margin, high + margin

    def x(value: float) -> float:
        return _LEFT + (value - low) / (high - low) * (_WIDTH - _LEFT - 60)

    bottom = _TOP + _ROW * len(rows)
    parts = [element("line", x1=x(0), x2=x(0), y1=4, y2=bottom, stroke="var(--soft)", stroke_dasharray="3 3"),
             label(x(0), bottom + 14, "no gain", text_anchor="middle", class_="soft", font_size=12)]
    for place, (name, value, least, most) in enumerate(rows):
        y = _TOP + _ROW * (place + 0.5)
        colour = "var(--good)" if least > 0 else "var(--bad)" if most < 0 else "var(--neutral)"
        told = f"{shown(name)}: {value:.2f} ({least:.2f} to {most:.2f})"
        parts.append(element(
            "g", element("title", told),
            label(_LEFT - 12, y + 4, _cut(name), text_anchor="end", font_size=13),
            element("line", x1=x(least), x2=x(most), y1=y, y2=y, stroke=colour, stroke_width=3),
            element("circle", cx=x(value), cy=y, r=5, fill=colour),
            label(x(most) + 8, y + 4, f"{value:+.2f}", font_size=13),
        ))
    return Picture(drawing(_WIDTH, bottom + 22, parts, description=caption), caption)


def _cut(name: str, most: int = 46) -> str:
    """The end of a long name tells files apart better than its beginning."""
    return name if len(name) <= most else "…" + name[1 - most:]
