"""Any fMRI in NIfTI with timed words beside it, through nilearn.

Layout (BIDS names, folders as you like): `sub-01_task-x[_run-1]..._bold.nii[.gz]`, beside each an
`..._events.tsv` with `onset`, `duration` and `word`, and one brain mask `mask.nii[.gz]` (or one a subject,
`sub-01_..._mask.nii[.gz]`). Runs are put on one clock, one after another.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from arcuate.datasets.response_dataset import ResponseDataset, Subjects
from arcuate.datasets.response_files import check_finite, existing_folder
from arcuate.datasets.responses import BrainResponses, TimedWords
from arcuate.errors import ArcuateError, MissingExtra

NAME = "nifti"
# Seconds between runs on the joint clock: longer than any haemodynamic response.
BETWEEN_RUNS_S = 60.0


@dataclass(frozen=True)
class _Run:
    bold: Path
    events: Path


def subjects(root: Path) -> Subjects:
    """The subjects whose bold files are under `root`.

    Examples
    --------
    >>> subjects(Path("nowhere"))
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: nifti: nowhere is not a folder. Give the folder that holds its files.
    """
    return Subjects(tuple(_runs(root)))


def read(root: Path, subject: str) -> BrainResponses:
    """All runs of one subject, masked, not smoothed, detrended or scaled.

    Examples
    --------
    >>> read(Path("nowhere"), "01")
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: nifti: nowhere is not a folder. Give the folder that holds its files.
    """
    runs = _runs(root)
    if subject not in runs:
        raise ArcuateError(f"{NAME}: there is no subject {subject!r}. Found: {', '.join(runs)}.")
    mask = _mask(root, subject)
    return read_runs(
        [run.bold for run in runs[subject]], [run.events for run in runs[subject]], mask, subject=subject
    )


def read_runs(
    bold: list[Path],
    events: list[Path],
    mask: Path,
    *,
    subject: str = "1",
    tr: float | None = None,
    dataset: str = NAME,
) -> BrainResponses:
    """Named files of one subject, one bold and one events file a run.

    Parameters
    ----------
    tr : float, optional
        Seconds between scans; the header's by default.

    Examples
    --------
    >>> read_runs([Path("a_bold.nii")], [], Path("mask.nii"))
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: 1 bold files but 0 events files. Give one events file a bold file.
    """
    if len(bold) != len(events):
        raise ArcuateError(
            f"{len(bold)} bold files but {len(events)} events files. Give one events file a bold file."
        )
    masker = _masker(mask)
    signals, times, run_of_scan = [], [], []
    words: list[str] = []
    onsets: list[float] = []
    offsets: list[float] = []
    clock, first_tr = 0.0, None
    for number, (image, table) in enumerate(zip(bold, events, strict=True)):
        signal, image_tr = _signal(image, masker, tr)
        if first_tr is not None and abs(image_tr - first_tr) > 1e-6:
            raise ArcuateError(
                f"{image}: TR {image_tr:g} s but {first_tr:g} s in {bold[0]}. Read them apart."
            )
        first_tr = image_tr
        for word, onset, duration in read_events(table):
            words.append(word)
            onsets.append(clock + onset)
            offsets.append(clock + onset + duration)
        signals.append(signal)
        times.append(clock + image_tr * np.arange(len(signal)))
        run_of_scan.append(np.full(len(signal), number))
        clock += image_tr * len(signal) + BETWEEN_RUNS_S
    order = np.argsort(onsets, kind="stable")
    return BrainResponses(
        dataset=dataset, subject=subject, kind="continuous", responses=np.concatenate(signals),
        stimuli=TimedWords(tuple(words[i] for i in order), np.array(onsets)[order], np.array(offsets)[order]),
        tr=first_tr, scan_times_s=np.concatenate(times), runs=np.concatenate(run_of_scan),
        coordinates=_coordinates(mask), mask_image=mask,
    )  # fmt: skip


def read_events(path: Path) -> list[tuple[str, float, float]]:
    """(word, onset, duration) of a BIDS events table; `word` may also be called `trial_type`.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "events.tsv"
    >>> _ = path.write_text("onset\\tduration\\tword\\n0.5\\t0.3\\tnull\\n")
    >>> read_events(path)
    [('null', 0.5, 0.3)]
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    except (OSError, UnicodeDecodeError) as error:
        raise ArcuateError(f"{path} cannot be read ({error}).") from error
    columns = list(rows[0]) if rows else []
    column = next((name for name in ("word", "trial_type") if name in columns), None)
    if column is None or "onset" not in columns or "duration" not in columns:
        raise ArcuateError(
            f"{path} has the columns {', '.join(map(str, columns)) or 'none'}. onset, duration and "
            "word are needed."
        )
    events = []
    for number, row in enumerate(rows, start=2):
        try:
            onset, duration = float(row["onset"]), float(row["duration"])
        except (TypeError, ValueError) as error:
            raise ArcuateError(
                f"{path}, line {number}: onset {row['onset']!r}, duration {row['duration']!r}. Give seconds."
            ) from error
        if not (np.isfinite(onset) and duration >= 0 and (row[column] or "").strip()):
            raise ArcuateError(
                f"{path}, line {number}: {dict(row)}. Give a word, an onset and a duration >= 0."
            )
        events.append((row[column].strip(), onset, duration))
    return events


