"""Upper bounds by prices: what a partly decided split can keep at most.

A ratio constraint on part k, ``low_k R <= R_k <= high_k R``, is taken into the objective with two multipliers; they
make a price for each part, and each type then takes its best part on its own. The sum is an upper bound for *every*
choice of multipliers, so any of them is safe and the search for good ones may stop at any time. Each row of a batch
has multipliers of its own, moved by Polyak's step towards the value that would cut the row off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arcuate.splits.optimal.instance import FREE, Floats, Instance
from arcuate.splits.optimal.work import Budget

Rows = npt.NDArray[np.int8]
NEVER = -1e300   # worth of a forbidden part: finite, so that 0 times it is still 0


@dataclass(frozen=True, eq=False)
class Relaxation:
    """Arrays that every bound of one instance needs."""

    instance: Instance
    heavy: Floats          # (types, small nodes): weight of all nodes of a type together
    undecided: Floats      # (n_small + 1, types): weight not yet decided when the first d small nodes are
    low: Floats
    high: Floats
    forbidden: npt.NDArray[np.bool_] | None   # (parts, types)

    @classmethod
    def of(cls, instance: Instance) -> Relaxation:
        """Precompute."""
        heavy = instance.weights * instance.counts[:, None]
        undecided = np.zeros((instance.n_small + 1, len(heavy)))
        undecided[:-1] = np.cumsum(heavy[:, ::-1], axis=1)[:, ::-1].T
        low, high = instance.problem.limits
        pins = instance.type_pins
        forbidden = None
        if np.any(pins != FREE):
            forbidden = (pins != FREE) & (pins != np.arange(instance.n_parts)[:, None])
        return cls(instance, np.ascontiguousarray(heavy.T), undecided, low, high, forbidden)

    @property
    def n_multipliers(self) -> int:
        """Two for the ratio of each part, one for the fewest large nodes."""
        return 3 * self.instance.n_parts

    def row_cost(self) -> int:
        """Numbers touched to bound one row once."""
        return self.instance.n_parts * len(self.instance.counts)


@dataclass(frozen=True, eq=False)
class Bounds:
    """For each row: the bound, and the multipliers that gave it."""

    value: Floats
    multipliers: Floats


def decided_weight(relaxation: Relaxation, rows: Rows) -> Floats:
    """Weight of each type in each part from the decided small nodes: (parts, rows, types)."""
    n_parts = relaxation.instance.n_parts
    out = np.empty((n_parts, len(rows), relaxation.heavy.shape[1]))
    for part in range(n_parts):
        np.matmul((rows == part).astype(float), relaxation.heavy, out=out[part])
    return out


def price_bounds(
    relaxation: Relaxation, rows: Rows, depth: npt.NDArray[np.int64], multipliers: Floats,
    target: float | Floats, iterations: int, budget: Budget,
) -> Bounds:
    """Bound each row (parts of the first ``depth`` small nodes, FREE after them) from above.

    A row is done as soon as its bound is below ``target``: it cannot hold anything better than what we have.
    """
    aim = np.broadcast_to(np.asarray(target, float), len(rows))
    decided = decided_weight(relaxation, rows)
    open_weight = relaxation.undecided[depth]
    best = np.full(len(rows), np.inf)
    best_multipliers = multipliers.copy()
    active, current = np.arange(len(rows)), multipliers
    reach = decided + open_weight
    sure = decided if relaxation.forbidden is not None else None
    presence = _Presence(relaxation, decided, open_weight) if _counts_large(relaxation.instance) else None
    for _ in range(iterations):
        budget.spend(len(active) * relaxation.row_cost())
        value, gradient = _evaluate(relaxation, reach, sure, presence, current)
        better = value < best[active]
        best[active[better]] = value[better]
        best_multipliers[active[better]] = current[better]
        gradient[(current <= 0) & (gradient > 0)] = 0
        length = np.square(gradient).sum(1)
        going = (best[active] >= aim[active]) & (length > 1e-12)
        if not going.any():
            break
        if going.mean() < 0.8:   # copying costs about as much as a step, so rows leave together
            active, current, value = active[going], current[going], value[going]
            gradient, length, reach = gradient[going], length[going], reach[:, going]
            sure = None if sure is None else sure[:, going]
            presence = presence.select(going) if presence else None
        step = np.maximum(value - aim[active], 0) / np.maximum(length, 1e-12)
        current = np.maximum(current - step[:, None] * gradient, 0)
    return Bounds(best, best_multipliers)


def converged_bounds(
    relaxation: Relaxation, rows: Rows, depth: npt.NDArray[np.int64], multipliers: Floats, budget: Budget
) -> Bounds:
    """The best bounds that prices can give, nearly: each row aims a little below its own, closer every time."""
    found = price_bounds(relaxation, rows, depth, multipliers, 0.0, 1, budget)
    for aim in (0.5, 0.2, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003):
        target = found.value - aim * np.abs(found.value)
        nearer = price_bounds(relaxation, rows, depth, found.multipliers, target, 15, budget)
        better = nearer.value < found.value
        found = Bounds(np.where(better, nearer.value, found.value),
                       np.where(better[:, None], nearer.multipliers, found.multipliers))
    return found


def _evaluate(
    relaxation: Relaxation, reach: Floats, sure: Floats | None, presence: _Presence | None, multipliers: Floats
) -> tuple[Floats, Floats]:
    """Value of the relaxed problem at the multipliers of each row, and its gradient.

    ``sure`` (the weight already decided) is given where types are pinned: a pinned type must take its part even at a
    negative price, and then the least weight it may have there counts. Any other type has a part whose price is at
    least 1, for prices averaged over allowed shares are, and never takes one of negative price.
    """
    instance, n_parts = relaxation.instance, relaxation.instance.n_parts
    above, below, fewest = (multipliers[:, i * n_parts:(i + 1) * n_parts] for i in range(3))
    shift = (above * relaxation.high - below * relaxation.low).sum(1, keepdims=True) - above + below
    price = 1 + shift if instance.ratio_side == "weight" else np.ones_like(shift)
    if sure is not None:
        reach = np.where(price.T[:, :, None] < 0, sure, reach)
    worth = reach * price.T[:, :, None]
    if presence is not None:
        fee = fewest + (shift if instance.ratio_side == "large" else 0)
        counted = presence.counted(fee)
        worth += counted * fee.T[:, :, None]
    if relaxation.forbidden is not None:
        worth[np.broadcast_to(relaxation.forbidden[:, None, :], worth.shape)] = NEVER
    chosen = _best_part(worth)
    taken = reach if instance.ratio_side == "weight" else counted if instance.ratio_side == "large" else None
    amount = np.zeros_like(shift) if taken is None else _amounts(taken, chosen)
    by_amount = presence is None and taken is reach
    value = (price * amount).sum(1) if by_amount else _amounts(worth, chosen).sum(1)
    whole = amount.sum(1, keepdims=True)
    gradient = np.zeros_like(multipliers)
    gradient[:, :n_parts] = relaxation.high * whole - amount
    gradient[:, n_parts:2 * n_parts] = amount - relaxation.low * whole
    if presence is not None:
        wanted = instance.minimum[1]
        present = amount if instance.ratio_side == "large" else _amounts(counted, chosen)
        gradient[:, 2 * n_parts:] = present - wanted
        value -= fewest.sum(1) * wanted
    return value, gradient


def _best_part(worth: Floats) -> list[npt.NDArray[np.bool_]]:
    """For each part, which rows' types it is worth most to; the first of equals."""
    best = worth[0]
    chosen = [np.ones(best.shape, bool)]
    for of_part in worth[1:]:
        better = of_part > best
        for earlier in chosen:
            earlier &= ~better
        chosen.append(better)
        best = np.maximum(best, of_part)
    return chosen


