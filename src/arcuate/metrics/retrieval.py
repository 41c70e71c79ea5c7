"""Can the true text be picked out by the output? Rank among the test texts; higher is better.

BLEU rewards fluent nonsense; retrieval does not: an output that says nothing about its own text, however
fluent, ranks it at chance. Ties share their places, so a constant output gets exactly chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arcuate.metrics.ngrams import Tokens, encode
from arcuate.metrics.rouge import rouge_words

# Against more texts the rank gains nothing in precision and the comparison grows with their square.
MAX_CANDIDATES = 500
_CELLS_A_BLOCK = 8_000_000

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]


def retrieval_statistics(
    targets: Sequence[str], predicted: Sequence[str], max_candidates: int = MAX_CANDIDATES,
) -> Array:
    """Per sample: rank percentile of the true text, in top 1, in top 5, their chance levels, and a 1.

    Texts are compared by the cosine of their word counts, rare words weighing more (idf over the test
    texts). Above `max_candidates` distinct texts the true one competes with a fixed random choice of them.

    Examples
    --------
    >>> texts = ["the cat sat", "a dog ran"]
    >>> retrieval_statistics(texts, ["cat", "cat"])[:, :2].tolist()
    [[1.0, 1.0], [0.0, 0.0]]
    >>> retrieval_statistics(texts, ["", ""])[:, :2].tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    keys = [" ".join(rouge_words(target)) or target for target in targets]
    texts = list(dict.fromkeys(keys))
    place_of = {text: place for place, text in enumerate(texts)}
    outputs = list(dict.fromkeys(predicted))
    output_of = {output: row for row, output in enumerate(outputs)}
    pairs = np.array([(output_of[o], place_of[t]) for o, t in zip(predicted, keys, strict=True)])
    distinct, row_of_sample = np.unique(pairs, axis=0, return_inverse=True)
    text_vectors, output_vectors = _vectors(texts, outputs)
    ranks = _ranks(distinct, output_vectors, text_vectors, _candidates(len(texts), max_candidates))
    return ranks[row_of_sample.reshape(-1)]


def _candidates(n_texts: int, most: int) -> Codes:
    if n_texts <= most:
        return np.arange(n_texts)
    return np.sort(np.random.default_rng(0).choice(n_texts, most, replace=False))


def _vectors(texts: list[str], outputs: list[str]) -> tuple[Any, Any]:
    """Unit-length word-count vectors, words weighed by how few of the texts hold them."""
    from scipy.sparse import csr_array

    coded = encode([texts, outputs], rouge_words)
    # Texts are coded first: a word that no text holds has a higher number, and tells no text from another.
    n_words = 1 + int(coded[0].tokens.max(initial=0))

    def counted(tokens: Tokens) -> tuple[Codes, Codes, Array]:
        rows = np.repeat(np.arange(len(tokens.lengths)), tokens.lengths)
        known = tokens.tokens < n_words
        cells, counts = np.unique(rows[known] * n_words + tokens.tokens[known], return_counts=True)
        return cells // n_words, cells % n_words, counts.astype(float)

    text_cells = counted(coded[0])
    held_by = np.bincount(text_cells[1], minlength=n_words)
    weight = np.log1p(len(texts) / np.maximum(held_by, 1))

    def matrix(cells: tuple[Codes, Codes, Array], n_rows: int) -> Any:
        rows, columns, counts = cells
        values = counts * weight[columns]
        norm = np.sqrt(np.bincount(rows, values**2, minlength=n_rows))
        return csr_array(((values / norm[rows]).astype(np.float32), (rows, columns)), shape=(n_rows, n_words))

    return matrix(text_cells, len(texts)), matrix(counted(coded[1]), len(outputs))


def _ranks(pairs: Codes, outputs: Any, texts: Any, candidates: Codes) -> Array:
    """The statistics of each (output, text) pair, in blocks that fit in memory."""
    statistics = np.empty((len(pairs), 6))
    others_of_text = len(candidates) - np.isin(np.arange(texts.shape[0]), candidates)
    transposed = texts[candidates].T.tocsc()
    step = max(1, _CELLS_A_BLOCK // len(candidates))
    for start in range(0, len(pairs), step):
        output, text = pairs[start : start + step].T
        similarity = (outputs[output] @ transposed).toarray()
        # Summed in another order than the block, hence the tolerance.
        own = np.asarray(outputs[output].multiply(texts[text]).sum(axis=1), np.float32)
        tolerance = np.float32(1e-5)
        others = others_of_text[text]
        higher = (similarity > own[:, None] + tolerance).sum(axis=1)
        lower = (similarity < own[:, None] - tolerance).sum(axis=1)
        ties = others - higher - lower
        percentile = np.where(others > 0, (lower + ties / 2) / np.maximum(others, 1), 0.5)
        top1, top5 = (np.clip((k - higher) / (ties + 1), 0, 1) for k in (1, 5))
        chance1, chance5 = (np.minimum(k / (others + 1), 1) for k in (1, 5))
        statistics[start : start + step] = np.stack(
            [percentile, top1, top5, chance1, chance5, np.ones(len(text))], axis=1
        )
    return statistics
