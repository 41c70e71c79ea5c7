"""Text files of datasets: strict UTF-8, one sentence of blame when a file is not what it should be."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from arcuate.errors import ArcuateError


def read_text(path: Path) -> str:
    r"""The whole file as text; a byte-order mark is dropped, line ends stay as they are.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "words.csv"
    >>> _ = path.write_bytes("Zürich\r\n".encode("utf-8-sig"))
    >>> read_text(path)
    'Zürich\r\n'
    """
    if path.is_dir():
        raise ArcuateError(f"{path} is a folder where a file is expected. Remove it, or name another root.")
    if path.is_symlink() and not path.exists():
        raise ArcuateError(f"{path} is not fetched (a dangling annex link). Run: datalad get {path}")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ArcuateError(f"{path} cannot be read: {error.strerror}.") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ArcuateError(
            f"{path}, line {line}: byte 0x{data[error.start]:02x} is not UTF-8; the file mixes encodings. "
            "Save it as UTF-8."
        ) from error


def read_rows(path: Path, delimiter: str, columns: tuple[str, ...] = ()) -> list[dict[str, str]]:
    """The rows of a table with a header; `columns` must be among its names, and no row may be short or long.

    Nothing is parsed and no word means 'missing': "nan" and "null" are words.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "t.tsv"
    >>> _ = path.write_text("word\\tn\\nnull\\t1\\n")
    >>> read_rows(path, "\\t", ("word",))
    [{'word': 'null', 'n': '1'}]
    """
    lines = read_text(path).splitlines()
    reader = csv.reader(lines, delimiter=delimiter)
    header = next(reader, [])
    missing = [name for name in columns if name not in header]
    if missing:
        raise ArcuateError(
            f"{path} has no column {missing[0]!r}; it has {', '.join(header) or 'none'}. Is it the right one?"
        )
    rows = []
    for fields in reader:
        if len(fields) != len(header):
            raise ArcuateError(
                f"{path}, line {reader.line_num}: {len(fields)} fields, the header names {len(header)}. "
                "Fetch the file again."
            )
        rows.append(dict(zip(header, fields, strict=True)))
    return rows


def read_number(row: dict[str, str], column: str, where: str) -> float:
    """A number of a row, or an error that names the place and the value.

    Examples
    --------
    >>> read_number({"onset": "1.5"}, "onset", "events.tsv, row 1")
    1.5
    """
    try:
        return float(row[column])
    except ValueError:
        raise ArcuateError(f"{where}: {column} is {row[column]!r}, not a number. Correct it.") from None


def read_json(path: Path) -> Any:
    """The content of a JSON file.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.json"
    >>> _ = path.write_text('{"RepetitionTime": 1.5}')
    >>> read_json(path)
    {'RepetitionTime': 1.5}
    """
    try:
        return json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise ArcuateError(
            f"{path}, line {error.lineno}: not JSON ({error.msg}). Fetch the file again."
        ) from error
