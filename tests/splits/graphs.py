"""The graphs that the targets are set on: Narratives, ZuCo and the synthetic families."""

from __future__ import annotations

import csv
import importlib.util
from collections import Counter
from pathlib import Path

import numpy as np

from arcuate.samples.graph import Graph

VARIANTS = ("milkyway", "notthefall")
WINDOW = 10


def from_counts(weights: Counter) -> Graph:
    subjects, texts = zip(*weights, strict=True)
    return Graph.from_edges(subjects, texts, weights=list(weights.values()))


def narratives(data: Path, shape: str | None = None, merged: bool = False) -> Graph:
    """Windows of ten scans, excluded scans left out; merged: the variants of a story are one text."""
    weights: Counter = Counter()
    with open(data / "narratives" / "runs.csv", newline="") as file:
        for run in csv.DictReader(file):
            if run["excluded"] == "0" and shape in (None, run["shape"]):
                story = run["story"]
                if merged:
                    story = next((name for name in VARIANTS if story.startswith(name)), story)
                weights[run["subject"], story] += int(run["n_trs"]) - WINDOW + 1
    return from_counts(weights)


def zuco(data: Path) -> Graph:
    """Twelve readers who read every sentence of the three tasks."""
    weights: Counter = Counter()
    with open(data / "zuco" / "sentences.csv", newline="") as file:
        for sentence in csv.DictReader(file):
            weights.update((f"reader{reader:02d}", sentence["text_key"]) for reader in range(12))
    return from_counts(weights)


def synthetic(bench: Path, family: str) -> Graph:
    """A family of make_graphs.py, seed as there."""
    spec = importlib.util.spec_from_file_location("make_graphs", bench / "make_graphs.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    weights = {
        "dense": lambda: made.dense(12, 1107, 1, filled=0.9, low=3, high=40),
        "sessions": lambda: made.sessions(0),
        "sparse": lambda: made.sparse(0),
    }[family]()
    subjects, texts = np.nonzero(weights)
    names = [f"s{s:03d}" for s in subjects], [f"t{t:04d}" for t in texts]
    return Graph.from_edges(*names, weights=weights[subjects, texts])
