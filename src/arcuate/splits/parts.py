"""The parts of a split: their names, and the ratio between them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from arcuate.errors import ArcuateError

PARTS = ("train", "val", "test", "dropped")
DROPPED = "dropped"
_FURTHER_TEST = re.compile(r"test[2-9]|test[1-9][0-9]+")


def part_names(n_parts: int) -> tuple[str, ...]:
    """Names of `n_parts` parts: two are train and test, a third is val, further ones are test2, test3 ...

    Examples
    --------
    >>> part_names(2), part_names(4)
    (('train', 'test'), ('train', 'val', 'test', 'test2'))
    """
    if n_parts < 2:
        raise ArcuateError(f"A split has at least two parts, not {n_parts}. Give a ratio such as 8:1:1.")
    if n_parts == 2:
        return ("train", "test")
    return ("train", "val", "test", *(f"test{number}" for number in range(2, n_parts - 1)))


def is_part(name: str) -> bool:
    """Whether `name` may stand in a split's part column.

    Examples
    --------
    >>> is_part("val"), is_part("test2"), is_part("validation")
    (True, True, False)
    """
    return name in PARTS or _FURTHER_TEST.fullmatch(name) is not None


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """The parts among `names` in the order that tables print them, without 'dropped'.

    Examples
    --------
    >>> in_order(["test2", "dropped", "test", "train"])
    ('train', 'test', 'test2')
    """
    return tuple(sorted(set(names) - {DROPPED}, key=_rank))


def _rank(name: str) -> tuple[int, int]:
    if name in PARTS:
        return PARTS.index(name), 0
    return len(PARTS), int(name.removeprefix("test"))


@dataclass(frozen=True, init=False)
class Ratio:
    """How large the parts shall be against each other; kept exact, so that cuts never hang on rounding.

    Examples
    --------
    >>> Ratio.of("8:1:1").cut(15).tolist()
    [0, 12, 13, 15]
    >>> Ratio.of((0.9, 0.1)).names
    ('train', 'test')
    """

    values: tuple[Fraction, ...]

    def __init__(self, *values: float | str | Fraction):
        try:
            exact = tuple(Fraction(str(value)) for value in values)
        except (ValueError, ZeroDivisionError) as error:
            raise ArcuateError(f"ratio is {_shown(values)!r}. Give positive numbers, as in 8:1:1.") from error
        if any(value <= 0 for value in exact):
            raise ArcuateError(f"ratio is {_shown(values)!r}. Every number must be above 0, as in 8:1:1.")
        part_names(len(exact))  # refuses fewer than two
        object.__setattr__(self, "values", exact)

    @classmethod
    def of(cls, ratio: Ratio | str | Iterable[float]) -> Ratio:
        """Take a Ratio, a text such as '8:1:1', or a sequence of numbers."""
        if isinstance(ratio, Ratio):
            return ratio
        return cls(*(ratio.split(":") if isinstance(ratio, str) else ratio))

    @property
    def names(self) -> tuple[str, ...]:
        return part_names(len(self.values))

    @property
    def shares(self) -> tuple[float, ...]:
        total = sum(self.values)
        return tuple(float(value / total) for value in self.values)

    def cut(self, n: int) -> npt.NDArray[np.int64]:
        """Where `n` shuffled things are cut: part k is [cut[k], cut[k + 1])."""
        return self.cuts(np.array([n]))[0]

    def cuts(self, sizes: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """`cut` of many sizes at once, a row each."""
        scale = int(np.lcm.reduce([value.denominator for value in self.values]))
        whole = [int(value * scale) for value in self.values]
        upto, total = np.cumsum([0, *whole]), sum(whole)
        return np.asarray(sizes, np.int64)[:, None] * upto // total

    def __str__(self) -> str:
        return _shown(self.values)


def _shown(values: Iterable[object]) -> str:
    return ":".join(f"{float(v):g}" if isinstance(v, Fraction) else str(v) for v in values)


EIGHT_ONE_ONE = Ratio(8, 1, 1)
