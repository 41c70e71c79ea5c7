"""From a graph and a problem to the best split and its proof."""

from __future__ import annotations

import numpy as np

from arcuate.errors import NotPossible
from arcuate.samples.graph import Graph
from arcuate.splits.optimal.instance import Instance, build_instance
from arcuate.splits.optimal.prices import Relaxation
from arcuate.splits.optimal.problem import Parts, Problem, Solution, is_allowed, kept
from arcuate.splits.optimal.search import Search
from arcuate.splits.optimal.starts import anneal, beam, given_parts
from arcuate.splits.optimal.work import Budget


def solve(graph: Graph, problem: Problem) -> Solution:
    """Keep as much weight as possible with no subject and no text in two parts.

    Parameters
    ----------
    graph : Graph
        Weighted subject × text graph.
    problem : Problem
        Ratio, tolerance and what else must hold.

    Returns
    -------
    Solution
        Part of each subject and text, the retained weight, and the proved upper bound.

    Raises
    ------
    NotPossible
        Where no split meets the problem; the message names the nearest ratio that one does.

    Examples
    --------
    >>> graph = Graph.from_edges(["a", "a", "b", "b"], ["x", "y", "y", "z"], weights=[50, 1, 2, 47])
    >>> solution = solve(graph, Problem(ratio=(1, 1)))
    >>> solution.retained_share, solution.proved, solution.part_of_text.tolist()
    (0.99, True, [0, 1, 1])
    """
    from threadpoolctl import threadpool_limits

    # One BLAS thread: sums in the same order, hence the same bytes, on any number of cores.
    with threadpool_limits(1, "blas"):
        return _solve(graph, problem)


def _solve(graph: Graph, problem: Problem) -> Solution:
    budget = Budget(problem.time_limit)
    instance = build_instance(graph, problem)
    search = Search(Relaxation.of(instance), budget)
    beam(search)
    for start in problem.starts:
        sides = [np.asarray(side, np.int64) for side in start]
        given_parts(search, sides[0 if instance.subjects_are_small else 1])
    search.run(until_share=0.1)
    if not search.is_done:
        anneal(search, np.random.default_rng(problem.seed), until_share=0.35)
        search.run(until_share=1.0)
    return _solution(graph, instance, search, budget)


def _solution(graph: Graph, instance: Instance, search: Search, budget: Budget) -> Solution:
    problem = instance.problem
    candidates = []
    if search.best is not None:
        candidates.append(instance.parts(search.best.small.astype(np.int64), instance.spread(search.best.of_type)))
    candidates += [(np.asarray(s, np.int64), np.asarray(t, np.int64)) for s, t in problem.starts]
    candidates = [sides for sides in candidates if is_allowed(problem, graph, *sides)]
    if not candidates:
        raise NotPossible(f"No split of this table has the ratio {problem.ratio} within {problem.tolerance:.0%}.")

    def worth(sides: tuple[Parts, Parts]) -> float:
        return float(kept(graph, *sides, problem.n_parts).weight.sum())

    chosen = max(candidates, key=worth)
    retained = worth(chosen)
    return Solution(
        part_of_subject=chosen[0], part_of_text=chosen[1], retained=retained, total=graph.total,
        bound=_rounded(max(search.bound, retained), retained, search.target, instance.unit),
        ratios=kept(graph, *chosen, problem.n_parts).ratios(), seconds=budget.seconds, nodes=search.nodes_seen,
        stopped="proved" if search.is_done else "time" if budget.out_of_time else "work",
    )


def _rounded(bound: float, retained: float, target: float, unit: float) -> float:
    """The bound, rounded down to what a split can be worth at all."""
    if bound < target:
        return retained
    return max(retained, float(np.floor(bound / unit + 1e-6) * unit)) if unit else bound
