"""Held to f's own shares, seed by seed, optimal never keeps less than f, and more on average."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from arcuate.samples.graph import Graph
from arcuate.samples.read import read_samples
from arcuate.splits.greedy import greedy_parts
from arcuate.splits.optimal import Problem, kept, solve
from arcuate.splits.parts import EIGHT_ONE_ONE, Ratio


def more_than_f(graph: Graph, ratio: Ratio, seed: int, time_limit: float) -> float | None:
    """What optimal keeps more than f, as a share of all, at f's shares; None where f leaves a part empty."""
    fewer = len(graph.subjects) < len(graph.texts)
    sides = greedy_parts(graph.subject_of_edge, graph.text_of_edge, ratio, seed, cut_subjects=fewer)
    weight = kept(graph, *sides, len(ratio.values)).weight
    if not weight.all():
        return None
    problem = Problem(ratio=tuple(weight), tolerance=0.01, time_limit=time_limit, seed=seed, starts=(sides,))
    best = solve(graph, problem)
    assert best.bound >= best.retained
    return (best.retained - weight.sum()) / graph.total


def test_on_random_graphs():
    rng = np.random.default_rng(0)
    found = []
    for seed in range(40):
        n_subjects, n_texts = rng.integers(3, 12), rng.integers(3, 12)
        pairs = np.argwhere(rng.random((n_subjects, n_texts)) < 0.5)
        graph = Graph.from_edges(pairs[:, 0], pairs[:, 1], rng.integers(1, 9, len(pairs)))
        found.append(more_than_f(graph, Ratio(2, 1), seed, 0.3))
    gains = [gain for gain in found if gain is not None]
    assert len(gains) > 20
    assert min(gains) >= -1e-12
    assert np.mean(gains) > 0


@pytest.mark.slow
@pytest.mark.parametrize(("where", "least"), [(["shape=64x64x27", "excluded=0"], 0.02), (["excluded=0"], 0.05)])
def test_on_narratives(shared_data, where, least):
    graph = read_samples(shared_data / "narratives" / "runs.csv", window=10, where=where).graph
    gains = [more_than_f(graph, EIGHT_ONE_ONE, seed, 2.0) for seed in range(20)]
    assert min(gains) >= -1e-12
    assert np.mean(gains) > least


@pytest.mark.slow
def test_on_zuco(shared_data):
    sentences = pl.read_csv(shared_data / "zuco" / "sentences.csv", infer_schema=False)
    readers = pl.DataFrame({"subject": [f"Z{k:02}" for k in range(12)]})
    graph = read_samples(readers.join(sentences.select(text="sentence"), how="cross")).graph
    gains = [more_than_f(graph, EIGHT_ONE_ONE, seed, 2.0) for seed in range(10)]
    assert min(gains) >= -1e-12
    assert np.mean(gains) > 0
