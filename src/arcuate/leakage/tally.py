"""One streaming pass over the samples: how many there are of each (subject, story, text, part).

Every check works on these counts, so an audit costs one group-by whatever the number of samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import polars as pl

from arcuate.errors import ArcuateError
from arcuate.metrics.signature import fingerprint
from arcuate.samples.text_identity import text_key, text_name
from arcuate.splits.parts import DROPPED, in_order, is_part

Unit = Literal["text", "story"]
COVARIATES = ("age", "sex", "task")
TIMES = ("tr_s", "tr")
# A text node names what may not be on both sides; it is grouped by what the table has, in this order.
TEXT_SOURCES = ("text_node", "text", "text_id")


@dataclass(frozen=True, eq=False)
class Tally:
    """Samples counted by subject, text node, part and whatever else a check needs.

    `groups` has `subject`, `node`, `part` and `samples`, and where the table has them `story`, `text`,
    `run`, `segment` with `n_segments`, the repetition time `tr_s`, and the covariates.

    Examples
    --------
    >>> rows = pl.DataFrame({"subject": ["a", "a", "b"], "text_id": ["x", "y", "x"],
    ...                      "part": ["train", "test", "test"]})
    >>> tally = Tally.of(rows, unit="text")
    >>> tally.parts, tally.by("subject").rows()
    (('train', 'test'), [('a', 1, 1), ('b', 0, 1)])
    """

    unit: Unit
    groups: pl.DataFrame
    _sums: dict[str, pl.DataFrame] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, frame: Any, unit: Unit, window: int | None = None) -> Tally:
        """Count the rows of any frame that narwhals knows; only the counts are brought into memory.

        Parameters
        ----------
        frame
            A polars, pandas, pyarrow, DuckDB, Dask or PySpark frame with `subject`, `part` and the text's
            columns.
        unit
            'text': one sample is one text. 'story': a sample spans segments of a story.
        window
            Segments a sample spans where the frame has no `n_segments`.
        """
        import narwhals as nw

        lazy = nw.from_native(frame).lazy()
        names = lazy.collect_schema().names()
        keys = _keys(names, unit)
        counted = lazy.group_by(keys).agg(nw.len().alias("samples"))
        return cls.from_groups(_collected(counted), unit, window)

    @classmethod
    def from_groups(cls, groups: pl.DataFrame, unit: Unit, window: int | None = None) -> Tally:
        """Take counts that were made elsewhere: the key columns and `samples`."""
        if "part" not in groups.columns:
            raise ArcuateError(f"There is no column 'part', but {groups.columns}. Give a split.")
        groups = groups.with_columns(pl.col("subject", "part").cast(pl.String), pl.col("samples").cast(int))
        _check_parts(groups)
        if unit == "story":
            groups = _with_windows(groups, window)
        groups = _with_nodes(groups, unit)
        times = [name for name in TIMES if name in groups.columns]
        if times:
            groups = groups.with_columns(tr_s=pl.col(times[0]).cast(pl.Float64, strict=False))
        return cls(unit, groups)

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The parts that hold samples, without 'dropped'."""
        return in_order(self.groups["part"].unique().to_list())

    @cached_property
    def totals(self) -> dict[str, int]:
        """Samples of each part and of 'dropped'."""
        found = dict(self.groups.group_by("part").agg(pl.col("samples").sum()).iter_rows())
        return {name: int(found.get(name, 0)) for name in (*self.parts, DROPPED)}

    def by(self, column: str) -> pl.DataFrame:
        """Samples of each value of `column`, a column a part; those with dropped samples only stay in."""
        if column not in self._sums:
            sums = self.groups.group_by(column).agg(
                pl.col("samples").filter(pl.col("part") == name).sum().alias(name) for name in self.parts
            )
            self._sums[column] = sums.sort(column)
        return self._sums[column]

    @cached_property
    def wording(self) -> pl.DataFrame:
        """Each distinct text of each node with its samples in each part; dropped texts are left out."""
        used = self.groups.filter((pl.col("part") != DROPPED) & pl.col("text").is_not_null())
        return used.group_by("text", "node").agg(
            pl.col("samples").filter(pl.col("part") == name).sum().alias(name) for name in self.parts
        ).sort("text", "node")

    def has(self, *columns: str) -> bool:
        """Whether the counts keep all of `columns`."""
        return all(name in self.groups.columns for name in columns)

    @property
    def sizes(self) -> dict[str, dict[str, int]]:
        """Samples, subjects and texts of each part."""
        kept = self.groups.group_by("part").agg(
            pl.col("samples").sum(), pl.col("subject").n_unique().alias("subjects"),
            pl.col("node").n_unique().alias("texts"),
        )
        rows = {row.pop("part"): row for row in kept.iter_rows(named=True)}
        empty = {"samples": 0, "subjects": 0, "texts": 0}
        return {name: rows.get(name, empty) for name in (*self.parts, DROPPED)}

    @property
    def hash(self) -> str:
        """SHA-256 of the counts by subject, node and part: what the rates are computed from."""
        names = {name: self.groups[name].unique().sort() for name in ("subject", "node", "part")}
        numbers = [name for name in ("segment", "n_segments") if self.has(name)]
        # Numbers sort many times faster than names, and the order of the names is theirs.
        coded = self.groups.select(
            *(pl.col(name).cast(pl.Enum(known)).to_physical().cast(pl.Int64) for name, known in names.items()),
            *numbers, "samples")
        rows = coded.group_by(*names, *numbers).agg(pl.col("samples").sum()).sort(*names, *numbers)
        lists = ("\n".join(known.to_list()).encode() for known in names.values())
        return fingerprint([*lists, *(rows[name].to_numpy().astype("<i8").tobytes() for name in rows.columns)])


