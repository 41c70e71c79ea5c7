"""The record that every kind of feature hands on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from arcuate.errors import ArcuateError

Rows = Literal["stimuli", "words", "scans"]


@dataclass(frozen=True, eq=False)
class Features:
    """A matrix of features, one row a stimulus, a word (before alignment) or a scan (after it).

    Parameters
    ----------
    name : str, as the user asked for it: "random", "glove", "smollm2:12", ...
    values : array, rows × features
    signature : str
        Names all that is needed to make the same values again (see `arcuate.metrics.signature`).
    rows : {"stimuli", "words", "scans"}
        What a row is. `arcuate.encoding.align` turns words into scans.
    groups : ((name, number of columns), ...)
        Bands for banded ridge, in column order; one band by default.
    notes : what was left out or filled in and why, shown to the user
    of_time : groups that are made from the time of a scan alone (position, autocorrelation)
    own_scale : whether the columns share one scale, so that they are never z-scored: a column that hardly
        varies in the training part would explode in the test part

    Examples
    --------
    >>> Features("toy", np.zeros((3, 2)), "features:toy").groups
    (('toy', 2),)
    """

    name: str
    values: np.ndarray
    signature: str
    rows: Rows = "stimuli"
    groups: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()
    of_time: tuple[str, ...] = ()
    own_scale: bool = False

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or 0 in self.values.shape:
            raise ArcuateError(
                f"Features {self.name!r} have shape {self.values.shape}. Give (rows, features), none 0."
            )
        if not np.isfinite(self.values).all():
            row, column = np.argwhere(~np.isfinite(self.values))[0]
            raise ArcuateError(
                f"Features {self.name!r} hold {self.values[row, column]} at row {row}, column {column}. "
                "Give finite numbers, or leave that row out."
            )
        if not self.groups:
            object.__setattr__(self, "groups", ((self.name, self.n_features),))
        if sum(width for _, width in self.groups) != self.n_features:
            raise ArcuateError(f"Features {self.name!r}: the groups {self.groups} do not add up to "
                               f"{self.n_features} columns.")

    @property
    def n_features(self) -> int:
        return int(self.values.shape[1])

    @property
    def all_of_time(self) -> bool:
        """Whether no group is tied to a stimulus."""
        return all(name in self.of_time for name, _ in self.groups)

    def set_against(self, order: np.ndarray) -> np.ndarray:
        """The values moved so that row r stands at `order[r]`; groups made from time alone stay.

        A moved time is another feature than the time: it jumps where no clock does.

        Examples
        --------
        >>> both = Features("a+t", np.array([[5.0, 0], [6, 1], [7, 2]]), "x", groups=(("a", 1), ("t", 1)),
        ...                 of_time=("t",))
        >>> both.set_against(np.array([1, 2, 0])).tolist()
        [[7.0, 0.0], [5.0, 1.0], [6.0, 2.0]]
        """
        stays = np.repeat([name in self.of_time for name, _ in self.groups], [width for _, width in self.groups])
        moved = np.empty_like(self.values)
        moved[order] = self.values
        moved[:, stays] = self.values[:, stays]
        return moved
