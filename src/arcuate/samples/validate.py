"""The door: frames of every library become one lazy frame, checked and counted in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arcuate.errors import ArcuateError
from arcuate.samples.columns import TEXT_COLUMNS, WHOLE_NUMBERS, Columns

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

ROW = "__row__"


def collect(frame: Any) -> pl.DataFrame:
    """Run a narwhals lazy frame in its own engine and bring the result here as polars.

    Examples
    --------
    >>> import narwhals as nw, polars as pl
    >>> collect(nw.from_native(pl.LazyFrame({"a": [1]}))).item()
    1
    """
    import polars as pl

    native = frame.to_native()
    if isinstance(native, pl.LazyFrame):
        return native.collect(engine="streaming")
    return frame.collect("polars").to_native()


@dataclass(frozen=True, eq=False)
class Door:
    """A frame as it came, behind narwhals.

    `ordered` says whether its rows have an order (Dask, DuckDB and PySpark frames have none, so
    their samples need ids of their own).
    """

    frame: nw.LazyFrame[Any]
    names: tuple[str, ...]
    source: str
    ordered: bool

    @classmethod
    def open(cls, frame: Any, source: str) -> Door:
        """Take any frame that narwhals knows."""
        import narwhals as nw
        import polars as pl

        if isinstance(frame, nw.DataFrame | nw.LazyFrame):
            frame = frame.to_native()
        try:
            wrapped = nw.from_native(frame)
        except TypeError as error:
            raise ArcuateError(
                f"A {type(frame).__name__} is no table. Give a file, or a pandas, polars, pyarrow, DuckDB, "
                "Dask or PySpark frame."
            ) from error
        if isinstance(wrapped, nw.DataFrame):
            native = frame if isinstance(frame, pl.DataFrame) else wrapped.to_polars()
            wrapped = nw.from_native(native.lazy())
        with reading(source):
            names = tuple(wrapped.collect_schema().names())
        return cls(wrapped, names, source, ordered=isinstance(wrapped.to_native(), pl.LazyFrame))

    def canonical(self, columns: Columns, where: Iterable[str]) -> nw.LazyFrame[Any]:
        """Filter, rename aliases, and give the identifying columns their types."""
        import narwhals as nw

        frame = self.frame
        if self.ordered:
            frame = nw.from_native(frame.to_native().with_row_index(ROW))
        for entry in where:
            frame = frame.filter(self._condition(entry))
        # An aliased column stands under its new name; where that name is taken by another column, refuse.
        frame = frame.rename({old: new for new, old in columns.original.items() if old != new})
        schema = dict(frame.collect_schema())
        typed = []
        for name in columns.names:
            if name in WHOLE_NUMBERS:
                typed.append(self._whole(frame, name, schema[name]))
            elif name == "weight":
                typed.append(self._number(frame, schema[name]))
            else:
                self._refuse_nan(frame, name, schema[name])
                typed.append(nw.col(name).cast(nw.String))
        return frame.with_columns(*typed)

    def _condition(self, entry: str) -> Any:
        import narwhals as nw

        column, equals, value = entry.partition("=")
        if not equals:
            raise ArcuateError(f"where is {entry!r}. Write it as COLUMN=VALUE.")
        if column not in self.names:
            raise ArcuateError(f"where names {column!r}, but {self.source} has the columns {', '.join(self.names)}.")
        return nw.col(column).cast(nw.String) == value

    def _whole(self, frame: Any, name: str, dtype: Any) -> Any:
        import narwhals as nw

        column = nw.col(name)
        if dtype.is_integer():
            return column.cast(nw.Int64)
        if dtype.is_float():
            bad = column.is_nan() | (column != column.round())
        else:
            bad = ~column.cast(nw.String).str.contains(r"^[+-]?[0-9]{1,18}$")
        self.refuse(frame, bad | column.is_null(), name, "Write a whole number there.")
        return column.cast(nw.Int64)

    def _number(self, frame: Any, dtype: Any) -> Any:
        import narwhals as nw

        column = nw.col("weight")
        if not dtype.is_numeric():
            number = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
            bad = column.is_null() | ~column.cast(nw.String).str.contains(number)
            self.refuse(frame, bad, "weight", "Write a number there.")
        column = column.cast(nw.Float64)
        bad = column.is_null() | column.is_nan() | (column <= 0) | (column > 1e300)
        self.refuse(frame, bad, "weight", "Weights are positive finite numbers.")
        return column

    def _refuse_nan(self, frame: Any, name: str, dtype: Any) -> None:
        import narwhals as nw

        if dtype.is_float():  # pandas turns a column of ids with a gap into floats
            self.refuse(frame, nw.col(name).is_nan(), name, "Fill it in, or remove the row.")

    def refuse(self, frame: Any, bad: Any, name: str, remedy: str) -> None:
        """Raise with the first bad row's number and value, if there is one."""
        shown = [ROW, name] if self.ordered else [name]
        with reading(self.source):
            hits = collect(frame.filter(bad).select(*shown).head(1))
        if not len(hits):
            return
        place = f" at row {hits[ROW][0] + 1}" if self.ordered else ""
        value = hits[name][0]
        seen = "empty" if value is None or value == "" else repr(value)
        raise ArcuateError(f"{self.source}: column {name!r}{place} is {seen}. {remedy}")


