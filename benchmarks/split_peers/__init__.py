"""What others would use to split a subject × text table two ways: one file a peer, all asked for the same ratio."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arcuate.samples.graph import Graph

Parts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Asked:
    """The same question for everyone."""

    ratio: tuple[float, ...] = (8, 1, 1)
    tolerance: float = 0.1
    time_limit: float = 30.0
    seed: int = 1


@dataclass(frozen=True, eq=False)
class Answered:
    """One or more splits (several where a peer is a lottery), and the bound it proves, if any."""

    splits: list[tuple[Parts, Parts]]
    bound_share: float | None = None
    note: str = ""


class Skipped(Exception):
    """A peer that cannot be asked here, and why."""


Peer = Callable[[Graph, Asked], Answered]
