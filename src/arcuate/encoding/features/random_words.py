"""A random but fixed vector for each word: the language model that knows nothing but identity.

The vector depends on the whole word. Published code indexed a string where a list of words was meant, so
that in sentences all words with the same first letter shared a vector.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np


def random_vectors(words: Sequence[str], dimensions: int, seed: int) -> np.ndarray:
    """One row of standard normal numbers a word; equal words get equal rows, in any process.

    Examples
    --------
    >>> rows = random_vectors(["cat", "car", "cat"], dimensions=3, seed=1)
    >>> bool((rows[0] == rows[2]).all()), bool((rows[0] == rows[1]).any())
    (True, False)
    """
    vectors = {word: _vector(word, dimensions, seed) for word in dict.fromkeys(words)}
    return np.array([vectors[word] for word in words]).reshape(len(words), dimensions)


def _vector(word: str, dimensions: int, seed: int) -> np.ndarray:
    # Python's own hash() differs from process to process.
    digest = hashlib.sha256(f"{seed}\n{word}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest, "little")).standard_normal(dimensions)
