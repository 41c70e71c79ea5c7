"""Pictures of representational dissimilarity matrices, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from arcuate.errors import ArcuateError
from arcuate.report.blocks import Plot
from arcuate.report.plot_layout import grid_layout

LARGEST = 200
"""Stimuli that one picture shows; more would be a grey square."""


def rdm_plot(matrices: Mapping[str, np.ndarray], stimuli: Sequence[str]) -> Plot:
    """One panel a matrix; each is shown by rank, since cosine distances differ in scale between spaces.

    Examples
    --------
    >>> distances = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> rdm_plot({"brain": distances, "glove": distances}, ["cat", "dog"]).figure["data"][1]["xaxis"]
    'x2'
    """
    n = len(stimuli)
    order = _order(matrices, n)
    names = [stimuli[i] for i in order]
    data, titles = [], []
    for place, (name, matrix) in enumerate(matrices.items()):
        if matrix.shape != (n, n):
            raise ArcuateError(f"The matrix {name!r} has shape {matrix.shape}, but there are {n} stimuli.")
        kept = min(n, LARGEST)
        suffix = "" if place == 0 else str(place + 1)
        titles.append(name)
        data.append({
            "type": "heatmap", "z": _ranks(matrix[np.ix_(order, order)])[:kept, :kept].round(3).tolist(),
            "x": names[:kept], "y": names[:kept], "colorscale": "Viridis", "showscale": False, "xaxis": f"x{suffix}",
            "yaxis": f"y{suffix}", "hovertemplate": "%{x} and %{y}<extra></extra>",
        })  # fmt: skip
    layout = grid_layout(titles, 1, len(matrices))
    for key in [key for key in layout if key.startswith(("xaxis", "yaxis"))]:
        layout[key] |= {"showticklabels": False, "ticks": "", "showgrid": False, "zeroline": False}
        if key.startswith("yaxis"):
            layout[key] |= {"autorange": "reversed", "domain": [0, 0.94]}
    for note in layout["annotations"]:
        note["y"] = 0.95
    caption = "Cosine distances between stimuli, by rank: dark pairs are alike. All panels have one order."
    if n > LARGEST:
        caption += f" The first {LARGEST} of {n} stimuli are shown."
    return Plot({"data": data, "layout": layout}, caption, height=340)


def _order(matrices: Mapping[str, np.ndarray], n: int) -> np.ndarray:
    """Like stimuli side by side, by the first features (not the brain, which would flatter itself)."""
    from scipy.cluster.hierarchy import leaves_list, linkage

    matrix = next((m for name, m in matrices.items() if name != "brain"), None)
    if matrix is None or n < 3:
        return np.arange(n)
    return leaves_list(linkage(matrix[np.triu_indices(n, 1)], "average"))


def _ranks(matrix: np.ndarray) -> np.ndarray:
    """Ranks of the pairs between 0 and 1; the diagonal says nothing and is left empty (0)."""
    upper = np.triu_indices(len(matrix), 1)
    ranks = np.zeros(matrix.shape)
    order = np.argsort(np.argsort(matrix[upper], kind="stable"), kind="stable")
    ranks[upper] = (1 + order) / max(len(order), 1)
    return ranks + ranks.T
