"""What the readers of brain responses share: find files by subject, open MATLAB files, refuse odd ones."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from arcuate.datasets.mat5_check import check_mat5
from arcuate.errors import ArcuateError


def files_by_subject(root: Path, glob: str, subject_in_name: str, dataset: str) -> dict[str, Path]:
    """The files under `root` that match `glob`, keyed by the first group of `subject_in_name`.

    Archives are unpacked in many ways, so folders are searched and only file names count. Numbers sort
    as numbers.

    Examples
    --------
    >>> import tempfile
    >>> root = Path(tempfile.mkdtemp())
    >>> for number in (1, 2, 10): (root / f"subject_{number}.mat").touch()
    >>> list(files_by_subject(root, "subject_*.mat", r"subject_(\\d+)", "toy"))
    ['1', '2', '10']
    """
    root = existing_folder(root, dataset)
    found: dict[str, Path] = {}
    for path in sorted(root.rglob(glob)):
        match = re.search(subject_in_name, path.name)
        if match is None:
            continue
        subject = match.group(1)
        if subject in found:
            raise ArcuateError(
                f"{dataset}: subject {subject} has two files, {found[subject]} and {path}. "
                "Give a folder that holds one copy of the dataset."
            )
        found[subject] = path
    if not found:
        raise ArcuateError(
            f"{dataset}: no file named {glob} under {root}. See `arcuate datasets` for its files."
        )
    return dict(sorted(found.items(), key=lambda item: _natural(item[0])))


def existing_folder(root: Path, dataset: str) -> Path:
    """`root` as a path, or an error that says what was expected there.

    Examples
    --------
    >>> existing_folder(Path("no/such/place"), "alice")
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: alice: no/such/place is not a folder. Give the folder that holds its files.
    """
    root = Path(root)
    if not root.is_dir():
        raise ArcuateError(f"{dataset}: {root} is not a folder. Give the folder that holds its files.")
    return root


def file_of(subject: str, files: dict[str, Path], dataset: str) -> Path:
    """The subject's file, or an error that lists the subjects that are there.

    Examples
    --------
    >>> file_of("3", {"1": Path("a"), "2": Path("b")}, "words")
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: words: there is no subject '3'. Found: 1, 2.
    """
    if subject not in files:
        raise ArcuateError(f"{dataset}: there is no subject {subject!r}. Found: {', '.join(files)}.")
    return files[subject]


def load_mat(path: Path, variables: tuple[str, ...]) -> dict[str, Any]:
    """The named variables of a MATLAB 5 file, unsqueezed; a damaged or incomplete file is refused.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "x.mat"
    >>> _ = path.write_bytes(b"no MATLAB file at all")
    >>> load_mat(path, ("data",))
    Traceback (most recent call last):
    ...
    arcuate.errors.ArcuateError: ...x.mat is not a whole MATLAB file... Download it again.
    """
    import h5py
    from scipy.io import loadmat

    if h5py.is_hdf5(path):
        raise ArcuateError(
            f"{path} is a MATLAB 7.3 file, but this dataset is published as MATLAB 5. "
            "Use the published file, or save it again in MATLAB with `save(..., '-v7')`."
        )
    if path.is_file():
        check_mat5(path)
    try:
        content = loadmat(path, struct_as_record=False, squeeze_me=False)
    except FileNotFoundError as error:
        raise ArcuateError(f"{path} is not there.") from error
    except Exception as error:  # scipy raises a dozen kinds of error for damaged files
        raise ArcuateError(f"{path} is not a whole MATLAB file ({error}). Download it again.") from error
    missing = [name for name in variables if name not in content]
    if missing:
        seen = ", ".join(name for name in content if not name.startswith("__")) or "nothing"
        raise ArcuateError(
            f"{path} lacks the variable {missing[0]!r}; it holds {seen}. Is it the right file?"
        )
    return content


def member(struct: Any, name: str, where: str) -> Any:
    """Field `name` of a MATLAB struct, by name and never by position.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> member(SimpleNamespace(_fieldnames=["word"], word="cat"), "word", "P1.mat")
    'cat'
    >>> member(SimpleNamespace(_fieldnames=["word"], word="cat"), "epoch", "P1.mat: info(1)")
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: P1.mat: info(1) lacks the field 'epoch'; it has word. ...
    """
    if not hasattr(struct, name):
        fields = ", ".join(getattr(struct, "_fieldnames", [])) or f"no fields ({type(struct).__name__})"
        raise ArcuateError(f"{where} lacks the field {name!r}; it has {fields}. Is it the published file?")
    return getattr(struct, name)


def structs(value: Any) -> list[Any]:
    """The elements of a MATLAB struct or cell array, row or column, as a flat list.

    Examples
    --------
    >>> structs(np.array([["a"], ["b"]], dtype=object))
    ['a', 'b']
    """
    return list(np.asarray(value, dtype=object).ravel(order="F"))


def text(value: Any) -> str:
    """A MATLAB string, however deep it lies in cells; an empty array is an empty string.

    Examples
    --------
    >>> text(np.array([["Harry"]], dtype=object)), text(np.array([]))
    ('Harry', '')
    """
    while isinstance(value, np.ndarray):
        if value.size == 0:
            return ""
        value = value.ravel()[0]
    return str(value)


def number(value: Any, where: str) -> float:
    """A MATLAB number; empty, NaN or text is refused.

    Examples
    --------
    >>> number(np.array([[3]]), "P1.mat: info(1).epoch")
    3.0
    """
    array = np.asarray(value)
    if array.size != 1 or array.dtype.kind not in "biuf" or not np.isfinite(array.ravel()[0]):
        raise ArcuateError(f"{where} is {value!r}. A number was expected; is the file whole?")
    return float(array.ravel()[0])


def vector(value: Any) -> np.ndarray:
    """A numeric MATLAB vector, row or column, as one dimension.

    Examples
    --------
    >>> vector(np.array([[1], [2]])).tolist()
    [1, 2]
    """
    return np.asarray(value).ravel(order="F")


def check_finite(values: np.ndarray, where: str) -> None:
    """Refuse NaN and infinity, naming the first one.

    Examples
    --------
    >>> check_finite(np.array([[0.0, np.nan]]), "P1.mat: data")
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: P1.mat: data holds nan at row 0, column 1 (1 such value in 1 column). ...
    """
    bad = ~np.isfinite(values)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise ArcuateError(
            f"{where} holds {values[row, column]} at row {row}, column {column} "
            f"({_count(int(bad.sum()), 'such value')} in {_count(int(bad.any(axis=0).sum()), 'column')}). "
            "Mask those voxels out before reading."
        )


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _natural(name: str) -> tuple[Any, ...]:
    return tuple(
        (0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", name) if part
    )
