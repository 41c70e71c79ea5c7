"""Every assignment of a tiny graph, tried: the answer that the optimal splitter must give."""

from __future__ import annotations

import itertools

import numpy as np

from arcuate.samples.graph import Graph
from arcuate.splits.optimal import Problem


def best_retained(graph: Graph, problem: Problem) -> float | None:
    """Most weight that an allowed assignment keeps, or None where there is none."""
    weights = graph.matrix().toarray()
    n_parts = problem.n_parts
    subjects, texts = (np.array(list(itertools.product(range(n_parts), repeat=n))) for n in weights.shape)
    subjects = subjects[_as_pinned(subjects, graph.subjects, problem.subject_pins)]
    texts = texts[_as_pinned(texts, graph.texts, problem.text_pins)]
    in_part = [((subjects == part).astype(float), (texts == part).astype(float)) for part in range(n_parts)]
    retained = np.stack([s @ weights @ t.T for s, t in in_part])
    n_subjects = np.stack([s @ ((weights > 0) @ t.T > 0) for s, t in in_part])
    n_texts = np.stack([(s @ (weights > 0) > 0).astype(float) @ t.T for s, t in in_part])
    amounts = {"samples": retained, "subjects": n_subjects, "texts": n_texts}[problem.ratio_of]
    low, high = (limit[:, None, None] for limit in problem.limits)
    whole = amounts.sum(0)
    allowed = (
        (whole > 0) & (amounts >= low * whole - 1e-9 * whole).all(0) & (amounts <= high * whole + 1e-9 * whole).all(0)
        & (n_subjects.min(0) >= problem.min_subjects) & (n_texts.min(0) >= problem.min_texts)
    )
    return float(retained.sum(0)[allowed].max()) if allowed.any() else None


def _as_pinned(rows: np.ndarray, names: np.ndarray, pins: dict[str, int]) -> np.ndarray:
    fits = np.ones(len(rows), bool)
    for name, part in pins.items():
        fits &= rows[:, list(names).index(name)] == part
    return fits


def random_graph(rng: np.random.Generator, most: int = 5) -> Graph:
    """Up to most × most, sparse or crossed, few distinct weights (many ties) or many."""
    shape = rng.integers(1, most + 1, 2)
    filled = rng.random(shape) < rng.choice([0.3, 0.6, 0.9, 1.0])
    filled[rng.integers(shape[0]), rng.integers(shape[1])] = True
    weights = rng.integers(1, rng.choice([2, 4, 50]), shape)
    if rng.random() < 0.1:
        weights = weights + rng.random(shape).round(3)
    subjects, texts = np.nonzero(filled)
    return Graph.from_edges([f"s{i}" for i in subjects], [f"t{j}" for j in texts], weights=weights[filled])
