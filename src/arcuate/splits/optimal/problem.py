"""What is asked of the optimal splitter, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from arcuate.errors import ArcuateError, UnknownName
from arcuate.samples.graph import Graph

Parts = npt.NDArray[np.int64]
RATIO_OF = ("samples", "subjects", "texts")


@dataclass(frozen=True, kw_only=True)
class Problem:
    """A ratio to keep, how closely, and what else must hold.

    The tolerance is *relative*: part k's share must lie within ``ratio_k * (1 ± tolerance)``, so 8:1:1 with
    tolerance 0.1 asks for 72–88% train and 9–11% each of val and test. (The published optima 0.9506, 0.9350
    and 0.9510 on Narratives are those of this reading.) A subject or text counts as being in a part when at
    least one of its samples is kept there.

    Parameters
    ----------
    ratio : one positive number a part, at least two; they need not add up to 1
    tolerance : relative slack of each part's share
    ratio_of : what the shares are shares of: retained weight (``samples``), or ``subjects``, or ``texts``
    min_subjects, min_texts : the fewest of each that a part may have
    subject_pins, text_pins : name -> index of the part where it must go
    time_limit : seconds; the work done is fixed by it, so that the same limit gives the same split (see `work`)
    seed : of the heuristic starts
    subject_strata, text_strata : one label a node, in the graph's order, to be mixed alike in all parts
    starts : splits ``(part_of_subject, part_of_text)`` already at hand, used when they are allowed

    Examples
    --------
    >>> Problem(ratio=(8, 1, 1)).limits[0].round(3).tolist()
    [0.72, 0.09, 0.09]
    """

    ratio: tuple[float, ...] = (8, 1, 1)
    tolerance: float = 0.1
    ratio_of: str = "samples"
    min_subjects: int = 1
    min_texts: int = 1
    subject_pins: Mapping[str, int] = field(default_factory=dict)
    text_pins: Mapping[str, int] = field(default_factory=dict)
    time_limit: float = 25.0
    seed: int = 0
    subject_strata: Sequence[object] | None = None
    text_strata: Sequence[object] | None = None
    starts: tuple[tuple[npt.ArrayLike, npt.ArrayLike], ...] = ()

    def __post_init__(self) -> None:
        if len(self.ratio) < 2 or not all(np.isfinite(r) and r > 0 for r in self.ratio):
            raise ArcuateError(f"ratio is {self.ratio}. Give at least two positive numbers, such as 8:1:1.")
        if not (np.isfinite(self.tolerance) and self.tolerance >= 0):
            raise ArcuateError(f"tolerance is {self.tolerance}. Give a number of 0 or more, such as 0.1.")
        if not (np.isfinite(self.time_limit) and self.time_limit > 0):
            raise ArcuateError(f"time_limit is {self.time_limit}. Give a positive number of seconds.")
        if self.ratio_of not in RATIO_OF:
            raise UnknownName("ratio_of", self.ratio_of, RATIO_OF)
        if min(self.min_subjects, self.min_texts) < 0:
            raise ArcuateError(
                f"min_subjects is {self.min_subjects} and min_texts is {self.min_texts}. Give numbers of 0 or more."
            )

    @property
    def n_parts(self) -> int:
        """How many parts."""
        return len(self.ratio)

    @property
    def limits(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Lowest and highest share of each part."""
        share = np.asarray(self.ratio, float) / np.sum(self.ratio)
        return np.maximum(share * (1 - self.tolerance), 0.0), np.minimum(share * (1 + self.tolerance), 1.0)

    def allows(self, amounts: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Whether the parts' amounts (along the last axis) are in the ratio, up to rounding of the last digit."""
        amounts = np.asarray(amounts, float)
        low, high = self.limits
        total = amounts.sum(-1, keepdims=True)
        slack = 1e-9 * total
        fits = (total > 0) & (amounts >= low * total - slack) & (amounts <= high * total + slack)
        return np.all(fits, axis=-1)


@dataclass(frozen=True, eq=False)
class Solution:
    """The best split found, and how much better any other could be.

    ``bound`` is a proved upper bound on the retained weight of every allowed split; ``gap`` is
    ``(bound - retained) / retained``; ``proved`` says that it is zero. ``stopped`` tells what ended the search:
    ``proved``, ``work`` (the amount fixed by the time limit: the same on every machine) or ``time`` (a machine too
    slow for that amount: only then may another run differ).
    """

    part_of_subject: Parts
    part_of_text: Parts
    retained: float
    total: float
    bound: float
    ratios: Mapping[str, tuple[float, ...]]
    seconds: float
    nodes: int = 0
    stopped: str = "proved"

    @property
    def retained_share(self) -> float:
        """Retained weight as a share of all."""
        return self.retained / self.total

    @property
    def bound_share(self) -> float:
        """Proved upper bound on that share."""
        return self.bound / self.total

    @property
    def gap(self) -> float:
        """How much more than this split another could keep at most, relative to what this one keeps."""
        return (self.bound - self.retained) / self.retained

    @property
    def proved(self) -> bool:
        """Whether no other allowed split keeps more."""
        return self.bound <= self.retained


@dataclass(frozen=True, eq=False)
class Kept:
    """What each part keeps under an assignment of both sides."""

    weight: npt.NDArray[np.float64]
    subjects: Parts
    texts: Parts

    def ratios(self) -> dict[str, tuple[float, ...]]:
        """Achieved shares of all three kinds."""
        amounts = {"samples": self.weight, "subjects": self.subjects, "texts": self.texts}
        return {name: tuple((value / max(value.sum(), 1e-300)).tolist()) for name, value in amounts.items()}


def kept(graph: Graph, part_of_subject: Parts, part_of_text: Parts, n_parts: int) -> Kept:
    """Count what an assignment keeps in each part.

    Examples
    --------
    >>> graph = Graph.from_edges(["a", "a", "b"], ["x", "y", "y"], weights=[5, 1, 4])
    >>> kept(graph, np.array([0, 1]), np.array([0, 1]), 2).weight.tolist()
    [5.0, 4.0]
    """
    part = part_of_subject[graph.subject_of_edge]
    agrees = (part == part_of_text[graph.text_of_edge]) & (graph.weights > 0)
    weight = np.bincount(part[agrees], weights=graph.weights[agrees], minlength=n_parts).astype(float)
    counts = []
    for node_of_edge, part_of_node in ((graph.subject_of_edge, part_of_subject), (graph.text_of_edge, part_of_text)):
        present = np.unique(node_of_edge[agrees])
        counts.append(np.bincount(part_of_node[present], minlength=n_parts))
    return Kept(weight=weight, subjects=counts[0], texts=counts[1])


def is_allowed(problem: Problem, graph: Graph, part_of_subject: Parts, part_of_text: Parts) -> bool:
    """Whether an assignment meets the ratio, the minimum counts and the pins."""
    found = kept(graph, part_of_subject, part_of_text, problem.n_parts)
    amounts = {"samples": found.weight, "subjects": found.subjects, "texts": found.texts}[problem.ratio_of]
    pinned = ((problem.subject_pins, graph.subjects, part_of_subject), (problem.text_pins, graph.texts, part_of_text))
    return (
        bool(problem.allows(amounts))
        and found.subjects.min() >= problem.min_subjects
        and found.texts.min() >= problem.min_texts
        and all(part_of[np.searchsorted(names, name)] == part for pins, names, part_of in pinned
                for name, part in pins.items())
    )
