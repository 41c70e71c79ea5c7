"""Single samples of a table, for the methods that must name each one; and the hash of them all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from arcuate.errors import ArcuateError
from arcuate.metrics.signature import fingerprint
from arcuate.samples.validate import ROW, collect

if TYPE_CHECKING:
    import polars as pl

    from arcuate.samples.table import SampleTable


def sample_rows(table: SampleTable, others: Sequence[str] = ()) -> pl.DataFrame:
    """One row a sample, in table order; see `SampleTable.rows`.

    Examples
    --------
    >>> import polars as pl
    >>> from arcuate.samples.table import SampleTable
    >>> runs = pl.DataFrame({"subject": ["a"], "story": ["s"], "n_trs": [4]})
    >>> sample_rows(SampleTable.from_frame(runs, window=3))["sample"].to_list()
    ['0:0', '0:1']
    """
    import polars as pl

    for name in others:
        if name not in table.columns.others and not table.columns.has(name):
            known = ", ".join((*table.columns.names, *table.columns.others))
            raise ArcuateError(f"{table.source} has no column {name!r}; its columns are {known}.")
    rows = _ordered(table, _own_columns(table, others))
    rows = table.with_nodes(rows)
    if table.kind == "runs":
        rows = _expanded(rows, table.window)
    else:
        if "sample" not in rows.columns:
            rows = rows.with_columns(sample=pl.col(ROW).cast(pl.String))
        if table.columns.has("segment") and "n_segments" not in rows.columns:
            rows = rows.with_columns(n_segments=pl.lit(table.window, dtype=pl.Int64))
    if "weight" not in rows.columns:
        rows = rows.with_columns(weight=pl.lit(1.0))
    first = ("sample", "subject", "text_node", "text_id", "story", "segment", "n_segments", "weight", *others)
    return rows.select(*dict.fromkeys(name for name in first if name in rows.columns))


def identity_hash(table: SampleTable) -> str:
    """SHA-256 over the identifying columns, in the order of the table.

    Frames without an order (Dask, DuckDB, PySpark) are taken in the order of their sample ids, and
    so is any table that has such ids: the same samples give the same hash from every engine.

    Examples
    --------
    >>> import polars as pl
    >>> from arcuate.samples.table import SampleTable
    >>> frame = pl.DataFrame({"subject": ["a", "b"], "text": ["x", "y"]})
    >>> one, two = SampleTable.from_frame(frame), SampleTable.from_frame(frame.reverse())
    >>> identity_hash(one) == identity_hash(two)
    False
    """
    import polars as pl

    rows = _ordered(table, _own_columns(table, ()))
    if "sample" in rows.columns:
        rows = rows.sort("sample")
    pieces = [table.kind.encode(), str(table.window).encode()]
    for name in sorted(set(rows.columns) - {ROW}):
        column = rows[name]
        pieces.append(name.encode())
        if column.dtype == pl.String:
            lengths = column.str.len_bytes().to_numpy().astype("<i8")
            pieces += [lengths.tobytes(), "".join(column.to_list()).encode()]
        else:
            kind = "<f8" if column.dtype.is_float() else "<i8"
            pieces.append(column.to_numpy().astype(kind).tobytes())
    return fingerprint(pieces)


def _own_columns(table: SampleTable, others: Sequence[str]) -> list[str]:
    return [*table.columns.names, *(name for name in others if not table.columns.has(name))]


def _ordered(table: SampleTable, columns: list[str]) -> pl.DataFrame:
    if table.ordered:
        return collect(table.frame.select(ROW, *columns)).sort(ROW)
    if not table.columns.has("sample"):
        raise ArcuateError(
            f"{table.source} has no row order, so its samples need ids: add a column 'sample', "
            "or pass a pandas, polars or pyarrow frame."
        )
    return collect(table.frame.select(*columns)).sort("sample")


def _expanded(runs: pl.DataFrame, window: int) -> pl.DataFrame:
    import polars as pl

    starts = pl.int_ranges(0, pl.col("n_segments_total") - window + 1)
    return (
        runs.drop("sample", strict=False)
        .with_columns(segment=starts)
        .explode("segment")
        .with_columns(
            sample=pl.col(ROW).cast(pl.String) + ":" + pl.col("segment").cast(pl.String),
            n_segments=pl.lit(window, dtype=pl.Int64),
        )
    )
