"""Good splits to start from: the better the first one, the more the bounds cut off."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arcuate.splits.optimal.instance import FREE, Floats
from arcuate.splits.optimal.prices import Relaxation, Rows, converged_bounds, price_bounds
from arcuate.splits.optimal.search import Nodes, Search, children, root

BEAM_WIDTH = 64
CHAINS = 48
STEPS = 300
LEAVES_TRIED = 6


def beam(search: Search) -> None:
    """Go down once, keeping the most promising rows of each depth, and settle the best leaves."""
    relaxation = search.relaxation
    nodes = root(relaxation)
    for _ in range(relaxation.instance.n_small):
        nodes = children(relaxation, nodes)
        if not len(nodes) or search.budget.is_spent:
            return
        goal = max(search.target, 0.9 * float(nodes.bound.max()))
        found = price_bounds(relaxation, nodes.rows, nodes.depth, nodes.multipliers, goal, 12, search.budget)
        nodes = Nodes(nodes.rows, nodes.depth, found.multipliers, found.value)
        nodes = nodes.take(np.argsort(-found.value, kind="stable")[:BEAM_WIDTH])
    settle(search, nodes.rows, nodes.multipliers)


def settle(search: Search, rows: Rows, multipliers: Floats) -> None:
    """Tighten the bounds of decided rows and solve the most promising ones."""
    rows, first = np.unique(rows, axis=0, return_index=True)
    relaxation, n_small = search.relaxation, search.relaxation.instance.n_small
    depth = np.full(len(rows), n_small)
    found = converged_bounds(relaxation, rows, depth, multipliers[first], search.budget)
    order = np.argsort(-found.value, kind="stable")[:LEAVES_TRIED]
    unsettled = search.unsettled
    search.solve_leaves(Nodes(rows[order], depth[order], found.multipliers[order], found.value[order]))
    search.unsettled = unsettled   # the tree still holds these leaves: their bounds count there


def anneal(search: Search, rng: np.random.Generator, until_share: float) -> None:
    """Simulated annealing of many small sides at once, each judged by its price bound."""
    relaxation = search.relaxation
    instance, total = relaxation.instance, relaxation.instance.total
    rows = _first_rows(search, rng)
    depth = np.full(CHAINS, instance.n_small)
    found = price_bounds(relaxation, rows, depth, np.zeros((CHAINS, relaxation.n_multipliers)),
                         search.target, 60, search.budget)
    value, multipliers = found.value, found.multipliers
    best_rows, best_value, best_multipliers = rows.copy(), value.copy(), multipliers.copy()
    for step in range(STEPS):
        if search.budget.is_spent or search.budget.spent_share > until_share:
            break
        heat = 0.01 * total * (0.01 ** (step / STEPS))
        moved = _moved(relaxation, rows, rng)
        found = price_bounds(relaxation, moved, depth, multipliers, search.target, 12, search.budget)
        accept = rng.random(CHAINS) < np.exp(np.minimum((found.value - value) / heat, 0))
        rows[accept], value[accept] = moved[accept], found.value[accept]
        multipliers[accept] = found.multipliers[accept]
        better = value > best_value
        best_rows[better], best_value[better] = rows[better], value[better]
        best_multipliers[better] = multipliers[better]
    settle(search, best_rows, best_multipliers)


def _first_rows(search: Search, rng: np.random.Generator) -> Rows:
    """Cuts of the shuffled small side, as the papers' method f makes them, and the best row so far."""
    relaxation = search.relaxation
    instance = relaxation.instance
    share = np.asarray(instance.problem.ratio, float) / np.sum(instance.problem.ratio)
    # A fully crossed design is best cut in proportion to the square roots; others lie between that and the ratio.
    rows = np.empty((CHAINS, instance.n_small), np.int8)
    for chain in range(CHAINS):
        power = share ** rng.uniform(0.4, 1.0)
        cuts = np.cumsum(power / power.sum())[:-1] * instance.n_small
        position = rng.permutation(instance.n_small)
        rows[chain] = np.searchsorted(cuts, position + 0.5)
    if search.best is not None:
        rows[0] = search.best.small
    pinned = instance.small_pins != FREE
    rows[:, pinned] = instance.small_pins[pinned]
    return rows


def _moved(relaxation: Relaxation, rows: Rows, rng: np.random.Generator) -> Rows:
    """Each row with one node moved, or two nodes exchanged."""
    instance = relaxation.instance
    free = np.flatnonzero(instance.small_pins == FREE)
    moved, chain = rows.copy(), np.arange(len(rows))
    if not len(free):
        return moved
    one, other = rng.choice(free, len(rows)), rng.choice(free, len(rows))
    exchange = rng.random(len(rows)) < 0.5
    shift = rng.integers(1, instance.n_parts, len(rows))
    moved[chain, one] = np.where(exchange, rows[chain, other], (rows[chain, one] + shift) % instance.n_parts)
    moved[chain[exchange], other[exchange]] = rows[chain[exchange], one[exchange]]
    return moved


def given_parts(search: Search, small: npt.NDArray[np.int64]) -> None:
    """Use the small side of a split at hand as a start."""
    relaxation = search.relaxation
    settle(search, small[relaxation.instance.small_order].astype(np.int8)[None],
           np.zeros((1, relaxation.n_multipliers)))
