"""Where the asked ratio cannot be had: which one can."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from arcuate.errors import NotPossible
from arcuate.samples.graph import Graph
from arcuate.splits.optimal.problem import Parts, Problem, kept

ROUNDS = 8
CLOSE = 0.02     # how closely the nearest tolerance is looked for

Find = Callable[[Problem], tuple[Parts, Parts] | None]


def refusal(graph: Graph, problem: Problem, find: Find, proved: bool) -> NotPossible:
    """The error to raise: why there is no split, and the ratio nearest to the asked one that has one."""
    asked = ":".join(f"{r:g}" for r in problem.ratio)
    none = "No split exists" if proved else f"No split was found within {problem.time_limit:g} s"
    what = f"{none} whose shares of {problem.ratio_of} are within {problem.tolerance:.3g} of {asked}"
    extra = [f"{name} {value}" for name, value in
             (("min_subjects", problem.min_subjects), ("min_texts", problem.min_texts)) if value > 1]
    if problem.subject_pins or problem.text_pins:
        extra.append(f"{len(problem.subject_pins) + len(problem.text_pins)} pins")
    what += f" ({', '.join(extra)})" if extra else ""
    found = nearest(graph, problem, find)
    if found is None:
        return NotPossible(
            f"{what}, {'nor' if proved else 'nor was one'} with any other ratio: the table has {len(graph.subjects)} "
            f"subjects and {len(graph.texts)} texts, and the samples of {problem.n_parts} parts share neither. "
            "Ask for fewer parts or less of them."
        )
    shares, tolerance = found
    ratio = ":".join(f"{share:.4g}" for share in shares)
    return NotPossible(f"{what}. The nearest feasible ratio is {ratio}: ask for it, or for tolerance {tolerance:.3g}.")


def nearest(graph: Graph, problem: Problem, find: Find) -> tuple[tuple[float, ...], float] | None:
    """Shares of a split whose largest relative deviation from the ratio is nearly the smallest, and that deviation."""
    asked = np.asarray(problem.ratio, float) / np.sum(problem.ratio)

    def attempt(tolerance: float) -> tuple[tuple[float, ...], float] | None:
        sides = find(replace(problem, tolerance=tolerance, starts=()))
        if sides is None:
            return None
        shares = kept(graph, *sides, problem.n_parts).ratios()[problem.ratio_of]
        return shares, float(np.abs(np.asarray(shares) / asked - 1).max())

    low, high = problem.tolerance, max(2 * problem.tolerance, 0.1)
    widest = max(1.0, 1 / asked.min() - 1)    # every share from 0 to 1 is within this of every ratio
    while (best := attempt(high)) is None:
        if high >= widest:
            return None
        low, high = high, min(2 * high, widest)
    for _ in range(ROUNDS):
        if best[1] - low < CLOSE * max(1.0, best[1]):
            break
        middle = (low + best[1]) / 2
        closer = attempt(middle)
        low, best = (middle, best) if closer is None else (low, closer)
    # Rounded up, so that asking for the tolerance named does succeed.
    return best[0], float(np.ceil(best[1] * 1000 + 1e-6) / 1000)
