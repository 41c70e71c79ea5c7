"""Call the integer-program solver, and keep its chatter off standard output."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import numpy as np

from arcuate.splits.optimal.instance import Floats


@dataclass(frozen=True, eq=False)
class Answer:
    """Values of the variables (None without a solution), and a bound on the objective: -inf when infeasible."""

    values: Floats | None
    bound: float


def maximise(
    worth: Floats, highest: Floats, lines: Floats, at_least: Floats, at_most: Floats, node_limit: int, rel_gap: float,
    seconds: float = 60.0,
) -> Answer:
    """Maximise over whole numbers from 0 to ``highest`` within the constraint lines.

    The effort is limited in nodes, so that a slow machine gives the same answer; the seconds are only a guard.

    Examples
    --------
    >>> one = np.ones(2)
    >>> maximise(np.array([3.0, 2.0]), one, one[None], np.array([0.0]), np.array([1.0]), 100, 0.0)
    Answer(values=array([1., 0.]), bound=3.0)
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    effort = {"mip_rel_gap": rel_gap, "node_limit": node_limit, "time_limit": seconds}
    with _stdout_to_stderr():
        answer = milp(
            -worth, constraints=LinearConstraint(lines, at_least, at_most), integrality=np.ones(len(worth)),
            bounds=Bounds(0, highest), options=effort,
        )
    if answer.status == 2:
        return Answer(None, -np.inf)
    bound = np.inf if answer.mip_dual_bound is None else -float(answer.mip_dual_bound)
    return Answer(None if answer.x is None else np.rint(answer.x), bound)


@contextmanager
def _stdout_to_stderr() -> Iterator[None]:
    """HiGHS prints a line of its own about some solutions, which would spoil ``--json``."""
    sys.stdout.flush()
    saved = os.dup(1)
    try:
        os.dup2(2, 1)
        yield
    finally:
        with suppress(OSError, AttributeError):   # flush C's buffer while it still points to stderr
            ctypes.CDLL(None).fflush(None)
        os.dup2(saved, 1)
        os.close(saved)
