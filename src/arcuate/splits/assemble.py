"""From codes to a record: node names as numbers, and part numbers as a Split."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt
import polars as pl

from arcuate.errors import ArcuateError, NotPossible
from arcuate.splits.lay import identifying
from arcuate.splits.manifest import build_manifest
from arcuate.splits.parts import DROPPED, Ratio
from arcuate.splits.record import Split

if TYPE_CHECKING:
    from arcuate.samples.table import SampleTable

Codes = npt.NDArray[np.int64]


class Method(Protocol):
    """A way to split: a frozen value with a ratio and a seed."""

    name: ClassVar[str]

    @property
    def ratio(self) -> Ratio: ...

    @property
    def seed(self) -> int: ...

    def split(self, table: SampleTable) -> Split: ...


@dataclass(frozen=True, eq=False)
class Coded:
    """A column as sorted names and, for each row, the number of its name."""

    names: pl.Series
    codes: Codes

    @classmethod
    def of(cls, column: pl.Series) -> Coded:
        """Number the names of `column` in sorted order, so that row order never matters.

        Examples
        --------
        >>> Coded.of(pl.Series(["b", "a", "b"])).codes.tolist()
        [1, 0, 1]
        """
        names = column.unique().sort()
        return cls(names, column.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int64))

    def __len__(self) -> int:
        return len(self.names)


def stories(table: SampleTable, rows: pl.DataFrame, method: str) -> Coded:
    """The story of each sample; a table without stories is refused."""
    if "story" not in rows.columns:
        raise ArcuateError(
            f"Method {method} cuts stories, but {table.source} has no column 'story' (or 'task'); "
            f"it has {', '.join(table.columns.names)}. Add it, or use method a, c, f or optimal."
        )
    return Coded.of(rows["story"])


def part_of_rank(ratio: Ratio, rank: Codes, size: Codes | int) -> Codes:
    """The part of the thing with place `rank` among `size` shuffled things.

    Examples
    --------
    >>> part_of_rank(Ratio(8, 1, 1), np.arange(10), 10).tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 2]
    """
    sizes = np.broadcast_to(np.asarray(size, np.int64), np.shape(rank))
    distinct, place = np.unique(sizes, return_inverse=True)
    inner = ratio.cuts(distinct)[:, 1:-1]
    return np.asarray((rank[:, None] >= inner[place]).sum(axis=1), np.int64)


def shuffled_parts(ratio: Ratio, n: int, seed: int) -> Codes:
    """The part of each of `n` things after a seeded shuffle, cut at the ratio.

    Examples
    --------
    >>> np.bincount(shuffled_parts(Ratio(8, 1, 1), 15, seed=1)).tolist()
    [12, 1, 2]
    """
    place = np.empty(n, np.int64)
    place[np.random.default_rng(seed).permutation(n)] = np.arange(n)
    return part_of_rank(ratio, place, n)


def from_parts(
    table: SampleTable, rows: pl.DataFrame, codes: Codes, made_by: Method, *, reason: pl.Series | None = None,
    unit: str = "samples", found: Mapping[str, Any] | None = None, started: float | None = None,
) -> Split:
    """A Split from the part number of each sample (-1: dropped); refused if a part is empty."""
    names = made_by.ratio.names
    filled = np.bincount(codes[codes >= 0], minlength=len(names))
    if not filled.all():
        empty = names[int(np.argmin(filled))]
        raise NotPossible(
            f"Method {made_by.name} at {made_by.ratio} leaves part {empty!r} empty "
            f"(samples: {', '.join(f'{n} {c}' for n, c in zip(names, filled, strict=True))}; "
            f"it divides {unit}). Use another ratio or seed, a finer unit, or method optimal."
        )
    part = pl.Series([*names, DROPPED]).gather(np.where(codes < 0, len(names), codes))
    frame = identifying(rows, table.unit).with_columns(
        part=part, reason=pl.lit(None, pl.String) if reason is None else reason,
    )
    manifest = build_manifest(
        frame, table, rows, method=made_by.name, seed=made_by.seed, options=options_of(made_by), found=found,
        seconds=None if started is None else round(time.perf_counter() - started, 3),
    )
    return Split(frame, manifest)


def from_nodes(
    table: SampleTable, rows: pl.DataFrame, of_subject: Codes, of_text: Codes, made_by: Method, *,
    found: Mapping[str, Any] | None = None, started: float | None = None,
) -> Split:
    """A leak-free Split from the part of each sample's subject and that of its text node.

    A sample is kept where the two agree; the reason of every other says where its two ends are.
    """
    codes = np.where(of_subject == of_text, of_subject, -1)
    reason = reasons_of(made_by.ratio.names, of_subject, of_text, text_word(table))
    unit = f"{len(table.graph.subjects)} subjects and {len(table.graph.texts)} texts"
    return from_parts(table, rows, codes, made_by, reason=reason, unit=unit, found=found, started=started)


def reasons_of(names: tuple[str, ...], of_subject: Codes, of_text: Codes, word: str) -> pl.Series:
    """Why a sample whose subject and text are in different parts is dropped; null where they agree.

    Examples
    --------
    >>> reasons_of(("train", "test"), np.array([0, 1]), np.array([1, 1]), "text").to_list()
    ['subject in train, text in test', None]
    """
    texts = [
        None if one == two else f"subject in {one}, {word} in {two}" for one in names for two in names
    ]
    return pl.Series(texts, dtype=pl.String).gather(of_subject * len(names) + of_text)


def text_word(table: SampleTable) -> str:
    """What a text node is called in a reason."""
    return "text" if table.unit == "text" else "story"


def options_of(made_by: Method) -> dict[str, Any]:
    """The options of a method as the manifest states them: all its fields but the seed.

    Examples
    --------
    >>> from arcuate.splits.greedy import GreedyPicks
    >>> options_of(GreedyPicks(ratio=Ratio(9, 1)))
    {'ratio': '9:1', 'smaller': 'fewer'}
    """
    values = {field.name: getattr(made_by, field.name) for field in fields(made_by)}  # type: ignore[arg-type]
    return {name: _plain(value) for name, value in values.items() if name not in ("seed", "name")}


def _plain(value: object) -> object:
    if isinstance(value, Ratio):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return dict(value) if isinstance(value, Mapping) else value
