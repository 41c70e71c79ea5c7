"""The graph as the search sees it: few nodes to branch on, and types of nodes that follow them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from arcuate.errors import ArcuateError
from arcuate.samples.graph import Graph
from arcuate.splits.optimal.problem import Parts, Problem

Floats = npt.NDArray[np.float64]
FREE = -1
FEW_ROWS = 300
WIDE_SIDE, WIDE_NUMBERS = 60, 300_000


@dataclass(frozen=True, eq=False)
class Instance:
    """A small side to search, a large side merged into types, and the limits on both.

    The small side is ordered heaviest first. ``weights[t, i]`` is what *one* node of type t has with small node i;
    ``counts[t]`` is how many nodes the type has. ``twin_of_previous[i]`` marks a small node that cannot be told from
    the one before it, and ``equal_parts`` pairs of parts that cannot be told apart: both are searched once only.
    Weights that are not whole numbers are multiplied by ``scale``, to stand clear of the solvers' rounding.
    """

    problem: Problem
    weights: Floats
    counts: Floats
    type_of_large: Parts
    type_pins: Parts
    small_order: Parts
    small_pins: Parts
    twin_of_previous: npt.NDArray[np.bool_]
    equal_parts: tuple[tuple[int, int], ...]
    subjects_are_small: bool
    unit: float
    scale: float

    @property
    def n_small(self) -> int:
        """Nodes to branch on."""
        return self.weights.shape[1]

    @property
    def n_parts(self) -> int:
        """Parts to make."""
        return self.problem.n_parts

    @property
    def total(self) -> float:
        """All the weight there is."""
        return float((self.weights.sum(1) * self.counts).sum())

    @property
    def has_many_rows(self) -> bool:
        """Whether it pays to look for a good start before the search."""
        return self.n_parts ** self.n_small > FEW_ROWS

    @property
    def is_wide(self) -> bool:
        """Whether going down the small side even once costs too much to begin with."""
        return self.n_small > WIDE_SIDE or self.n_small * self.n_parts * len(self.counts) > WIDE_NUMBERS

    @property
    def ratio_side(self) -> str:
        """What the ratio is of: 'weight', or the nodes of the 'small' or the 'large' side."""
        if self.problem.ratio_of == "samples":
            return "weight"
        return "small" if (self.problem.ratio_of == "subjects") == self.subjects_are_small else "large"

    @property
    def watches_small(self) -> bool:
        """Whether it matters which small nodes have anything kept; then a row may also call a node absent."""
        return self.ratio_side == "small" or self.minimum[0] > 0

    @property
    def n_labels(self) -> int:
        """What a row may say of a small node: its part, or (label ``n_parts``) that nothing of it is kept."""
        return self.n_parts + self.watches_small

    @property
    def minimum(self) -> tuple[int, int]:
        """Fewest small and large nodes a part may have; 0 where the ratio sees to it already."""
        asked = (self.problem.min_subjects, self.problem.min_texts)
        small, large = asked if self.subjects_are_small else asked[::-1]
        # A positive lowest share means that something is kept, hence a node of each side.
        implied = 1 if self.problem.limits[0].min() > 0 else 0
        return (small if small > implied else 0, large if large > implied else 0)

    def parts(self, small: Parts, large: Parts) -> tuple[Parts, Parts]:
        """Back to the graph's order: part of each subject and of each text."""
        part_of_small = np.empty(self.n_small, np.int64)
        part_of_small[self.small_order] = small
        return (part_of_small, large) if self.subjects_are_small else (large, part_of_small)

    def small_and_large(self, subjects: Parts, texts: Parts) -> tuple[Parts, Parts]:
        """Both sides of a split, the searched one first, each in the graph's order."""
        return (subjects, texts) if self.subjects_are_small else (texts, subjects)

    def kind_of_small(self) -> Parts:
        """Number of the group of twins that each small node is in, in the graph's order."""
        kind = np.empty(self.n_small, np.int64)
        kind[self.small_order] = np.cumsum(~self.twin_of_previous)
        return kind

    def spread(self, of_type: npt.NDArray[np.int64]) -> Parts:
        """Part of each large node, given how many nodes of each type go to each part."""
        part_of_large = np.empty(len(self.type_of_large), np.int64)
        by_type = np.argsort(self.type_of_large, kind="stable")
        part_of_large[by_type] = np.repeat(np.tile(np.arange(self.n_parts), len(of_type)), of_type.ravel())
        return part_of_large


