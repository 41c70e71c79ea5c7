"""The index of a signal store: what each run is, where it lies, what its bytes must be."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arcuate.errors import ArcuateError

FORMAT = "arcuate-signals-1"
INDEX = "index.parquet"

# Names inside a store are made by the writer; anything else in an index is damage or an attack.
RUN_FILE = re.compile(r"runs/[0-9]{6,}\.npy")


@dataclass(frozen=True)
class RunRecord:
    """One row of the index.

    Examples
    --------
    >>> RunRecord("sub-01", "runs/000000.npy", 5, "float16", 148, "ab12", {"tr": 1.5}).meta["tr"]
    1.5
    """

    name: str
    file: str
    n_frames: int
    dtype: str
    bytes: int
    sha256: str
    meta: Mapping[str, Any]


def file_sha256(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "empty"
    >>> _ = path.write_bytes(b"")
    >>> file_sha256(path)[:8]
    'e3b0c442'
    """
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_index(folder: Path) -> tuple[dict[str, RunRecord], tuple[int, ...]]:
    """The runs in the order written, and the shape of a frame.

    Examples
    --------
    >>> read_index(Path("nowhere"))
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: nowhere is not a signal store: it has no index.parquet...
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / INDEX
    if not path.is_file():
        raise ArcuateError(
            f"{folder} is not a signal store: it has no {INDEX}. Name the 'signals' folder prepare wrote."
        )
    try:
        table = pq.read_table(path, memory_map=False)
        about = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
        frame_shape = tuple(int(size) for size in json.loads(about["frame_shape"]))
        rows = [RunRecord(**{**row, "meta": json.loads(row["meta"])}) for row in table.to_pylist()]
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError) as error:
        raise ArcuateError(
            f"{path} cannot be read as a signal index ({error}). Prepare the dataset again."
        ) from error
    if about.get("format") != FORMAT:
        raise ArcuateError(f"{path} has format {about.get('format')!r}, this version reads {FORMAT!r}.")
    records = {record.name: record for record in rows}
    if len(records) != len(rows):
        raise ArcuateError(f"{path} names a run twice. Prepare the dataset again.")
    return records, frame_shape


def check_file(folder: Path, record: RunRecord) -> None:
    """Refuse a run that lies elsewhere, is missing, or has another size than the index says.

    Examples
    --------
    >>> check_file(Path("store"), RunRecord("a", "../secret.npy", 1, "float16", 9, "", {}))
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: store/index.parquet places run 'a' at '../secret.npy', which is not a run file...
    """
    if not RUN_FILE.fullmatch(record.file):
        raise ArcuateError(
            f"{folder / INDEX} places run {record.name!r} at {record.file!r}, which is not a run file of the "
            "store. Do not use this store: it was not written by arcuate."
        )
    path = folder / record.file
    if path.is_symlink() or not path.is_file():
        raise ArcuateError(f"{path} (run {record.name!r}) is missing. Copy the whole store again.")
    size = path.stat().st_size
    if size != record.bytes:
        raise ArcuateError(
            f"{path} (run {record.name!r}) has {size} bytes, the index says {record.bytes}: "
            "the file is truncated or changed. Copy it again, or prepare the dataset again."
        )


def write_index(folder: Path, records: Iterable[RunRecord], frame_shape: tuple[int, ...]) -> None:
    """Write the index beside the runs.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> write_index(folder, [RunRecord("a", "runs/000000.npy", 1, "float16", 9, "", {})], (3,))
    >>> read_index(folder)[1]
    (3,)
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [{**vars(record), "meta": json.dumps(dict(record.meta), sort_keys=True)} for record in records]
    about = {"format": FORMAT, "frame_shape": json.dumps(list(frame_shape))}
    pq.write_table(pa.Table.from_pylist(rows).replace_schema_metadata(about), folder / INDEX)
