"""Violins over subjects for every score: averages over subjects mislead, so each subject is a point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arcuate.report.blocks import Plot
from arcuate.report.plot_layout import GRID, HUES, grid_layout

Lines = Sequence[Mapping[str, Any]]

# Score -> what its panels are: one row of panels a value of the first, one column a value of the second.
PANELS = {"pairwise": ("metric", "match"), "voxelwise": ("metric", "voxels"), "rsa": ("aggregate", "metric")}
# More names than these stand aslant under a panel, and need more room.
FLAT_NAMES = 3
NAMES = {
    "ev": "explained variance", "r2": "R²", "r2_simple": "r2_simple = r·|r|", "all": "all voxels",
    "top500_train": "top 500 on train", "top500_test (circular)": "top 500 on test (circular)",
}  # fmt: skip


def violin_plots(scores: Lines, summary: Lines) -> list[Plot]:
    """One plot a score (and, voxelwise, a kind of total), with a violin for each set of features.

    Examples
    --------
    >>> line = {"subject": "1", "features": "glove", "score": "rsa", "metric": "pearson", "match": None,
    ...         "aggregate": None, "voxels": "all", "value": 0.1, "null_mean": 0.0}
    >>> [plot.caption.split(":")[0] for plot in violin_plots([line], [line])]
    ['RSA']
    """
    plots = []
    for score, aggregate in dict.fromkeys((line["score"], line["aggregate"]) for line in scores):
        own = [line for line in scores if (line["score"], line["aggregate"]) == (score, aggregate)]
        nulls = [line for line in summary if (line["score"], line["aggregate"]) == (score, aggregate)]
        rows, columns = PANELS[score]
        figure, n_rows = _grid(own, nulls, rows, columns)
        high = 300 if len({line["features"] for line in own}) > FLAT_NAMES else 260
        plots.append(Plot(figure, _caption(score, aggregate, own), height=20 + high * n_rows))
    return plots


def _caption(score: str, aggregate: str | None, lines: Lines) -> str:
    n = len({line["subject"] for line in lines})
    what = {"pairwise": "Pairwise accuracy", "voxelwise": f"Voxelwise scores, {aggregate} over voxels", "rsa": "RSA"}
    subjects = f"{n} subjects, one point each" if n > 1 else "one subject"
    return f"{what[score]}: {subjects}; the diamond is the mean under permutation, the bar the mean."


def _grid(lines: Lines, nulls: Lines, rows: str, columns: str) -> tuple[dict[str, Any], int]:
    row_names = list(dict.fromkeys(line[rows] for line in lines))
    column_names = list(dict.fromkeys(line[columns] for line in lines))
    features = list(dict.fromkeys(line["features"] for line in lines))
    data: list[dict[str, Any]] = []
    titles = []
    for i, row in enumerate(row_names):
        for j, column in enumerate(column_names):
            panel = 1 + i * len(column_names) + j
            titles.append(" · ".join(NAMES.get(name, name) for name in (row, column) if name))
            inside = [line for line in lines if line[rows] == row and line[columns] == column]
            data += [_violin(inside, name, k, panel) for k, name in enumerate(features)]
            data.append(_nulls([n for n in nulls if n[rows] == row and n[columns] == column], panel))
    data = [trace for trace in data if trace["y"]]
    # A single column of panels is laid side by side: the page is wide.
    n_rows = len(row_names) if len(column_names) > 1 else 1
    layout = grid_layout(titles, n_rows, len(titles) // n_rows, below=0.16 if len(features) <= FLAT_NAMES else 0.28)
    layout["violinmode"] = "overlay"
    if len(features) > FLAT_NAMES:  # else plotly slants the names of some panels and not of others
        for axis in [value for name, value in layout.items() if name.startswith("xaxis")]:
            axis["tickangle"] = 30
    return {"data": data, "layout": layout}, n_rows


def _violin(lines: Lines, features: str, hue: int, panel: int) -> dict[str, Any]:
    own = [line for line in lines if line["features"] == features and line["value"] is not None]
    colour = HUES[hue % len(HUES)]
    return {
        "type": "violin", "name": features, "x": [features] * len(own), "y": [line["value"] for line in own],
        "text": [f"subject {line['subject']}" for line in own], "hoverinfo": "text+y", "points": "all", "jitter": 0.35,
        "pointpos": 0, "meanline": {"visible": True}, "line": {"color": colour, "width": 1.2}, "opacity": 0.9,
        "marker": {"size": 4, "color": colour}, "spanmode": "hard", "showlegend": False,
        "xaxis": f"x{panel}" if panel > 1 else "x", "yaxis": f"y{panel}" if panel > 1 else "y",
    }  # fmt: skip


def _nulls(lines: Lines, panel: int) -> dict[str, Any]:
    having = [line for line in lines if line.get("null_mean") is not None]
    return {
        "type": "scatter", "mode": "markers", "name": "permuted", "x": [line["features"] for line in having],
        "y": [line["null_mean"] for line in having], "hovertemplate": "permuted %{y:.3f}<extra></extra>",
        "marker": {"symbol": "diamond", "size": 8, "color": GRID["strong"], "line": {"width": 1, "color": "#ffffff"}},
        "showlegend": False, "xaxis": f"x{panel}" if panel > 1 else "x", "yaxis": f"y{panel}" if panel > 1 else "y",
    }  # fmt: skip
