"""CogniVal text files (Hollenstein et al. 2019): one row a word type, `word v0 v1 ...`, plain or gzipped.

Words are separated from numbers by exactly one blank: the Wehbe files hold a row whose word is empty, and
splitting at whitespace would shift that row by one. Column v7 of one subject is not column v7 of another.
"""

from __future__ import annotations

import gzip
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from arcuate.datasets.response_dataset import ResponseDataset, Subjects
from arcuate.datasets.response_files import check_finite, file_of, files_by_subject
from arcuate.datasets.responses import BrainResponses
from arcuate.errors import ArcuateError

CITATION = "Hollenstein et al. 2019, CoNLL (K19-1050)"


def read_table(path: Path, empty_word: str = "refuse") -> tuple[tuple[str, ...], np.ndarray, tuple[str, ...]]:
    """Words, values and notes of one file; "nan", "null" and "none" are words.

    Parameters
    ----------
    empty_word : {"refuse", "drop"}
        What to do with a row whose word is empty; a dropped one is told in the notes.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "toy.txt"
    >>> _ = path.write_text("word v0 v1\\nnan 1 2\\n 3 4\\n")
    >>> words, values, notes = read_table(path, empty_word="drop")
    >>> words, values.tolist()
    (('nan',), [[1.0, 2.0]])
    >>> notes
    ('line 3: the row with an empty word is left out',)
    """
    if empty_word not in ("refuse", "drop"):
        raise ArcuateError(f"empty_word is {empty_word!r}. Use 'refuse' or 'drop'.")
    lines = _lines(path)
    header = lines[0].split(" ")
    if header[0] != "word" or len(header) < 2:
        raise ArcuateError(
            f"{path}, line 1: {lines[0][:40]!r} is not 'word v0 v1 ...'. Is it a CogniVal file?"
        )
    words: list[str] = []
    rows: list[list[str]] = []
    notes: list[str] = []
    for number, line in enumerate(lines[1:], start=2):
        word, *fields = line.split(" ")
        if len(fields) != len(header) - 1:
            raise ArcuateError(
                f"{path}, line {number}: {len(fields)} values, {len(header) - 1} expected. Download it again."
            )
        if word == "":
            if empty_word == "refuse":
                raise ArcuateError(f"{path}, line {number}: the word is empty. Read with empty_word='drop'.")
            notes.append(f"line {number}: the row with an empty word is left out")
            continue
        words.append(word)
        rows.append(fields)
    return tuple(_unique(words, path)), _numbers(rows, path), tuple(notes)


def _lines(path: Path) -> list[str]:
    try:
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        content = raw.decode("utf-8")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise ArcuateError(f"{path} cannot be read ({error}). Download it again.") from error
    if not content.endswith("\n"):
        raise ArcuateError(f"{path}: the last line has no end, so the file is cut off. Download it again.")
    return content[:-1].split("\n")


def _numbers(rows: list[list[str]], path: Path) -> np.ndarray:
    if not rows:
        raise ArcuateError(f"{path} has no rows. Download it again.")
    try:
        values = np.array(rows, dtype=np.float64)
    except ValueError as error:
        raise ArcuateError(f"{path}: {error}. Download it again.") from error
    check_finite(values, str(path))
    return values


def _unique(words: list[str], path: Path) -> list[str]:
    if len(set(words)) != len(words):
        twice = next(word for word in words if words.count(word) > 1)
        raise ArcuateError(f"{path}: the word {twice!r} has two rows, one was expected. Is the file edited?")
    return words


def subjects(root: Path, *, name: str, glob: str, subject_in_name: str) -> Subjects:
    """The subjects whose files are under `root`.

    Examples
    --------
    >>> COGNIVAL["cognival-ucl"].subjects(Path("nowhere"))
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: cognival-ucl: nowhere is not a folder. Give the folder that holds its files.
    """
    return Subjects(tuple(files_by_subject(root, glob, subject_in_name, name)))


def read(root: Path, subject: str, *, name: str, glob: str, subject_in_name: str, empty_word: str = "refuse",
         shape: tuple[int, int] | None = None) -> BrainResponses:  # fmt: skip
    """One subject (or, for EEG, one file of averages over subjects) as isolated word responses.

    Examples
    --------
    >>> COGNIVAL["cognival-ucl"].read(Path("nowhere"), "ucl")
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: cognival-ucl: nowhere is not a folder. Give the folder that holds its files.
    """
    path = file_of(subject, files_by_subject(root, glob, subject_in_name, name), name)
    words, values, notes = read_table(path, empty_word)
    seen = (values.shape[0] + len(notes), values.shape[1])
    if shape is not None and seen != shape:
        raise ArcuateError(
            f"{path} has {seen[0]} rows × {seen[1]} columns, {shape[0]} × {shape[1]} expected. "
            "Download it again."
        )
    return BrainResponses(
        dataset=name, subject=subject, kind="isolated", responses=values, stimuli=words, excluded=notes
    )


def _dataset(name: str, title: str, glob: str, subject_in_name: str, citation: str, shape: tuple[int, int],
             empty_word: str = "refuse") -> ResponseDataset:  # fmt: skip
    where: dict[str, Any] = {"name": name, "glob": glob, "subject_in_name": subject_in_name}
    return ResponseDataset(
        name=name, title=title, kind="isolated",
        licence="none stated for these copies; the underlying data have their own terms",
        source="CogniVal (ETH Zürich, DS3Lab)", citation=f"{citation}; {CITATION}",
        files=glob, marker=glob,
        subjects=partial(subjects, **where),
        read=partial(read, **where, shape=shape, empty_word=empty_word),
    )  # fmt: skip


_MITCHELL = "Mitchell et al. 2008, Science 320:1191"
_WEHBE = "Wehbe et al. 2014, PLoS ONE 9:e112575"
_BRODERICK = "Broderick et al. 2018, Current Biology 28:803"
COGNIVAL = {
    dataset.name: dataset
    for dataset in (
        _dataset("cognival-mitchell2008", "Words of Mitchell 2008: 60 nouns, 1000 random voxels, 9 subjects",
                 "scaled_1000_mitchell_targets_*.txt*", r"targets_(\d+)\.txt", _MITCHELL,
                 (60, 1000)),
        # Each file has one row without a word; whoever asks for this dataset asks for it to be left out.
        _dataset("cognival-wehbe2014", "Word types of Harry Potter ch. 9: 1294 (the row without a word "
                 "is left out), 100 random voxels, 8 subjects",
                 "scaled_100_wehbe_targets_*.txt*", r"targets_(\d+)\.txt", _WEHBE, (1295, 100), "drop"),
        _dataset("cognival-n400", "EEG averaged by word type: N400 sentences, 140 words, 130 columns",
                 "n400_scaled.txt*", r"^(n400)_", _BRODERICK, (140, 130)),
        _dataset("cognival-naturalspeech", "EEG averaged by word type: speech, 1629 words, 130 columns",
                 "naturalspeech_scaled.txt*", r"^(naturalspeech)_", _BRODERICK, (1629, 130)),
        _dataset("cognival-ucl", "EEG averaged by word type: UCL sentences, 711 words, 34 columns",
                 "ucl_scaled.txt*", r"^(ucl)_", "Frank et al. 2015, Brain & Language 140:1", (711, 34)),
    )
}  # fmt: skip
