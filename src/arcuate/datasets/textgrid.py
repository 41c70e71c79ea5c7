"""Praat TextGrid files in the long text format: the timed words of one tier."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from arcuate.datasets.responses import TimedWords
from arcuate.errors import ArcuateError

# `sp` is the aligner's silence; empty intervals are silence too.
SILENCE = frozenset({"", "sp", "sil"})

_INTERVAL = re.compile(
    r"intervals \[(\d+)\]:\s*xmin = (\S+)\s*xmax = (\S+)\s*text = \"((?:[^\"]|\"\")*)\"", re.MULTILINE
)
_SIZE = re.compile(r"intervals: size = (\d+)")


def read_textgrid(path: Path, tier: str = "word") -> TimedWords:
    """The words of one interval tier with their times; silences are left out, blanks stripped.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "x.TextGrid"
    >>> _ = path.write_text('''File type = "ooTextFile"
    ... item [1]:
    ...     class = "IntervalTier"
    ...     name = "word"
    ...     intervals: size = 2
    ...     intervals [1]:
    ...         xmin = 0
    ...         xmax = 1.5
    ...         text = "sp"
    ...     intervals [2]:
    ...         xmin = 1.5
    ...         xmax = 2
    ...         text = "Alice "
    ... ''')
    >>> words = read_textgrid(path)
    >>> words.words, words.onsets.tolist()
    (('Alice',), [1.5])
    """
    try:
        content = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ArcuateError(
            f"{path} cannot be read as a TextGrid: {error}. Give the long text format."
        ) from error
    intervals = _INTERVAL.findall(_tier_of(content, tier, path))
    _check_whole(content, intervals, tier, path)
    rows = [(word.strip(), float(start), float(end)) for _, start, end, word in intervals]
    spoken = [row for row in rows if row[0] not in SILENCE]
    if not spoken:
        raise ArcuateError(f"{path}: tier {tier!r} has {len(rows)} intervals but no words.")
    words, onsets, offsets = zip(*spoken, strict=True)
    return TimedWords(tuple(words), np.array(onsets), np.array(offsets))


def _tier_of(content: str, tier: str, path: Path) -> str:
    pieces = re.split(r"item \[\d+\]:", content)[1:]
    for piece in pieces:
        if f'name = "{tier}"' in piece and "IntervalTier" in piece:
            return piece
    names = re.findall(r'name = "([^"]*)"', content)
    raise ArcuateError(f"{path} has no interval tier {tier!r}; its tiers: {', '.join(names) or 'none'}.")


def _check_whole(content: str, intervals: list[tuple[str, ...]], tier: str, path: Path) -> None:
    declared = _SIZE.search(_tier_of(content, tier, path))
    if declared is None or int(declared.group(1)) != len(intervals):
        said = declared.group(1) if declared else "no number of"
        raise ArcuateError(
            f"{path}: tier {tier!r} declares {said} intervals but {len(intervals)} are there. "
            "The file is cut off; download it again."
        )
