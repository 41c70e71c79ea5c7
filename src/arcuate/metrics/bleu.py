"""BLEU-1..4 from counts: sacrebleu's definition, without smoothing, corpus level; higher is better."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from arcuate.metrics.ngrams import Tokenizer, encode, matches, totals

MAX_ORDER = 4
# Words of the 13a tokeniser are whole words; sub-word tokens would inflate every order.
TOKENIZER = "13a"
_WORDS_KEPT = 500_000


@lru_cache(maxsize=1)
def tokenizer_13a() -> Tokenizer:
    """sacrebleu's default tokeniser, as a function from a sentence to its words.

    Examples
    --------
    >>> tokenizer_13a()("It's a dog.")
    ["It's", 'a', 'dog', '.']
    """
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    tokenize = Tokenizer13a()
    parts_of: dict[str, list[str]] = {}

    def words(text: str) -> list[str]:
        # Its rules look one character around, so a word between spaces is cut alike in every sentence
        # and need be cut once. Only what it does to line breaks reaches further.
        if "\n" in text or "<skipped>" in text:
            return tokenize(text).split()
        found: list[str] = []
        for word in text.split():
            if word not in parts_of:
                if len(parts_of) > _WORDS_KEPT:
                    parts_of.clear()
                parts_of[word] = tokenize(word).split()
            found += parts_of[word]
        return found

    return words


def bleu_statistics(
    targets: Sequence[str], predicted: Sequence[str], tokenize: Tokenizer | None = None,
) -> npt.NDArray[np.float64]:
    """Per sentence: predicted words, target words, matches of order 1..4, n-grams of order 1..4.

    Corpus BLEU is a function of the sums of these columns, so a resample never scores a sentence again.

    Examples
    --------
    >>> bleu_statistics(["a b c"], ["a b b"], str.split).tolist()
    [[3.0, 3.0, 2.0, 1.0, 0.0, 0.0, 3.0, 2.0, 1.0, 0.0]]
    """
    coded_targets, coded_predicted = encode([targets, predicted], tokenize or tokenizer_13a())
    lengths = np.stack([coded_predicted.lengths, coded_targets.lengths], axis=1)
    found = matches(coded_targets, coded_predicted, MAX_ORDER)
    return np.hstack([lengths, found, totals(coded_predicted, MAX_ORDER)]).astype(float)


def bleu_from_sums(sums: npt.NDArray[np.float64], order: int) -> npt.NDArray[np.float64]:
    """BLEU of maximal order `order`, in percent, of summed statistics (any leading axes).

    An order without a match gives 0: no smoothing, as in the papers.

    Examples
    --------
    >>> float(bleu_from_sums(np.array([4.0, 4, 2, 1, 0, 0, 4, 3, 2, 1]), order=1))
    50.0
    """
    predicted_words, target_words = sums[..., 0], sums[..., 1]
    found = sums[..., 2 : 2 + order]
    possible = sums[..., 2 + MAX_ORDER : 2 + MAX_ORDER + order]
    with np.errstate(divide="ignore", invalid="ignore"):
        log_precision = (np.log(found) - np.log(possible)).mean(axis=-1)
        log_brevity = np.minimum(0.0, 1.0 - target_words / predicted_words)
        score = 100.0 * np.exp(log_precision + log_brevity)
    return np.where((found > 0).all(axis=-1), score, 0.0)
