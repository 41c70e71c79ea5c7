"""The dataset folder and the split as arrays: pyarrow and numpy only, so that it runs on bare machines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from arcuate.errors import ArcuateError, UnknownName
from arcuate.metrics.signature import fingerprint
from arcuate.signals.store import SignalStore

PARTS = ("train", "val", "test")
NEEDED = ("sample", "subject", "text", "run", "start", "n_frames")


@dataclass(frozen=True, eq=False)
class DecodingData:
    """Every sample's text and where its frames lie.

    `run` holds indices into `store.runs`; the signal of row i is frames [start, start + n_frames) of it.
    """

    folder: Path
    modality: str
    store: SignalStore
    sample: tuple[str, ...]
    subject: tuple[str, ...]
    text: tuple[str, ...]
    run: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    n_frames: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.sample)

    @property
    def frame_shape(self) -> tuple[int, ...]:
        """The shape of one frame: (840,) for word-level EEG, (64, 64, 27) for fMRI."""
        return self.store.frame_shape

    @cached_property
    def run_offset(self) -> npt.NDArray[np.int64]:
        """The number of the first frame of each run, when all frames of the store are counted through."""
        lengths = [self.store.n_frames(run) for run in self.store.runs]
        return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)

    @cached_property
    def first_frame(self) -> npt.NDArray[np.int64]:
        """The number of each sample's first frame, counted through the store."""
        return self.run_offset[self.run] + self.start

    @cached_property
    def sha256(self) -> str:
        """One checksum for texts, windows and signals together."""
        columns = [*self.sample, *self.subject, *self.text]
        windows = np.stack([self.run, self.start, self.n_frames]).astype("<i8").tobytes()
        return fingerprint([*(value.encode() for value in columns), windows, self.store.sha256.encode()])

    def windows(self) -> list[tuple[str, int, int]]:
        """(run, first frame, number of frames) of every sample, as `arcuate.signals.normalise` takes them."""
        runs = self.store.runs
        triples = zip(self.run.tolist(), self.start.tolist(), self.n_frames.tolist(), strict=True)
        return [(runs[run], start, length) for run, start, length in triples]


def read_data(folder: str | Path) -> DecodingData:
    """Read a dataset folder written by `prepare` or `simulate`, and check that every window lies in its run.

    Examples
    --------
    >>> read_data("nowhere")
    Traceback (most recent call last):
    ...
    arcuate.errors.ArcuateError: nowhere/samples.parquet is missing. Name a folder that 'arcuate prepare' \
or 'arcuate simulate' wrote.
    """
    import pyarrow.parquet as pq

    folder = Path(folder)
    path = folder / "samples.parquet"
    if not path.is_file():
        raise ArcuateError(
            f"{path} is missing. Name a folder that 'arcuate prepare' or 'arcuate simulate' wrote."
        )
    table = pq.read_table(path)
    for column in NEEDED:
        if column not in table.column_names:
            raise ArcuateError(f"{path} has no column {column!r}. It has: {', '.join(table.column_names)}.")
        if table.column(column).null_count:
            raise ArcuateError(f"{path}: column {column!r} has {table.column(column).null_count} empty cells.")
    store = SignalStore.open(folder / "signals")
    code = {run: index for index, run in enumerate(store.runs)}
    runs = table.column("run").to_pylist()
    unknown = sorted({str(run) for run in runs} - set(code))
    if unknown:
        raise ArcuateError(f"{path} names run {unknown[0]!r}, which the signal store lacks.")
    data = DecodingData(
        folder=folder, modality=_modality(folder, store), store=store,
        sample=tuple(map(str, table.column("sample").to_pylist())),
        subject=tuple(map(str, table.column("subject").to_pylist())),
        text=tuple(map(str, table.column("text").to_pylist())),
        run=np.array([code[run] for run in runs], dtype=np.int64),
        start=table.column("start").to_numpy().astype(np.int64),
        n_frames=table.column("n_frames").to_numpy().astype(np.int64),
    )
    _check(path, data)
    return data


def _modality(folder: Path, store: SignalStore) -> str:
    about = folder / "dataset.json"
    modality = None
    if about.is_file():
        modality = json.loads(about.read_text(encoding="utf-8")).get("modality")
    modality = modality or ("fmri" if len(store.frame_shape) == 3 else "eeg")
    if modality not in ("eeg", "fmri"):
        raise UnknownName(f"{about}: modality", str(modality), ("eeg", "fmri"))
    return modality


