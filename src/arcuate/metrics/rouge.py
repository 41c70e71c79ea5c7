"""ROUGE-1 precision, recall and F as rouge-score defines them, averaged over sentences; higher is better."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from arcuate.metrics.ngrams import encode, matches

_WORD = re.compile(r"[a-z0-9]+")


def rouge_words(text: str) -> list[str]:
    """The words that rouge-score counts, without its stemmer: lower case, letters a-z and digits.

    Examples
    --------
    >>> rouge_words("It's 2 Dogs!")
    ['it', 's', '2', 'dogs']
    """
    return _WORD.findall(text.lower())


def rouge1_statistics(targets: Sequence[str], predicted: Sequence[str]) -> npt.NDArray[np.float64]:
    """Per sentence: precision, recall, F (0 to 1), and a 1 to count sentences with.

    Examples
    --------
    >>> rouge1_statistics(["the cat sat"], ["the cat"]).round(3).tolist()
    [[1.0, 0.667, 0.8, 1.0]]
    >>> rouge1_statistics(["the cat sat"], [""]).tolist()
    [[0.0, 0.0, 0.0, 1.0]]
    """
    coded_targets, coded_predicted = encode([targets, predicted], rouge_words)
    shared = matches(coded_targets, coded_predicted, 1)[:, 0]
    precision = shared / np.maximum(coded_predicted.lengths, 1)
    recall = shared / np.maximum(coded_targets.lengths, 1)
    both = precision + recall
    f_measure = np.divide(2 * precision * recall, both, out=np.zeros_like(both), where=both > 0)
    return np.stack([precision, recall, f_measure, np.ones(len(shared))], axis=1)
