"""Word and character error rates, pooled over sentences as jiwer does; lower is better."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from arcuate.errors import MissingExtra

_SPACES = re.compile(r"\s\s+")


def jiwer_words(text: str) -> list[str]:
    """The words that jiwer counts by default: split at single spaces, case kept.

    Examples
    --------
    >>> jiwer_words("  The   cat ")
    ['The', 'cat']
    """
    words = text.split()
    if " ".join(words) == text:  # single plain spaces: nothing to do, and most texts are so
        return words
    return [word for word in _SPACES.sub(" ", text).strip().split(" ") if word]


def wer_statistics(targets: Sequence[str], predicted: Sequence[str]) -> npt.NDArray[np.float64]:
    """Per sentence: word edits and target words; WER is the ratio of their sums.

    Examples
    --------
    >>> wer_statistics(["the cat sat"], ["the bat sat"]).tolist()
    [[1.0, 3.0]]
    """
    return _edits([jiwer_words(text) for text in targets], [jiwer_words(text) for text in predicted])


def cer_statistics(targets: Sequence[str], predicted: Sequence[str]) -> npt.NDArray[np.float64]:
    """Per sentence: character edits and target characters; CER is the ratio of their sums.

    Examples
    --------
    >>> cer_statistics(["abc"], ["abd"]).tolist()
    [[1.0, 3.0]]
    """
    return _edits([text.strip() for text in targets], [text.strip() for text in predicted])


def _edits(targets: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> npt.NDArray[np.float64]:
    try:
        from rapidfuzz.distance import Levenshtein  # what jiwer itself counts with
    except ImportError as error:
        raise MissingExtra("rapidfuzz", "all") from error
    counts = np.empty((len(targets), 2))
    for row, (target, output) in enumerate(zip(targets, predicted, strict=True)):
        counts[row] = Levenshtein.distance(target, output), len(target)
    return counts
