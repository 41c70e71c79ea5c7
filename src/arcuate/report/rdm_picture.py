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
    data, titles = [], []
    for place, (name, matrix) in enumerate(matrices.items()):
        if matrix.shape != (n, n):
            raise ArcuateError(f"The matrix {name!r} has shape {matrix.shape}, but there are {n} stimuli.")
        kept = min(n, LARGEST)
        suffix = "" if place == 0 else str(place + 1)
        titles.append(name)
        data.append({
            "type": "heatmap", "z": _ranks(matrix)[:kept, :kept].round(3).tolist(), "x": list(stimuli[:kept]),
            "y": list(stimuli[:kept]), "colorscale": "Viridis", "showscale": False, "xaxis": f"x{suffix}",
            "yaxis": f"y{suffix}", "hovertemplate": "%{x} and %{y}<extra></extra>",
        })  # fmt: skip
    layout = grid_layout(titles, 1, len(matrices))
    for key in [key for key in layout if key.startswith(("xaxis", "yaxis"))]:
        layout[key] |= {"showticklabels": False, "showgrid": False, "zeroline": False}
        if key.startswith("yaxis"):
            layout[key] |= {"autorange": "reversed", "domain": [0, 0.94]}
    for note in layout["annotations"]:
        note["y"] = 0.95
    few = "" if n <= LARGEST else f" The first {LARGEST} of {n} stimuli are shown."
    return Plot({"data": data, "layout": layout},
                "Cosine distances between stimuli, by rank: dark pairs are alike." + few, height=380)  # fmt: skip


def _ranks(matrix: np.ndarray) -> np.ndarray:
    """Ranks of the pairs between 0 and 1; the diagonal says nothing and is left empty (0)."""
    upper = np.triu_indices(len(matrix), 1)
    ranks = np.zeros(matrix.shape)
    order = np.argsort(np.argsort(matrix[upper], kind="stable"), kind="stable")
    ranks[upper] = (1 + order) / max(len(order), 1)
    return ranks + ranks.T
