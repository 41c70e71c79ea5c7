"""Stories (Dehghani et al. 2017): 40 personal stories, 30 readers, one pattern of 212,018 voxels a story.

The last English reader's values are all zero; such subjects are found by content and named as left out.
"""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from arcuate.datasets.response_dataset import ResponseDataset, Subjects
from arcuate.datasets.response_files import check_finite, existing_folder
from arcuate.datasets.responses import BrainResponses
from arcuate.errors import ArcuateError, MissingExtra

NAME = "dehghani2017"
DATASET_IN_FILE = "__unnamed__"
# 1-based columns of the sheet: context and the three segments that were shown one after another.
TEXT_COLUMNS = (8, 9, 10, 11)


def subjects(root: Path) -> Subjects:
    """Subjects 1 to 30 less those whose values are all zero.

    Examples
    --------
    >>> subjects(Path("nowhere"))
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: dehghani2017: nowhere is not a folder. Give the folder that holds its files.
    """
    names, excluded = [], []
    with _open(_data_file(root)) as stored:
        for index in range(stored.shape[0]):
            if np.any(stored[index]):
                names.append(str(index + 1))
            else:
                excluded.append(f"subject {index + 1}: every value is 0")
    return Subjects(tuple(names), tuple(excluded))


def read(root: Path, subject: str) -> BrainResponses:
    """One subject's pattern for each story; only that subject's part of the file is read.

    Examples
    --------
    >>> read(Path("nowhere"), "1")
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: dehghani2017: nowhere is not a folder. Give the folder that holds its files.
    """
    path = _data_file(root)
    stories = read_stories(_one_file(root, "StoryKey.xlsx"))
    with _open(path) as stored:
        n_subjects = stored.shape[0]
        if not subject.isdigit() or not 1 <= int(subject) <= n_subjects:
            raise ArcuateError(f"{NAME}: there is no subject {subject!r}. Subjects are 1 to {n_subjects}.")
        responses = np.asarray(stored[int(subject) - 1])
    if len(stories) != len(responses):
        raise ArcuateError(
            f"{path} has {len(responses)} stories but StoryKey.xlsx {len(stories)}. Use the files of "
            "one release."
        )
    if not responses.any():
        raise ArcuateError(f"{path}: subject {subject} holds only zeros. Leave that subject out.")
    check_finite(responses, f"{path}: subject {subject}")
    return BrainResponses(
        dataset=NAME, subject=subject, kind="isolated", responses=responses, stimuli=stories
    )


def read_stories(path: Path) -> tuple[str, ...]:
    """The stories in file order: context and three segments joined, runs of blanks collapsed.

    Examples
    --------
    >>> read_stories(Path("StoryKey.xlsx"))
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: StoryKey.xlsx cannot be read as a workbook: ...
    """
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise MissingExtra("openpyxl", "encoding") from error
    try:
        # From memory: openpyxl keeps a file open that it opened itself.
        book = load_workbook(BytesIO(Path(path).read_bytes()), read_only=True, data_only=True)
        rows = list(book.active.iter_rows(min_row=2, values_only=True))
    except Exception as error:  # a damaged workbook raises zip, XML and key errors
        raise ArcuateError(
            f"{path} cannot be read as a workbook: {error}. Use the published StoryKey.xlsx."
        ) from error
    stories = []
    for line, row in enumerate(rows, start=2):
        if not any(cell not in (None, "") for cell in row):
            continue
        parts = [str(row[c - 1]) for c in TEXT_COLUMNS if c <= len(row) and row[c - 1] is not None]
        story = re.sub(r"\s+", " ", " ".join(parts)).strip()
        if not story:
            raise ArcuateError(
                f"{path}, row {line}: columns 8 to 11 are empty. Each story needs its text there."
            )
        stories.append(story)
    return tuple(stories)


def _data_file(root: Path) -> Path:
    return _one_file(root, "*_english_storydata_masked.hd5")


def _one_file(root: Path, pattern: str) -> Path:
    found = sorted(existing_folder(root, NAME).rglob(pattern))
    if len(found) != 1:
        raise ArcuateError(f"{NAME}: {len(found)} files named {pattern} under {root}, one was expected.")
    return found[0]


class _open:
    """The stored array, checked; a class since the file must close even if the check fails."""

    def __init__(self, path: Path):
        self._path = path

    def __enter__(self) -> Any:
        import h5py

        try:
            self._file = h5py.File(self._path, "r")
        except OSError as error:
            raise ArcuateError(
                f"{self._path} is not a whole HDF5 file ({error}). Ask for it again."
            ) from error
        try:
            return self._checked()
        except ArcuateError:
            self._file.close()
            raise

    def _checked(self) -> Any:
        if DATASET_IN_FILE not in self._file:
            seen = ", ".join(self._file) or "nothing"
            raise ArcuateError(f"{self._path} lacks the dataset {DATASET_IN_FILE!r}; it holds {seen}.")
        stored = self._file[DATASET_IN_FILE]
        if stored.ndim != 3 or 0 in stored.shape:
            raise ArcuateError(
                f"{self._path}: {DATASET_IN_FILE} has shape {stored.shape}. Subjects × stories × "
                "voxels was expected."
            )
        return stored

    def __exit__(self, *_: object) -> None:
        self._file.close()


DEHGHANI2017 = ResponseDataset(
    name=NAME,
    title="Stories: 40 personal stories from weblogs, 29 usable readers, 212,018 voxels",
    kind="isolated",
    licence="unknown",
    source="the authors (not public when published readers were written)",
    citation="Dehghani et al. 2017, Human Brain Mapping 38:6096",
    files="30_english_storydata_masked.hd5, StoryKey.xlsx",
    marker="*_english_storydata_masked.hd5",
    subjects=subjects,
    read=read,
    paper_name="stories",
)
