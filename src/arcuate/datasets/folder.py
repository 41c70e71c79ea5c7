"""Your own data: a folder with a samples table and arrays (.npy)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from arcuate.datasets.prepared import ABOUT, Plan, Run
from arcuate.datasets.signal_dataset import SignalDataset
from arcuate.errors import ArcuateError

if TYPE_CHECKING:
    import polars as pl

TABLES = tuple(f"samples.{suffix}" for suffix in ("parquet", "csv", "tsv", "feather"))
ARRAY = "array"


@dataclass(frozen=True, kw_only=True)
class FolderOptions:
    """How to read a plain folder.

    Parameters
    ----------
    modality
        'eeg' (a frame a word) or 'fmri' (a frame a volume).
    """

    modality: Literal["eeg", "fmri"] = "eeg"

    def __post_init__(self) -> None:
        if self.modality not in ("eeg", "fmri"):
            raise ArcuateError(f"modality is {self.modality!r}. Give 'eeg' or 'fmri'.")


def plan_folder(root: Path, options: FolderOptions) -> Plan:
    """The table `samples.*` in `root`; its column `array` names each sample's .npy file.

    An array is (frames, ...). `start` and `n_frames` say which frames are the sample's; without them
    the whole array is. Samples may share an array, and windows may overlap. Without the column
    `array` only the table is read.

    Examples
    --------
    >>> plan_folder(Path("nowhere"), FolderOptions())
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: nowhere holds no samples table (samples.parquet, ...). Write one...
    """
    table_path = _table_in(root)
    if table_path is None:
        raise ArcuateError(
            f"{root} holds no samples table ({', '.join(TABLES)}). Write one with the columns subject, text "
            "and array (a .npy file each)."
        )
    table = _read_table(table_path)
    has_arrays = ARRAY in table.columns
    groups = _by_array(root, table_path, table) if has_arrays else [("", table)]
    return Plan(
        dataset="folder", modality=options.modality, kind="samples", n_runs=len(groups), options=asdict(options),
        runs=_runs(root, table_path, groups),
        notes=() if has_arrays else ["no column 'array': a table without signals"],
    )


def _by_array(root: Path, path: Path, table: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    for name in table[ARRAY].unique():
        _array_path(root, path, name)
    return [(str(key[0]), rows) for key, rows in table.group_by([ARRAY], maintain_order=True)]


def _table_in(root: Path) -> Path | None:
    found = [root / name for name in TABLES if (root / name).exists()]
    if len(found) > 1:
        raise ArcuateError(f"{found[0]} and {found[1].name} are both there. Keep one of them.")
    return found[0] if found else None


def _read_table(path: Path) -> pl.DataFrame:
    """The table as text where it is CSV; checked as every samples table is."""
    from arcuate.samples.read import read_samples, scan

    read_samples(path)
    table = scan(path).collect()
    if "sample" not in table.columns:
        table = table.with_row_index("sample").cast({"sample": str})
    return table


def _runs(root: Path, table: Path, groups: Sequence[tuple[Any, pl.DataFrame]]) -> Iterator[Run]:
    for name, rows in groups:
        if name == "":
            yield Run(name="all", rows=rows.to_dict(as_series=False))
            continue
        path = _array_path(root, table, name)
        array = _open(path)
        columns = {key: values for key, values in rows.to_dict(as_series=False).items() if key != ARRAY}
        columns |= _frames_of(columns, len(array), path)
        yield Run(name=str(name), rows={**columns, "run": [str(name)] * len(rows)}, frames=partial(np.asarray, array))


def _array_path(root: Path, table: Path, name: Any) -> Path:
    relative = PurePosixPath(str(name or ""))
    if not name or relative.is_absolute() or ".." in relative.parts or relative.suffix != ".npy":
        raise ArcuateError(
            f"{table}: column 'array' holds {name!r}. Name a .npy file inside {root}, without '..'."
        )
    return root / relative


def _open(path: Path) -> npt.NDArray[Any]:
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise ArcuateError(f"{path} {what}; the samples table names it as an array. Correct the table.")
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise ArcuateError(f"{path} cannot be read as an array ({error}). Write it again with numpy.save.") from error
    if array.ndim < 2 or len(array) == 0:
        raise ArcuateError(f"{path} has shape {array.shape}. Give frames along the first axis: (frames, ...).")
    return array


def _frames_of(columns: dict[str, list[Any]], length: int, path: Path) -> dict[str, list[int]]:
    n = len(columns["subject"])
    starts = _whole(columns.get("start", [0] * n), path, "start")
    lengths = _whole(columns.get("n_frames", [length - start for start in starts]), path, "n_frames")
    for sample, start, size in zip(columns["sample"], starts, lengths, strict=True):
        if start < 0 or size < 1 or start + size > length:
            raise ArcuateError(
                f"{path} has {length} frames, sample {sample!r} asks for {size} from {start}. Correct the table."
            )
    return {"start": starts, "n_frames": lengths}


def _whole(values: Sequence[Any], path: Path, column: str) -> list[int]:
    try:
        return [int(value) for value in values]
    except (TypeError, ValueError) as error:
        raise ArcuateError(f"{path}: column {column!r} holds something that is no whole number ({error}).") from error


def find_folder(root: Path) -> str:
    """What a plain folder holds, in a few words.

    Examples
    --------
    >>> find_folder(Path("nowhere"))
    ''
    """
    if (root / ABOUT).is_file():
        return "a prepared dataset: use its table directly"
    tables = [name for name in TABLES if (root / name).is_file()]
    arrays = sum(1 for entry in os.scandir(root) if entry.name.endswith(".npy")) if root.is_dir() else 0
    return f"{', '.join(tables)}" + (f", {arrays} arrays" if arrays else "") if tables else ""


FOLDER = SignalDataset(
    name="folder", title="Your own recordings: a samples table and one array a recording", modality="any",
    size="yours", licence="yours", source="your own files", citation="",
    obtain=("write samples.csv with the columns subject, text, array[, start, n_frames]; save arrays with numpy",),
    files="samples.{csv,tsv,parquet,feather} and the .npy files its column 'array' names",
    options=FolderOptions, plan=plan_folder, find=find_folder,
)
