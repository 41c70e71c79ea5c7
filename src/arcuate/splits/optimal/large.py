"""Graphs too large to search: improve both sides in turns under prices, from many starts."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from arcuate.samples.graph import Graph
from arcuate.splits.optimal.instance import FREE, Floats, pins_of
from arcuate.splits.optimal.problem import Parts, Problem, is_allowed, kept
from arcuate.splits.optimal.work import Budget

TURNS = 12
PRICE_STEPS = 40
SHAKEN = (0.3, 0.1, 0.03)


class Turns:
    """Both sides of a large graph, improved in turns."""

    def __init__(self, graph: Graph, problem: Problem, budget: Budget):
        self.graph, self.problem, self.budget = graph, problem, budget
        matrix = graph.matrix()
        self.matrices = {"subjects": matrix, "texts": csr_array(matrix.T)}
        names = {"subjects": (graph.subjects, problem.subject_pins), "texts": (graph.texts, problem.text_pins)}
        self.pins = {side: pins_of(side[:-1], *named, problem.n_parts) for side, named in names.items()}
        self.best: tuple[Parts, Parts] | None = None
        self.value = 0.0

    def offer(self, part_of_subject: Parts, part_of_text: Parts) -> bool:
        """Keep the split if it is allowed and better than the best one."""
        value = float(kept(self.graph, part_of_subject, part_of_text, self.problem.n_parts).weight.sum())
        if value <= self.value or not is_allowed(self.problem, self.graph, part_of_subject, part_of_text):
            return False
        self.best, self.value = (part_of_subject, part_of_text), value
        return True

    def improve(self, part_of_text: Parts) -> None:
        """Assign subjects to suit the texts, texts to suit the subjects, and so on until neither changes."""
        for _ in range(TURNS):
            if self.budget.is_spent:
                return
            before = part_of_text
            part_of_subject = self._assigned("subjects", part_of_text)
            self.offer(part_of_subject, part_of_text)
            part_of_text = self._assigned("texts", part_of_subject)
            self.offer(part_of_subject, part_of_text)
            if np.array_equal(part_of_text, before):
                return

    def _assigned(self, side: str, part_of_other: Parts) -> Parts:
        """Best part of each node of a side, given the other side's, at prices that meet the ratio."""
        parts = np.arange(self.problem.n_parts)
        reach = self.matrices[side] @ (part_of_other[:, None] == parts).astype(float)
        self.budget.spend(10 * self.matrices[side].nnz + PRICE_STEPS * reach.size)
        allowed = (self.pins[side][:, None] == FREE) | (self.pins[side][:, None] == parts)
        counted = {"samples": reach, side: (reach > 0).astype(float)}.get(self.problem.ratio_of)
        if counted is None:
            return np.where(allowed, reach, -np.inf).argmax(1)
        price = _priced(reach, counted, allowed, self.problem)
        worth = np.where(allowed, reach + counted * price, -np.inf)
        return _repaired(worth.argmax(1), worth, counted, self.problem)


def improve_in_turns(turns: Turns, until_share: float) -> None:
    """Spend the work on starts of several kinds, then on shaking the best split and improving it again."""
    rng = np.random.default_rng(turns.problem.seed)
    for part_of_text in _first_texts(turns, rng):
        turns.improve(part_of_text)
    while not turns.budget.is_spent and turns.budget.spent_share < until_share:
        share = SHAKEN[int(rng.integers(len(SHAKEN)))]
        if turns.best is None:
            share, start = 1.0, np.zeros(len(turns.graph.texts), np.int64)
        else:
            start = turns.best[1]
        shaken = np.where(rng.random(len(start)) < share, _random_parts(turns, rng), start)
        before = turns.budget.spent
        turns.improve(shaken)
        if turns.budget.spent == before:
            return


def _random_parts(turns: Turns, rng: np.random.Generator) -> Parts:
    share = np.asarray(turns.problem.ratio, float) ** rng.uniform(0.5, 1.0)
    return rng.choice(turns.problem.n_parts, len(turns.graph.texts), p=share / share.sum())


