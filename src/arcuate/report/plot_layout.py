"""Colours and grids that the encoding plots share; they read on light and on dark pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

HUES = ("#3f7fb5", "#c4472d", "#d99a16", "#4c9a6a", "#8d6cb5", "#8a8f96", "#2aa3a3")
GRID = {"line": "rgba(128,128,128,0.25)", "zero": "rgba(128,128,128,0.6)", "strong": "#6b7280"}


def axis(**settings: Any) -> dict[str, Any]:
    """One axis in the pages' manner.

    Examples
    --------
    >>> axis(title="layer")["title"]
    {'text': 'layer'}
    """
    if isinstance(settings.get("title"), str):
        settings["title"] = {"text": settings["title"]}
    return {"gridcolor": GRID["line"], "zerolinecolor": GRID["zero"], "automargin": True, **settings}


def grid_layout(titles: Sequence[str], n_rows: int, n_columns: int, below: float = 0.16) -> dict[str, Any]:
    """Panels in rows and columns, each with its title above it; `below` is the share of a row for names.

    Examples
    --------
    >>> layout = grid_layout(["a", "b"], 1, 2)
    >>> layout["xaxis2"]["domain"][0] > layout["xaxis"]["domain"][1]
    True
    """
    layout: dict[str, Any] = {"annotations": [], "showlegend": False, "margin": {"t": 10, "r": 12, "b": 10, "l": 40}}
    width, height = 1 / n_columns, 1 / n_rows
    for place, title in enumerate(titles):
        row, column = divmod(place, n_columns)
        left, top = column * width, 1 - row * height
        suffix = "" if place == 0 else str(place + 1)
        inside = (left + (0.07 if column else 0.0) * width, left + width * 0.97)
        upright = (top - height * (1 - below), top - height * 0.08)
        layout[f"xaxis{suffix}"] = axis(domain=list(inside), anchor=f"y{suffix}", tickfont={"size": 11})
        layout[f"yaxis{suffix}"] = axis(domain=list(upright), anchor=f"x{suffix}", tickfont={"size": 11})
        layout["annotations"].append({
            "text": title, "x": sum(inside) / 2, "y": upright[1], "xref": "paper", "yref": "paper",
            "xanchor": "center", "yanchor": "bottom", "showarrow": False, "font": {"size": 12},
        })  # fmt: skip
    return layout
