"""Write whole files or none: to a temporary name beside the target, then rename."""

from __future__ import annotations

import contextlib
import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

from arcuate.errors import ArcuateError


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path; on success it becomes `path`, on any error it is removed.

    The temporary name keeps the suffix, since writers choose a format by it.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with replacing(folder / "a.txt") as temporary:
    ...     _ = temporary.write_text("whole")
    >>> [p.name for p in folder.iterdir()], (folder / "a.txt").read_text()
    (['a.txt'], 'whole')
    """
    path = Path(path)
    if path.is_dir():
        raise ArcuateError(f"{path} is a folder, not a file. Name a file to write to.")
    _make_parent(path)
    temporary = path.with_name(f".{path.stem}.{uuid.uuid4().hex[:8]}{path.suffix}")
    try:
        yield temporary
        _flush_to_disk(temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def replacing_folder(path: str | os.PathLike[str], *, overwrite: bool = False) -> Iterator[Path]:
    """Yield a temporary folder; on success it becomes `path`, on any error it is removed.

    A folder that is already there and not empty is refused unless `overwrite`.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "store"
    >>> with replacing_folder(target) as temporary:
    ...     _ = (temporary / "index").write_text("1")
    >>> (target / "index").read_text()
    '1'
    """
    path = Path(path)
    if path.exists() and not path.is_dir():
        raise ArcuateError(f"{path} is a file, not a folder. Name a folder to write to.")
    if path.is_dir() and any(path.iterdir()) and not overwrite:
        raise ArcuateError(f"{path} is not empty. Name a new folder, or remove it first.")
    _make_parent(path)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
    temporary.mkdir()
    try:
        yield temporary
        if path.is_dir():
            shutil.rmtree(path)
        os.replace(temporary, path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write `text` as UTF-8 with LF line ends, whole or not at all.

    Examples
    --------
    >>> import tempfile
    >>> write_text(Path(tempfile.mkdtemp()) / "note.txt", "ä").read_bytes()
    b'\\xc3\\xa4'
    """
    path = Path(path)
    with replacing(path) as temporary:
        temporary.write_bytes(text.encode("utf-8"))
    return path


def _make_parent(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArcuateError(f"Cannot make the folder {path.parent}: {error.strerror}.") from error


def _flush_to_disk(path: Path) -> None:
    with open(path, "rb") as file:
        os.fsync(file.fileno())
