"""Count the samples of every (subject, story, text) in one streaming pass, and check what was seen.

Names become numbers before the group-by: grouping one whole number a row is several times cheaper,
in time and in memory, than grouping strings, and the result comes out in the order of the names.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from arcuate.errors import ArcuateError
from arcuate.samples.columns import TEXT_COLUMNS, Columns
from arcuate.samples.validate import Door, collect, reading

if TYPE_CHECKING:
    import narwhals as nw
    import numpy.typing as npt
    import polars as pl

KEY = "__key__"


def counted(frame: nw.LazyFrame[Any], columns: Columns, window: int, door: Door) -> pl.DataFrame:
    """One row for each distinct (subject, story, text, text_id) there is, sorted, with its counts.

    The names are Enum columns; beside them `n` samples, `weight`, and the `longest` and `shortest`
    number of segments a sample spans. Nothing is expanded: a run of n segments counts n - L + 1 windows.
    """
    import polars as pl

    keys = [name for name in ("subject", "story", *TEXT_COLUMNS) if columns.has(name)]
    with reading(door.source):
        names = {key: _distinct(frame, key) for key in keys}
    _refuse_blank(names, frame, door)
    if columns.kind == "runs":
        frame = _count_windows(frame, columns, window, door)
    with reading(door.source):
        if door.ordered and math.prod(len(known) for known in names.values()) < 2**63:
            tally = _decoded(collect(_encoded(frame, names).group_by(KEY).agg(*_totals(columns))).sort(KEY), names)
        else:
            tally = collect(frame.group_by(*keys).agg(*_totals(columns)))
            tally = tally.with_columns(pl.col(key).cast(pl.Enum(names[key])) for key in keys).sort(keys)
    if columns.kind == "runs" or not columns.has("n_segments"):
        tally = tally.with_columns(longest=pl.lit(window), shortest=pl.lit(window))
    if not columns.has("weight"):
        tally = tally.with_columns(weight=pl.col("n").cast(pl.Float64))
    _refuse_numbers(tally, frame, door)
    _refuse_repeated_samples(frame, columns, int(tally["n"].sum()), door)
    return tally


def _distinct(frame: Any, key: str) -> pl.Series:
    return collect(frame.select(key).unique())[key].sort(nulls_last=True)


def _refuse_blank(names: Mapping[str, pl.Series], frame: Any, door: Door) -> None:
    import narwhals as nw

    for key, known in names.items():
        if not len(known):
            raise ArcuateError(f"{door.source} has no rows left to split. Check the file and any --where.")
        blank = known.is_null() | (known.str.strip_chars() == "")
        if key == "subject":  # a text may be the word "nan"; nobody is called so
            blank |= known.str.to_lowercase().is_in(["nan", "none", "null"])
        if blank.any():
            column, spelled = nw.col(key), known.filter(blank).drop_nulls().to_list()
            door.refuse(frame, column.is_null() | column.is_in(spelled), key, "Fill it in, or remove the row.")


def _count_windows(frame: Any, columns: Columns, window: int, door: Door) -> Any:
    import narwhals as nw

    frame = frame.with_columns(_n=nw.col("n_segments_total") - window + 1)
    remedy = f"A window of {window} segments is longer than that run."
    door.refuse(frame, nw.col("_n") < 1, "n_segments_total", remedy)
    if columns.has("weight"):  # a run's weight is that of each of its windows
        frame = frame.with_columns(weight=nw.col("weight") * nw.col("_n"))
    return frame


def _totals(columns: Columns) -> list[Any]:
    import narwhals as nw

    totals = [(nw.col("_n").sum() if columns.kind == "runs" else nw.len()).alias("n")]
    if columns.has("weight"):
        totals.append(nw.col("weight").sum())
    if columns.has("segment"):
        totals.append(nw.col("segment").min().alias("earliest"))
    if columns.kind == "samples" and columns.has("n_segments"):
        totals += [nw.col("n_segments").max().alias("longest"), nw.col("n_segments").min().alias("shortest")]
    return totals


def _encoded(frame: Any, names: Mapping[str, pl.Series]) -> Any:
    """Replace the key columns by one whole number a row."""
    import narwhals as nw
    import polars as pl

    key = pl.lit(0, dtype=pl.Int64)
    for name, known in names.items():
        key = key * len(known) + pl.col(name).cast(pl.Enum(known)).to_physical().cast(pl.Int64)
    return nw.from_native(frame.to_native().with_columns(key.alias(KEY)))


def _decoded(tally: pl.DataFrame, names: Mapping[str, pl.Series]) -> pl.DataFrame:
    import polars as pl

    rest = tally[KEY]
    decoded = []
    for name, known in reversed(list(names.items())):
        decoded.append((rest % len(known)).cast(pl.UInt32).cat.to(pl.Enum(known)).alias(name))
        rest = rest // len(known)
    return pl.DataFrame(decoded[::-1]).hstack(tally.drop(KEY))


def _refuse_numbers(tally: pl.DataFrame, frame: Any, door: Door) -> None:
    import narwhals as nw

    if (tally["shortest"] < 1).any():
        door.refuse(frame, nw.col("n_segments") < 1, "n_segments", "A sample spans at least 1 segment.")
    if "earliest" in tally.columns and (tally["earliest"] < 0).any():
        door.refuse(frame, nw.col("segment") < 0, "segment", "Segments are counted from 0.")


def _refuse_repeated_samples(frame: Any, columns: Columns, n: int, door: Door) -> None:
    import narwhals as nw

    if columns.kind == "runs" or not columns.has("sample"):
        return
    distinct = collect(frame.select(nw.col("sample").n_unique(), empty=nw.col("sample").null_count()))
    if distinct["empty"][0]:
        door.refuse(frame, nw.col("sample").is_null(), "sample", "Give every sample an id, or leave the column out.")
    if distinct["sample"][0] == n:
        return
    repeated = collect(frame.group_by("sample").agg(nw.len().alias("times")).filter(nw.col("times") > 1)).sort("sample")
    name, times = repeated.row(0)
    raise ArcuateError(
        f"{door.source}: column 'sample' holds {name!r} {times} times ({len(repeated):,} ids are repeated). "
        "Give each sample its own id, or leave the column out."
    )


def codes(column: pl.Series) -> npt.NDArray[np.int64]:
    """The numbers behind an Enum column.

    Examples
    --------
    >>> import polars as pl
    >>> codes(pl.Series(["b", "a"], dtype=pl.Enum(["a", "b"]))).tolist()
    [1, 0]
    """
    return column.to_physical().to_numpy().astype(np.int64)


def names_of(column: pl.Series) -> pl.Series:
    """The sorted names behind an Enum column, used or not.

    Examples
    --------
    >>> import polars as pl
    >>> names_of(pl.Series(["b"], dtype=pl.Enum(["a", "b"]))).to_list()
    ['a', 'b']
    """
    return column.dtype.categories  # type: ignore[attr-defined]
