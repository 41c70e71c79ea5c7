"""The stories that were heard: one record a story in a scan, from a BIDS tree or from a flat runs.csv."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arcuate.datasets.narratives.events import NONE, StoryPart, read_events, stories_of
from arcuate.datasets.text_files import read_json, read_number, read_rows
from arcuate.errors import ArcuateError

STEM = re.compile(r"(sub-[0-9A-Za-z]+)_task-([0-9A-Za-z]+)(?:_run-([0-9]+))?")
SUFFIXES = ("_bold.json", "_bold.nii.gz", "_events.tsv")
FLAT = "runs.csv"


@dataclass(frozen=True)
class StoryRun:
    """One story heard by one subject in one scan."""

    subject: str
    task: str
    run: str
    part: StoryPart
    tr: float
    shape: str
    excluded: bool
    condition: str = NONE
    comprehension: str = NONE
    n_trs_listed: int | None = None

    @property
    def stem(self) -> str:
        """The scan's name: the beginning of all its file names."""
        return f"{self.subject}_task-{self.task}" + (f"_run-{self.run}" if self.run else "")

    @property
    def name(self) -> str:
        """The run's name in a signal store: a scan can hold several stories."""
        return f"{self.stem}_story-{self.part.story}"

    @property
    def n_trs(self) -> int:
        """Volumes of the story; a flat table may list them itself."""
        return self.n_trs_listed if self.n_trs_listed is not None else self.part.n_trs(self.tr)


def read_runs(root: Path, others: Iterable[Path] = ()) -> list[StoryRun]:
    """All stories of all scans under a BIDS root, or of the flat table `runs.csv` in `root`.

    Examples
    --------
    >>> import tempfile
    >>> read_runs(Path(tempfile.mkdtemp()))
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: ... holds neither sub-*/func folders nor runs.csv...
    """
    if (root / FLAT).exists():
        return list(_read_flat(root / FLAT))
    stems = sorted({stem for path in root.glob("sub-*/func/sub-*_task-*") if (stem := _stem(path))})
    if not stems:
        raise ArcuateError(
            f"{root} holds neither sub-*/func folders nor {FLAT}. Give the root of ds002345. "
            "See `arcuate datasets` for where it comes from."
        )
    excluded = read_exclusions([root, *others])
    participants = read_participants(root / "participants.tsv") if (root / "participants.tsv").exists() else {}
    return [run for stem in stems for run in _read_scan(root, stem, excluded, participants)]


def _stem(path: Path) -> str | None:
    for suffix in SUFFIXES:
        if path.name.endswith(suffix) and STEM.fullmatch(path.name.removesuffix(suffix)):
            return path.name.removesuffix(suffix)
    return None


def _read_scan(
    root: Path, stem: str, excluded: set[str], participants: dict[tuple[str, str], tuple[str, str]]
) -> list[StoryRun]:
    match = STEM.fullmatch(stem)
    assert match is not None
    subject, task, run = match[1], match[2], match[3] or ""
    folder = root / subject / "func"
    sidecar = _sidecar(root, folder / f"{stem}_bold.json", task)
    events = folder / f"{stem}_events.tsv"
    if not events.exists():
        raise ArcuateError(f"{events} is missing: nothing says what {stem} heard. Fetch the dataset's text files.")
    condition, comprehension = participants.get((subject, task), (NONE, NONE))
    return [
        StoryRun(subject, task, run, part, sidecar["tr"], sidecar["shape"], stem in excluded, condition, comprehension)
        for part in stories_of(read_events(events), str(events))
    ]


