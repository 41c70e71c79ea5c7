"""Unions of half-open integer intervals on many separate lines at once, without laying out the positions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Union:
    """Disjoint, sorted intervals [starts, ends) and how many positions lie before each.

    Examples
    --------
    >>> covered = Union.of(np.array([0, 2, 9]), np.array([3, 5, 10]))
    >>> covered.starts.tolist(), covered.ends.tolist()
    ([0, 9], [5, 10])
    >>> covered.count(np.array([4, 5]), np.array([10, 9])).tolist()
    [2, 0]
    >>> covered.gap(np.array([4, 5, 7]), np.array([10, 8, 8])).tolist()
    [0, 0, 1]
    """

    starts: Ints
    ends: Ints

    @classmethod
    def of(cls, starts: Ints, ends: Ints) -> Union:
        """Merge intervals that overlap or touch."""
        order = np.lexsort((ends, starts))
        starts, ends = starts[order], ends[order]
        furthest = np.maximum.accumulate(ends) if len(ends) else ends
        fresh = np.append(True, starts[1:] > furthest[:-1])[: len(starts)]
        first = np.flatnonzero(fresh)
        last = np.append(first[1:], len(starts))[: len(first)] - 1
        return cls(starts[first], furthest[last])

    def count(self, starts: Ints, ends: Ints) -> Ints:
        """How many positions of each interval [starts, ends) the union covers."""
        return self._below(ends) - self._below(starts)

    def gap(self, starts: Ints, ends: Ints) -> Ints:
        """How many positions lie between each interval and the nearest covered one; 0 where they touch."""
        if not len(self.starts):
            return np.full(len(starts), np.iinfo(np.int64).max, np.int64)
        at = np.searchsorted(self.starts, starts, side="right")
        far = np.iinfo(np.int64).max
        before = np.where(at > 0, starts - self.ends[np.maximum(at - 1, 0)], far)
        after = np.where(at < len(self.starts), self.starts[np.minimum(at, len(self.starts) - 1)] - ends, far)
        return np.maximum(np.minimum(before, after), 0)

    def _below(self, positions: Ints) -> Ints:
        """Covered positions smaller than each of `positions`."""
        before = np.append(0, np.cumsum(self.ends - self.starts))
        at = np.searchsorted(self.starts, positions, side="left")
        if not len(self.starts):
            return np.zeros(len(positions), np.int64)
        return before[at] - np.where(at > 0, np.maximum(self.ends[np.maximum(at - 1, 0)] - positions, 0), 0)


def on_one_line(line: Ints, starts: Ints, ends: Ints, apart: int = 1) -> tuple[Ints, Ints]:
    """Put separate lines one after another, `apart` positions between them, so that one union serves all.

    Examples
    --------
    >>> starts, ends = on_one_line(np.array([0, 1]), np.array([0, 0]), np.array([5, 3]), apart=2)
    >>> starts.tolist(), ends.tolist()
    ([0, 7], [5, 10])
    """
    base = starts.min(initial=0)
    stride = ends.max(initial=0) - base + apart
    return line * stride + starts - base, line * stride + ends - base
