"""Words (Mitchell et al. 2008): 60 nouns with line drawings, six presentations each, nine subjects.

`data-science-P{1..9}.mat` holds one image a trial (mean of four scans, 4 s after onset, percent change).
The response to a noun is the mean of its presentations; the single presentations are kept beside it, since
stable voxels and the noise ceiling need them. Nothing is centred here: published code subtracts one grand
mean over words and voxels, the paper the mean image; both belong into the fold.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from arcuate.datasets.response_dataset import ResponseDataset, Subjects
from arcuate.datasets.response_files import (
    check_finite,
    file_of,
    files_by_subject,
    load_mat,
    member,
    number,
    structs,
    text,
)
from arcuate.datasets.responses import BrainResponses
from arcuate.errors import ArcuateError

NAME = "mitchell2008"


def subjects(root: Path) -> Subjects:
    """P1 to P9, as far as their files are under `root`.

    Examples
    --------
    >>> subjects(Path("nowhere"))
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: mitchell2008: nowhere is not a folder. Give the folder that holds its files.
    """
    return Subjects(tuple(_files(root)))


def read(root: Path, subject: str) -> BrainResponses:
    """One subject: nouns in the order of category and word number, presentations in that of their epoch.

    Examples
    --------
    >>> read(Path("nowhere"), "P1")
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: mitchell2008: nowhere is not a folder. Give the folder that holds its files.
    """
    path = file_of(subject, _files(root), NAME)
    content = load_mat(path, ("data", "info", "meta"))
    images = _images(content["data"], path)
    words, rows = _trials_by_word(structs(content["info"]), len(images), path)
    repetitions = images[rows]
    return BrainResponses(
        dataset=NAME, subject=subject, kind="isolated", stimuli=words,
        responses=repetitions.mean(axis=1), repetitions=repetitions,
        coordinates=_coordinates(structs(content["meta"])[0], images.shape[1], path),
    )  # fmt: skip


def _files(root: Path) -> dict[str, Path]:
    return files_by_subject(root, "data-science-P*.mat", r"data-science-(P\d+)\.mat$", NAME)


def _images(data: Any, path: Path) -> np.ndarray:
    images = [np.asarray(image, dtype=np.float64).ravel() for image in structs(data)]
    lengths = sorted({len(image) for image in images})
    if len(lengths) != 1:
        raise ArcuateError(
            f"{path}: data holds images of {lengths} voxels. All must be equal; download it again."
        )
    stacked = np.stack(images)
    check_finite(stacked, f"{path}: data")
    return stacked


def _trials_by_word(info: list[Any], n_images: int, path: Path) -> tuple[tuple[str, ...], np.ndarray]:
    """Words, and for each the rows of its trials: `info` counts, not the position in the file."""
    if len(info) != n_images:
        raise ArcuateError(f"{path}: info has {len(info)} trials but data {n_images}. Download it again.")
    trials: dict[str, dict[int, int]] = {}
    order: dict[str, tuple[float, float]] = {}
    for row, trial in enumerate(info):
        where = f"{path}: info({row + 1})"
        word = text(member(trial, "word", where))
        epoch = int(number(member(trial, "epoch", where), f"{where}.epoch"))
        if epoch in trials.setdefault(word, {}):
            raise ArcuateError(f"{where}: {word!r} occurs twice in epoch {epoch}. Is the file edited?")
        trials[word][epoch] = row
        order[word] = (
            number(member(trial, "cond_number", where), f"{where}.cond_number"),
            number(member(trial, "word_number", where), f"{where}.word_number"),
        )
    epochs = {tuple(sorted(of_word)) for of_word in trials.values()}
    if len(epochs) != 1:
        odd = min(trials, key=lambda word: len(trials[word]))
        raise ArcuateError(
            f"{path}: words differ in their presentations, e.g. {odd!r} has {len(trials[odd])}. "
            "Each word needs the same epochs; is the file cut off?"
        )
    words = tuple(sorted(trials, key=lambda word: order[word]))
    return words, np.array([[trials[word][epoch] for epoch in sorted(trials[word])] for word in words])


def _coordinates(meta: Any, n_voxels: int, path: Path) -> np.ndarray:
    """Voxel indices counted from 0; the file counts from 1."""
    coordinates = np.asarray(member(meta, "colToCoord", f"{path}: meta"), dtype=np.float64)
    if coordinates.shape != (n_voxels, 3):
        raise ArcuateError(
            f"{path}: meta.colToCoord has shape {coordinates.shape}, ({n_voxels}, 3) expected. "
            "Download it again."
        )
    return coordinates - 1


MITCHELL2008 = ResponseDataset(
    name=NAME,
    title="Words: 60 nouns with line drawings, 6 presentations, 9 subjects, about 20,000 voxels",
    kind="isolated",
    licence="none stated",
    source="Carnegie Mellon University, 'science2008' data page",
    citation="Mitchell et al. 2008, Science 320:1191",
    files="data-science-P1.mat ... data-science-P9.mat",
    marker="data-science-P*.mat",
    subjects=subjects,
    read=read,
    paper_name="words",
    space="voxel",
)
