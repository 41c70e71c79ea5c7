"""The trade-off between training data kept and test size, so that a user chooses with open eyes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from arcuate.errors import ArcuateError, NotPossible
from arcuate.metrics.signature import signature
from arcuate.progress import track
from arcuate.splits.manifest import DIGITS
from arcuate.splits.optimal import kept
from arcuate.splits.optimum import Optimal
from arcuate.splits.parts import Ratio

if TYPE_CHECKING:
    from arcuate.samples.table import SampleTable

TEST_SHARES = (0.02, 0.05, 0.075, 0.1, 0.125, 0.15, 0.2, 0.25, 0.3, 0.4)


@dataclass(frozen=True)
class Point:
    """One split of the frontier; shares of the table's whole weight, but `test_share`, of what is kept."""

    asked: float
    feasible: bool
    test_share: float | None = None
    train_kept: float | None = None
    test_kept: float | None = None
    retained: float | None = None
    bound: float | None = None
    gap: float | None = None
    proved: bool = False


@dataclass(frozen=True)
class Frontier:
    """Optimal splits of one table at rising test shares."""

    points: tuple[Point, ...]
    ratio: str
    tolerance: float
    signature: str
    crossed: float | None = None  # what a fully crossed design can keep at `ratio`, for comparison

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def frontier(
    table: SampleTable, method: Optimal | None = None, test_shares: Sequence[float] = TEST_SHARES,
) -> Frontier:
    """Solve the split at each test share; the other parts keep their ratio to each other.

    `method` is an `Optimal` whose time limit holds for each point. A point that no split reaches is marked
    as not feasible, not left out.

    Examples
    --------
    >>> import polars as pl
    >>> from arcuate.samples.read import read_samples
    >>> rows = [(f"s{i}", f"t{j}") for i in range(6) for j in range(6)]
    >>> table = read_samples(pl.DataFrame(rows, schema=["subject", "text_id"], orient="row"))
    >>> one, = frontier(table, Optimal(ratio=Ratio(4, 1)), [0.2]).points
    >>> round(one.retained, 3)
    0.556
    """
    method = method or Optimal()
    if any(not 0 < share < 1 for share in test_shares):
        raise ArcuateError(f"test shares are {list(test_shares)}. Give shares between 0 and 1.")
    points = tuple(_point(table, method, share) for share in track(list(test_shares), "frontier"))
    line = signature(
        frontier=str(method.ratio), tolerance=method.tolerance, ratio_of=method.ratio_of,
        seed=method.seed, time_limit=method.time_limit, table=table.identity_hash[:12],
    )
    crossed = 1 / sum(share**0.5 for share in method.ratio.shares) ** 2
    return Frontier(points, str(method.ratio), method.tolerance, line, round(crossed, DIGITS))


def with_test_share(ratio: Ratio, share: float) -> Ratio:
    """`ratio` with its test part at `share` of all, the others in their ratio to each other.

    Examples
    --------
    >>> with_test_share(Ratio(8, 1, 1), 0.28).shares
    (0.64, 0.08, 0.28)
    """
    test = ratio.names.index("test")
    rest = sum(value for number, value in enumerate(ratio.values) if number != test)
    exact = Fraction(str(share))
    values = [exact if n == test else value / rest * (1 - exact) for n, value in enumerate(ratio.values)]
    return Ratio(*values)


def _point(table: SampleTable, method: Optimal, share: float) -> Point:
    asked = replace(method, ratio=with_test_share(method.ratio, share))
    try:
        found = asked.solve(table)
    except NotPossible:
        return Point(asked=share, feasible=False)
    names = asked.ratio.names
    weight = kept(table.graph, found.part_of_subject, found.part_of_text, len(names)).weight
    test, train = float(weight[names.index("test")]), float(weight[0])
    return Point(
        asked=share, feasible=True, test_share=round(test / found.retained, DIGITS),
        train_kept=round(train / found.total, DIGITS), test_kept=round(test / found.total, DIGITS),
        retained=round(found.retained_share, DIGITS), bound=round(found.bound_share, DIGITS),
        gap=round(found.gap, DIGITS), proved=found.proved,
    )
