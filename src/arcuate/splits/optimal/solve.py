"""From a graph and a problem to the best split and its proof."""

from __future__ import annotations

import numpy as np

from arcuate.errors import ArcuateError
from arcuate.samples.graph import Graph
from arcuate.splits.optimal.balance import balance
from arcuate.splits.optimal.instance import Instance, build_instance
from arcuate.splits.optimal.large import Turns, improve_in_turns
from arcuate.splits.optimal.nearest import refusal
from arcuate.splits.optimal.prices import Relaxation
from arcuate.splits.optimal.problem import Parts, Problem, Solution, kept
from arcuate.splits.optimal.search import Search
from arcuate.splits.optimal.spectral import spectral_share
from arcuate.splits.optimal.starts import anneal, beam, given
from arcuate.splits.optimal.work import Budget

# Pairs of subject and text up to which the graph is searched; beyond, both sides are improved in turns.
SEARCHED_PAIRS = 8_000_000
# For each ratio that is tried when the asked one cannot be had.
NEAREST_SECONDS = 2.0


def solve(graph: Graph, problem: Problem) -> Solution:
    """Keep as much weight as possible with no subject and no text in two parts.

    Parameters
    ----------
    graph : Graph
        Weighted subject × text graph.
    problem : Problem
        Ratio, tolerance (relative to each part's ratio) and what else must hold.

    Returns
    -------
    Solution
        Part of each subject and text, the retained weight, and the proved upper bound.

    Raises
    ------
    NotPossible
        Where no split meets the problem; the message names the nearest ratio that one does.

    Notes
    -----
    The same graph and problem give the same answer on any number of cores, as long as ``stopped`` is not ``time``:
    work is counted, not seconds, and the clock only guards against machines too slow for the work that the time limit
    stands for.

    Examples
    --------
    >>> graph = Graph.from_edges(["a", "a", "b", "b"], ["x", "y", "y", "z"], weights=[50, 1, 2, 47])
    >>> solution = solve(graph, Problem(ratio=(1, 1)))
    >>> solution.retained_share, solution.proved, solution.part_of_text.tolist()
    (0.99, True, [0, 1, 1])
    """
    from threadpoolctl import threadpool_limits

    _check_strata(graph, problem)
    # One BLAS thread: sums in the same order, hence the same bytes, on any number of cores.
    with threadpool_limits(1, "blas"):
        if len(graph.subjects) * len(graph.texts) > SEARCHED_PAIRS:
            return _solve_large(graph, problem)
        return _solve_by_search(graph, problem)


def _solve_by_search(graph: Graph, problem: Problem) -> Solution:
    budget = Budget(problem.time_limit)
    instance = build_instance(graph, problem)
    search = Search(Relaxation.of(instance), budget)
    for start in problem.starts:
        subjects, texts = (np.asarray(side, np.int64) for side in start)
        given(search, *instance.small_and_large(subjects, texts))
    if instance.is_wide:
        _in_turns(graph, search, until_share=0.5)
    elif instance.has_many_rows:
        beam(search)
    search.run(until_share=max(0.1, budget.spent_share + 0.1))
    if not search.is_done and not instance.is_wide:
        anneal(search, np.random.default_rng(problem.seed), until_share=0.4)
    search.run(until_share=1.0)
    if search.best is None:
        raise refusal(graph, problem, lambda wider: _any_split(graph, wider), proved=search.is_done)
    sides = instance.parts(search.best.small.astype(np.int64), instance.spread(search.best.of_type))
    bound = _rounded(search) / instance.scale
    return _solution(graph, problem, _balanced(instance, sides), bound, budget, search.nodes_seen)


def _in_turns(graph: Graph, search: Search, until_share: float) -> None:
    """Start from what improving both sides in turns finds."""
    instance = search.relaxation.instance
    turns = Turns(graph, instance.problem, search.budget)
    improve_in_turns(turns, until_share)
    if turns.best is not None:
        given(search, *instance.small_and_large(*turns.best))


def _any_split(graph: Graph, problem: Problem) -> tuple[Parts, Parts] | None:
    """Some split that meets the problem."""
    instance = build_instance(graph, problem)
    search = Search(Relaxation.of(instance), Budget(NEAREST_SECONDS))
    if instance.is_wide:
        _in_turns(graph, search, until_share=0.3)
    elif instance.has_many_rows:
        beam(search)
    while search.best is None and not search.is_done and not search.budget.is_spent:
        search.run(until_share=search.budget.spent_share + 0.05)
    if search.best is None:
        return None
    return instance.parts(search.best.small.astype(np.int64), instance.spread(search.best.of_type))


def _solve_large(graph: Graph, problem: Problem) -> Solution:
    budget = Budget(problem.time_limit)
    turns = Turns(graph, problem, budget)
    for start in problem.starts:
        subjects, texts = (np.asarray(side, np.int64) for side in start)
        turns.offer(subjects, texts)
        turns.improve(texts)
    improve_in_turns(turns, until_share=1.0)
    if turns.best is None:
        raise refusal(graph, problem, lambda wider: _any_large_split(graph, wider), proved=False)
    return _solution(graph, problem, turns.best, graph.total, budget, 0)


def _any_large_split(graph: Graph, problem: Problem) -> tuple[Parts, Parts] | None:
    turns = Turns(graph, problem, Budget(NEAREST_SECONDS))
    improve_in_turns(turns, until_share=0.2)
    return turns.best


def _solution(
    graph: Graph, problem: Problem, sides: tuple[Parts, Parts], bound: float, budget: Budget, nodes: int
) -> Solution:
    found = kept(graph, *sides, problem.n_parts)
    retained = float(found.weight.sum())
    bound = max(retained, min(bound, spectral_share(graph, problem) * graph.total if bound > retained else bound))
    stopped = "proved" if bound <= retained else "time" if budget.out_of_time else "work"
    return Solution(
        part_of_subject=sides[0], part_of_text=sides[1], retained=retained, total=graph.total, bound=bound,
        ratios=found.ratios(), seconds=budget.seconds, nodes=nodes, stopped=stopped,
    )


def _rounded(search: Search) -> float:
    """The bound, rounded down to what a split can be worth at all; 0 where nothing can be better than the best."""
    unit = search.relaxation.instance.unit
    if search.bound < search.target:
        return 0.0
    return float(np.floor(search.bound / unit + 1e-6) * unit) if unit else search.bound


def _check_strata(graph: Graph, problem: Problem) -> None:
    for side, strata, names in (("subject", problem.subject_strata, graph.subjects),
                                ("text", problem.text_strata, graph.texts)):
        if strata is not None and len(strata) != len(names):
            raise ArcuateError(
                f"{side}_strata has {len(strata)} labels, but the graph has {len(names)} {side}s. Give one a {side}."
            )


def _balanced(instance: Instance, sides: tuple[Parts, Parts]) -> tuple[Parts, Parts]:
    """Exchange identical nodes so that the strata are mixed alike; nothing retained changes."""
    problem = instance.problem
    kinds = [instance.kind_of_small(), instance.type_of_large]
    if not instance.subjects_are_small:
        kinds.reverse()
    balanced = [
        part if strata is None else balance(part, kind, strata, problem.n_parts)
        for part, kind, strata in zip(sides, kinds, (problem.subject_strata, problem.text_strata), strict=True)
    ]
    return balanced[0], balanced[1]
