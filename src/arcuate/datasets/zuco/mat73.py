"""ZuCo 2.0 files: MATLAB 7.3, which is HDF5 with references, read with h5py sentence by sentence."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from arcuate.datasets.zuco.sentences import BANDS, Absent, Sentence, Value, Word, as_value
from arcuate.errors import ArcuateError

# Without one of these the published reader yields no word at all.
PUBLISHED_NEEDS = ("rawEEG", "SFD")


def read_mat73(path: Path, measure: str = "GD", published: bool = False) -> Iterator[Sentence]:
    """The sentences of a file in order, with the band vectors of one reading measure.

    Parameters
    ----------
    path
        A results file in HDF5 form.
    measure
        GD, FFD or TRT.
    published
        Repeat the published reader's faults, to compare with published numbers: after a token
        without letters or digits all later words get another word's vectors; sentences without SFD
        or rawEEG fields, and of one word, have no words; such tokens are left out.

    Examples
    --------
    >>> next(read_mat73(Path("resultsYAC_NR.mat")))
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: resultsYAC_NR.mat is not a whole MATLAB 7.3 file (...). Download it again.
    """
    with _open(path) as file:
        group = _Struct.of(file, file.get("sentenceData"))
        if group is None:
            raise ArcuateError(f"{path} has no struct 'sentenceData'. Is it a ZuCo results file?")
        if "content" not in group:
            raise ArcuateError(f"{path}: sentenceData has no field 'content'. Is it a ZuCo results file?")
        for index in range(len(group)):
            yield Sentence(
                index=index, content=_text(group.get("content", index)),
                means=tuple(_value(group.get(f"mean_{band}", index)) for band in BANDS),
                words=_words(file, group.get("word", index), measure, published),
            )


@contextlib.contextmanager
def _open(path: Path) -> Iterator[Any]:
    import h5py

    try:
        with h5py.File(path, "r") as file:
            yield file
    except (OSError, KeyError, ValueError, TypeError, RuntimeError) as error:
        raise ArcuateError(
            f"{path} is not a whole MATLAB 7.3 file ({error}). Download it again."
        ) from error


class _Struct:
    """A MATLAB struct array: references by field, or the values themselves for a 1×1 struct.

    A field is opened when first asked for: a word has a hundred, and a reader wants ten.
    """

    def __init__(self, file: Any, group: Any):
        import h5py

        self.file = file
        self.group = group
        self.opened: dict[str, Any] = {}
        # `content` is text and never a cell, so references in it mean an array of structs.
        content = group.get("content")
        self.is_array = isinstance(content, h5py.Dataset) and h5py.check_ref_dtype(content.dtype) is not None
        self.length = content.size if self.is_array else 1

    @classmethod
    def of(cls, file: Any, group: Any) -> _Struct | None:
        import h5py

        return cls(file, group) if isinstance(group, h5py.Group) else None

    def __len__(self) -> int:
        return self.length

    def __contains__(self, name: str) -> bool:
        return name in self.group

    def get(self, name: str, index: int) -> Any:
        """The HDF5 object of a field, or None where the struct has no such field."""
        if name not in self.opened:
            self.opened[name] = self._open(name)
        field = self.opened[name]
        return self.file[field[index]] if self.is_array and field is not None else field

    def _open(self, name: str) -> Any:
        member = self.group.get(name)
        if member is None or not self.is_array:
            return member
        references = member[()].ravel()
        if len(references) != self.length:
            raise ValueError(f"{self.group.name}: {name} has {len(references)} entries, content {self.length}")
        return references


def _words(file: Any, group: Any, measure: str, published: bool) -> tuple[Word, ...] | Absent:
    if group is None:
        return Absent.MISSING
    struct = _Struct.of(file, group)
    if struct is None:
        return Absent.EMPTY if _is_empty(group) else Absent.NAN
    if published:
        return _published_words(struct, measure)
    return tuple(_word(struct, index, index, measure) for index in range(len(struct)))


def _published_words(struct: _Struct, measure: str) -> tuple[Word, ...] | Absent:
    if not struct.is_array or any(name not in struct for name in PUBLISHED_NEEDS):
        return Absent.MISSING
    real = [i for i in range(len(struct)) if re.search("[a-zA-Z0-9]", _text(struct.get("content", i)))]
    # The fault: vectors are taken at the count of real words so far, not at the word's own place.
    return tuple(_word(struct, index, count, measure) for count, index in enumerate(real))


def _word(struct: _Struct, index: int, vectors_at: int, measure: str) -> Word:
    return Word(
        content=_text(struct.get("content", index)), n_fixations=_value(struct.get("nFixations", index)),
        bands=tuple(_value(struct.get(f"{measure}_{band}", vectors_at)) for band in BANDS),
    )


def _is_empty(dataset: Any) -> bool:
    """MATLAB writes `[]` as its dimensions, a 1-D pair of zeros; all else has two dimensions or more."""
    if dataset.ndim != 1:
        return False
    return bool(dataset.attrs.get("MATLAB_empty", 0)) or (dataset.dtype == np.uint64 and not dataset[()].any())


def _value(dataset: Any) -> Value:
    if dataset is None:
        return Absent.MISSING
    return Absent.EMPTY if _is_empty(dataset) else as_value(dataset[()])


def _text(dataset: Any) -> str:
    if dataset is None or _is_empty(dataset):
        return ""
    return dataset[()].ravel().astype("<u2").tobytes().decode("utf-16-le")
