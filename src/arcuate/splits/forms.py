"""Every form in which a split may come: a file of rows, three files of ids, JSON, a column of the table.

Each reader gives a plain frame `[fold,] sample, part` with whatever identifying columns came along,
and says where each row stands, so that an error can name the file and the row.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from arcuate.errors import ArcuateError
from arcuate.splits.parts import in_order, is_part

ID_FILES = (".txt", ".ids", ".lst", "")
ROW_FILES = (".csv", ".tsv", ".parquet", ".feather", ".arrow")


@dataclass(frozen=True, eq=False)
class Listing:
    """What a split says, before it is laid against its table."""

    frame: pl.DataFrame
    origin: str
    lists_all: bool  # a file of rows names every sample; lists of ids may leave out what was dropped

    def where(self, row: int) -> str:
        """Row `row` (from 0) as a user finds it."""
        if "origin_row" in self.frame.columns:
            origin, number = self.frame.row(row, named=True)["origin"], self.frame["origin_row"][row]
            return f"{origin}, entry {number}"
        return f"{self.origin}, row {row + 1}"


def listing(source: Any) -> Listing:
    """Read a split from a path, a folder of id files, a mapping part -> ids or file, or a list of files.

    Examples
    --------
    >>> found = listing({"train": ["a", "b"], "test": ["c"]})
    >>> found.frame["part"].to_list()
    ['train', 'train', 'test']
    """
    if isinstance(source, Mapping):
        return _from_lists(source, "the given lists")
    if isinstance(source, pl.DataFrame):
        return _from_rows(source, "the given frame")
    if isinstance(source, Sequence) and not isinstance(source, str):
        return _from_lists(_files_by_part([Path(path) for path in source]), "the id files")
    path = Path(source)
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if _part_in(file.stem) and file.suffix in ID_FILES)
        return _from_lists(_files_by_part(files), str(path))
    if not path.is_file():
        raise ArcuateError(f"{path} is not there. Name a split file, a folder of id files or a JSON file.")
    if path.suffix == ".json":
        return _from_json(path)
    if path.suffix in ROW_FILES:
        return _from_rows(_read_rows(path), str(path))
    raise ArcuateError(
        f"{path} ends in {path.suffix!r}. A split is {', '.join(ROW_FILES)}, .json, or files of ids "
        "whose names say the part (train.txt, val.txt, test.txt)."
    )


def _read_rows(path: Path) -> pl.DataFrame:
    try:
        if path.suffix == ".parquet":
            return pl.read_parquet(path)
        if path.suffix in (".feather", ".arrow"):
            return pl.read_ipc(path)
        separator = "\t" if path.suffix == ".tsv" else ","
        return pl.read_csv(path, separator=separator, infer_schema=False)  # ids such as 001 stay text
    except (pl.exceptions.PolarsError, OSError) as error:
        raise ArcuateError(f"{path} cannot be read as {path.suffix}: {str(error).splitlines()[0]}") from error


def _from_rows(frame: pl.DataFrame, origin: str) -> Listing:
    absent = [name for name in ("sample", "part") if name not in frame.columns]
    if absent:
        raise ArcuateError(
            f"{origin} has no column {' and no '.join(map(repr, absent))}; it has {frame.columns}. "
            "A split file has a row a sample with its 'sample' and its 'part'."
        )
    if "fold" in frame.columns:
        frame = frame.with_columns(_as_fold(frame, origin))
    text = [pl.col(name).cast(pl.String) for name in ("sample", "part")]
    return Listing(frame.with_columns(text), origin, lists_all=True)


def _as_fold(frame: pl.DataFrame, origin: str) -> pl.Series:
    fold = frame["fold"].cast(pl.Int64, strict=False)
    bad = fold.is_null().arg_true()
    if len(bad):
        raise ArcuateError(
            f"{origin}, row {bad[0] + 1}: fold is {frame['fold'][bad[0]]!r}. Folds are whole numbers."
        )
    return fold


def _from_json(path: Path) -> Listing:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ArcuateError(f"{path} is not JSON: {error}") from error
    if not isinstance(content, dict):
        raise ArcuateError(
            f"{path} holds a {type(content).__name__}. A split is one object: "
            '{"train": [ids], "test": [ids]}.'
        )
    return _from_lists(content, str(path))


def _from_lists(lists: Mapping[str, Any], origin: str) -> Listing:
    if not lists:
        raise ArcuateError(
            f"{origin}: no part was found. Name files train.txt, val.txt and test.txt, or give "
            '{"train": [...], "test": [...]}.'
        )
    frames = [_one_list(str(part), ids, origin) for part, ids in lists.items()]
    return Listing(pl.concat(frames), origin, lists_all=False)


def _one_list(part: str, ids: Any, origin: str) -> pl.DataFrame:
    if not is_part(part):
        raise ArcuateError(f"{origin}: part {part!r} is not known. Use train, val, test or dropped.")
    if isinstance(ids, str | Path):
        origin, ids = str(ids), _ids_in(Path(ids))
    if not isinstance(ids, list | tuple) or any(isinstance(one, dict | list | bool | None) for one in ids):
        raise ArcuateError(f"{origin}: part {part!r} is {type(ids).__name__}. Give a list of sample ids.")
    return pl.DataFrame(
        {"sample": [str(one) for one in ids], "part": part, "origin": f"{origin} ({part})",
         "origin_row": range(1, len(ids) + 1)},
        schema={"sample": pl.String, "part": pl.String, "origin": pl.String, "origin_row": pl.Int64},
    )


def _ids_in(path: Path) -> list[str]:
    """The ids of one part: one a line, or the 'sample' column of a table."""
    if path.suffix in ROW_FILES:
        frame = _read_rows(path)
        if "sample" not in frame.columns:
            raise ArcuateError(f"{path} has no column 'sample'; it has {frame.columns}.")
        return frame["sample"].cast(pl.String).to_list()
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ArcuateError(f"{path} cannot be read: {error}") from error
    return [line.strip() for line in lines if line.strip()]


def _part_in(stem: str) -> str | None:
    words = stem.lower().replace("-", "_").replace(".", "_").split("_")
    named = in_order(word for word in words if is_part(word)) or (("dropped",) if "dropped" in words else ())
    return named[0] if len(named) == 1 else None


def _files_by_part(files: Sequence[Path]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for file in files:
        part = _part_of_file(file)
        if part in found:
            raise ArcuateError(f"{found[part]} and {file} are both {part!r} by name. Give one file a part.")
        found[part] = file
    return found


def _part_of_file(path: Path) -> str:
    part = _part_in(path.stem)
    if part is None:
        raise ArcuateError(
            f"{path}: its name does not say which part it is. Name it train, val or test, as in train.txt."
        )
    return part