def build_instance(graph: Graph, problem: Problem) -> Instance:
    """Choose the side to search, merge what is identical, and order the rest heaviest first."""
    pins = [pins_of("subject", graph.subjects, problem.subject_pins, problem.n_parts),
            pins_of("text", graph.texts, problem.text_pins, problem.n_parts)]
    subjects_are_small = len(graph.subjects) <= len(graph.texts)
    unit = common_unit(graph.weights)
    # A power of two, so that scaling changes no digit.
    scale = 1.0 if unit else 2.0 ** (10 - np.floor(np.log2(max(graph.weights.max(), 1e-300))))
    large_by_small = graph.matrix().toarray() * scale
    if subjects_are_small:
        large_by_small = large_by_small.T
        pins.reverse()
    large_pins, small_pins = pins
    keyed = np.column_stack([large_pins, large_by_small])
    types, type_of_large, counts = np.unique(keyed, axis=0, return_inverse=True, return_counts=True)
    weights = np.ascontiguousarray(types[:, 1:])
    order, twins = _heaviest_first(weights, counts, small_pins)
    return Instance(
        problem=problem, weights=np.ascontiguousarray(weights[:, order]), counts=counts.astype(float),
        type_of_large=type_of_large.ravel(), type_pins=types[:, 0].astype(np.int64), small_order=order,
        small_pins=small_pins[order], twin_of_previous=twins, equal_parts=_equal_parts(problem),
        subjects_are_small=subjects_are_small, unit=unit, scale=scale,
    )


def pins_of(side: str, names: npt.NDArray[np.str_], pins: Mapping[str, int], n_parts: int) -> Parts:
    """Pinned part of each node, or FREE."""
    pinned = np.full(len(names), FREE, np.int64)
    for name, part in pins.items():
        position = int(np.searchsorted(names, name))
        if position == len(names) or names[position] != name:
            raise ArcuateError(
                f"The pinned {side} {name!r} is not in the table; it has {len(names)} {side}s, "
                f"the first of them {names[0]!r}. Pin one of those."
            )
        if not 0 <= part < n_parts:
            raise ArcuateError(f"{side} {name!r} is pinned to part {part}; there are {n_parts} parts, from 0.")
        pinned[position] = part
    return pinned


def _heaviest_first(weights: Floats, counts: npt.NDArray[np.int64], pins: Parts) -> tuple[Parts, npt.NDArray[np.bool_]]:
    """Order of the small nodes, equal ones side by side, and which is equal to the one before it."""
    columns = np.column_stack([pins, weights.T])
    _, kind, first = _unique_rows(columns)
    heavy = -(weights * counts[:, None]).sum(0)
    # Pinned nodes cost no branching, so they come first whatever their weight.
    order = np.lexsort((np.arange(len(heavy)), first[kind], heavy, pins == FREE))
    twins = np.zeros(len(order), bool)
    twins[1:] = kind[order][1:] == kind[order][:-1]
    return order, twins


def _unique_rows(rows: Floats) -> tuple[Floats, Parts, Parts]:
    unique, first, kind = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return unique, kind.ravel(), first


def _equal_parts(problem: Problem) -> tuple[tuple[int, int], ...]:
    """Consecutive pairs of parts with the same ratio, none of which holds a pin."""
    pinned = {*problem.subject_pins.values(), *problem.text_pins.values()}
    chains: dict[float, list[int]] = {}
    for part, ratio in enumerate(problem.ratio):
        if part not in pinned:
            chains.setdefault(ratio, []).append(part)
    return tuple(pair for chain in chains.values() for pair in pairwise(chain))


def common_unit(weights: npt.ArrayLike) -> float:
    """Largest number that divides all weights; 0 where they are not whole numbers.

    Retained weight is a multiple of it, so a bound may be rounded down to one.

    Examples
    --------
    >>> common_unit([6, 9, 12]), common_unit([0.5, 1])
    (3.0, 0.0)
    """
    weights = np.asarray(weights, float)
    if not np.all(weights == np.rint(weights)) or np.abs(weights).max() > 2**52:
        return 0.0
    return float(np.gcd.reduce(weights.astype(np.int64)))
