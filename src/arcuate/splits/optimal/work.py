"""The time limit as an amount of work, so that the same limit gives the same answer twice."""

from __future__ import annotations

import time

# Work that one second pays for: numbers touched by a bound. Set to about half of what our slowest machine does, so
# that the work runs out before the clock does and the answer does not depend on the machine's load.
WORK_PER_SECOND = 6e7
# Share of the seconds after which the clock stops the work all the same: the last step may run over.
CLOCK_SHARE = 0.85


class Budget:
    """Counts work down; the clock is only a guard against slow machines.

    Examples
    --------
    >>> budget = Budget(seconds=1.0)
    >>> budget.spend(WORK_PER_SECOND / 2)
    >>> budget.spent_share, budget.is_spent
    (0.5, False)
    """

    def __init__(self, seconds: float):
        self.started = time.perf_counter()
        self.limit = seconds * WORK_PER_SECOND
        self.deadline = self.started + CLOCK_SHARE * seconds
        self.spent = 0.0
        self.out_of_time = False

    def spend(self, amount: float) -> None:
        """Note work done."""
        self.spent += amount

    @property
    def spent_share(self) -> float:
        """Share of the work that is done."""
        return self.spent / self.limit if self.limit else 1.0

    @property
    def is_spent(self) -> bool:
        """Whether to stop."""
        if self.spent >= self.limit:
            return True
        if time.perf_counter() > self.deadline:
            self.out_of_time = True
        return self.out_of_time

    @property
    def seconds_left(self) -> float:
        """Seconds until the clock stops the work, and at least a tenth."""
        return max(self.deadline - time.perf_counter(), 0.1)

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.started
