"""Folds for encoding: isolated stimuli are shuffled, continuous scans stay in contiguous blocks with gaps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arcuate.errors import ArcuateError


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows to fit on and rows to predict; rows in neither lie in a gap between them."""

    train: np.ndarray
    test: np.ndarray

    def left_out(self, n_rows: int) -> np.ndarray:
        """All rows that are not fitted on: test and gap."""
        return np.setdiff1d(np.arange(n_rows), self.train, assume_unique=True)


def _check_count(k: int, n: int, what: str) -> None:
    if not 2 <= k <= n:
        raise ArcuateError(f"{k} folds were asked for, of {n} {what}. Give 2 to {n}.")


def all_pairs(n_rows: int) -> np.ndarray:
    """Every pair i < j of rows, pairs × 2: the test sets of leave-two-out.

    Examples
    --------
    >>> all_pairs(4).tolist()
    [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    """
    if n_rows < 4:
        raise ArcuateError(f"{n_rows} stimuli: leave-two-out needs at least 4.")
    return np.stack(np.triu_indices(n_rows, 1), axis=1)


def shuffled_folds(n_rows: int, k: int, seed: int) -> list[Fold]:
    """k folds of isolated stimuli in random order; every row is tested once.

    Examples
    --------
    >>> sorted(np.concatenate([fold.test for fold in shuffled_folds(5, 2, seed=1)]).tolist())
    [0, 1, 2, 3, 4]
    """
    _check_count(k, n_rows, "stimuli")
    rows = np.random.default_rng(seed).permutation(n_rows)
    return [_fold(n_rows, np.sort(part)) for part in np.array_split(rows, k)]


def _fold(n_rows: int, test: np.ndarray) -> Fold:
    return Fold(np.setdiff1d(np.arange(n_rows), test, assume_unique=True), test)


def block_folds(runs: np.ndarray, k: int, gap: int) -> list[Fold]:
    """k contiguous blocks of scans; `gap` scans of the same run on each side are not fitted on.

    The blocks differ by at most one scan and cover all of them: none is dropped at the end.

    Examples
    --------
    >>> folds = block_folds(np.zeros(11, int), k=2, gap=2)
    >>> [(fold.train.tolist(), fold.test.tolist()) for fold in folds]
    [([8, 9, 10], [0, 1, 2, 3, 4, 5]), ([0, 1, 2, 3], [6, 7, 8, 9, 10])]
    """
    runs = np.asarray(runs)
    _check_count(k, len(runs), "scans")
    return [_with_gap(runs, block, gap) for block in np.array_split(np.arange(len(runs)), k)]


def run_folds(runs: np.ndarray) -> list[Fold]:
    """One fold a run; runs are separate recordings, so there is no gap to leave.

    Examples
    --------
    >>> [fold.test.tolist() for fold in run_folds(np.array([1, 1, 2, 2, 2]))]
    [[0, 1], [2, 3, 4]]
    """
    runs = np.asarray(runs)
    names = np.unique(runs)
    if len(names) < 2:
        raise ArcuateError("Folds by run need two runs or more; there is one. Ask for a number of folds.")
    return [_fold(len(runs), np.flatnonzero(runs == name)) for name in names]


def _with_gap(runs: np.ndarray, test: np.ndarray, gap: int) -> Fold:
    if gap < 0:
        raise ArcuateError(f"The gap is {gap} scans. Give 0 or more.")
    near = np.zeros(len(runs), dtype=bool)
    near[test] = True
    first, last = test[0], test[-1]
    before, after = np.arange(max(first - gap, 0), first), np.arange(last + 1, min(last + 1 + gap, len(runs)))
    near[before] = runs[before] == runs[first]
    near[after] = runs[after] == runs[last]
    train = np.flatnonzero(~near)
    if len(train) < 3:
        raise ArcuateError(
            f"A gap of {gap} scans around {len(test)} test scans leaves {len(train)} of {len(runs)} to fit on. "
            "Use a smaller gap or more folds."
        )
    return Fold(train, test)
