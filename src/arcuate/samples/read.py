"""Read a samples table or a runs table from a file, or from a frame of any library."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcuate.errors import ArcuateError
from arcuate.samples.table import SampleTable

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (".csv", ".tsv", ".parquet", ".feather", ".arrow")


def read_samples(
    source: str | os.PathLike[str] | Any,
    *,
    window: int | None = None,
    where: Iterable[str] = (),
    same_text: Iterable[str] = (),
    near_duplicates: float | None = None,
    unit: str | None = None,
) -> SampleTable:
    """Read and validate a samples table (one row a sample) or a runs table.

    Parameters
    ----------
    source : path or frame
        CSV, TSV, Parquet or Feather file; or a pandas, polars, pyarrow, DuckDB, Dask or PySpark frame.
    window : int, optional
        How many consecutive segments a sample spans (L); needed for a runs table.
    where : strings 'COLUMN=VALUE'
        Keep only rows that fit all of them.
    same_text : strings 'A=B'
        Texts (or stories) that are variants of one text and count as one node.
    near_duplicates : float, optional
        Merge texts whose word 3-shingles have at least this Jaccard similarity.
    unit : 'text' or 'story', optional
        What a text node is; by default a story where samples are windows of one, else a text.

    Examples
    --------
    >>> import polars as pl
    >>> table = read_samples(pl.DataFrame({"subject": ["s1", "s2"], "text": ["Hello.", "hello"]}))
    >>> len(table), len(table.graph.texts)
    (2, 1)
    """
    if isinstance(source, str | os.PathLike):
        frame, name = scan(Path(source)), str(source)
    else:
        frame, name = source, f"the {type(source).__module__.split('.')[0]} frame"
    return SampleTable.from_frame(
        frame, source=name, window=window, where=where, same_text=same_text,
        near_duplicates=near_duplicates, unit=unit,
    )


def scan(path: Path) -> pl.LazyFrame:
    """Open a table file without reading its rows yet; text stays text ('001' is not 1).

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = path.write_text("subject,text\\n001,hi\\n")
    >>> scan(path).collect().row(0)
    ('001', 'hi')
    """
    import polars as pl

    if path.is_dir():
        raise ArcuateError(f"{path} is a folder, not a table. Name a file inside it ({', '.join(SUFFIXES)}).")
    if not path.exists():
        raise ArcuateError(f"{path} does not exist. Check the name.")
    if path.suffix.lower() not in SUFFIXES:
        raise ArcuateError(f"{path} ends in {path.suffix!r}. Tables are read from {', '.join(SUFFIXES)}.")
    if path.stat().st_size == 0:
        raise ArcuateError(f"{path} is an empty file. Write a header line and at least one row.")
    try:
        if path.suffix.lower() == ".parquet":
            frame = pl.scan_parquet(path)
        elif path.suffix.lower() in (".feather", ".arrow"):
            frame = pl.scan_ipc(path)
        else:
            separator = "\t" if path.suffix.lower() == ".tsv" else ","
            frame = pl.scan_csv(path, separator=separator, infer_schema=False)
        _refuse_repeated_names(frame.collect_schema().names(), path)
    except (pl.exceptions.PolarsError, OSError, UnicodeDecodeError) as error:
        raise unreadable(str(path), error) from error
    return frame


def unreadable(source: str, error: BaseException) -> ArcuateError:
    """The error for a file that breaks while it is read: damaged, cut off, or of another encoding.

    Examples
    --------
    >>> print(unreadable("a.csv", ValueError("invalid utf-8 sequence")))
    a.csv is not all UTF-8. Save it as UTF-8 and try again.
    """
    path = Path(source)
    if "utf-8" in str(error).lower() or "utf8" in str(error).lower():
        line = _first_line_not_utf8(path)
        place = f" (first at line {line})" if line else ""
        return ArcuateError(f"{source} is not all UTF-8{place}. Save it as UTF-8 and try again.")
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return ArcuateError(
        f"{source} cannot be read as {path.suffix.lstrip('.') or 'a table'}: {reason.rstrip('.')}. "
        "It may be damaged or cut off: get it again."
    )


def _first_line_not_utf8(path: Path) -> int | None:
    if not path.is_file():
        return None
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return None


def _refuse_repeated_names(names: Sequence[str], path: Path) -> None:
    # polars renames the second 'text' to 'text_duplicated_0': a repair that must not stay silent.
    for name in names:
        if name.endswith("_duplicated_0") and name.removesuffix("_duplicated_0") in names:
            column = name.removesuffix("_duplicated_0")
            raise ArcuateError(f"{path} has two columns named {column!r}. Rename or remove one.")
