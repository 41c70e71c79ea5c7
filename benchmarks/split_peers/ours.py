"""arcuate's optimal method."""

from __future__ import annotations

from arcuate.samples.graph import Graph
from arcuate.splits.optimal import Problem, solve
from benchmarks.split_peers import Answered, Asked


def answer(graph: Graph, asked: Asked) -> Answered:
    """Solve and prove."""
    found = solve(graph, Problem(
        ratio=asked.ratio, tolerance=asked.tolerance, time_limit=asked.time_limit, seed=asked.seed,
    ))
    return Answered([(found.part_of_subject, found.part_of_text)], found.bound_share, found.stopped)