def _first_texts(turns: Turns, rng: np.random.Generator) -> list[Parts]:
    """Texts cut along an order in which neighbours are near each other, and texts cut at random."""
    graph, problem = turns.graph, turns.problem
    n_subjects, n_nodes = len(graph.subjects), len(graph.subjects) + len(graph.texts)
    ends = np.concatenate([graph.subject_of_edge, graph.text_of_edge + n_subjects])
    others = np.concatenate([graph.text_of_edge + n_subjects, graph.subject_of_edge])
    both = csr_array((np.ones(len(ends), np.int8), (ends, others)), shape=(n_nodes, n_nodes))
    order = np.asarray(reverse_cuthill_mckee(both, symmetric_mode=True), np.int64)
    texts = order[order >= n_subjects] - n_subjects
    weight = np.bincount(graph.text_of_edge, weights=graph.weights, minlength=len(graph.texts))
    along = np.cumsum(weight[texts]) - weight[texts] / 2
    starts = []
    for parts in (np.arange(problem.n_parts), np.arange(problem.n_parts)[::-1]):
        share = np.asarray(problem.ratio, float)[parts]
        cuts = np.cumsum(share / share.sum())[:-1] * graph.total
        part_of_text = np.empty(len(texts), np.int64)
        part_of_text[texts] = parts[np.searchsorted(cuts, along)]
        starts.append(part_of_text)
    return [*starts, _random_parts(turns, rng), _random_parts(turns, rng)]


def _priced(reach: Floats, counted: Floats, allowed: np.ndarray, problem: Problem) -> Floats:
    """A price on each part's counted amount that brings the shares into the limits, by subgradient steps."""
    low, high = problem.limits
    above, below = np.zeros(problem.n_parts), np.zeros(problem.n_parts)
    best, best_price, size = np.inf, np.zeros(problem.n_parts), 0.3
    for _ in range(PRICE_STEPS):
        price = (above * high - below * low).sum() - above + below
        worth = np.where(allowed, reach + counted * price, -np.inf)
        chosen = worth.argmax(1)
        value = float(worth.max(1).sum())
        if value < best:
            best, best_price = value, price
        else:
            size *= 0.7
        amount = np.bincount(chosen, weights=counted[np.arange(len(chosen)), chosen], minlength=len(low))
        gradient = np.concatenate([high * amount.sum() - amount, amount - low * amount.sum()])
        length = float(np.square(gradient).sum())
        if length == 0:
            break
        step = size * max(value, 1e-12) / length
        above = np.maximum(above - step * gradient[:len(low)], 0)
        below = np.maximum(below - step * gradient[len(low):], 0)
    return best_price


def _repaired(chosen: Parts, worth: Floats, counted: Floats, problem: Problem) -> Parts:
    """Move the nodes that lose least from parts with too much to parts with too little."""
    low, high = problem.limits
    chosen, nodes = chosen.copy(), np.arange(len(chosen))
    for _ in range(4 * problem.n_parts):
        amount = np.bincount(chosen, weights=counted[nodes, chosen], minlength=len(low))
        if problem.allows(amount):
            break
        share = amount / max(amount.sum(), 1e-300)
        short, over = int(np.argmax(low - share)), int(np.argmax(share - high))
        if share[short] < low[short]:
            over = int(np.argmax(share - low)) if share[over] <= high[over] else over
        else:
            short = int(np.argmin(np.where(np.arange(len(low)) == over, np.inf, share - high)))
        movable = np.flatnonzero((chosen == over) & (counted[:, short] > 0) & np.isfinite(worth[:, short]))
        loss = (worth[movable, over] - worth[movable, short]) / counted[movable, short]
        movable = movable[np.argsort(loss, kind="stable")]
        gained, lost = np.cumsum(counted[movable, short]), np.cumsum(counted[movable, over])
        whole = amount.sum() + gained - lost
        enough = (amount[short] + gained >= low[short] * whole) & (amount[over] - lost <= high[over] * whole)
        count = int(np.argmax(enough)) + 1 if enough.any() else len(movable) // 2
        if not count:
            break
        chosen[movable[:count]] = short
    return chosen
