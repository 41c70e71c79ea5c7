"""Blocks of subjects and blocks of texts for cross-validation in both at once.

Plain functions of arrays: `subject` and `text` give the two ends of each sample as numbers from 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from arcuate.errors import ArcuateError, NotPossible

Codes = npt.NDArray[np.int64]
SWEEPS = 8  # alternations between the two sides; the kept weight settles after three or four
SLACK = 1.1  # how far a block's weight may exceed its equal share


class TooFewGroups(ArcuateError):
    """Folds were asked for that there are not enough subjects or texts for."""

    def __init__(self, what: str, n_groups: int, n_folds: int):
        super().__init__(
            f"There are {n_groups} {what} but {n_folds} folds. Use at most {n_groups} folds, "
            f"or a table with more {what}."
        )


@dataclass(frozen=True, eq=False)
class Blocks:
    """The block of each subject and of each text node."""

    of_subject: Codes
    of_text: Codes
    n_blocks: int


def check_folds(n_folds: int, n_subjects: int, n_texts: int) -> None:
    """Refuse a number of folds that the subjects or the texts do not allow.

    Examples
    --------
    >>> check_folds(1, 2, 9)
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: folds is 1. Use at least 2.
    """
    if n_folds < 2:
        raise ArcuateError(f"folds is {n_folds}. Use at least 2.")
    for what, size in (("subjects", n_subjects), ("texts", n_texts)):
        if size < n_folds:
            raise TooFewGroups(what, size, n_folds)


def grid_blocks(subject: Codes, text: Codes, weight: npt.NDArray[np.float64], k: int, seed: int) -> Blocks:
    """k blocks of subjects and k of texts, each side by itself, balanced in weight.

    Examples
    --------
    >>> blocks = grid_blocks(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.ones(4), 2, seed=1)
    >>> sorted(blocks.of_subject.tolist()), sorted(blocks.of_text.tolist())
    ([0, 1], [0, 1])
    """
    rng = np.random.default_rng(seed)
    check_folds(k, int(subject.max()) + 1, int(text.max()) + 1)
    of_subject = _heaviest_first(np.bincount(subject, weight).astype(float), k, rng)
    return Blocks(of_subject, _heaviest_first(np.bincount(text, weight).astype(float), k, rng), k)


def diagonal_blocks(subject: Codes, text: Codes, weight: npt.NDArray[np.float64], k: int, seed: int) -> Blocks:
    """k blocks, each of some subjects and some texts, that hold as much weight inside as we find.

    The sides take turns: each node goes to the block with which it shares the most weight and that has
    room. A heuristic, unlike method optimal; the balanced start on the smaller side depends on the seed.

    Examples
    --------
    >>> two_cliques = diagonal_blocks(np.array([0, 1, 2, 3]), np.array([0, 0, 1, 1]), np.ones(4), 2, seed=1)
    >>> bool(np.all(two_cliques.of_subject == two_cliques.of_text[[0, 0, 1, 1]]))
    True
    """
    rng = np.random.default_rng(seed)
    n_subjects, n_texts = int(subject.max()) + 1, int(text.max()) + 1
    check_folds(k, n_subjects, n_texts)
    matrix = csr_array((weight, (subject, text)), shape=(n_subjects, n_texts))
    flipped = n_subjects < n_texts  # start from the smaller side, follow with the larger
    larger = csr_array(matrix.T) if flipped else matrix
    of_small = _heaviest_first(np.asarray(larger.sum(axis=0)).ravel(), k, rng)
    best, best_inside = None, -1.0
    for _ in range(SWEEPS):
        of_large = _followed(larger, of_small, k)
        inside = _inside(larger, of_large, of_small)
        if inside > best_inside:
            best, best_inside = (of_large, of_small), inside
        of_small = _followed(csr_array(larger.T), of_large, k)
    assert best is not None
    of_large, of_small = best
    return Blocks(of_small, of_large, k) if flipped else Blocks(of_large, of_small, k)


def _heaviest_first(weight: npt.NDArray[np.float64], k: int, rng: np.random.Generator) -> Codes:
    """Spread nodes over k blocks, heaviest first into the lightest block; equals in random order."""
    shuffled = rng.permutation(len(weight))
    order = shuffled[np.argsort(-weight[shuffled], kind="stable")]
    block = np.empty(len(weight), np.int64)
    load = np.zeros(k)
    size = np.zeros(k, np.int64)
    for node in order:
        lightest = np.lexsort((size, load))[0]
        block[node] = lightest
        load[lightest] += weight[node]
        size[lightest] += 1
    return block


def _followed(matrix: csr_array, of_column: Codes, k: int) -> Codes:
    """Put each row into the block it shares most weight with, dearest choices first, while there is room."""
    n_columns = len(of_column)
    member = csr_array((np.ones(n_columns), (np.arange(n_columns), of_column)), shape=(n_columns, k))
    shared = np.asarray((matrix @ member).todense(), float)
    weight = shared.sum(axis=1)
    top = np.sort(shared, axis=1)
    order = np.argsort(-(top[:, -1] - top[:, -2]), kind="stable")
    room = np.full(k, SLACK * weight.sum() / k)
    block = np.empty(len(weight), np.int64)
    preferred = np.argsort(-shared, axis=1, kind="stable")
    for node in order:
        fits = room[preferred[node]] >= weight[node]
        choice = preferred[node][np.argmax(fits)] if fits.any() else int(np.argmax(room))
        block[node] = choice
        room[choice] -= weight[node]
    return _none_empty(block, weight, k)


def _none_empty(block: Codes, weight: npt.NDArray[np.float64], k: int) -> Codes:
    """Give each empty block the lightest node of the fullest one."""
    for empty in np.flatnonzero(np.bincount(block, minlength=k) == 0):
        fullest = int(np.argmax(np.bincount(block, minlength=k)))
        members = np.flatnonzero(block == fullest)
        block[members[np.argmin(weight[members])]] = empty
    return block


def _inside(matrix: csr_array, of_row: Codes, of_column: Codes) -> float:
    entries = matrix.tocoo()
    same = of_row[entries.row] == of_column[entries.col]
    return float(entries.data[same].sum())


@dataclass(frozen=True, eq=False)
class Fold:
    """One fold: where each sample's two ends are (0: train, 1: test)."""

    of_subject: Codes
    of_text: Codes

    @property
    def train(self) -> npt.NDArray[np.bool_]:
        return (self.of_subject == 0) & (self.of_text == 0)

    @property
    def test(self) -> npt.NDArray[np.bool_]:
        return (self.of_subject == 1) & (self.of_text == 1)


