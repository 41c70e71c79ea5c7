"""The small side is decided: place the large side as well as can be, as a small integer program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arcuate.splits.optimal.instance import FREE, Floats, Instance
from arcuate.splits.optimal.lines import Lines
from arcuate.splits.optimal.prices import Relaxation, converged_bounds
from arcuate.splits.optimal.program import maximise
from arcuate.splits.optimal.work import Budget

# Nodes of the integer program and its relative gap.
EXACT, QUICK = (2_000, 0.0), (50, 2e-5)
# Pairs of type and part, beyond one a type, that an exact program may leave open. A larger one is cut down to the few
# pairs that lose least: it still finds a split about as good as the prices allow for, but proves nothing.
EXACT_PAIRS, QUICK_PAIRS = 150, 50
# A program this small is solved at once, without guessing.
FEW_PAIRS = 30
# How far below the bound of a leaf its best solution is guessed to lie, in shares of it: first near, then anywhere.
GUESSES = (2e-4, 2e-3, 2e-2, 1.0)


@dataclass(frozen=True, eq=False)
class Placement:
    """Where each small node and how many nodes of each type go."""

    value: float
    small: npt.NDArray[np.int8]
    of_type: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LeafResult:
    """The best placement worth at least the target, if there is one, and a bound on all of the leaf's."""

    placement: Placement | None
    bound: float


def solve_leaf(
    relaxation: Relaxation, small: npt.NDArray[np.int8], multipliers: Floats, target: float, budget: Budget
) -> LeafResult:
    """Best placement of the large side that is worth at least ``target``.

    A part that a type can only take at a loss greater than (bound - target) is left out: with good multipliers
    little remains. The target is first guessed high, which leaves out more, then lowered.
    """
    leaf = _Leaf(relaxation, small)
    bound, loss = leaf.losses(multipliers)
    if bound >= target and (loss <= bound - target).sum() - len(loss) > EXACT_PAIRS:
        row, depth = small[None], np.array([len(small)])
        bound, loss = leaf.losses(converged_bounds(relaxation, row, depth, multipliers[None], budget).multipliers[0])
    if bound < target:
        return LeafResult(None, bound)
    rounding = 1e-6 * max(1.0, abs(bound))
    few = (loss <= bound - target + rounding).sum() - len(loss) <= FEW_PAIRS
    for guess in GUESSES[-1:] if few else GUESSES:
        goal = max(target, bound - guess * max(bound, 1.0)) if guess < 1 else target
        usable, whole = _cheapest(loss, bound - goal + rounding)
        if not whole:
            result = leaf.program(usable | leaf.present_at_least_loss(loss), -np.inf, QUICK, budget)
            return LeafResult(result.placement, bound)
        result = leaf.program(usable, goal, EXACT, budget)
        if result.placement is not None or result.bound >= goal or goal <= target:
            return LeafResult(result.placement, min(bound, result.bound))
    raise AssertionError("the last guess is the target itself")


def checked(relaxation: Relaxation, small: npt.NDArray[np.int8], of_type: npt.NDArray[np.int64]) -> Placement | None:
    """The placement, if it is allowed."""
    leaf = _Leaf(relaxation, small)
    pins = relaxation.instance.small_pins
    as_pinned = np.all((pins == FREE) | (pins == small)) and not np.any(of_type[~leaf.allowed])
    return leaf.check(of_type.astype(float), -np.inf).placement if as_pinned else None


def _cheapest(loss: Floats, slack: float) -> tuple[npt.NDArray[np.bool_], bool]:
    """Pairs of type and part within the slack, and whether these are all of them."""
    usable = loss <= slack
    extra = np.where(usable & (loss > 0), loss, np.inf)
    if usable.sum() - len(loss) <= EXACT_PAIRS:
        return usable, True
    limit = np.partition(extra, QUICK_PAIRS, axis=None)[QUICK_PAIRS]
    return usable & (loss <= limit), False


