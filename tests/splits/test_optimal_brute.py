"""The optimal splitter against every assignment of tiny graphs."""

from __future__ import annotations

import numpy as np
import pytest
from tests.splits.brute import best_retained, random_graph

from arcuate.errors import NotPossible
from arcuate.samples.graph import Graph
from arcuate.splits.optimal import Problem, is_allowed, kept, solve

RATIOS = [(8, 1, 1), (1, 1, 1), (2, 1, 1), (6, 3, 1), (1, 1), (3, 1), (4, 3, 2, 1), (1, 1, 1, 1)]


def check(graph: Graph, problem: Problem) -> bool:
    """Compare with brute force; whether there was a split."""
    expected = best_retained(graph, problem)
    if expected is None:
        with pytest.raises(NotPossible):
            solve(graph, problem)
        return False
    solution = solve(graph, problem)
    assert is_allowed(problem, graph, solution.part_of_subject, solution.part_of_text)
    assert solution.retained == pytest.approx(expected, abs=1e-6)
    assert solution.bound >= solution.retained
    assert solution.proved
    counted = kept(graph, solution.part_of_subject, solution.part_of_text, problem.n_parts)
    assert counted.weight.sum() == pytest.approx(solution.retained)
    return True


@pytest.mark.parametrize("block", [0, *(pytest.param(block, marks=pytest.mark.slow) for block in range(1, 10))])
def test_equals_brute_force_for_random_ratios_and_tolerances(block):
    feasible = 0
    for seed in range(100):
        rng = np.random.default_rng([block, seed])
        ratio = RATIOS[rng.integers(len(RATIOS))] if rng.random() < 0.6 else tuple(rng.uniform(0.5, 8, 3).round(2))
        tolerance = float(rng.choice([0.1, 0.3, 0.6, rng.uniform(0, 1.2)]))
        feasible += check(random_graph(rng), Problem(ratio=ratio, tolerance=tolerance, time_limit=20))
    assert feasible > 15


@pytest.mark.parametrize("block", [0, *(pytest.param(block, marks=pytest.mark.slow) for block in range(1, 4))])
def test_equals_brute_force_with_counts_minimums_and_pins(block):
    feasible = 0
    for seed in range(60):
        rng = np.random.default_rng([77, block, seed])
        graph = random_graph(rng)
        ratio = RATIOS[rng.integers(len(RATIOS) - 2)]
        pins = [
            {str(names[rng.integers(len(names))]): int(rng.integers(len(ratio)))} if rng.random() < 0.4 else {}
            for names in (graph.subjects, graph.texts)
        ]
        feasible += check(graph, Problem(
            ratio=ratio, tolerance=float(rng.choice([0.2, 0.5, 1.0])),
            ratio_of=str(rng.choice(["samples", "subjects", "texts"])),
            min_subjects=int(rng.integers(0, 3)), min_texts=int(rng.integers(0, 3)),
            subject_pins=pins[0], text_pins=pins[1], time_limit=20,
        ))
    assert feasible > 5


def test_an_odd_number_of_texts_halves_only_with_one_left_empty():
    feasible = 0
    for seed in range(40):
        rng = np.random.default_rng([9, seed])
        weights = rng.integers(0, 3, (5, 3)) + np.eye(5, 3, dtype=int)
        subjects, texts = np.nonzero(weights)
        graph = Graph.from_edges([f"s{s}" for s in subjects], [f"t{t}" for t in texts], weights[weights > 0])
        problem = Problem(ratio=(1, 1), tolerance=0.0, ratio_of="texts", time_limit=20)
        if check(graph, problem):
            solution = solve(graph, problem)
            assert kept(graph, solution.part_of_subject, solution.part_of_text, 2).texts.tolist() == [1, 1]
            feasible += 1
    assert feasible > 10
