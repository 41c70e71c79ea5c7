"""OR-tools CP-SAT: the textbook model, one variable a (sample pair, part)."""

from __future__ import annotations

import numpy as np

from arcuate.samples.graph import Graph
from benchmarks.split_peers import Answered, Asked, Skipped

THOUSANDTHS = 1000


def answer(graph: Graph, asked: Asked) -> Answered:
    """Maximise what is kept, its shares within the tolerance, in the time that everyone has."""
    try:
        from ortools.sat.python import cp_model
    except ImportError as missing:
        raise Skipped("ortools is not installed (pip install 'arcuate[bench]')") from missing
    model, n_parts = cp_model.CpModel(), len(asked.ratio)
    subjects, texts = (
        [[model.new_bool_var("") for _ in range(n_parts)] for _ in names] for names in (graph.subjects, graph.texts)
    )
    for node in [*subjects, *texts]:
        model.add_exactly_one(node)
    kept: list[list] = [[] for _ in range(n_parts)]
    for subject, text in zip(graph.subject_of_edge, graph.text_of_edge, strict=True):
        for part in range(n_parts):
            both = model.new_bool_var("")
            model.add_implication(both, subjects[subject][part])
            model.add_implication(both, texts[text][part])
            # Kept means kept: without this it would meet the ratio by dropping samples at will.
            model.add_bool_or(both, subjects[subject][part].Not(), texts[text][part].Not())
            kept[part].append(both)
    weights = np.rint(graph.weights).astype(int).tolist()
    amounts = [cp_model.LinearExpr.weighted_sum(of_part, weights) for of_part in kept]
    share = np.asarray(asked.ratio, float) / np.sum(asked.ratio)
    for part in range(n_parts):
        low, high = (round(THOUSANDTHS * share[part] * (1 + sign * asked.tolerance)) for sign in (-1, 1))
        model.add(THOUSANDTHS * amounts[part] >= low * sum(amounts))
        model.add(THOUSANDTHS * amounts[part] <= high * sum(amounts))
    model.add(sum(amounts) >= 1)   # an empty split meets every ratio
    model.maximize(sum(amounts))
    return _solved(cp_model, model, subjects, texts, graph, asked)


def _solved(cp_model, model, subjects, texts, graph: Graph, asked: Asked) -> Answered:  # type: ignore[no-untyped-def]
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = asked.time_limit
    solver.parameters.num_workers = 2
    solver.parameters.random_seed = asked.seed
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        raise Skipped(f"no split found in {asked.time_limit:g} s")
    sides = tuple(
        np.array([next(part for part, chosen in enumerate(node) if solver.boolean_value(chosen)) for node in side])
        for side in (subjects, texts)
    )
    return Answered([sides], min(1.0, solver.best_objective_bound / graph.total))
