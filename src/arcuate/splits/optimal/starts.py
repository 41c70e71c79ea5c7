"""Good splits to start from: the better the first one, the more the bounds cut off."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arcuate.splits.optimal.instance import FREE, Floats
from arcuate.splits.optimal.leaf import checked
from arcuate.splits.optimal.prices import Relaxation, Rows, converged_bounds, price_bounds
from arcuate.splits.optimal.problem import Parts
from arcuate.splits.optimal.search import Nodes, Search, children, root, small_side_possible

BEAM_WIDTH = 64
CHAINS = 48
STEPS = 600
HEAT = 0.005          # at first, as a share of all weight
COOLED = 0.01         # share of that heat at the end
FALL = 0.03           # how far below its old bound a moved row is looked at
STEPS_A_MOVE = 12     # of the prices
REFRESH = 10          # moves between second looks at the bounds of the rows as they are
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
    relaxation, budget = search.relaxation, search.budget
    rows = _first_rows(search, rng)
    possible = small_side_possible(relaxation, rows)
    if not possible.any():
        return
    rows = rows[possible][np.arange(CHAINS) % possible.sum()]
    depth = np.full(CHAINS, relaxation.instance.n_small)
    found = converged_bounds(relaxation, rows, depth, np.zeros((CHAINS, relaxation.n_multipliers)), budget)
    now, best = Nodes(rows, depth, found.multipliers, found.value), Nodes(rows, depth, found.multipliers, found.value)
    began = budget.spent_share
    for step in range(STEPS):
        done = max(step / STEPS, (budget.spent_share - began) / max(until_share - began, 1e-9))
        if budget.is_spent or done >= 1:
            break
        heat = HEAT * relaxation.instance.total * COOLED ** done
        # A row that falls this far is refused anyway: its bound need not be known any better.
        lowest = now.bound - np.maximum(5 * heat, FALL * np.abs(now.bound))
        moved = _moved(relaxation, now.rows, rng)
        found = price_bounds(relaxation, moved, depth, now.multipliers, lowest, STEPS_A_MOVE, budget)
        accept = rng.random(CHAINS) < np.exp(np.minimum((found.value - now.bound) / heat, 0))
        accept &= small_side_possible(relaxation, moved)
        now = _where(accept, Nodes(moved, depth, found.multipliers, found.value), now)
        if step % REFRESH == REFRESH - 1:   # bounds that prices left too high would never be given up
            found = price_bounds(relaxation, now.rows, depth, now.multipliers, lowest, STEPS_A_MOVE, budget)
            now = _where(found.value < now.bound, Nodes(now.rows, depth, found.multipliers, found.value), now)
        best = _where(now.bound > best.bound, now, best)
    settle(search, best.rows, best.multipliers)


def _where(chosen: npt.NDArray[np.bool_], one: Nodes, other: Nodes) -> Nodes:
    """Row by row from one or the other."""
    rows, multipliers = (np.where(chosen[:, None], getattr(one, name), getattr(other, name))
                         for name in ("rows", "multipliers"))
    return Nodes(rows, one.depth, multipliers, np.where(chosen, one.bound, other.bound))


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


def given(search: Search, small: Parts, large: Parts) -> None:
    """Use a split at hand: as it is where it is allowed, and its small side as a start."""
    relaxation = search.relaxation
    instance = relaxation.instance
    row = small[instance.small_order].astype(np.int8)
    of_type = np.zeros((len(instance.counts), instance.n_parts), np.int64)
    np.add.at(of_type, (instance.type_of_large, large), 1)
    search.offer(checked(relaxation, row, of_type))
    if np.all((instance.small_pins == FREE) | (instance.small_pins == row)):
        settle(search, row[None], np.zeros((1, relaxation.n_multipliers)))