def diagonal_folds(blocks: Blocks, subject: Codes, text: Codes) -> Iterator[Fold]:
    """Fold i tests block i's subjects on block i's texts and trains on all outside both.

    Examples
    --------
    >>> blocks = Blocks(np.array([0, 1]), np.array([0, 1]), 2)
    >>> [fold.test.tolist() for fold in diagonal_folds(blocks, np.array([0, 0, 1]), np.array([0, 1, 1]))]
    [[True, False, False], [False, False, True]]
    """
    for block in range(blocks.n_blocks):
        yield _fold(blocks, subject, text, block, block, "fold")


def grid_folds(blocks: Blocks, subject: Codes, text: Codes) -> Iterator[Fold]:
    """Fold (i, j) tests subjects of block i on texts of block j: every sample is tested exactly once.

    Examples
    --------
    >>> blocks = Blocks(np.array([0, 1]), np.array([0, 1]), 2)
    >>> ends = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> [int(np.argmax(fold.test)) for fold in grid_folds(blocks, *ends)]
    [0, 1, 2, 3]
    """
    for row in range(blocks.n_blocks):
        for column in range(blocks.n_blocks):
            yield _fold(blocks, subject, text, row, column, "cell")


def _fold(blocks: Blocks, subject: Codes, text: Codes, row: int, column: int, word: str) -> Fold:
    fold = Fold(
        (blocks.of_subject[subject] == row).astype(np.int64), (blocks.of_text[text] == column).astype(np.int64)
    )
    name = str(row) if word == "fold" else f"({row}, {column})"
    for part, mask in (("train", fold.train), ("test", fold.test)):
        if not mask.any():
            raise NotPossible(
                f"With {blocks.n_blocks} blocks, {part} of {word} {name} is empty: none of its subjects has "
                "any of its texts. Use fewer folds, another seed, or scheme diagonal."
            )
    return fold
