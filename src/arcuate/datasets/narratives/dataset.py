"""Narratives as samples: windows of L volumes with the words heard in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from arcuate.datasets.narratives.images import DEFAULT_SPACE, PIPELINES, Images, images_of, read_frames, volume_shape
from arcuate.datasets.narratives.runs import StoryRun, read_runs
from arcuate.datasets.narratives.transcripts import find_transcripts, read_alignment, segment_texts, window_texts
from arcuate.datasets.prepared import Plan, Run
from arcuate.errors import ArcuateError, UnknownName

ANY = "any"
WITHIN_RUN = ("none", "zscore")


@dataclass(frozen=True, kw_only=True)
class NarrativesOptions:
    """Which scans, which signal, how long a window.

    Parameters
    ----------
    window
        L: volumes (and text segments) a sample.
    shape
        Voxels of the acquisition to keep, '64x64x27' as in the papers, or 'any'.
    keep_excluded
        Keep the scans that the dataset's authors exclude.
    exclude_scans
        More scans to leave out, as 'sub-001_task-pieman_run-1'.
    subjects, stories
        Only these; all by default.
    signals, space
        'raw', or a pipeline (fmriprep, afni-smooth, afni-nosmooth) and its space.
    transcripts
        A second root with the alignments (and derivatives, and code), since OpenNeuro's tree has none.
    within_run
        'zscore': each voxel over its own run. It sees all of a run, so it is no leak only where a run
        is never divided between parts; 'none' by default.
    """

    window: int = 10
    shape: str = "64x64x27"
    keep_excluded: bool = False
    exclude_scans: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    stories: tuple[str, ...] = ()
    signals: str = "raw"
    space: str = DEFAULT_SPACE
    transcripts: str = ""
    within_run: str = "none"

    def __post_init__(self) -> None:
        if self.window < 1:
            raise ArcuateError(f"window is {self.window}. Give 1 or more volumes.")
        if self.signals not in ("raw", *PIPELINES):
            raise UnknownName("Signal source", self.signals, ("raw", *PIPELINES))
        if self.within_run not in WITHIN_RUN:
            raise UnknownName("Scaling within runs", self.within_run, WITHIN_RUN)


def plan_narratives(root: Path, options: NarrativesOptions) -> Plan:
    """Samples where images are on disk, else the runs table alone.

    Examples
    --------
    >>> plan_narratives(Path("nowhere"), NarrativesOptions())
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: nowhere holds neither sub-*/func folders nor runs.csv...
    """
    roots = [root, *([Path(options.transcripts)] if options.transcripts else [])]
    for folder in roots[1:]:
        if not folder.is_dir():
            raise ArcuateError(f"--transcripts {folder} is not a folder. Give one with stimuli/gentle/*/align.csv.")
    runs = read_runs(root, roots[1:])
    images = {run.stem: images_of(roots, run.stem, options.signals, options.space) for run in runs}
    states = {stem: files.state for stem, files in images.items()}
    runs = [_with_header_shape(run, images[run.stem], options) for run in runs]
    kept, notes = _filtered(runs, options)
    here = [run for run in kept if states[run.stem] == "here"]
    if not here:
        return _runs_plan(kept, options, [*notes, _absence(kept, states, options)])
    if len(here) < len(kept):
        notes.append(_absence([run for run in kept if states[run.stem] != "here"], states, options))
    here, texts, more = _with_texts(here, roots)
    made = (_read_run(run, images[run.stem], texts.get((run.part, run.tr)), options) for run in here)
    return Plan(
        dataset="narratives", modality="fmri", kind="samples", runs=made, n_runs=len(here),
        options=asdict(options), notes=[*notes, *more], window=options.window,
    )


def _with_header_shape(run: StoryRun, images: Images, options: NarrativesOptions) -> StoryRun:
    """The shape in the header of a raw image, where there is one, stands against the inferred one."""
    if options.signals != "raw" or images.state != "here":
        return run
    return replace(run, shape="x".join(map(str, volume_shape(images.files[0])[:3])))


def _filtered(runs: Sequence[StoryRun], options: NarrativesOptions) -> tuple[list[StoryRun], list[str]]:
    _refuse_unknown("subject", options.subjects, {run.subject for run in runs})
    _refuse_unknown("story", options.stories, {run.part.story for run in runs})
    _refuse_unknown("scan", options.exclude_scans, {run.stem for run in runs})
    kept, left_out = [], Counter[str]()
    for run in runs:
        if options.subjects and run.subject not in options.subjects:
            continue
        if options.stories and run.part.story not in options.stories:
            continue
        if run.excluded and not options.keep_excluded:
            left_out["excluded by the dataset's authors"] += 1
        elif run.stem in options.exclude_scans:
            left_out["excluded by --exclude-scan"] += 1
        elif options.shape not in (ANY, run.shape):
            left_out[f"not {options.shape} but {run.shape or 'of unknown shape'}"] += 1
        else:
            kept.append(run)
    notes = [f"{n} stories in scans left out: {why}" for why, n in sorted(left_out.items())]
    if not kept:
        raise ArcuateError(f"narratives: no scan is left ({'; '.join(notes) or 'none was found'}). Widen the filters.")
    if not any(run.excluded for run in runs):
        notes.append("no code/scan_exclude.json was found (or it names no scan here): no scan is excluded by it")
    return kept, notes


def _refuse_unknown(what: str, asked: Sequence[str], known: set[str]) -> None:
    for name in asked:
        if name not in known:
            raise UnknownName(f"Narratives {what}", name, sorted(known)[:30])


def _absence(runs: Sequence[StoryRun], states: Mapping[str, str], options: NarrativesOptions) -> str:
    counts = Counter(states[stem] for stem in {run.stem for run in runs})
    what = ", ".join(f"{n} {state}" for state, n in sorted(counts.items()))
    return f"{options.signals} images of {sum(counts.values())} scans are not on disk ({what})"


def _runs_plan(runs: Sequence[StoryRun], options: NarrativesOptions, notes: list[str]) -> Plan:
    notes.append("only metadata is here: the table lists runs, without signals (use it with --window)")
    return Plan(
        dataset="narratives", modality="fmri", kind="runs", n_runs=len(runs), options=asdict(options),
        runs=(Run(name=run.name, rows=_runs_row(run)) for run in runs), notes=notes, window=options.window,
    )


def _runs_row(run: StoryRun) -> dict[str, list[Any]]:
    row = {
        "subject": run.subject, "story": run.part.story, "task": run.task, "run": run.run, "n_trs": run.n_trs,
        "tr_s": run.tr, "shape": run.shape, "excluded": int(run.excluded), "condition": run.condition,
        "comprehension": run.comprehension, "story_onset_s": run.part.onset,
        "story_onset_tr": run.part.onset_tr(run.tr), "audio_start_s": run.part.audio_start, "stim": run.part.stim,
    }
    return {name: [value] for name, value in row.items()}


Texts = dict[tuple[Any, float], tuple[str, ...]]


def _with_texts(runs: list[StoryRun], roots: Sequence[Path]) -> tuple[list[StoryRun], Texts, list[str]]:
    """The segment texts of every story at every timing; stories without a transcript are left out."""
    paths = find_transcripts(roots)
    stims = sorted({run.part.stim for run in runs})
    missing = [stim for stim in stims if stim not in paths]
    if len(missing) == len(stims):
        return runs, {}, ["no transcript was found: samples have story and segment but no text (--transcripts)"]
    notes = [f"{stim}: no transcript, its runs are left out (--transcripts)" for stim in missing]
    kept = [run for run in runs if run.part.stim in paths]
    words = {stim: read_alignment(paths[stim]) for stim in stims if stim in paths}
    texts: Texts = {}
    told = set()
    for run in kept:
        if (run.part, run.tr) in texts:
            continue
        segments = segment_texts(words[run.part.stim], run.part, run.tr)
        texts[run.part, run.tr] = segments.texts
        if run.part.story not in told:
            told.add(run.part.story)
            notes.append(f"{run.part.story}: {segments.untimed} words without times and {segments.outside} "
                         "outside the story are in no segment")
    return kept, texts, notes


def _read_run(run: StoryRun, images: Images, texts: tuple[str, ...] | None, options: NarrativesOptions) -> Run:
    length = options.window
    if run.n_trs < length:
        raise ArcuateError(f"narratives: {run.name} has {run.n_trs} volumes, fewer than --window {length}. Shorten it.")
    starts = list(range(run.n_trs - length + 1))
    windows = window_texts(texts, length) if texts is not None else None
    keep = [start for start in starts if windows is None or windows[start]]
    n = len(keep)
    rows: dict[str, list[Any]] = {
        "sample": [f"{run.name}:{start}" for start in keep], "subject": [run.subject] * n,
        "story": [run.part.story] * n, "segment": keep, "n_segments": [length] * n,
        "run": [run.name] * n, "start": keep, "n_frames": [length] * n,
    }
    if windows is not None:
        rows["text"] = [windows[start] for start in keep]
    silent = len(starts) - n
    return Run(
        name=run.name, rows=rows, rejected={"no word in the window": silent} if silent else {},
        frames=partial(_frames, run, images, options),
        meta={"subject": run.subject, "story": run.part.story, "tr_s": run.tr,
              "first_volume": run.part.onset_tr(run.tr)},
    )


def _frames(run: StoryRun, images: Images, options: NarrativesOptions) -> npt.NDArray[np.float32]:
    frames = read_frames(images, run.part.onset_tr(run.tr), run.n_trs)
    if options.within_run == "zscore":
        spread = frames.std(axis=0)
        frames = (frames - frames.mean(axis=0)) / np.where(spread == 0, 1, spread)
    return frames


def count_scans(root: Path) -> Iterator[tuple[str, int]]:
    """How many scans are here, not fetched, or missing; for `arcuate datasets`.

    Examples
    --------
    >>> list(count_scans(Path("nowhere")))
    []
    """
    stems = {path.name.removesuffix("_bold.json") for path in root.glob("sub-*/func/*_bold.json")}
    yield from sorted(Counter(images_of([root], stem, "raw", "").state for stem in stems).items())
