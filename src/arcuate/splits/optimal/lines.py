"""The constraint lines of a leaf's integer program."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arcuate.splits.optimal.instance import FREE, Floats, Instance


class Lines:
    """Lines over the open (type, part) pairs, followed by one variable for each part of each absent small node.

    Parameters
    ----------
    instance : what is split
    small : label of each small node: its part, or ``n_parts`` where nothing of it is to be kept
    of_type : nodes of each type that are fixed in each part
    kinds, parts : type and part of each open pair
    """

    def __init__(
        self, instance: Instance, small: npt.NDArray[np.int8], of_type: Floats,
        kinds: npt.NDArray[np.int64], parts: npt.NDArray[np.int64],
    ):
        self.instance, self.small, self.of_type, self.kinds, self.parts = instance, small, of_type, kinds, parts
        self.absent = np.flatnonzero(small == instance.n_parts)
        self.width = len(kinds) + len(self.absent) * instance.n_parts
        self.lines: list[Floats] = []
        self.limits: list[tuple[float, float]] = []

    def add(self, line: Floats, least: float, most: float) -> None:
        """``least <= line . variables <= most``; a short line is 0 in the rest."""
        self.lines.append(np.pad(line, (0, self.width - len(line))))
        self.limits.append((least, most))

    def arrays(self) -> tuple[Floats, Floats, Floats]:
        """Lines, least and most values."""
        least, most = np.array(self.limits).reshape(-1, 2).T
        return np.array(self.lines), least, most

    def add_counts(self) -> None:
        """Every node of a type goes somewhere."""
        for kind in np.unique(self.kinds):
            self.add((self.kinds == kind).astype(float), self.instance.counts[kind], self.instance.counts[kind])

    def add_ratio(self, amounts: Floats, had: Floats, limits: tuple[Floats, Floats]) -> None:
        """low_k * all <= amount_k <= high_k * all, counting what is fixed already."""
        low, high = limits
        for part in range(len(had)):
            for share, sign in ((low[part], 1.0), (high[part], -1.0)):
                line = sign * (amounts[part] - share * amounts.sum(0))
                self.add(line, -sign * (had[part] - share * had.sum()), np.inf)

    def add_present(self) -> None:
        """Some node with weight to it is placed in the part of each present small node."""
        for node in np.flatnonzero(self.small < self.instance.n_parts):
            touches = self.instance.weights[:, node] > 0
            meets = (self.parts == self.small[node]) & touches[self.kinds]
            self.add(meets.astype(float), 1.0 - self.of_type[touches, self.small[node]].sum(), np.inf)

    def add_absent(self) -> None:
        """Each absent small node goes to a part (its pin, if any) where no node has weight to it."""
        n_parts, everyone = self.instance.n_parts, float(self.instance.counts.sum())
        for position, node in enumerate(self.absent):
            start = len(self.kinds) + position * n_parts
            touches, pin = self.instance.weights[:, node] > 0, self.instance.small_pins[node]
            somewhere = np.zeros(start + n_parts)
            # Twos cannot add up to one: a pinned node goes to its pin.
            somewhere[start:] = np.where((pin == FREE) | (pin == np.arange(n_parts)), 1.0, 2.0)
            self.add(somewhere, 1.0, 1.0)
            for part in range(n_parts):
                line = np.zeros(start + n_parts)
                line[:len(self.kinds)] = (self.parts == part) & touches[self.kinds]
                line[start + part] = everyone
                self.add(line, -np.inf, everyone - self.of_type[touches, part].sum())