def _sidecar(root: Path, path: Path, task: str) -> dict[str, Any]:
    """TR and voxel shape; the shape is in no field, only in the sequence's name and the slice times."""
    shared = root / f"task-{task}_bold.json"
    source = path if path.exists() or not shared.exists() else shared
    if not source.exists():
        raise ArcuateError(f"{path} is missing, so the scan's TR is not known. Fetch the dataset's text files.")
    about = read_json(source)
    tr = about.get("RepetitionTime") if isinstance(about, dict) else None
    if not isinstance(tr, int | float) or not 0 < tr < 100:
        raise ArcuateError(f"{source}: RepetitionTime is {tr!r}, not seconds. Fetch the file again.")
    matrix = re.search(r"_(\d+)$", str(about.get("SequenceName", "")))
    slices = about.get("SliceTiming")
    known = matrix is not None and isinstance(slices, list)
    return {"tr": float(tr), "shape": f"{matrix[1]}x{matrix[1]}x{len(slices)}" if known and matrix else ""}


def _read_flat(path: Path) -> Iterator[StoryRun]:
    needed = ("subject", "story", "task", "run", "n_trs", "tr_s", "shape", "excluded", "story_onset_s",
              "story_duration_s", "audio_start_s", "stim_file")
    for number, row in enumerate(read_rows(path, ",", needed), start=1):
        where = f"{path}, row {number}"
        if not row["subject"] or not row["story"] or row["excluded"] not in ("0", "1"):
            raise ArcuateError(f"{where}: subject, story or excluded is empty or odd. Fetch the file again.")
        part = StoryPart(
            story=row["story"], stim=row["stim_file"].removesuffix(".wav").removesuffix("_audio"),
            onset=read_number(row, "story_onset_s", where), duration=read_number(row, "story_duration_s", where),
            audio_start=read_number(row, "audio_start_s", where),
        )
        yield StoryRun(
            subject=row["subject"], task=row["task"], run=row["run"], part=part,
            tr=read_number(row, "tr_s", where), shape=row["shape"], excluded=row["excluded"] == "1",
            condition=row.get("condition", NONE), comprehension=row.get("comprehension", NONE),
            n_trs_listed=int(read_number(row, "n_trs", where)),
        )


def read_participants(path: Path) -> dict[tuple[str, str], tuple[str, str]]:
    """(subject, task) -> (condition, comprehension); a cell is a comma list with one entry a task.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "participants.tsv"
    >>> _ = path.write_text("participant_id\\tage\\tsex\\ttask\\tcondition\\tcomprehension\\n"
    ...                     "sub-001\\t22,23\\tF,F\\tpieman,tunnel\\tn/a,x\\t0.5,10.0\\n")
    >>> read_participants(path)
    {('sub-001', 'pieman'): ('n/a', '0.5'), ('sub-001', 'tunnel'): ('x', '10.0')}
    """
    table: dict[tuple[str, str], tuple[str, str]] = {}
    columns = ("participant_id", "task", "condition", "comprehension")
    for number, row in enumerate(read_rows(path, "\t", columns), start=1):
        lists = {name: row[name].split(",") for name in columns[1:]}
        if len({len(entries) for entries in lists.values()}) != 1:
            sizes = ", ".join(f"{name} {len(entries)}" for name, entries in lists.items())
            raise ArcuateError(f"{path}, row {number}: comma lists of different lengths ({sizes}). Correct the row.")
        for task, condition, comprehension in zip(*lists.values(), strict=True):
            table[row["participant_id"], task] = (condition, comprehension)
    return table


def read_exclusions(roots: Iterable[Path]) -> set[str]:
    """Scans that the dataset's authors exclude: `code/scan_exclude.json` in the first root that has it.

    Examples
    --------
    >>> read_exclusions([Path("nowhere")])
    set()
    """
    for root in roots:
        for path in (root / "code" / "scan_exclude.json", root / "scan_exclude.json"):
            if path.exists() or path.is_symlink():
                return _scans_in(path)
    return set()


def _scans_in(path: Path) -> set[str]:
    by_task = read_json(path)
    try:
        return {scan for by_subject in by_task.values() for scans in by_subject.values() for scan in scans}
    except (AttributeError, TypeError):
        raise ArcuateError(f"{path} is not task -> subject -> list of scans. Fetch it again.") from None
