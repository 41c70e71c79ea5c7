"""Narratives for encoding: a subject's stories as runs of one time course, with the words heard.

Preprocessed images (fMRIPrep or the cleaned AFNI derivatives) and the time-stamped transcripts are needed;
OpenNeuro's own tree has neither, so the root is a DataLad clone with `derivatives/` and `stimuli/gentle/`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from arcuate.datasets.narratives.images import DEFAULT_SPACE, PIPELINES, Images, images_of, read_frames
from arcuate.datasets.narratives.runs import StoryRun, read_runs
from arcuate.datasets.narratives.transcripts import AlignedWord, find_transcripts, read_alignment
from arcuate.datasets.response_dataset import ResponseDataset, Subjects
from arcuate.datasets.response_files import existing_folder
from arcuate.datasets.responses import BrainResponses, TimedWords
from arcuate.errors import ArcuateError

# Seconds between runs on the joint clock: longer than any haemodynamic response.
BETWEEN_RUNS_S = 60.0
# A word's end is not read; no alignment uses it.
WORD_S = 0.3


def subjects(root: Path, space: str) -> Subjects:
    """Subjects with at least one usable story; what is left out, by scan, with the reason.

    Examples
    --------
    >>> subjects(Path("nowhere"), "fsaverage6")
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: narratives: nowhere is not a folder. Give the folder that holds its files.
    """
    usable, left_out = _usable(existing_folder(root, "narratives"), space)
    return Subjects(tuple(sorted({run.subject for run, _ in usable})), tuple(left_out))


def read(root: Path, subject: str, *, space: str, name: str) -> BrainResponses:
    """All usable stories of a subject; columns that are NaN or constant in a story lie outside the brain.

    Examples
    --------
    >>> read(Path("nowhere"), "sub-001", space="fsaverage6", name="narratives-fsaverage6")
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: narratives: nowhere is not a folder. Give the folder that holds its files.
    """
    usable, _ = _usable(existing_folder(root, "narratives"), space)
    own = [(run, images) for run, images in usable if run.subject == subject]
    if not own:
        known = ", ".join(sorted({run.subject for run, _ in usable}))
        raise ArcuateError(f"narratives: there is no subject {subject!r}. Found: {known}.")
    frames = [_story_frames(run, images) for run, images in own]
    widths = {part.shape[1] for part in frames}
    if len(widths) != 1:
        raise ArcuateError(f"narratives: the scans of {subject} have {sorted(widths)} voxels. Use one space for all.")
    inside = np.logical_and.reduce([np.isfinite(part).all(axis=0) & (np.ptp(part, axis=0) > 0) for part in frames])
    words, times, runs = _on_one_clock([run for run, _ in own], find_transcripts([Path(root)]))
    outside = int((~inside).sum())
    return BrainResponses(
        dataset=name, subject=subject, kind="continuous", stimuli=words, tr=own[0][0].tr, scan_times_s=times, runs=runs,
        responses=np.concatenate([part[:, inside] for part in frames]),
        coordinates=_coordinates(own[0][1], inside),
        excluded=(f"{outside} of {len(inside)} voxels are NaN or constant: outside the brain",) if outside else (),
    )  # fmt: skip


def _usable(root: Path, space: str) -> tuple[list[tuple[StoryRun, Images]], list[str]]:
    transcripts = find_transcripts([root])
    usable, left_out = [], []
    for run in read_runs(root):
        images = _images(root, run.stem, space)
        if run.excluded:
            left_out.append(f"{run.stem}: excluded by the dataset's authors")
        elif run.part.stim not in transcripts:
            left_out.append(f"{run.stem}: no transcript of {run.part.stim}")
        elif images.state != "here":
            left_out.append(f"{run.stem}: {space} images are {images.state}")
        else:
            usable.append((run, images))
    if not usable:
        why = "; ".join(left_out[:3]) or "no scan was found"
        raise ArcuateError(f"narratives: no story under {root} has {space} images and a transcript ({why}).")
    return usable, left_out


def _images(root: Path, stem: str, space: str) -> Images:
    """Of the pipeline that did most: unsmoothed cleaned images first, then smoothed, then fMRIPrep's own."""
    for pipeline in reversed(PIPELINES):
        found = images_of([root], stem, pipeline, space)
        if found.files:
            return found
    return Images(())


def _story_frames(run: StoryRun, images: Images) -> np.ndarray:
    frames = read_frames(images, run.part.onset_tr(run.tr), run.n_trs)
    return frames.reshape(len(frames), -1)


def _on_one_clock(
    runs: Sequence[StoryRun], transcripts: dict[str, Path]
) -> tuple[TimedWords, np.ndarray, np.ndarray]:
    words: list[str] = []
    onsets: list[float] = []
    times, numbers = [], []
    clock = 0.0
    for number, run in enumerate(runs):
        if abs(run.tr - runs[0].tr) > 1e-6:
            raise ArcuateError(f"narratives: TR {run.tr:g} s in {run.stem}, {runs[0].tr:g} s in {runs[0].stem}.")
        first = run.part.onset_tr(run.tr) * run.tr
        heard = _timed(read_alignment(transcripts[run.part.stim]))
        # Times of words count from the start of the audio file, those of volumes from the start of the scan.
        inside = [(w, t) for w, t in heard if first <= run.part.audio_start + t < first + run.n_trs * run.tr]
        words += [word for word, _ in inside]
        onsets += [clock + run.part.audio_start + t - first for _, t in inside]
        times.append(clock + run.tr * np.arange(run.n_trs))
        numbers.append(np.full(run.n_trs, number))
        clock += run.tr * run.n_trs + BETWEEN_RUNS_S
    at = np.array(onsets)
    return TimedWords(tuple(words), at, at + WORD_S), np.concatenate(times), np.concatenate(numbers)


def _timed(words: Sequence[AlignedWord]) -> list[tuple[str, float]]:
    return [(word.word, word.onset) for word in words if word.onset is not None]


def _coordinates(images: Images, inside: np.ndarray) -> np.ndarray | None:
    """Millimetres of a volume's voxels; vertices of a surface have no place in a volume."""
    if images.is_surface:
        return None
    import nibabel

    image: Any = nibabel.load(images.files[0])
    indices = np.argwhere(np.ones(image.shape[:3], dtype=bool))[inside]
    return nibabel.affines.apply_affine(image.affine, indices)


def _dataset(name: str, space: str, what: str) -> ResponseDataset:
    return ResponseDataset(
        name=name, title=f"Narratives: spoken stories, up to 345 subjects, {what}", kind="continuous", licence="CC0",
        source="OpenNeuro ds002345; derivatives and transcripts by DataLad (labs/hasson/narratives)",
        citation="Nastase et al. 2021, Scientific Data 8:250",
        files=f"derivatives/PIPELINE/sub-*/func/*_space-{space}*, stimuli/gentle/*/align.csv",
        marker=f"derivatives/*/sub-*/func/*_space-{space}_*",
        subjects=partial(subjects, space=space), read=partial(read, space=space, name=name),
        space="mni" if space == DEFAULT_SPACE else "",
    )  # fmt: skip


NARRATIVES = {
    one.name: one
    for one in (
        _dataset("narratives-fsaverage6", "fsaverage6", "fsaverage6 surface"),
        _dataset("narratives-mni", DEFAULT_SPACE, "MNI volume"),
    )
}
