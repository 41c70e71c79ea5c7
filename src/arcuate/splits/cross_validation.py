"""scikit-learn splitters that are cross-subject and cross-text at once: a thin layer over the folds.

`groups` is an (n, 2) array or frame, a row a sample: its subject and its text (`table.groups`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_random_state

from arcuate.errors import ArcuateError, UnknownName
from arcuate.samples.graph import Graph
from arcuate.splits.folds import CrossFolds
from arcuate.splits.greedy import greedy_parts
from arcuate.splits.parts import Ratio

Codes = npt.NDArray[np.int64]
Rows = tuple[Codes, Codes]


class _TwoWaySplitter(BaseCrossValidator, BaseEstimator):
    """What the three share: groups of two columns, asked for by metadata routing, and clone by parameters."""

    __metadata_request__split = {"groups": True}  # noqa: RUF012  (scikit-learn reads this class attribute)

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Rows]:
        """Yield the rows to train on and the rows to test on, fold by fold; other rows are in neither."""
        subject, text = two_columns(groups, _length(X))
        for train, test in self._each(subject, text):
            yield np.flatnonzero(train), np.flatnonzero(test)

    def _each(self, subject: Codes, text: Codes) -> Iterator[tuple[Any, Any]]:
        raise NotImplementedError

    def _seed(self) -> int:
        given = self.random_state  # type: ignore[attr-defined]
        if isinstance(given, int | np.integer):
            return int(given)
        return int(check_random_state(given).randint(2**31 - 1))


class CrossSubjectTextKFold(_TwoWaySplitter):
    """Diagonal folds: no subject and no text of a fold's test rows is among its training rows.

    Parameters
    ----------
    n_splits : blocks of subjects and of texts, and folds a repeat
    n_repeats : how often, each time with other blocks
    random_state : an int (the default) gives the same folds at every call

    Examples
    --------
    >>> groups = [(s, t) for s in "abcd" for t in "wxyz"]
    >>> cv = CrossSubjectTextKFold(n_splits=2)
    >>> [(len(train), len(test)) for train, test in cv.split(groups, groups=groups)]
    [(4, 4), (4, 4)]
    """

    def __init__(self, n_splits: int = 5, *, n_repeats: int = 1, random_state: Any = 1):
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many folds there are, over all repeats."""
        return self.n_splits * self.n_repeats

    def _each(self, subject: Codes, text: Codes) -> Iterator[tuple[Any, Any]]:
        yield from _folds(self, "diagonal", subject, text)


