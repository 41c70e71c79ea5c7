"""N-grams of many sentences at once, as integers: what BLEU and ROUGE count.

sacrebleu and rouge-score count one pair after another in Python. A verdict scores the same targets
against several prediction sets, so tokens are coded once and matches found by sorting whole sets.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, count

import numpy as np
import numpy.typing as npt

Tokenizer = Callable[[str], list[str]]
Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Tokens:
    """Sentences as one run of integer tokens; sentence i holds tokens[starts[i]:starts[i + 1]].

    Examples
    --------
    >>> (tokens,) = encode([["a b a", ""]], str.split)
    >>> tokens.tokens.tolist(), tokens.starts.tolist(), tokens.lengths.tolist()
    ([0, 1, 0], [0, 3, 3], [3, 0])
    """

    tokens: Codes
    starts: Codes

    @property
    def lengths(self) -> Codes:
        """Tokens in each sentence."""
        return np.diff(self.starts)


def encode(texts: Sequence[Sequence[str]], tokenize: Tokenizer) -> list[Tokens]:
    """Code several lists of sentences with one shared vocabulary; equal sentences are tokenised once.

    Examples
    --------
    >>> left, right = encode([["b a"], ["a"]], str.split)
    >>> left.tokens.tolist(), right.tokens.tolist()
    ([0, 1], [1])
    """
    # A word that is new gets the next number; the lookup itself never leaves C.
    code_of: defaultdict[str, int] = defaultdict(count().__next__)
    seen: dict[str, list[int]] = {}
    coded = []
    for sentences in texts:
        for sentence in sentences:
            if sentence not in seen:
                seen[sentence] = list(map(code_of.__getitem__, tokenize(sentence)))
        rows = [seen[sentence] for sentence in sentences]
        lengths = np.fromiter(map(len, rows), np.int64, len(rows))
        flat = np.fromiter(chain.from_iterable(rows), np.int64, int(lengths.sum()))
        coded.append(Tokens(flat, np.concatenate([[0], np.cumsum(lengths)])))
    return coded


def matches(targets: Tokens, predicted: Tokens, order: int) -> Codes:
    """Clipped n-gram matches of each sentence pair, for n = 1..order: shape (sentences, order).

    Examples
    --------
    >>> targets, predicted = encode([["a b c"], ["a b b"]], str.split)
    >>> matches(targets, predicted, 3).tolist()
    [[2, 1, 0]]
    """
    n_sentences = len(targets.starts) - 1
    # Both sides in one run, so that a code means the same n-gram on each side.
    words = np.concatenate([targets.tokens, predicted.tokens])
    lengths = np.concatenate([targets.lengths, predicted.lengths])
    row = np.repeat(np.arange(2 * n_sentences), lengths)
    tokens_left = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(words))
    width = span = 1 + int(words.max(initial=0))
    found = np.zeros((n_sentences, order), np.int64)
    start, gram = np.arange(len(words)), words
    for n in range(1, order + 1):
        found[:, n - 1] = _clipped(gram, span, row[start], n_sentences)
        if n == order:
            break
        longer = tokens_left[start] > n
        start, gram = start[longer], gram[longer]
        # A longer n-gram is this one and one more word. Where the product would no longer fit into 64
        # bits beside the row, codes are first replaced by their ranks, of which there are far fewer.
        if span * width * n_sentences >= 2**63:
            distinct, gram = np.unique(gram, return_inverse=True)
            span = max(1, len(distinct))
        gram, span = gram * width + words[start + n], span * width
    return found


def _clipped(gram: Codes, span: int, row: Codes, n_sentences: int) -> Codes:
    """Sum over n-grams of min(count in target i, count in prediction i); predictions are rows n + i."""
    first = int(np.searchsorted(row, n_sentences))  # rows ascend: targets, then predictions
    target_keys, target_counts = np.unique(row[:first] * span + gram[:first], return_counts=True)
    predicted_keys, predicted_counts = np.unique((row[first:] - n_sentences) * span + gram[first:], return_counts=True)
    if len(target_keys) == 0 or len(predicted_keys) == 0:
        return np.zeros(n_sentences, np.int64)
    place = np.minimum(np.searchsorted(target_keys, predicted_keys), len(target_keys) - 1)
    same = target_keys[place] == predicted_keys
    shared = np.minimum(target_counts[place], predicted_counts)[same]
    return np.bincount(predicted_keys[same] // span, weights=shared, minlength=n_sentences).astype(np.int64)


def totals(predicted: Tokens, order: int) -> Codes:
    """N-grams in each predicted sentence, for n = 1..order.

    Examples
    --------
    >>> totals(encode([["a b c", ""]], str.split)[0], 4).tolist()
    [[3, 2, 1, 0], [0, 0, 0, 0]]
    """
    return np.maximum(predicted.lengths[:, None] - np.arange(order), 0)
