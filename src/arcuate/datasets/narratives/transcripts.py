"""Time-aligned transcripts, and the text that falls into each volume."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from arcuate.datasets.narratives.events import StoryPart
from arcuate.datasets.text_files import read_text
from arcuate.errors import ArcuateError

HEADER = ["word", "aligned_word", "onset", "offset"]
PATTERNS = (
    "stimuli/gentle/*/align.csv", "gentle/*/align.csv", "*/align.csv", "transcripts/*_align.csv", "*_align.csv",
)


@dataclass(frozen=True)
class AlignedWord:
    """A word as written, and its onset in seconds of the audio file, if it was found there."""

    word: str
    onset: float | None


@dataclass(frozen=True)
class SegmentTexts:
    """The text of every segment (volume) of a story, and how many words found no place."""

    texts: tuple[str, ...]
    untimed: int
    outside: int


def find_transcripts(roots: Iterable[Path]) -> dict[str, Path]:
    """Audio name -> align.csv, in the dataset's tree or as STORY_align.csv; the first root wins.

    Examples
    --------
    >>> import tempfile
    >>> root = Path(tempfile.mkdtemp())
    >>> (root / "stimuli/gentle/pieman").mkdir(parents=True)
    >>> (root / "stimuli/gentle/pieman/align.csv").touch()
    >>> list(find_transcripts([root]))
    ['pieman']
    """
    found: dict[str, Path] = {}
    for root in roots:
        for pattern in PATTERNS:
            for path in sorted(root.glob(pattern)):
                name = path.parent.name if path.name == "align.csv" else path.name.removesuffix("_align.csv")
                found.setdefault(name, path)
    return found


def read_alignment(path: Path) -> list[AlignedWord]:
    """The words of an align.csv: no header, four fields, CRLF; "nan" and "null" are words.

    A word that was not found in the audio has no times; one out of vocabulary has times and `<unk>`.
    Copies with a header line are read too.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "align.csv"
    >>> _ = path.write_bytes("I’m,i'm,25.91,26.14\\r\\nnull,,,\\r\\n".encode())
    >>> read_alignment(path)
    [AlignedWord(word='I’m', onset=25.91), AlignedWord(word='null', onset=None)]
    """
    words = []
    rows = csv.reader(read_text(path).splitlines())
    for fields in rows:
        where = f"{path}, line {rows.line_num}"
        if not fields or (rows.line_num == 1 and fields == HEADER):
            continue
        if len(fields) != 4:
            raise ArcuateError(f"{where}: {len(fields)} fields, expected word, aligned word, onset, offset.")
        if not fields[0].strip():
            raise ArcuateError(f"{where}: the word is empty. Fetch the file again.")
        words.append(AlignedWord(fields[0].strip(), _seconds(fields[2], where)))
    if not words:
        raise ArcuateError(f"{path} holds no words. Fetch the file again.")
    return words


def _seconds(field: str, where: str) -> float | None:
    if not field.strip():
        return None
    try:
        seconds = float(field)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < 1e6:
        raise ArcuateError(f"{where}: onset is {field!r}, not a time in seconds. Fetch the file again.")
    return seconds


def segment_texts(words: Sequence[AlignedWord], part: StoryPart, tr: float) -> SegmentTexts:
    """Join the words whose onset falls into each volume of the story.

    Scan time = start of the audio file + onset of the word. The story begins at the nearest volume, so
    words of the story event that fall just before or after its volumes go to the first or last one.

    Examples
    --------
    >>> part = StoryPart("pieman", "pieman", onset=15.0, duration=6.0, audio_start=0.0)
    >>> words = [AlignedWord("I", 15.09), AlignedWord("began", 15.17), AlignedWord("uh", None),
    ...          AlignedWord("my", 18.0), AlignedWord("Thanks", 40.0)]
    >>> segment_texts(words, part, tr=1.5)
    SegmentTexts(texts=('I began', '', 'my', ''), untimed=1, outside=1)
    """
    first, n = part.onset_tr(tr), part.n_trs(tr)
    segments: list[list[str]] = [[] for _ in range(n)]
    untimed = outside = 0
    for word in words:
        if word.onset is None:
            untimed += 1
            continue
        time = part.audio_start + word.onset
        place = math.floor(time / tr + 1e-9) - first
        if part.onset <= time < part.onset + part.duration:
            place = min(max(place, 0), n - 1)
        if 0 <= place < n:
            segments[place].append(word.word)
        else:
            outside += 1
    return SegmentTexts(tuple(" ".join(segment) for segment in segments), untimed, outside)


def window_texts(texts: Sequence[str], window: int) -> list[str]:
    """The text of every window of consecutive segments.

    Examples
    --------
    >>> window_texts(["I began", "", "my"], 2)
    ['I began', 'my']
    """
    return [
        " ".join(text for text in texts[start:start + window] if text) for start in range(len(texts) - window + 1)
    ]