def _keys(names: Sequence[str], unit: Unit) -> list[str]:
    text = [name for name in TEXT_SOURCES if name in names]
    if unit == "story":
        needed = ["subject", "story", "segment", "part"]
        extra = [*text, "run", "n_segments", *TIMES]
    else:
        needed = ["subject", *(text[:1] or ["text"]), "part"]
        extra = ["story", *text[1:]]
    missing = [name for name in needed if name not in names]
    if missing:
        raise ArcuateError(f"There is no column {' and no '.join(map(repr, missing))}, but {list(names)}.")
    return [*needed, *(name for name in (*extra, *COVARIATES) if name in names and name not in needed)]


def _collected(counted: Any) -> pl.DataFrame:
    import narwhals as nw

    options = {"engine": "streaming"} if counted.implementation is nw.Implementation.POLARS else {}
    return counted.collect(backend="polars", **options).to_native()


def _check_parts(groups: pl.DataFrame) -> None:
    bad = [name for name in groups["part"].unique().to_list() if name is None or not is_part(name)]
    if bad:
        raise ArcuateError(f"part is {bad[0]!r}. Use train, val, test or dropped.")
    for column in ("subject", "samples"):
        if groups[column].null_count():
            raise ArcuateError(f"{column} is empty in {groups[column].null_count()} groups. Fill it in.")


def _with_windows(groups: pl.DataFrame, window: int | None) -> pl.DataFrame:
    if "n_segments" not in groups.columns:
        groups = groups.with_columns(n_segments=pl.lit(window or 1, pl.Int64))
    groups = groups.with_columns(pl.col("segment", "n_segments").cast(pl.Int64))
    whole = (pl.col("n_segments") >= 1) & pl.col("segment").is_not_null()
    bad = groups.filter(~whole.fill_null(False))
    if len(bad):
        row = bad.row(0, named=True)
        raise ArcuateError(
            f"Subject {row['subject']!r}, story {row['story']!r}: segment is {row['segment']}, n_segments is "
            f"{row['n_segments']}. Give whole numbers, n_segments at least 1."
        )
    return groups


def _with_nodes(groups: pl.DataFrame, unit: Unit) -> pl.DataFrame:
    """Add `node`: the text class, or the story; texts equal after normalisation are one node."""
    if "text_node" in groups.columns:
        return groups.rename({"text_node": "node"}).with_columns(pl.col("node").cast(pl.String))
    if unit == "story":
        return groups.with_columns(node=pl.col("story").cast(pl.String))
    if "text" not in groups.columns:
        return groups.rename({"text_id": "node"}).with_columns(pl.col("node").cast(pl.String))
    texts = groups["text"].unique()
    names = [None if text is None else text_name(text_key(text)) for text in texts]
    nodes = pl.DataFrame({"text": texts, "node": pl.Series(names, dtype=pl.String)})
    return groups.join(nodes, on="text", how="left", nulls_equal=True)
