"""Mix strata alike in all parts by exchanging nodes that are otherwise the same, so that nothing is lost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from arcuate.splits.optimal.problem import Parts


def balance(part_of_node: Parts, kind_of_node: Parts, strata: Sequence[object], n_parts: int) -> Parts:
    """Exchange nodes of one kind between parts until no exchange brings the mix of strata closer to even.

    Nodes of one kind have the same weights with all others, so each part keeps exactly what it kept.

    Parameters
    ----------
    part_of_node, kind_of_node : part and kind of each node
    strata : label of each node
    n_parts : how many parts there are

    Examples
    --------
    >>> balance(np.array([0, 0, 1, 1]), np.zeros(4, int), ["f", "f", "m", "m"], 2).tolist()
    [1, 0, 0, 1]
    """
    labels, stratum = np.unique([str(label) for label in strata], return_inverse=True)
    part = part_of_node.copy()
    mix = np.zeros((n_parts, len(labels)))
    np.add.at(mix, (part, stratum), 1)
    wanted = mix.sum(1, keepdims=True) * mix.sum(0) / len(part)
    # members[kind][part][stratum] -> nodes: what can be exchanged with what.
    members: dict[int, dict[tuple[int, int], list[int]]] = {}
    for node in range(len(part)):
        cells = members.setdefault(int(kind_of_node[node]), {})
        cells.setdefault((int(part[node]), int(stratum[node])), []).append(node)
    exchangeable = [cells for _, cells in sorted(members.items()) if len({p for p, _ in cells}) > 1]
    while (found := _best_exchange(exchangeable, mix - wanted)) is not None:
        cells, one, other = found
        first, second = cells[one].pop(0), cells[other].pop(0)
        for node, old, new in ((first, one, other), (second, other, one)):
            part[node] = new[0]
            cells.setdefault((new[0], old[1]), []).append(node)
            mix[old] -= 1
            mix[new[0], old[1]] += 1
    return part


Cells = dict[tuple[int, int], list[int]]


def _best_exchange(kinds: list[Cells], excess: npt.NDArray[np.float64]) -> tuple[Cells, tuple, tuple] | None:
    """The exchange that lowers the squared excess most, or None where none lowers it."""
    best, most = None, 1e-9
    for cells in kinds:
        held = sorted(cell for cell, nodes in cells.items() if nodes)
        for one in held:
            for other in held:
                if one[0] < other[0] and one[1] != other[1]:
                    gain = _gain(excess, one, other)
                    if gain > most:
                        best, most = (cells, one, other), gain
    return best


def _gain(excess: npt.NDArray[np.float64], one: tuple[int, int], other: tuple[int, int]) -> float:
    """How much the sum of squares falls when a node of each cell change places."""
    (p, a), (q, b) = one, other
    # Cells (p, a) and (q, b) lose one node, cells (p, b) and (q, a) gain one.
    return 2 * (excess[p, a] + excess[q, b] - excess[p, b] - excess[q, a]) - 4
