"""ZuCo as samples: one sentence read by one subject, with one 840-value frame a fixated word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from arcuate.datasets.prepared import Plan, Run
from arcuate.datasets.zuco.files import (
    EXCLUDED_BY_AUTHORS,
    ROWS,
    SUBJECTS,
    UNRECORDED,
    ResultsFile,
    find_results,
    read_sentences,
)
from arcuate.datasets.zuco.materials import ListedSentence, read_materials
from arcuate.datasets.zuco.sentences import MEASURES, Absent, Sentence, judge
from arcuate.errors import ArcuateError, UnknownName

WITHOUT_WORDS = f"not recorded ({Absent.MISSING.value})"


@dataclass(frozen=True, kw_only=True)
class ZucoOptions:
    """What to read and how strictly.

    Parameters
    ----------
    measure
        Which reading measure's band vectors: GD (gaze duration, as published), FFD or TRT.
    tasks, subjects
        Only these; all by default (YMH, whom the authors exclude, only if named).
    keep_partial
        Leave out words whose EEG was rejected instead of their whole sentence.
    published_reader
        Repeat the faults of the published ZuCo 2.0 reader, to compare with published numbers.
    """

    measure: str = "GD"
    tasks: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    keep_partial: bool = False
    published_reader: bool = False

    def __post_init__(self) -> None:
        if self.measure not in MEASURES:
            raise UnknownName("Reading measure", self.measure, MEASURES)
        for task in self.tasks:
            if task not in ("SR", "NR", "TSR"):
                raise UnknownName("ZuCo task", task, ("SR", "NR", "TSR"))


def plan_zuco(root: Path, options: ZucoOptions, versions: Sequence[str] = ("1.0", "2.0")) -> Plan:
    """The results files under `root`; where there are none, the sentence lists alone.

    Examples
    --------
    >>> import tempfile
    >>> plan_zuco(Path(tempfile.mkdtemp()), ZucoOptions())
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: ... holds neither results{SUBJECT}_{TASK}.mat files nor sentence lists...
    """
    files, notes = find_results(root)
    files = [file for file in files if file.version in versions]
    if not files and "1.0" in versions:
        return _planned(root, options)
    files, more = _chosen(files, options)
    if not files:
        raise ArcuateError(
            f"{root} holds no results{{SUBJECT}}_{{TASK}}.mat files of ZuCo {' or '.join(versions)} that match "
            "the options. Download the 'Matlab files' folders, or widen --tasks and --subjects."
        )
    return Plan(
        dataset="zuco", modality="eeg", kind="samples", n_runs=len(files), options=asdict(options),
        runs=(read_run(file, options) for file in files), notes=[*notes, *more],
    )


def _chosen(files: list[ResultsFile], options: ZucoOptions) -> tuple[list[ResultsFile], list[str]]:
    if options.subjects:
        missing = set(options.subjects) - {file.subject for file in files}
        if missing:
            raise UnknownName("ZuCo subject", min(missing), {file.subject for file in files})
    notes, chosen = [], []
    for file in files:
        if options.tasks and file.task not in options.tasks:
            continue
        if options.subjects and file.subject not in options.subjects:
            continue
        if file.subject in EXCLUDED_BY_AUTHORS and file.subject not in options.subjects:
            notes.append(f"{file.path.name}: excluded by the dataset's authors; name the subject to keep it")
            continue
        chosen.append(file)
    return chosen, notes


def read_run(file: ResultsFile, options: ZucoOptions) -> Run:
    """All usable sentences of one subject in one task.

    Examples
    --------
    >>> read_run(ResultsFile(Path("resultsZAB_SR.mat"), "ZAB", "SR", "1.0"), ZucoOptions())
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: resultsZAB_SR.mat cannot be read: No such file or directory.
    """
    columns: dict[str, list[Any]] = {name: [] for name in
                                     ("sample", "subject", "story", "text", "row", "run", "start", "n_frames")}
    frames, rejected, unrecorded, n_frames, n_rows, corrected = [], Counter[str](), [], 0, 0, 0
    for sentence in read_sentences(file, options.measure, options.published_reader):
        n_rows += 1
        corrected += sentence.text != sentence.content
        if isinstance(sentence.words, Absent) and not options.published_reader:
            unrecorded.append(sentence.index)
        verdict = judge(sentence, options.keep_partial)
        if isinstance(verdict, str):
            rejected[verdict] += 1
            continue
        _add_row(columns, file, sentence, start=n_frames, length=len(verdict))
        frames.append(verdict)
        n_frames += len(verdict)
    if not (columns["sample"] or options.published_reader) and set(rejected) == {WITHOUT_WORDS}:
        raise ArcuateError(f"{file.path}: no sentence has the field 'word'. Is it a ZuCo results file?")
    notes = _notes(file, n_rows, unrecorded, corrected, options)
    return Run(
        name=file.name, rows=columns, frames=lambda: np.concatenate(frames), rejected=rejected, notes=notes,
        meta={"subject": file.subject, "task": file.task, "version": file.version, "measure": options.measure},
    )


def _add_row(columns: dict[str, list[Any]], file: ResultsFile, sentence: Sentence, start: int, length: int) -> None:
    if not sentence.text.strip():
        raise ArcuateError(f"{file.path}, sentence {sentence.index}: the text is empty. Download it again.")
    row = (f"{file.name}_{sentence.index:03d}", file.subject, file.story, sentence.text, sentence.index,
           file.name, start, length)
    for column, value in zip(columns.values(), row, strict=True):
        column.append(value)


def _notes(
    file: ResultsFile, n_rows: int, unrecorded: list[int], corrected: int, options: ZucoOptions
) -> list[str]:
    notes = []
    expected = ROWS.get((file.version, file.task))
    if expected is not None and n_rows != expected:
        notes.append(f"{file.path.name}: {n_rows} sentences, {expected} are published")
    elif file.version == "1.0" and not options.published_reader:
        known = [row for first, last in UNRECORDED.get((file.subject, file.task), ())
                 for row in range(first, last + 1)]
        if known != unrecorded:
            notes.append(
                f"{file.path.name}: {len(unrecorded)} sentences are not recorded where the official loader "
                f"names {len(known)}"
            )
    if corrected:
        notes.append(f"{file.path.name}: typing debris corrected in {corrected} sentences")
    return notes


def _planned(root: Path, options: ZucoOptions) -> Plan:
    """The design without signal: every subject of ZuCo 1.0 read every sentence."""
    sentences = [s for s in read_materials(root) if not options.tasks or s.task in options.tasks]
    if not sentences:
        raise ArcuateError(
            f"{root} holds neither results{{SUBJECT}}_{{TASK}}.mat files nor sentence lists "
            "(sentiment_labels_task1.csv, ...). See `arcuate datasets` for where they come from."
        )
    subjects = options.subjects or SUBJECTS["1.0"]
    return Plan(
        dataset="zuco", modality="eeg", kind="samples", n_runs=len(subjects), options=asdict(options),
        runs=(Run(name=subject, rows=_planned_rows(subject, sentences)) for subject in subjects),
        notes=["only the sentence lists are here: the table is the design (every subject read every sentence), "
               "without signals and without knowing which sentences were not recorded"],
    )


def _planned_rows(subject: str, sentences: Sequence[ListedSentence]) -> dict[str, list[Any]]:
    return {
        "sample": [f"{subject}_{s.task}_{s.index:03d}" for s in sentences],
        "subject": [subject] * len(sentences), "story": [s.task for s in sentences],
        "text": [s.sentence for s in sentences], "row": [s.index for s in sentences],
        "control": [s.control for s in sentences], "label": [s.label for s in sentences],
    }
