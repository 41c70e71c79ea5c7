"""The optimal splitter's bounds, refusals, options and large graphs."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from tests.splits.brute import best_retained, random_graph

from arcuate.errors import ArcuateError, NotPossible, UnknownName
from arcuate.samples.graph import Graph
from arcuate.splits.optimal import Problem, is_allowed, kept, solve
from arcuate.splits.optimal import solve as package_solve
from arcuate.splits.optimal.balance import balance
from arcuate.splits.optimal.instance import FREE, build_instance
from arcuate.splits.optimal.prices import Relaxation, converged_bounds, price_bounds
from arcuate.splits.optimal.spectral import crossed_share, spectral_share
from arcuate.splits.optimal.work import Budget


def crossed(n_subjects: int, n_texts: int) -> Graph:
    subjects, texts = np.indices((n_subjects, n_texts)).reshape(2, -1)
    return Graph.from_edges([f"s{s:03d}" for s in subjects], [f"t{t:04d}" for t in texts])


def communities(n_groups: int, seed: int = 0) -> Graph:
    """Groups of 5 subjects × 6 texts, and a few samples across groups."""
    rng = np.random.default_rng(seed)
    inside = [(f"s{g * 5 + s:03d}", f"t{g * 6 + t:03d}") for g in range(n_groups) for s in range(5) for t in range(6)]
    across = [(f"s{rng.integers(5 * n_groups):03d}", f"t{rng.integers(6 * n_groups):03d}") for _ in range(n_groups * 2)]
    return Graph.from_edges([s for s, _ in inside + across], [t for _, t in inside + across])


def test_tolerance_is_relative_to_each_part():
    problem = Problem(ratio=(8, 1, 1), tolerance=0.1)
    assert problem.allows([82, 9, 9])
    assert problem.allows([78, 11, 11])
    assert not problem.allows([82.2, 8.9, 8.9])
    assert not problem.allows([0, 0, 0])
    assert problem.allows(np.array([[82, 9, 9], [90, 5, 5]])).tolist() == [True, False]


@pytest.mark.parametrize("options", [
    {"ratio": (8,)}, {"ratio": (8, 0, 1)}, {"ratio": (8, float("nan"))}, {"tolerance": -0.1},
    {"tolerance": float("inf")}, {"min_subjects": -1}, {"time_limit": 0.0},
])
def test_nonsense_is_refused_with_the_value_seen(options):
    with pytest.raises(ArcuateError, match=re.escape(str(next(iter(options.values()))))):
        Problem(**options)


def test_unknown_ratio_of_lists_the_known():
    with pytest.raises(UnknownName, match="samples, subjects, texts"):
        Problem(ratio_of="words")


def test_pins_must_name_a_node_and_a_part():
    graph = crossed(4, 4)
    with pytest.raises(ArcuateError, match="'s9' is not in the table"):
        solve(graph, Problem(ratio=(1, 1), subject_pins={"s9": 0}))
    with pytest.raises(ArcuateError, match="2 parts"):
        solve(graph, Problem(ratio=(1, 1), text_pins={"t0001": 2}))


def test_strata_need_one_label_a_node():
    with pytest.raises(ArcuateError, match="subject_strata has 1 labels, but the graph has 4 subjects"):
        solve(crossed(4, 4), Problem(ratio=(1, 1), subject_strata=["f"]))


@pytest.mark.parametrize("ratio", [(8, 1, 1), (1, 1), (3, 2, 1), (4, 3, 2, 1)])
def test_closed_form_bounds_crossed_designs(ratio):
    graph = crossed(12, 60)
    exact = spectral_share(graph, Problem(ratio=ratio, tolerance=0.0))
    assert exact == pytest.approx(crossed_share(ratio), abs=1e-6)
    problem = Problem(ratio=ratio, tolerance=0.1)
    solution = solve(graph, problem)
    assert solution.proved
    assert solution.retained_share <= spectral_share(graph, problem) + 1e-9
    assert solution.retained_share > 0.9 * crossed_share(ratio)


def test_closed_form_is_reached_where_the_square_roots_divide_the_sides():
    # Shares 16:1:1 have roots 4:1:1, which divide 6 subjects and 12 texts.
    solution = solve(crossed(6, 12), Problem(ratio=(16, 1, 1), tolerance=0.0))
    assert solution.retained_share == pytest.approx(crossed_share((16, 1, 1)))
    assert solution.proved


def test_spectral_bound_is_never_below_brute_force():
    checked = 0
    for seed in range(150):
        rng = np.random.default_rng([5, seed])
        graph = random_graph(rng)
        problem = Problem(ratio=(3, 1) if seed % 2 else (2, 1, 1), tolerance=float(rng.uniform(0, 0.8)))
        best = best_retained(graph, problem)
        if best is not None:
            assert spectral_share(graph, problem) * graph.total >= best - 1e-6
            checked += 1
    assert checked > 40


def test_price_bounds_are_never_below_what_a_partly_decided_split_can_keep():
    checked = 0
    for seed in range(60):
        rng = np.random.default_rng([6, seed])
        graph = random_graph(rng, most=4)
        problem = Problem(ratio=(2, 1), tolerance=0.5)
        instance = build_instance(graph, problem)
        names = graph.subjects if instance.subjects_are_small else graph.texts
        first = str(names[instance.small_order[0]])
        for part in range(2):
            pins = {"subject_pins" if instance.subjects_are_small else "text_pins": {first: part}}
            best = best_retained(graph, replace(problem, **pins))
            row = np.full((1, instance.n_small), FREE, np.int8)
            row[0, 0] = part
            bound = converged_bounds(Relaxation.of(instance), row, np.array([1]), np.zeros((1, 6)), Budget(10.0))
            if best is not None:
                assert bound.value[0] / instance.scale >= best - 1e-6
                checked += 1
    assert checked > 30


def test_price_bounds_hold_for_pinned_nodes_at_any_price():
    # A pinned node must take its part even at a negative price, where more weight is worth less.
    rng = np.random.default_rng(1)
    checked = 0
    for _ in range(500):
        graph = random_graph(rng, most=4)
        pins = [{str(rng.choice(names)): int(rng.integers(2)) for _ in range(2)}
                for names in (graph.subjects, graph.texts)]
        problem = Problem(ratio=(2, 1), tolerance=0.6, subject_pins=pins[0], text_pins=pins[1])
        best = best_retained(graph, problem)
        if best is None:
            continue
        relaxation = Relaxation.of(build_instance(graph, problem))
        row = np.full((1, relaxation.instance.n_small), FREE, np.int8)
        for scale in (0.5, 1.0, 3.0, 10.0):
            multipliers = np.zeros((1, 6))
            multipliers[0, rng.integers(4)] = rng.exponential(5 * scale)
            bound = price_bounds(relaxation, row, np.array([0]), multipliers, 0.0, 1, Budget(10.0))
            assert bound.value[0] / relaxation.instance.scale >= best - 1e-6
            checked += 1
    assert checked > 200


def test_no_split_names_the_nearest_ratio_and_that_one_can_be_had():
    graph = Graph.from_edges(["a", "b", "b"], ["x", "y", "z"], weights=[50, 30, 20])
    with pytest.raises(NotPossible, match="No split exists") as refused:
        solve(graph, Problem(ratio=(9, 1), tolerance=0.05))
    assert refused.value.exit_code == 1
    pattern = r"nearest feasible ratio is (\S+): .* tolerance (\S+?)\.$"
    ratio, tolerance = re.search(pattern, str(refused.value)).groups()
    named = tuple(float(share) for share in ratio.split(":"))
    assert solve(graph, Problem(ratio=named, tolerance=0.01)).proved
    assert solve(graph, Problem(ratio=(9, 1), tolerance=float(tolerance))).proved


def test_no_split_at_all_says_so():
    with pytest.raises(NotPossible, match="nor with any other ratio: the table has 1 subjects"):
        solve(Graph.from_edges(["a", "a"], ["x", "y"]), Problem(ratio=(1, 1)))


def test_a_split_at_hand_is_never_beaten_by_the_answer():
    rng = np.random.default_rng(4)
    graph = communities(6)
    for _ in range(4):
        sides = rng.integers(0, 3, len(graph.subjects)), rng.integers(0, 3, len(graph.texts))
        weight = kept(graph, *sides, 3).weight
        problem = Problem(ratio=tuple(weight), tolerance=0.0, starts=(sides,), time_limit=0.5)
        solution = solve(graph, problem)
        assert solution.retained >= weight.sum()
        assert is_allowed(problem, graph, solution.part_of_subject, solution.part_of_text)


def test_strata_are_mixed_without_loss():
    graph = crossed(12, 40)
    plain = solve(graph, Problem(ratio=(2, 1)))
    sex = ["f"] * 6 + ["m"] * 6
    task = ["reading"] * 20 + ["naming"] * 20
    mixed = solve(graph, Problem(ratio=(2, 1), subject_strata=sex, text_strata=task))
    assert mixed.retained == plain.retained
    assert mixed.proved
    for parts, labels in ((mixed.part_of_subject, sex), (mixed.part_of_text, task)):
        labels = np.array(labels)
        for label in set(labels):
            for part in range(2):
                expected = (labels == label).mean() * (parts == part).sum()
                assert abs(((labels == label) & (parts == part)).sum() - expected) <= 1


def test_only_nodes_of_one_kind_change_places():
    parts, kinds = np.array([0, 0, 1, 1]), np.array([0, 1, 2, 3])
    assert balance(parts, kinds, ["f", "f", "m", "m"], 2).tolist() == parts.tolist()


@pytest.fixture
def no_search(monkeypatch):
    """Treat every graph as too large to search."""
    import sys

    monkeypatch.setattr(sys.modules[package_solve.__module__], "SEARCHED_PAIRS", 0)


@pytest.mark.parametrize("ratio_of", ["samples", "subjects", "texts"])
@pytest.mark.usefixtures("no_search")
def test_large_graphs_are_split_within_the_limits(ratio_of):
    graph = communities(30)
    problem = Problem(ratio_of=ratio_of, time_limit=2.0, subject_pins={"s000": 2}, text_pins={"t100": 1})
    solution = solve(graph, problem)
    assert is_allowed(problem, graph, solution.part_of_subject, solution.part_of_text)
    assert solution.bound >= solution.retained
    assert solution.retained_share > 0.9


@pytest.mark.usefixtures("no_search")
def test_large_graphs_without_a_split_are_refused():
    with pytest.raises(NotPossible, match=r"found within 0.2 s.*nearest feasible ratio"):
        solve(Graph.from_edges(["a", "b"], ["x", "y"], weights=[50, 50]), Problem(ratio=(9, 1), time_limit=0.2))


def test_nothing_is_printed(capfd):
    rng = np.random.default_rng(0)
    subjects, texts = np.nonzero(rng.random((6, 200)) < 0.9)
    graph = Graph.from_edges(subjects.astype(str), texts.astype(str), weights=rng.integers(3, 40, len(subjects)))
    solve(graph, Problem(time_limit=2))
    assert capfd.readouterr().out == ""
