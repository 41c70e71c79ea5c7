"""Branch and bound over the small side, many rows at a time."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from arcuate.splits.optimal.instance import FREE, Floats
from arcuate.splits.optimal.leaf import Placement, solve_leaf
from arcuate.splits.optimal.prices import Relaxation, Rows, price_bounds
from arcuate.splits.optimal.work import Budget

ITERATIONS = 25
CHUNK = 64
BATCH_NUMBERS = 300_000      # numbers a batch may hold: enough to pay for the calls, few enough for the cache
STORED_ROWS = 2_000_000      # above this, depth first, so that memory stays bounded


@dataclass(frozen=True, eq=False)
class Nodes:
    """Rows still to be branched on, with their bounds and the multipliers that gave them."""

    rows: Rows
    depth: npt.NDArray[np.int64]
    multipliers: Floats
    bound: Floats

    def take(self, which: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> Nodes:
        """Some of them."""
        return Nodes(self.rows[which], self.depth[which], self.multipliers[which], self.bound[which])

    def __len__(self) -> int:
        return len(self.rows)


def root(relaxation: Relaxation) -> Nodes:
    """Nothing decided yet."""
    n_small = relaxation.instance.n_small
    return Nodes(np.full((1, n_small), FREE, np.int8), np.zeros(1, np.int64),
                 np.zeros((1, relaxation.n_multipliers)), np.array([relaxation.instance.total]))


def children(relaxation: Relaxation, nodes: Nodes) -> Nodes:
    """Each node with its next small node put in each part that is allowed and not a mirror image."""
    instance, n_labels = relaxation.instance, relaxation.instance.n_labels
    parent = np.repeat(np.arange(len(nodes)), n_labels)
    part = np.tile(np.arange(n_labels, dtype=np.int8), len(nodes))
    rows, at = nodes.rows[parent], nodes.depth[parent]
    here = np.arange(len(rows))
    allowed = (instance.small_pins[at] == FREE) | (instance.small_pins[at] == part) | (part == instance.n_parts)
    allowed &= ~instance.twin_of_previous[at] | (part >= rows[here, at - 1])
    for first, second in instance.equal_parts:
        allowed &= (part != second) | (rows == first).any(1)
    rows[here, at] = part
    allowed &= small_side_possible(relaxation, rows)
    return Nodes(rows, at + 1, nodes.multipliers[parent], nodes.bound[parent]).take(allowed)


def small_side_possible(relaxation: Relaxation, rows: Rows) -> npt.NDArray[np.bool_]:
    """Whether the numbers of small nodes in the parts can still come out as asked."""
    instance = relaxation.instance
    if not instance.watches_small:
        return np.ones(len(rows), bool)
    have = np.stack([(rows == part).sum(1) for part in range(instance.n_parts)], axis=1)
    free = (rows == FREE).sum(1)
    most = have + free[:, None]
    possible = np.zeros(len(rows), bool)
    by_ratio = instance.ratio_side == "small"
    for present in range(1, instance.n_small + 1):
        least = np.ceil(relaxation.low * present - 1e-9) if by_ratio else 0.0
        upper = np.minimum(most, np.floor(relaxation.high * present + 1e-9) if by_ratio else present)
        least = np.maximum(np.maximum(have, instance.minimum[0]), least)
        fits = (least <= upper).all(1) & (least.sum(1) <= present) & (upper.sum(1) >= present)
        possible |= fits & (present <= have.sum(1) + free)
    return possible


@dataclass(eq=False)
class Search:
    """Best bound first; holds the best placement found so far."""

    relaxation: Relaxation
    budget: Budget
    best: Placement | None = None
    guide: Floats | None = None     # multipliers of the best placement: they cut off most of what is like it
    unsettled: float = -np.inf      # bound of leaves that the integer program could not settle
    nodes_seen: int = 0
    heap: list[tuple[float, int, Nodes]] = field(default_factory=list)
    stack: list[Nodes] = field(default_factory=list)
    stored: int = 0
    pushed: int = 0

    def __post_init__(self) -> None:
        self._push(root(self.relaxation))

    @property
    def target(self) -> float:
        """What a split must be worth to be better than the best one."""
        unit = self.relaxation.instance.unit
        if self.best is None:
            return max(unit / 2, 1e-9 * self.relaxation.instance.total)
        step = unit * (1 - 1e-6) if unit else 1e-9 * self.relaxation.instance.total
        return self.best.value + step

    @property
    def bound(self) -> float:
        """No allowed split is worth more."""
        waiting = [-self.heap[0][0]] if self.heap else []
        waiting += [float(nodes.bound.max()) for nodes in self.stack if len(nodes)]
        return max([self.best.value if self.best else 0.0, self.unsettled, *waiting])

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to look at."""
        return not self.heap and not self.stack

    def offer(self, placement: Placement | None) -> bool:
        """Keep a placement if it is better than the best one."""
        if placement is None or (self.best is not None and placement.value <= self.best.value):
            return False
        self.best = placement
        return True

    def run(self, until_share: float) -> None:
        """Go on until done or until that share of the work is spent."""
        while not self.is_done and not self.budget.is_spent and self.budget.spent_share < until_share:
            nodes = self._pop()
            if len(nodes):
                self._expand(nodes)

    def _expand(self, nodes: Nodes) -> None:
        born = children(self.relaxation, nodes)
        self.nodes_seen += len(born)
        if not len(born):
            return
        if self.guide is not None:
            guide = np.broadcast_to(self.guide, born.multipliers.shape).copy()
            born = self._bounded(born, guide, 1)
        born = self._bounded(born, born.multipliers, ITERATIONS)
        born = born.take(np.argsort(-born.bound, kind="stable"))
        leaves = born.depth == self.relaxation.instance.n_small
        self.solve_leaves(born.take(leaves))
        self._push(born.take(~leaves))

    def _bounded(self, nodes: Nodes, multipliers: Floats, iterations: int) -> Nodes:
        """The nodes that may still hold something better, each with the better of its old and new bounds."""
        if not len(nodes):
            return nodes
        found = price_bounds(self.relaxation, nodes.rows, nodes.depth, multipliers, self.target, iterations,
                             self.budget)
        better = found.value < nodes.bound
        bound = np.where(better, found.value, nodes.bound)
        chosen = np.where(better[:, None], found.multipliers, nodes.multipliers)
        return Nodes(nodes.rows, nodes.depth, chosen, bound).take(bound >= self.target)

    def solve_leaves(self, leaves: Nodes) -> None:
        """Settle rows whose small side is decided."""
        for i in range(len(leaves)):
            if leaves.bound[i] < self.target:
                continue
            if self.budget.is_spent:
                self.unsettled = max(self.unsettled, float(leaves.bound[i]))
                continue
            result = solve_leaf(self.relaxation, leaves.rows[i], leaves.multipliers[i], self.target, self.budget)
            improved = self.offer(result.placement)
            if improved:
                self.guide = leaves.multipliers[i]
            if not improved or result.bound > self.target:
                self.unsettled = max(self.unsettled, min(result.bound, float(leaves.bound[i])))

    def _push(self, nodes: Nodes) -> None:
        self.stored += len(nodes)
        if self.stored > STORED_ROWS:
            self.stack.append(nodes)
            return
        for start in range(0, len(nodes), CHUNK):
            chunk = nodes.take(np.arange(start, min(start + CHUNK, len(nodes))))
            self.pushed += 1
            heapq.heappush(self.heap, (-float(chunk.bound.max()), self.pushed, chunk))

    def _pop(self) -> Nodes:
        """A batch of the most promising nodes."""
        room = max(16, BATCH_NUMBERS // (self.relaxation.row_cost() * self.relaxation.instance.n_parts))
        if self.stack:
            last = self.stack.pop()
            if len(last) > room:
                self.stack.append(last.take(np.arange(room, len(last))))
                last = last.take(np.arange(room))
            taken = [last]
        else:
            taken = [heapq.heappop(self.heap)[2]]
            while self.heap and sum(map(len, taken)) < room:
                taken.append(heapq.heappop(self.heap)[2])
        nodes = Nodes(*(np.concatenate([getattr(n, name) for n in taken])
                        for name in ("rows", "depth", "multipliers", "bound")))
        self.stored -= len(nodes)
        return nodes.take(nodes.bound >= self.target)