def _check(path: Path, data: DecodingData) -> None:
    if len(set(data.sample)) != len(data):
        raise ArcuateError(f"{path}: sample ids repeat ({len(data)} rows, {len(set(data.sample))} ids).")
    length = np.diff(data.run_offset)[data.run]
    bad = np.flatnonzero((data.start < 0) | (data.n_frames < 1) | (data.start + data.n_frames > length))
    if len(bad):
        row = int(bad[0])
        raise ArcuateError(
            f"{path} row {row} (sample {data.sample[row]!r}): the window of {data.n_frames[row]} frames from "
            f"frame {data.start[row]} does not fit run {data.store.runs[data.run[row]]!r}, which has "
            f"{length[row]} frames. {len(bad)} rows are so; prepare the dataset again with a shorter window."
        )
    blank = [row for row, text in enumerate(data.text) if not text.strip()]
    if blank:
        raise ArcuateError(f"{path} row {blank[0]}: the text is empty. Leave out samples without a text.")


@dataclass(frozen=True, eq=False)
class Parts:
    """Which rows of a dataset are in which part of a split, and where the split comes from."""

    rows: Mapping[str, npt.NDArray[np.int64]]
    sha256: str
    method: str
    fold: int | None
    manifest: Mapping[str, Any]


def read_parts(data: DecodingData, split: str | Path, fold: int | None = None) -> Parts:
    """Read a split file (CSV, TSV or Parquet with `sample, part`) and find its samples in the dataset."""
    path = Path(split)
    columns = _one_fold(path, _read_columns(path), fold)
    names, parts = columns["sample"], columns["part"]
    row_of = {name: row for row, name in enumerate(data.sample)}
    unknown = [name for name in names if name not in row_of]
    if unknown:
        raise ArcuateError(
            f"{path} names sample {unknown[0]!r}, which {data.folder} lacks ({len(unknown)} such). "
            "Make the split from this dataset's samples.parquet."
        )
    if len(set(names)) != len(names):
        raise ArcuateError(f"{path} names a sample twice ({len(names)} rows, {len(set(names))} samples).")
    wrong = sorted(set(parts) - {*PARTS, "dropped"})
    if wrong:
        raise ArcuateError(f"{path}: part {wrong[0]!r} is not one of train, val, test, dropped.")
    rows = {
        part: np.sort(np.array([row_of[n] for n, p in zip(names, parts, strict=True) if p == part], np.int64))
        for part in PARTS
    }
    manifest = _manifest(path)
    return Parts(rows, _hash(columns), str(manifest.get("method", "unknown")), fold, manifest)


def split_hashes(split: str | Path) -> set[str]:
    """SHA-256 of which sample is in which part: of the whole split, and of each fold where it has folds.

    The same numbers that `arcuate split` writes into the manifest and `arcuate audit` into its signature.
    """
    columns = _read_columns(Path(split))
    folds = sorted({int(value) for value in columns.get("fold", [])})
    return {_hash(columns), *(_hash(_one_fold(Path(split), columns, fold)) for fold in folds)}


def _hash(columns: Mapping[str, list[str]]) -> str:
    return fingerprint([",".join(columns).encode(), *("\n".join(values).encode() for values in columns.values())])


def _one_fold(path: Path, columns: dict[str, list[str]], fold: int | None) -> dict[str, list[str]]:
    if "fold" not in columns:
        if fold is not None:
            raise ArcuateError(f"{path} has no column 'fold', but fold {fold} was asked for.")
        return columns
    folds = sorted({int(value) for value in columns["fold"]})
    if fold is None or fold not in folds:
        raise ArcuateError(f"{path} has folds {folds}; fold={fold} was asked for. Name one of them.")
    keep = [int(value) == fold for value in columns["fold"]]
    return {
        name: [value for value, kept in zip(columns[name], keep, strict=True) if kept]
        for name in ("sample", "part")
    }


def _read_columns(path: Path) -> dict[str, list[str]]:
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet as pq

    if not path.is_file():
        raise ArcuateError(f"The split {path} is missing. Make one with 'arcuate split'.")
    try:
        if path.suffix == ".parquet":
            table = pq.read_table(path)
        else:
            delimiter = "\t" if path.suffix == ".tsv" else ","
            # Ids stay text: '007' is not 7.
            types = {name: pa.string() for name in ("sample", "part")}
            table = pa.csv.read_csv(
                path, parse_options=pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
                convert_options=pa.csv.ConvertOptions(column_types=types, strings_can_be_null=False),
            )
    except (pa.ArrowException, OSError) as error:
        raise ArcuateError(f"The split {path} cannot be read: {str(error).splitlines()[0]}.") from error
    for column in ("sample", "part"):
        if column not in table.column_names:
            raise ArcuateError(f"{path} has no column {column!r}. It has: {', '.join(table.column_names)}.")
    wanted = [name for name in ("fold", "sample", "part") if name in table.column_names]
    return {name: [str(value) for value in table.column(name).to_pylist()] for name in wanted}


def _manifest(path: Path) -> dict[str, Any]:
    for candidate in (path.with_name(path.name + ".manifest.json"), path.with_suffix(".manifest.json")):
        if candidate.is_file():
            return dict(json.loads(candidate.read_text(encoding="utf-8")))
    return {}
