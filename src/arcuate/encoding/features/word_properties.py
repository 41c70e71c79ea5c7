"""Plain properties of words and scans: the baselines that language models must beat."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arcuate.datasets.responses import BrainResponses
from arcuate.encoding.features.glove import piece_ranks
from arcuate.encoding.features.words import word_key
from arcuate.errors import ArcuateError

POSITION_DEGREE = 3


def lengths(words: Sequence[str]) -> np.ndarray:
    """Letters of each word, without outer punctuation.

    Examples
    --------
    >>> lengths(["Alice,", "was"]).ravel().tolist()
    [5.0, 3.0]
    """
    return np.array([[float(len(word_key(word)))] for word in words])


def frequencies(words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """(minus the decimal logarithm of the rank in GloVe's corpus of 6 billion words, known).

    By Zipf's law this falls on a line with the logarithm of the frequency; the rarest piece counts.

    Examples
    --------
    >>> values, known = frequencies(["the", "alice", "qzxqzx"])
    >>> bool(values[0, 0] > values[1, 0]), known.tolist()
    (True, [True, True, False])
    """
    ranks = [piece_ranks(word_key(word)) for word in words]
    known = np.array([min(of_word) >= 0 for of_word in ranks], dtype=bool)
    values = np.array([[-np.log10(max(of_word) + 1.0)] if min(of_word) >= 0 else [0.0] for of_word in ranks])
    return values, known


def positions(responses: BrainResponses) -> np.ndarray:
    """Where in its run each scan lies: Legendre polynomials of degree 1 to 3 in time.

    What drifts slowly is explained by these alone; shuffled splits mistake that for language.

    Examples
    --------
    >>> from arcuate.datasets.responses import TimedWords
    >>> heard = BrainResponses(dataset="toy", subject="1", kind="continuous", responses=np.zeros((3, 1)),
    ...                        stimuli=TimedWords((), np.array([]), np.array([])), tr=2.0)
    >>> positions(heard)[:, 0].tolist()
    [-1.0, 0.0, 1.0]
    """
    if responses.kind != "continuous":
        raise ArcuateError(
            f"{responses.name} has isolated stimuli, whose rows are in no order of time. "
            "'position' is for continuous stimuli."
        )
    times = responses.times_s
    values = np.zeros((responses.n_rows, POSITION_DEGREE))
    for run in np.unique(responses.runs):
        rows = np.flatnonzero(responses.runs == run)
        span = times[rows[-1]] - times[rows[0]]
        relative = 2 * (times[rows] - times[rows[0]]) / span - 1 if span else np.zeros(len(rows))
        values[rows] = np.polynomial.legendre.legvander(relative, POSITION_DEGREE)[:, 1:]
    return values
