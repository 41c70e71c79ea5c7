"""Folds: what is tested, what is fitted on, what lies between."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcuate.encoding.folds import all_pairs, block_folds, run_folds, shuffled_folds
from arcuate.errors import ArcuateError


@given(n=st.integers(4, 200), k=st.integers(2, 8), seed=st.integers(0, 5))
def test_every_stimulus_is_tested_once_and_never_fitted_on_then(n, k, seed):
    folds = shuffled_folds(n, min(k, n), seed)
    assert np.sort(np.concatenate([fold.test for fold in folds])).tolist() == list(range(n))
    for fold in folds:
        assert not set(fold.test) & set(fold.train)
        assert len(fold.test) + len(fold.train) == n


@given(lengths=st.lists(st.integers(15, 60), min_size=1, max_size=4), k=st.integers(2, 6), gap=st.integers(0, 5))
def test_blocks_cover_all_scans_and_keep_their_distance_within_a_run(lengths, k, gap):
    runs = np.repeat(np.arange(len(lengths)), lengths)
    if len(runs) < 4 * gap + 2 * k + 10:
        return
    folds = block_folds(runs, k, gap)
    assert np.concatenate([fold.test for fold in folds]).tolist() == list(range(len(runs)))
    for fold in folds:
        for run in np.unique(runs[fold.test]):
            test, train = fold.test[runs[fold.test] == run], fold.train[runs[fold.train] == run]
            if len(train):
                assert np.abs(test[:, None] - train[None, :]).min() > gap
        assert len(fold.train) + len(fold.test) >= len(runs) - 2 * gap


def test_runs_are_the_folds():
    runs = np.repeat([1, 2, 3], [4, 5, 6])
    assert [len(fold.test) for fold in run_folds(runs)] == [4, 5, 6]
    with pytest.raises(ArcuateError, match="two runs or more"):
        run_folds(np.zeros(9))


def test_all_pairs_are_all():
    assert len(all_pairs(60)) == 1770


@pytest.mark.parametrize("call", [
    lambda: shuffled_folds(5, 6, 1), lambda: shuffled_folds(5, 1, 1), lambda: block_folds(np.zeros(9), 2, 20),
    lambda: block_folds(np.zeros(9), 2, -1), lambda: all_pairs(3),
])
def test_folds_that_cannot_be_are_refused(call):
    with pytest.raises(ArcuateError):
        call()