class CrossSubjectTextGridFold(_TwoWaySplitter):
    """Grid folds: n_splits x n_splits of them; every row is tested exactly once a repeat.

    Fold (i, j) tests subjects of block i on texts of block j, and trains on all rows outside both.

    Examples
    --------
    >>> groups = [(s, t) for s in "abcd" for t in "wxyz"]
    >>> cv = CrossSubjectTextGridFold(n_splits=2)
    >>> sum(len(test) for train, test in cv.split(groups, groups=groups))
    16
    """

    def __init__(self, n_splits: int = 5, *, n_repeats: int = 1, random_state: Any = 1):
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many folds there are, over all repeats."""
        return self.n_splits**2 * self.n_repeats

    def _each(self, subject: Codes, text: Codes) -> Iterator[tuple[Any, Any]]:
        yield from _folds(self, "grid", subject, text)


class CrossSubjectTextSplit(_TwoWaySplitter):
    """One train and test split (or several, by f, with other seeds) that keeps as much as can be kept.

    Parameters
    ----------
    n_splits : how many splits; more than one only with method 'f', since the optimum does not vary
    test_size : share of the kept rows that shall be test rows
    method : 'optimal', or the papers' 'f', whose shares are what they happen to be
    tolerance, time_limit : of method 'optimal'
    random_state : an int (the default) gives the same split at every call

    Examples
    --------
    >>> groups = [(s, t) for s in "abcd" for t in "wxyz"]
    >>> cv = CrossSubjectTextSplit(test_size=0.25, method="f")
    >>> [(len(train), len(test)) for train, test in cv.split(groups, groups=groups)]
    [(9, 1)]
    """

    def __init__(
        self, n_splits: int = 1, *, test_size: float = 0.1, method: str = "optimal",
        tolerance: float = 0.1, time_limit: float = 30.0, random_state: Any = 1,
    ):
        self.n_splits = n_splits
        self.test_size = test_size
        self.method = method
        self.tolerance = tolerance
        self.time_limit = time_limit
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many splits there are."""
        return self.n_splits

    def _each(self, subject: Codes, text: Codes) -> Iterator[tuple[Any, Any]]:
        if not 0 < self.test_size < 1:
            raise ArcuateError(f"test_size is {self.test_size}. Give a share between 0 and 1.")
        if self.method not in ("optimal", "f"):
            raise UnknownName("method", self.method, ("optimal", "f"))
        if self.method == "optimal" and self.n_splits != 1:
            raise ArcuateError(
                f"n_splits is {self.n_splits}, but method 'optimal' has one answer. "
                "Use n_splits=1, method='f', or CrossSubjectTextKFold."
            )
        ratio = Ratio(1 - self.test_size, self.test_size)
        graph = _graph(subject, text)
        seed = self._seed()
        for repeat in range(self.n_splits):
            if self.method == "f":
                of_subject, of_text = greedy_parts(
                    graph.subject_of_edge, graph.text_of_edge, ratio, seed + repeat,
                    cut_subjects=len(graph.subjects) <= len(graph.texts),
                )
            else:
                of_subject, of_text = self._solved(graph, ratio, seed)
            one, two = of_subject[subject], of_text[text]
            yield _none_empty((one == 0) & (two == 0), (one == 1) & (two == 1))

    def _solved(self, graph: Graph, ratio: Ratio, seed: int) -> tuple[Codes, Codes]:
        from arcuate.splits.optimal import Problem, solve

        found = solve(graph, Problem(
            ratio=ratio.shares, tolerance=self.tolerance, time_limit=self.time_limit, seed=seed,
        ))
        return found.part_of_subject, found.part_of_text


def two_columns(groups: Any, n_rows: int | None) -> Rows:
    """The subject and the text of each row as numbers from 0, in the order of their names.

    Examples
    --------
    >>> two_columns([("s1", 7), ("s2", 8)], 2)[1].tolist()
    [0, 1]
    """
    hint = "Pass groups=table.groups, or an (n, 2) array of subject and text."
    if groups is None:
        raise ArcuateError(f"groups is None, but subjects and texts are split by it. {hint}")
    array = np.asarray(groups.to_numpy() if hasattr(groups, "to_numpy") else groups)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ArcuateError(f"groups has shape {array.shape}. {hint}")
    if n_rows is not None and len(array) != n_rows:
        raise ArcuateError(f"groups has {len(array)} rows and X has {n_rows}. {hint}")
    columns = [column if column.dtype.kind in "iu" else column.astype(str) for column in array.T]
    subject, text = (np.unique(column, return_inverse=True)[1].astype(np.int64) for column in columns)
    return subject, text


def _length(X: Any) -> int | None:
    if X is None:
        return None
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _graph(subject: Codes, text: Codes) -> Graph:
    """The graph of numbered ends; names are padded, so that they sort as the numbers do."""
    n_texts = int(text.max()) + 1
    pair, count = np.unique(subject * n_texts + text, return_counts=True)
    names = [np.array([f"{number:09}" for number in range(size)]) for size in (int(subject.max()) + 1, n_texts)]
    return Graph(
        subjects=names[0], texts=names[1], subject_of_edge=pair // n_texts, text_of_edge=pair % n_texts,
        weights=count.astype(float), samples=count.astype(np.int64),
    )


def _folds(cv: Any, scheme: str, subject: Codes, text: Codes) -> Iterator[tuple[Any, Any]]:
    made = CrossFolds(folds=cv.n_splits, scheme=scheme, repeats=cv.n_repeats, seed=cv._seed())
    for fold in made.each(subject, text, np.ones(len(subject))):
        yield fold.train, fold.test


def _none_empty(train: Any, test: Any) -> tuple[Any, Any]:
    for name, mask in (("train", train), ("test", test)):
        if not mask.any():
            raise ArcuateError(f"Part {name!r} would be empty. Use another test_size or method='optimal'.")
    return train, test
