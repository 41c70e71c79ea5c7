"""One sentence as one subject read it, whatever MATLAB version the file has, and the published rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

BANDS = ("t1", "t2", "a1", "a2", "b1", "b2", "g1", "g2")
N_CHANNELS = 105
FRAME_SIZE = N_CHANNELS * len(BANDS)
MEASURES = ("GD", "FFD", "TRT")

# Typing debris in two sentences of task SR, seen in the published files.
DEBRIS = {"emp11111ty": "empty", "film.1": "film."}


class Absent(Enum):
    """The three faces of a value that is not there."""

    NAN = "NaN"
    EMPTY = "empty"
    MISSING = "missing field"


Value = npt.NDArray[Any] | Absent


@dataclass(frozen=True, eq=False)
class Word:
    """A word, how often it was fixated, and its eight band vectors."""

    content: str
    n_fixations: Value
    bands: tuple[Value, ...]

    @property
    def is_fixated(self) -> bool:
        """A skipped word has `[]`, not 0, in the published files; 0 is taken alike."""
        fixations = self.n_fixations
        return not isinstance(fixations, Absent) and fixations.dtype.kind in "fiu" and bool(fixations[0] > 0)


@dataclass(frozen=True, eq=False)
class Sentence:
    """A row of a results file; `words` is absent where the sentence was not recorded."""

    index: int
    content: str
    means: tuple[Value, ...]
    words: tuple[Word, ...] | Absent

    @property
    def text(self) -> str:
        """The sentence without the typing debris of the published files."""
        text = self.content
        for wrong, right in DEBRIS.items():
            text = text.replace(wrong, right)
        return text


def as_value(array: npt.ArrayLike) -> Value:
    """A numeric array, or which kind of nothing it is.

    Examples
    --------
    >>> as_value(float("nan")), as_value([]), as_value([[1, 2]])
    (<Absent.NAN: 'NaN'>, <Absent.EMPTY: 'empty'>, array([1, 2]))
    """
    values = np.asarray(array).ravel()
    if values.size == 0:
        return Absent.EMPTY
    if values.size == 1 and values.dtype.kind == "f" and np.isnan(values[0]):
        return Absent.NAN
    return values


def join_bands(bands: Sequence[Value]) -> npt.NDArray[np.float32] | str:
    """The 840 values of a word, band by band, or what is wrong with them.

    Examples
    --------
    >>> join_bands([np.ones(105)] * 8).shape
    (840,)
    >>> join_bands([np.ones(105)] * 7 + [Absent.MISSING])
    'missing field'
    >>> join_bands([np.ones(105)] * 7 + [np.ones(104)])
    'wrong size'
    """
    for face in (Absent.MISSING, Absent.EMPTY, Absent.NAN):
        if any(band is face for band in bands):
            return face.value
    arrays = [band for band in bands if not isinstance(band, Absent)]
    if any(array.size != N_CHANNELS or array.dtype.kind not in "fiu" for array in arrays):
        return "wrong size"
    with np.errstate(over="ignore"):  # what is beyond float32 becomes infinite, which the store refuses
        joined = np.concatenate(arrays).astype(np.float32)
    return Absent.NAN.value if np.isnan(joined).any() else joined


def judge(sentence: Sentence, keep_partial: bool = False) -> npt.NDArray[np.float32] | str:
    """The frames of a usable sentence, one row a fixated word, or the reason why it is rejected.

    The rules are those of the published EEG-to-text code: not recorded; NaN in the sentence's mean
    EEG; no fixated word; a fixated word whose vector is absent, has NaN or the wrong size.
    `keep_partial` leaves out such words instead of the whole sentence.

    Examples
    --------
    >>> good = Word("a", np.array([1.0]), (np.ones(105),) * 8)
    >>> skipped = Word("b", Absent.EMPTY, (Absent.EMPTY,) * 8)
    >>> means = (np.ones(105),) * 8
    >>> judge(Sentence(0, "a b", means, (good, skipped))).shape
    (1, 840)
    >>> judge(Sentence(0, "b", means, (skipped,)))
    'no fixated word'
    >>> judge(Sentence(0, "a b", means, Absent.NAN))
    'not recorded (NaN)'
    """
    if isinstance(sentence.words, Absent):
        return f"not recorded ({sentence.words.value})"
    # A published benchmark cuts longer mean vectors to 105 entries, so longer ones may exist.
    means = join_bands([m if isinstance(m, Absent) else m[:N_CHANNELS] for m in sentence.means])
    if isinstance(means, str):
        return f"sentence EEG: {means}"
    vectors = [join_bands(word.bands) for word in sentence.words if word.is_fixated]
    if not vectors:
        return "no fixated word"
    faults = [vector for vector in vectors if isinstance(vector, str)]
    good = [vector for vector in vectors if not isinstance(vector, str)]
    if faults and not (keep_partial and good):
        return f"word EEG: {faults[0]}"
    return np.stack(good)
