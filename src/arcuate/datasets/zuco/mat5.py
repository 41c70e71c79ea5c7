"""ZuCo 1.0 files: MATLAB 5, one struct array, read with scipy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from arcuate.datasets.mat5_check import check_mat5
from arcuate.datasets.zuco.sentences import BANDS, Absent, Sentence, Value, Word, as_value
from arcuate.errors import ArcuateError

VARIABLE = "sentenceData"


def read_mat5(path: Path, measure: str = "GD") -> Iterator[Sentence]:
    """The sentences of a file in order, with the band vectors of one reading measure.

    Fields are addressed by name, since their order differs between sentences and any may be absent.

    Examples
    --------
    >>> next(read_mat5(Path("resultsZAB_SR.mat")))
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: resultsZAB_SR.mat cannot be read: No such file or directory.
    """
    for index, row in enumerate(np.atleast_1d(_load(path))):
        if not hasattr(row, "_fieldnames") or not hasattr(row, "content"):
            raise ArcuateError(
                f"{path}, sentence {index}: the field 'content' is missing. Is it a ZuCo results file?"
            )
        yield Sentence(
            index=index, content=_text(row.content),
            means=tuple(_value(row, f"mean_{band}") for band in BANDS),
            words=_words(path, index, row, measure),
        )


def _load(path: Path) -> Any:
    from scipy.io import loadmat

    check_mat5(path)
    try:
        with open(path, "rb") as file:
            content = loadmat(file, squeeze_me=True, struct_as_record=False, variable_names=[VARIABLE])
    except Exception as error:  # scipy raises a dozen kinds of error on damaged files
        raise ArcuateError(f"{path} is not a whole MATLAB file ({error}). Download it again.") from error
    if VARIABLE not in content:
        raise ArcuateError(f"{path} has no variable {VARIABLE!r}. Is it a ZuCo results file?")
    return content[VARIABLE]


def _words(path: Path, index: int, row: Any, measure: str) -> tuple[Word, ...] | Absent:
    if not hasattr(row, "word"):
        return Absent.MISSING
    structs = np.atleast_1d(row.word)
    if structs.size == 0:
        return Absent.EMPTY
    if not hasattr(structs[0], "_fieldnames"):
        return Absent.NAN
    for struct in structs:
        if not hasattr(struct, "content"):
            raise ArcuateError(f"{path}, sentence {index}: a word has no field 'content'. Download it again.")
    return tuple(
        Word(
            content=_text(struct.content), n_fixations=_value(struct, "nFixations"),
            bands=tuple(_value(struct, f"{measure}_{band}") for band in BANDS),
        )
        for struct in structs
    )


def _value(struct: Any, name: str) -> Value:
    return as_value(getattr(struct, name)) if hasattr(struct, name) else Absent.MISSING


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "".join(map(str, np.ravel(value)))