class reading:
    """Turn an engine's own errors while a table is read into one clear sentence."""

    def __init__(self, source: str):
        self.source = source

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        import polars as pl

        if isinstance(error, pl.exceptions.PolarsError | OSError | UnicodeDecodeError):
            from arcuate.samples.read import unreadable

            raise unreadable(self.source, error) from error


def positive_window(window: int | None, columns: Columns) -> int:
    """L as asked for; a runs table cannot do without it."""
    if window is None:
        if columns.kind == "runs":
            raise ArcuateError("A runs table needs --window L: say how many segments a sample spans.")
        return 1
    if window < 1:
        raise ArcuateError(f"window is {window}. Give 1 or more segments.")
    return window


def counted(frame: nw.LazyFrame[Any], columns: Columns, window: int, door: Door) -> pl.DataFrame:
    """Group by all that names a subject or a text, check the groups, and count samples and weight.

    Nothing is expanded: a run of n segments counts n - L + 1 windows.
    """
    import narwhals as nw

    keys = [name for name in ("subject", "story", *TEXT_COLUMNS) if columns.has(name)]
    if columns.kind == "runs":
        frame = frame.with_columns(_n=nw.col("n_segments_total") - window + 1, _longest=nw.lit(window))
        door.refuse(
            frame, nw.col("_n") < 1, "n_segments_total", f"A window of {window} segments is longer than that run."
        )
        frame = frame.with_columns(_weight=nw.col("_n") * (nw.col("weight") if columns.has("weight") else nw.lit(1.0)))
    else:
        frame = frame.with_columns(
            _n=nw.lit(1),
            _weight=nw.col("weight") if columns.has("weight") else nw.lit(1.0),
            _longest=nw.col("n_segments") if columns.has("n_segments") else nw.lit(window),
        )
    totals = [
        nw.col("_n").sum().alias("n"),
        nw.col("_weight").sum().alias("weight"),
        nw.col("_longest").max().alias("longest"),
        nw.col("_longest").min().alias("shortest"),
    ]
    if columns.has("segment"):
        totals.append(nw.col("segment").min().alias("earliest"))
    with reading(door.source):
        tally = collect(frame.group_by(*keys).agg(*totals))
    _refuse_bad_groups(tally, keys, frame, door)
    _refuse_repeated_samples(frame, columns, int(tally["n"].sum()), door)
    return tally.sort(keys)


def _refuse_bad_groups(tally: pl.DataFrame, keys: Sequence[str], frame: Any, door: Door) -> None:
    import narwhals as nw

    if not len(tally):
        raise ArcuateError(f"{door.source} has no rows left to split. Check the file and any --where.")
    for name in keys:
        blank = tally[name].is_null() | (tally[name].str.strip_chars() == "")
        if name == "subject":  # a text may be the word "nan"; nobody is called so
            blank |= tally[name].str.to_lowercase().is_in(["nan", "none", "null"])
        if blank.any():
            column = nw.col(name)
            spelled = tally.filter(blank)[name].drop_nulls().to_list()
            door.refuse(frame, column.is_null() | column.is_in(spelled), name, "Fill it in, or remove the row.")
    if (tally["shortest"] < 1).any():
        door.refuse(frame, nw.col("_longest") < 1, "n_segments", "A sample spans at least 1 segment.")
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
