"""Which story was heard when in a scan: BIDS events, and the stories they name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from arcuate.datasets.text_files import read_number, read_rows
from arcuate.errors import ArcuateError

TRIAL_TYPES = ("music", "story", "movie")
NONE = "n/a"

# One audio file with two stories, told apart by their order.
SPLIT_FILES = {"slumlordreach": ("slumlord", "reach")}


@dataclass(frozen=True)
class Event:
    """A row of events.tsv, times in seconds of the scan."""

    onset: float
    duration: float
    trial_type: str
    stim_file: str


@dataclass(frozen=True)
class StoryPart:
    """A story within a scan; `audio_start` is the scan time at which its audio file begins."""

    story: str
    stim: str
    onset: float
    duration: float
    audio_start: float

    def onset_tr(self, tr: float) -> int:
        """The volume at which the story begins, to the nearest."""
        return round(self.onset / tr)

    def n_trs(self, tr: float) -> int:
        """How many volumes the story lasts, to the nearest."""
        return round(self.duration / tr)


def read_events(path: Path) -> list[Event]:
    """The rows of an events.tsv file.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "events.tsv"
    >>> _ = path.write_text("onset\\tduration\\ttrial_type\\tstim_file\\n15.0\\t422.0\\tstory\\tpieman_audio.wav\\n")
    >>> read_events(path)
    [Event(onset=15.0, duration=422.0, trial_type='story', stim_file='pieman_audio.wav')]
    """
    rows = read_rows(path, "\t", ("onset", "duration", "trial_type", "stim_file"))
    return [event_of(row, f"{path}, row {number}") for number, row in enumerate(rows, start=1)]


def event_of(row: dict[str, str], where: str) -> Event:
    """One event, checked.

    Examples
    --------
    >>> event_of({"onset": "0", "duration": "9", "trial_type": "rest", "stim_file": "n/a"}, "a.tsv, row 1")
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: a.tsv, row 1: trial_type is 'rest'. Known: music, story, movie.
    """
    onset, duration = (read_number(row, name, where) for name in ("onset", "duration"))
    if row["trial_type"] not in TRIAL_TYPES:
        raise ArcuateError(f"{where}: trial_type is {row['trial_type']!r}. Known: {', '.join(TRIAL_TYPES)}.")
    if not (onset >= 0 and 0 < duration < 1e6):
        raise ArcuateError(f"{where}: onset {onset} and duration {duration} are no seconds of a scan. Correct it.")
    return Event(onset, duration, row["trial_type"], row["stim_file"])


def stories_of(events: Sequence[Event], where: str) -> list[StoryPart]:
    """The stories of one scan, in order; the audio file names the story, the task does not.

    Times of a transcript count from the start of the audio file, which includes the music before it.

    Examples
    --------
    >>> stories_of([Event(0, 18, "music", "milkywayvodka_audio.wav"),
    ...             Event(21, 404, "story", "milkywayvodka_audio.wav")], "a.tsv")
    [StoryPart(story='milkywayvodka', stim='milkywayvodka', onset=21, duration=404, audio_start=0)]
    """
    told = [event for event in sorted(events, key=lambda event: event.onset) if event.trial_type == "story"]
    times = Counter(event.stim_file for event in told)
    seen: Counter[str] = Counter()
    parts = []
    for event in told:
        if event.stim_file == NONE or not event.stim_file:
            raise ArcuateError(f"{where}: the story at {event.onset} s names no stim_file. Fetch the file again.")
        stim = event.stim_file.removesuffix(".wav").removesuffix("_audio")
        parts.append(StoryPart(
            story=_story_name(stim, seen[stim], times[event.stim_file], where), stim=stim, onset=event.onset,
            duration=event.duration,
            audio_start=min(other.onset for other in events if other.stim_file == event.stim_file),
        ))
        seen[stim] += 1
    return parts


def _story_name(stim: str, position: int, times: int, where: str) -> str:
    if times == 1:
        return stim
    names = SPLIT_FILES.get(stim, ())
    if len(names) != times:
        raise ArcuateError(f"{where}: {stim!r} is heard {times} times, {len(names) or 1} expected. Check the file.")
    return names[position]