def _amounts(of_part: Floats, chosen: list[npt.NDArray[np.bool_]]) -> Floats:
    """Sum over the types that chose each part: (rows, parts)."""
    # As a sum of products: several times faster than summing under a mask.
    return np.stack([np.einsum("rt,rt->r", amount, mine.astype(float))
                     for amount, mine in zip(of_part, chosen, strict=True)], axis=1)


def _counts_large(instance: Instance) -> bool:
    return instance.ratio_side == "large" or instance.minimum[1] > 0


class _Presence:
    """Which types are sure to be present in a part they choose, and which may or may not be."""

    def __init__(self, relaxation: Relaxation, decided: Floats, open_weight: Floats):
        counts = relaxation.instance.counts
        self.sure = np.where(decided > 0, counts, 0.0)
        self.perhaps = np.where((decided <= 0) & (open_weight > 0), counts, 0.0)

    def counted(self, fee: Floats) -> Floats:
        """Nodes counted under these fees: a node whose presence is open is counted only where that pays."""
        return self.sure + np.where(fee.T[:, :, None] > 0, self.perhaps, 0.0)

    def select(self, rows: npt.NDArray[np.bool_]) -> _Presence:
        """The same for some of the rows."""
        chosen = object.__new__(_Presence)
        chosen.sure, chosen.perhaps = self.sure[:, rows], self.perhaps[:, rows]
        return chosen
