"""Harry (Wehbe et al. 2014): chapter 9 of Harry Potter, a word every 0.5 s, 1351 scans in 4 runs, 8 readers.

The published files are neither smoothed nor detrended. Tokens carry markup: '@' around words, '+' as a break.
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
    vector,
)
from arcuate.datasets.responses import BrainResponses, TimedWords
from arcuate.errors import ArcuateError

NAME = "wehbe2014"
TR_S = 2.0
BREAK_MARK = "+"


def subjects(root: Path) -> Subjects:
    """Subjects 1 to 8, as far as their files are under `root`.

    Examples
    --------
    >>> subjects(Path("nowhere"))
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: wehbe2014: nowhere is not a folder. Give the folder that holds its files.
    """
    return Subjects(tuple(_files(root)))


def read(root: Path, subject: str) -> BrainResponses:
    """One subject's scans by run, with the words on the same clock.

    Examples
    --------
    >>> read(Path("nowhere"), "1")
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: wehbe2014: nowhere is not a folder. Give the folder that holds its files.
    """
    path = file_of(subject, _files(root), NAME)
    content = load_mat(path, ("data", "time", "words", "meta"))
    responses = np.asarray(content["data"])
    times, runs = _times(np.asarray(content["time"], dtype=np.float64), len(responses), path)
    check_finite(responses, f"{path}: data")
    meta = structs(content["meta"])[0]
    words, notes = _words(structs(content["words"]), path)
    return BrainResponses(
        dataset=NAME, subject=subject, kind="continuous", responses=responses, stimuli=words,
        tr=TR_S, onset_of_first_scan_s=float(times[0]), scan_times_s=times, runs=runs,
        coordinates=_coordinates(meta, responses.shape[1], path),
        rois=_regions(meta, responses.shape[1], path), excluded=notes,
    )  # fmt: skip


def _files(root: Path) -> dict[str, Path]:
    return files_by_subject(root, "subject_*.mat", r"^subject_(\d+)\.mat$", NAME)


def _times(time: np.ndarray, n_scans: int, path: Path) -> tuple[np.ndarray, np.ndarray]:
    if time.shape != (n_scans, 2):
        raise ArcuateError(
            f"{path}: time has shape {time.shape} but data {n_scans} scans; ({n_scans}, 2) expected. "
            "Download it again."
        )
    steps = np.diff(time[:, 0])
    if not (np.isfinite(time).all() and (steps > 0).all()):
        raise ArcuateError(f"{path}: the seconds in time do not rise from scan to scan. Download it again.")
    runs = time[:, 1].astype(np.int64)
    within = steps[np.diff(runs) == 0]
    if within.size and not np.allclose(within, TR_S, atol=0.1):
        raise ArcuateError(
            f"{path}: scans of a run are {within.min():g} to {within.max():g} s apart, {TR_S:g} s expected."
        )
    return time[:, 0], runs


def _words(words: list[Any], path: Path) -> tuple[TimedWords, tuple[str, ...]]:
    kept, onsets, offsets = [], [], []
    for index, word in enumerate(words):
        where = f"{path}: words({index + 1})"
        token = text(member(word, "text", where)).replace("@", "").strip()
        start = number(member(word, "start", where), f"{where}.start")
        if token in ("", BREAK_MARK):
            continue
        kept.append(token)
        onsets.append(start)
        offsets.append(start + number(member(word, "length", where), f"{where}.length"))
    if not kept:
        raise ArcuateError(f"{path}: words holds no words. Download it again.")
    dropped = len(words) - len(kept)
    notes = (
        (f"{dropped} of {len(words)} tokens are break marks ('+') or empty and no words",) if dropped else ()
    )
    return TimedWords(tuple(kept), np.array(onsets), np.array(offsets)), notes


def _coordinates(meta: Any, n_voxels: int, path: Path) -> np.ndarray | None:
    """Millimetres in MNI space. `matrix` is MATLAB's, so it takes the file's 1-based indices."""
    if not (hasattr(meta, "colToCoord") and hasattr(meta, "matrix")):
        return None
    indices = np.asarray(meta.colToCoord, dtype=np.float64)
    matrix = np.asarray(meta.matrix, dtype=np.float64)
    if indices.shape != (n_voxels, 3) or matrix.shape != (4, 4):
        raise ArcuateError(
            f"{path}: meta.colToCoord {indices.shape} and meta.matrix {matrix.shape} do not fit "
            f"{n_voxels} data columns. Download it again."
        )
    return indices @ matrix[:3, :3].T + matrix[:3, 3]


def _regions(meta: Any, n_voxels: int, path: Path) -> dict[str, np.ndarray]:
    """Region -> columns. Names count from 1; 0 is the last name, 'Not_labelled'."""
    if not (hasattr(meta, "colToROInum") and hasattr(meta, "ROInumToName")):
        return {}
    numbers = vector(meta.colToROInum).astype(np.int64)
    names = [text(name) for name in structs(meta.ROInumToName)]
    if len(numbers) != n_voxels or numbers.min() < 0 or numbers.max() > len(names):
        raise ArcuateError(
            f"{path}: meta.colToROInum has {len(numbers)} numbers from {numbers.min()} to {numbers.max()}, "
            f"but there are {n_voxels} voxels and {len(names)} region names. Download it again."
        )
    return {names[n - 1]: np.flatnonzero(numbers == n) for n in np.unique(numbers)}


WEHBE2014 = ResponseDataset(
    name=NAME,
    title="Harry: chapter 9 read word by word, 1351 scans in 4 runs, 8 subjects, about 38,000 voxels",
    kind="continuous",
    licence="none stated",
    source="Carnegie Mellon University, 'plosone' data page of the paper",
    citation="Wehbe et al. 2014, PLoS ONE 9:e112575",
    files="subject_1.mat ... subject_8.mat",
    marker="subject_[0-9]*.mat",
    subjects=subjects,
    read=read,
    paper_name="harry",
    space="mni",
)