def _masker(mask: Path) -> Any:
    try:
        from nilearn.maskers import NiftiMasker
    except ImportError as error:
        raise MissingExtra("nilearn", "encoding") from error
    # What nilearn could fit here (detrending, scaling) belongs into the fold, so all of it is off.
    return NiftiMasker(mask_img=str(mask), standardize=None, detrend=False, smoothing_fwhm=None).fit()


def _signal(path: Path, masker: Any, tr: float | None) -> tuple[np.ndarray, float]:
    import nibabel

    try:
        image: Any = nibabel.load(path)
        if len(image.shape) != 4:
            raise ArcuateError(f"{path} has shape {image.shape}. A bold image has four dimensions.")
        if image.shape[:3] != masker.mask_img_.shape or not np.allclose(
            image.affine, masker.mask_img_.affine
        ):
            raise ArcuateError(
                f"{path} has the grid {image.shape[:3]} but the mask {masker.mask_img_.shape}, or "
                "another affine. "
                "Resample the mask to the bold image."
            )
        signal = masker.transform(image)
    except (OSError, EOFError, ValueError) as error:
        raise ArcuateError(f"{path} cannot be read ({error}). Is it fetched and whole?") from error
    check_finite(signal, str(path))
    seconds = float(image.header.get_zooms()[3]) if tr is None else tr
    if not 0.1 < seconds < 30:
        raise ArcuateError(f"{path}: its header says TR {seconds:g} s. Give tr=SECONDS.")
    return signal, seconds


def _coordinates(mask: Path) -> np.ndarray:
    """Millimetres of the mask's voxels, in the order of the masker's columns."""
    import nibabel

    image: Any = nibabel.load(mask)
    indices = np.argwhere(np.asarray(image.dataobj) != 0)
    return nibabel.affines.apply_affine(image.affine, indices)


def _runs(root: Path) -> dict[str, list[_Run]]:
    found: dict[str, list[_Run]] = {}
    for bold in sorted(existing_folder(root, NAME).rglob("sub-*_bold.nii*")):
        if not bold.exists():
            raise ArcuateError(
                f"{bold} is a link to a file that is not fetched. Fetch it (datalad get) first."
            )
        subject = re.match(r"sub-([A-Za-z0-9]+)_", bold.name)
        if subject is None:
            continue
        found.setdefault(subject.group(1), []).append(_Run(bold, _events_of(bold)))
    if not found:
        raise ArcuateError(f"{NAME}: no file named sub-*_bold.nii or .nii.gz under {root}.")
    return found


def _events_of(bold: Path) -> Path:
    """The events file beside it: the same subject, task and run, whatever space or desc says."""
    stem = re.sub(r"_(space|res|desc|echo)-[A-Za-z0-9]+", "", re.sub(r"_bold\.nii(\.gz)?$", "", bold.name))
    events = bold.with_name(f"{stem}_events.tsv")
    if not events.is_file():
        raise ArcuateError(f"{bold} has no {events.name} beside it. It needs onset, duration and word.")
    return events


def _mask(root: Path, subject: str) -> Path:
    own = sorted(Path(root).rglob(f"sub-{subject}_*mask.nii*"))
    found = own or sorted([*Path(root).rglob("mask.nii"), *Path(root).rglob("mask.nii.gz")])
    if len(found) != 1:
        raise ArcuateError(
            f"{NAME}: {len(found)} masks for subject {subject} under {root}, one was expected: "
            f"mask.nii.gz, or sub-{subject}_..._mask.nii.gz."
        )
    return found[0]


NIFTI = ResponseDataset(
    name=NAME,
    title="Your own fMRI: NIfTI runs with timed words (BIDS events) and a mask",
    kind="continuous",
    licence="yours",
    source="your own files",
    citation="",
    files="sub-*_bold.nii.gz, sub-*_events.tsv (onset, duration, word), mask.nii.gz",
    marker="sub-*_bold.nii*",
    subjects=subjects,
    read=read,
    space="mni",
)
