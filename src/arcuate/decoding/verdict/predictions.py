"""Read prediction files: one row a sample, with its target and what the decoder said."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os.path import commonprefix
from pathlib import Path
from typing import Literal

from arcuate.errors import ArcuateError
from arcuate.metrics.signature import fingerprint

Generation = Literal["free", "teacher-forced", "unknown"]
FREE, FORCED, PLAIN = "predicted_free", "predicted_teacher_forced", "predicted"
_GENERATION: dict[str, Generation] = {FREE: "free", FORCED: "teacher-forced", PLAIN: "unknown"}
_DELIMITERS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
_LINES = (".jsonl", ".ndjson")


@dataclass(frozen=True)
class Predictions:
    """What a decoder said for each sample, in the file's order.

    Examples
    --------
    >>> Predictions("mine", ("the cat", "a dog"), ("cat", "cat")).distinct_outputs
    1
    """

    name: str
    targets: tuple[str, ...]
    predicted: tuple[str, ...]
    subjects: tuple[str, ...] | None = None
    samples: tuple[str, ...] | None = None
    generation: Generation = "unknown"

    @property
    def distinct_outputs(self) -> int:
        """How many different things were said."""
        return len({output.strip() for output in self.predicted})

    @property
    def hash(self) -> str:
        """SHA-256 of targets and outputs, short."""
        pairs = zip(self.targets, self.predicted, strict=True)
        return fingerprint(text.encode() for pair in pairs for text in pair)[:12]


def read_predictions(path: str | Path, *, teacher_forced: bool = False, name: str | None = None) -> Predictions:
    """Read CSV, TSV or JSONL with `target` and `predicted` (or `predicted_free`, `predicted_teacher_forced`).

    A file with both kinds is read for the free-running one unless `teacher_forced`.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "real.csv"
    >>> _ = file.write_text("target,predicted\\nthe cat,a cat\\n")
    >>> read_predictions(file).predicted
    ('a cat',)
    """
    path = Path(path)
    columns, rows = _read(path)
    column = _output_column(path, columns, teacher_forced)
    if "target" not in columns:
        raise _missing(path, "target", columns)
    _refuse_gaps(path, rows, ("target", column, *(c for c in ("subject", "sample") if c in columns)))
    empty = [number for number, row in rows if not row["target"].strip()]
    if empty:
        raise ArcuateError(f"{path}: 'target' is empty in {_rows(empty)}. Leave out samples without a text.")
    pick = {c: tuple(row[c] for _, row in rows) if c in columns else None for c in ("subject", "sample")}
    if pick["sample"] and len(set(pick["sample"])) < len(rows):
        pick["sample"] = None  # ids that repeat (a sample number within a subject) name no row
    return Predictions(
        name or path.stem, tuple(row["target"] for _, row in rows), tuple(row[column] for _, row in rows),
        pick["subject"], pick["sample"], _GENERATION[column],
    )


def short_names(paths: Sequence[str | Path]) -> list[str]:
    """Names that tell files apart: their stems without the beginning that all of them share.

    Examples
    --------
    >>> short_names(["t5_nr_train-eeg.csv", "t5_nr_train-noise.csv"]), short_names(["a/real.csv", "noise.csv"])
    (['train-eeg', 'train-noise'], ['real', 'noise'])
    """
    stems = [Path(path).stem for path in paths]
    shared = commonprefix(stems)  # noqa: RUF071 - letters in common, not folders
    cut = 1 + max(shared.rfind("_"), shared.rfind(" "))
    short = [stem[cut:] for stem in stems]
    return short if len(set(short)) == len(stems) and all(short) else stems


def _read(path: Path) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """Column names and (row number from 1, row) pairs."""
    suffix = path.suffix.lower()
    if suffix not in (*_DELIMITERS, *_LINES):
        known = ", ".join((*_DELIMITERS, *_LINES))
        raise ArcuateError(f"{path}: {suffix or 'no suffix'} is not a predictions format. Give one of {known}.")
    text = _decoded(path)
    if not text.strip():
        raise ArcuateError(f"{path} is empty. Give a file with the columns target and predicted.")
    if suffix in _LINES:
        rows = list(_json_rows(path, text))
        return list(dict.fromkeys(column for _, row in rows for column in row)), rows
    reader = csv.reader(text.splitlines(keepends=True), delimiter=_DELIMITERS[suffix])
    try:
        columns = [column.strip() for column in next(reader)]
        rows = []
        for number, fields in enumerate(reader, start=1):
            if fields and len(fields) != len(columns):
                raise ArcuateError(
                    f"{path}, row {number}: {len(fields)} fields but {len(columns)} columns. "
                    "Put text that holds the delimiter in double quotes."
                )
            if fields:
                rows.append((number, dict(zip(columns, fields, strict=True))))
    except csv.Error as error:
        raise ArcuateError(f"{path}, line {reader.line_num}: {error}. Write it again as plain CSV.") from error
    if not rows:
        raise ArcuateError(f"{path} has a header but no rows. Give at least two predictions.")
    return columns, rows


def _decoded(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ArcuateError(f"Cannot read {path}: {error.strerror}.") from error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise ArcuateError(
            f"{path}, line {line}: byte 0x{raw[error.start]:02x} is not UTF-8. "
            "Save the file as UTF-8 (it may be Latin-1 or UTF-16)."
        ) from error
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise ArcuateError(f"{path}, line {line}: a NUL byte. Save the file as UTF-8 text (it may be UTF-16).")
    return text


def _json_rows(path: Path, text: str) -> Iterator[tuple[int, dict[str, str]]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise ArcuateError(f"{path}, line {number}: {error.msg}. Give one JSON object a line.") from error
        if not isinstance(row, dict):
            raise ArcuateError(f"{path}, line {number}: {type(row).__name__}, not an object. Give one object a line.")
        yield number, {column: value if isinstance(value, str) else str(value)
                       for column, value in row.items() if value is not None}


def _output_column(path: Path, columns: Sequence[str], teacher_forced: bool) -> str:
    if teacher_forced:
        if FORCED not in columns:
            raise _missing(path, FORCED, columns)
        return FORCED
    for column in (FREE, PLAIN, FORCED):
        if column in columns:
            return column
    raise _missing(path, PLAIN, columns, also=f" (nor {FREE!r}, nor {FORCED!r})")


def _missing(path: Path, column: str, columns: Sequence[str], also: str = "") -> ArcuateError:
    return ArcuateError(f"{path} has no column {column!r}{also}. It has: {', '.join(columns)}.")


def _refuse_gaps(path: Path, rows: Sequence[tuple[int, dict[str, str]]], columns: Sequence[str]) -> None:
    for column in columns:
        gaps = [number for number, row in rows if column not in row]
        if gaps:
            raise ArcuateError(f"{path}: {column!r} is missing in {_rows(gaps)}. Give it for every row.")


def _rows(numbers: Sequence[int]) -> str:
    """Name rows so that a person finds them: the first few and how many there are.

    Examples
    --------
    >>> _rows([3]), _rows([1, 2, 3, 4, 5, 6, 7])
    ('row 3', '7 rows (1, 2, 3, 4, 5, ...)')
    """
    if len(numbers) == 1:
        return f"row {numbers[0]}"
    first = ", ".join(map(str, numbers[:5]))
    return f"{len(numbers)} rows ({first}{', ...' if len(numbers) > 5 else ''})"
