"""Alice (Brennan et al. 2016): chapter 1 of Alice in Wonderland heard in the scanner, six regions.

362 scans (TR 2 s) of 27 usable subjects. The ten volumes before them were discarded while the clock of the
TextGrid kept running, so row i lies at 20 + 2·i seconds of TextGrid time. Published code started at 0.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from arcuate.datasets.response_dataset import ResponseDataset, Subjects
from arcuate.datasets.response_files import check_finite, existing_folder, file_of, files_by_subject
from arcuate.datasets.responses import BrainResponses, TimedWords
from arcuate.datasets.textgrid import read_textgrid
from arcuate.errors import ArcuateError

TR_S = 2.0
ONSET_OF_FIRST_SCAN_S = 20.0
N_SCANS = 362
REGIONS = ("LATL", "RATL", "LPTL", "LIPL", "LPreM", "LIFG")

# Slips of the transcript, by onset in seconds: (as published, as spoken).
CORRECTIONS = {
    "Zeland": "Zealand",
    "happpens": "happens",
}
CORRECTIONS_AT = {463.445: ("though", "through"), 477.072: ("know", "knew")}


def read_words(root: Path, spelling: str = "corrected") -> tuple[TimedWords, tuple[str, ...]]:
    """The 2127 words with their times on the TextGrid's clock, and notes on the corrected slips.

    Parameters
    ----------
    spelling : {"corrected", "published"}
        Four words are misspelt or misheard in the published transcript; "published" leaves them.

    Examples
    --------
    >>> read_words(Path("nowhere"))
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: alice: nowhere is not a folder. Give the folder that holds its files.
    """
    if spelling not in ("corrected", "published"):
        raise ArcuateError(f"alice: spelling is {spelling!r}. Use 'corrected' or 'published'.")
    grids = sorted(existing_folder(root, "alice").rglob("*.TextGrid"))
    if len(grids) != 1:
        raise ArcuateError(
            f"alice: {len(grids)} TextGrid files under {root}, one was expected. "
            "Give the folder with alice_data_shared and alice_stim_shared."
        )
    timed = read_textgrid(grids[0])
    return (timed, ()) if spelling == "published" else _corrected(timed)


def _corrected(timed: TimedWords) -> tuple[TimedWords, tuple[str, ...]]:
    words = list(timed.words)
    notes = []
    for index, (word, onset) in enumerate(zip(timed.words, timed.onsets, strict=True)):
        spoken = CORRECTIONS.get(word)
        for time, (published, meant) in CORRECTIONS_AT.items():
            # The times are given to the millisecond.
            if word == published and abs(onset - time) < 1e-3:
                spoken = meant
        if spoken:
            words[index] = spoken
            notes.append(f"transcript corrected at {onset:.3f} s: {word!r} to {spoken!r}")
    return TimedWords(tuple(words), timed.onsets, timed.offsets), tuple(notes)


def subjects(root: Path, radius: str = "10mm") -> Subjects:
    """The subjects with a signal; those whose file is all zeros are named as left out.

    Examples
    --------
    >>> subjects(Path("nowhere"))
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: alice: nowhere is not a folder. Give the folder that holds its files.
    """
    names, excluded = [], []
    for name, path in _files(root, radius).items():
        if _timecourses(path).any():
            names.append(name)
        else:
            excluded.append(f"{name}: every value of {path.name} is 0")
    return Subjects(tuple(names), tuple(excluded))


def read(root: Path, subject: str, *, radius: str = "10mm", spelling: str = "corrected") -> BrainResponses:
    """One subject's 362 scans of six regions, with the words on the same clock.

    Examples
    --------
    >>> read(Path("nowhere"), "s18")
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: alice: nowhere is not a folder. Give the folder that holds its files.
    """
    path = file_of(subject, _files(root, radius), "alice")
    responses = _timecourses(path)
    if not responses.any():
        raise ArcuateError(f"alice: {path} holds only zeros. Leave subject {subject} out.")
    words, notes = read_words(root, spelling)
    return BrainResponses(
        dataset="alice", subject=subject, kind="continuous", responses=responses, stimuli=words,
        tr=TR_S, onset_of_first_scan_s=ONSET_OF_FIRST_SCAN_S,
        rois={region: np.array([column]) for column, region in enumerate(REGIONS)}, excluded=notes,
    )  # fmt: skip


def _files(root: Path, radius: str) -> dict[str, Path]:
    folders = [f for f in existing_folder(root, "alice").rglob(radius) if f.is_dir()]
    if len(folders) != 1:
        raise ArcuateError(
            f"alice: {len(folders)} folders named {radius} under {root}, one was expected. "
            "Give the folder that holds alice_data_shared; the radius is 10mm or 6mm."
        )
    return files_by_subject(folders[0], "s*-timecourses.txt", r"^(s\d+)-", "alice")


def _timecourses(path: Path) -> np.ndarray:
    """Split at whitespace: a minus sign takes one of the blanks, so fixed separators fail."""
    rows = [line.split() for line in path.read_text(encoding="ascii").splitlines() if line.strip()]
    for number, row in enumerate(rows, start=1):
        if len(row) != len(REGIONS):
            raise ArcuateError(
                f"{path}, line {number}: {len(row)} values, {len(REGIONS)} expected "
                f"({' '.join(REGIONS)}). Download the file again."
            )
    if len(rows) != N_SCANS:
        raise ArcuateError(f"{path}: {len(rows)} scans, {N_SCANS} expected. Download the file again.")
    try:
        values = np.array(rows, dtype=np.float64)
    except ValueError as error:
        raise ArcuateError(f"{path}: {error}. Download the file again.") from error
    check_finite(values, str(path))
    return values


def _dataset(name: str, radius: str) -> ResponseDataset:
    return ResponseDataset(
        name=name,
        title=f"Alice: 27 subjects heard chapter 1; 362 scans, six regions of {radius} radius",
        kind="continuous",
        licence="CC BY 4.0",
        source="University of Michigan, computational neurolinguistics lab",
        citation="Brennan, Stabler, Van Wagenen, Luh & Hale 2016, Brain & Language 157-158:81-94",
        files="alice_data_shared/{10mm,6mm}/s*-timecourses.txt, alice_stim_shared/*.TextGrid",
        marker=f"{radius}/s*-timecourses.txt",
        subjects=partial(subjects, radius=radius),
        read=partial(read, radius=radius),
        paper_name="alice" if radius == "10mm" else "",
    )


ALICE = _dataset("alice", "10mm")
ALICE_6MM = _dataset("alice-6mm", "6mm")
