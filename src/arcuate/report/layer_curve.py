"""Scores layer by layer of a language model, with the interval over subjects."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from arcuate.report.blocks import Plot
from arcuate.report.plot_layout import HUES, axis

Lines = Sequence[Mapping[str, Any]]
_LAYER = re.compile(r"^(?P<model>[^+]+):(?P<layer>\d+)$")
FEWEST = 3


def layer_curves(summary: Lines) -> list[Plot]:
    """One plot a score of a model that was scored at three layers or more; empty where there is none.

    Examples
    --------
    >>> lines = [{"features": f"gpt2:{k}", "score": "rsa", "metric": "pearson", "match": None, "aggregate": None,
    ...           "voxels": "all", "mean": k / 10, "low": 0.0, "high": 1.0} for k in range(3)]
    >>> layer_curves(lines)[0].figure["data"][0]["y"]
    [0.0, 0.1, 0.2]
    """
    by_model: dict[tuple[str, str], dict[str, list[tuple[int, Mapping[str, Any]]]]] = {}
    for line in summary:
        match = _LAYER.match(line["features"])
        if match and _shown(line):
            cells = by_model.setdefault((match["model"], line["score"]), {})
            cells.setdefault(_name(line), []).append((int(match["layer"]), line))
    return [
        Plot(
            _figure(cells),
            f"{model}, {score} scores by layer (0 is the embedding): mean over subjects and its 95% interval.",
            height=340,
        )
        for (model, score), cells in by_model.items()
        if max(len(points) for points in cells.values()) >= FEWEST
    ]


def _shown(line: Mapping[str, Any]) -> bool:
    """One line a score: sums and strict matches say the same on other scales."""
    if line["score"] == "pairwise":
        return line["match"] == "sum"
    return line["score"] == "rsa" or (line["metric"] == "r2_simple" and line["aggregate"] == "mean")


def _name(line: Mapping[str, Any]) -> str:
    return " ".join(str(line[key]) for key in ("score", "metric", "match", "aggregate") if line[key])


def _figure(cells: Mapping[str, list[tuple[int, Mapping[str, Any]]]]) -> dict[str, Any]:
    data = []
    for hue, (name, points) in enumerate(cells.items()):
        points = sorted(points, key=lambda point: point[0])
        means = [line["mean"] for _, line in points]
        known = all(line.get("low") is not None for _, line in points)
        data.append({
            "type": "scatter", "mode": "lines+markers", "name": name, "x": [layer for layer, _ in points], "y": means,
            "line": {"color": HUES[hue % len(HUES)], "width": 2.5},
            "error_y": {
                "type": "data", "symmetric": False, "visible": known, "thickness": 1, "width": 3,
                "array": [(line.get("high") or mean) - mean for (_, line), mean in zip(points, means, strict=True)],
                "arrayminus": [mean - (line.get("low") or mean) for (_, line), mean in zip(points, means, strict=True)],
            },
        })  # fmt: skip
    return {"data": data, "layout": {"xaxis": axis(title="layer", zeroline=False), "yaxis": axis(title="score"),
                                     "legend": {"orientation": "h", "y": 1.12}}}  # fmt: skip