class _Leaf:
    def __init__(self, relaxation: Relaxation, small: npt.NDArray[np.int8]):
        self.relaxation, self.small = relaxation, small
        self.instance: Instance = relaxation.instance
        parts = np.arange(self.instance.n_parts)
        self.weight = self.instance.weights @ (small[:, None] == parts).astype(float)
        self.absent = np.flatnonzero(small == self.instance.n_parts)
        self.allowed = (self.instance.type_pins[:, None] == FREE) | (self.instance.type_pins[:, None] == parts)

    def losses(self, multipliers: Floats) -> tuple[float, Floats]:
        """Bound of the leaf, and what it falls by when one node of a type takes each part."""
        instance, n_parts = self.instance, self.instance.n_parts
        above, below, fewest = multipliers.reshape(3, n_parts)
        shift = (above * self.relaxation.high - below * self.relaxation.low).sum() - above + below
        price = 1 + shift if instance.ratio_side == "weight" else np.ones(n_parts)
        fee = fewest + (shift if instance.ratio_side == "large" else 0)
        worth = np.where(self.allowed, self.weight * price + (self.weight > 0) * fee, -np.inf)
        best = worth.max(1)
        bound = float((best * instance.counts).sum() - fewest.sum() * instance.minimum[1])
        return bound, best[:, None] - worth

    def program(
        self, usable: npt.NDArray[np.bool_], goal: float, effort: tuple[int, float], budget: Budget
    ) -> LeafResult:
        """Solve with the usable (type, part) pairs only."""
        instance = self.instance
        usable = usable & self.allowed
        fixed = usable.sum(1) == 1
        of_type = np.where(usable & fixed[:, None], instance.counts[:, None], 0.0)
        rows_of, parts_of = np.nonzero(usable & ~fixed[:, None])
        lines, at_least, at_most = self._lines(of_type, rows_of, parts_of, goal).arrays()
        n_extra = len(self.absent) * instance.n_parts
        budget.spend(2e5 + 2e3 * len(rows_of))
        if len(rows_of) == 0 and n_extra == 0:
            result = self.check(of_type, -np.inf)
            reached = result.placement is not None and result.bound >= goal - 1e-6 * max(1.0, result.bound)
            return result if reached else LeafResult(None, -np.inf)
        highest = np.concatenate([instance.counts[rows_of], np.ones(n_extra)])
        worth = np.concatenate([self.weight[rows_of, parts_of], np.zeros(n_extra)])
        answer = maximise(worth, highest, lines, at_least, at_most, *effort, seconds=budget.seconds_left)
        bound = float((self.weight * of_type).sum()) + answer.bound
        if answer.values is None:
            return LeafResult(None, bound)
        of_type[rows_of, parts_of] = answer.values[:len(rows_of)]
        if not n_extra:
            return self.check(of_type, bound)
        small = self.small.copy()
        small[self.absent] = answer.values[len(rows_of):].reshape(-1, instance.n_parts).argmax(1)
        return _Leaf(self.relaxation, small).check(of_type, bound)

    def present_at_least_loss(self, loss: Floats) -> npt.NDArray[np.bool_]:
        """For each small node that is to be present, the pair of type and part that makes it so most cheaply."""
        pairs = np.zeros(loss.shape, bool)
        if self.instance.watches_small:
            for node in np.flatnonzero(self.small < self.instance.n_parts):
                part = self.small[node]
                pairs[np.argmin(np.where(self.instance.weights[:, node] > 0, loss[:, part], np.inf)), part] = True
        return pairs

    def check(self, of_type: Floats, bound: float) -> LeafResult:
        """Trust no solver: a placement counts only when the limits hold for it as counted here."""
        value = float((self.weight * of_type).sum())
        placement = Placement(value, self.small, of_type.astype(np.int64))
        return LeafResult(placement if self._holds(of_type) else None, max(bound, value))

    def _holds(self, of_type: Floats) -> bool:
        instance, problem = self.instance, self.instance.problem
        present = (of_type > 0) & (self.weight > 0)
        large = (of_type * present).sum(0)
        meets = np.stack([present[:, part] @ instance.weights > 0 for part in range(instance.n_parts)])
        small = np.array([(meets[part] & (self.small == part)).sum() for part in range(instance.n_parts)])
        amounts = {"weight": (self.weight * of_type).sum(0), "small": small, "large": large}[instance.ratio_side]
        fewest_small, fewest_large = instance.minimum
        return bool(problem.allows(amounts)) and small.min() >= fewest_small and large.min() >= fewest_large

    def _lines(
        self, of_type: Floats, rows_of: npt.NDArray[np.int64], parts_of: npt.NDArray[np.int64], goal: float
    ) -> Lines:
        """Everything that must hold of the open (type, part) pairs, given what is fixed."""
        instance, n_parts = self.instance, self.instance.n_parts
        lines = Lines(instance, self.small, of_type, rows_of, parts_of)
        lines.add_counts()
        if np.isfinite(goal):
            constant = float((self.weight * of_type).sum())
            # A little less than asked: the solver's own rounding must not lose the goal itself.
            lines.add(self.weight[rows_of, parts_of], goal - constant - 1e-6 * max(1.0, abs(goal)), np.inf)
        present = (self.weight > 0).astype(float)
        in_part = parts_of == np.arange(n_parts)[:, None]
        if instance.ratio_side != "small":
            amount = self.weight if instance.ratio_side == "weight" else present
            limits = self.relaxation.low, self.relaxation.high
            lines.add_ratio(in_part * amount[rows_of, parts_of], (amount * of_type).sum(0), limits)
        if instance.minimum[1]:
            for part in range(n_parts):
                had = (present * of_type)[:, part].sum()
                lines.add(in_part[part] * present[rows_of, parts_of], instance.minimum[1] - had, np.inf)
        if instance.watches_small:
            lines.add_present()
            lines.add_absent()
        return lines
