"""The door: frames of every library become one lazy frame, its columns checked and typed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arcuate.errors import ArcuateError
from arcuate.samples.columns import WHOLE_NUMBERS, Columns

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
