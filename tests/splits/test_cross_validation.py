"""The splitters behave as scikit-learn's own do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, check_cv, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import arcuate as arc
from arcuate.errors import ArcuateError

GROUPS = np.array([(f"s{i}", f"t{j}") for i in range(8) for j in range(9)])
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(72, 3)), RNG.normal(size=72)
SPLITTERS = [
    arc.CrossSubjectTextKFold(n_splits=3), arc.CrossSubjectTextKFold(n_splits=2, n_repeats=2),
    arc.CrossSubjectTextGridFold(n_splits=2), arc.CrossSubjectTextSplit(test_size=0.2, time_limit=2),
    arc.CrossSubjectTextSplit(n_splits=3, test_size=0.2, method="f"),
]


def same(one, two) -> bool:
    return all(np.array_equal(a, b) for x, y in zip(one, two, strict=True) for a, b in zip(x, y, strict=True))


@pytest.mark.parametrize("cv", SPLITTERS, ids=repr)
class TestEverySplitter:
    def test_promises_the_number_of_folds_it_gives(self, cv):
        assert cv.get_n_splits(X, Y, GROUPS) == len(list(cv.split(X, Y, GROUPS)))

    def test_gives_integer_rows_that_do_not_meet(self, cv):
        for train, test in cv.split(X, Y, GROUPS):
            assert train.dtype.kind == test.dtype.kind == "i"
            assert not set(train) & set(test)
            assert not set(GROUPS[train, 0]) & set(GROUPS[test, 0])
            assert not set(GROUPS[train, 1]) & set(GROUPS[test, 1])

    def test_a_second_call_gives_the_same_folds(self, cv):
        assert same(cv.split(X, Y, GROUPS), cv.split(X, Y, GROUPS))

    def test_survives_clone(self, cv):
        copy = clone(cv)
        assert copy is not cv
        assert copy.get_params() == cv.get_params()
        assert same(cv.split(X, Y, GROUPS), copy.split(X, Y, GROUPS))

    def test_init_only_stores(self, cv):
        assert {name: getattr(cv, name) for name in cv.get_params()} == cv.get_params()

    def test_runs_in_cross_validate_with_a_pipeline(self, cv):
        found = cross_validate(make_pipeline(StandardScaler(), Ridge()), X, Y, groups=GROUPS, cv=cv)
        assert len(found["test_score"]) == cv.get_n_splits()

    def test_routes_groups_by_itself(self, cv):
        with sklearn.config_context(enable_metadata_routing=True):
            model = make_pipeline(StandardScaler(), Ridge())
            plain = cross_val_score(model, X, Y, cv=cv, params={"groups": GROUPS}, scoring="r2")
        assert plain == pytest.approx(cross_val_score(model, X, Y, groups=GROUPS, cv=cv, scoring="r2"))

    def test_runs_inside_a_grid_search(self, cv):
        search = GridSearchCV(Ridge(), {"alpha": [1, 10]}, cv=cv).fit(X, Y, groups=GROUPS)
        assert search.n_splits_ == cv.get_n_splits()
        assert check_cv(cv) is cv

    def test_needs_groups_and_says_which(self, cv):
        with pytest.raises(ArcuateError, match=r"groups is None.*table.groups"):
            next(cv.split(X, Y))
        with pytest.raises(ArcuateError, match=r"shape \(72,\)"):
            next(cv.split(X, Y, GROUPS[:, 0]))
        with pytest.raises(ArcuateError, match=r"groups has 71 rows and X has 72"):
            next(cv.split(X, Y, GROUPS[1:]))

    def test_takes_frames_and_lists(self, cv):
        expected = list(cv.split(X, Y, GROUPS))
        columns = {"subject": GROUPS[:, 0], "text": GROUPS[:, 1]}
        for groups in (pd.DataFrame(columns), pl.DataFrame(columns), GROUPS.tolist()):
            assert same(expected, cv.split(X, Y, groups))


def test_a_tables_groups_are_what_the_splitters_take():
    table = arc.read_samples(pl.DataFrame({"subject": GROUPS[:, 0], "text_id": GROUPS[:, 1]}))
    cv = arc.CrossSubjectTextKFold(n_splits=3)
    assert same(cv.split(X, Y, table.groups), cv.split(X, Y, GROUPS))


def test_grid_tests_each_row_once():
    tested = np.concatenate([test for _, test in arc.CrossSubjectTextGridFold(n_splits=4).split(X, Y, GROUPS)])
    assert sorted(tested) == list(range(72))


def test_optimal_keeps_the_most_at_its_ratio():
    (train, test), = arc.CrossSubjectTextSplit(test_size=0.2, tolerance=0.3).split(X, Y, GROUPS)
    assert 0.14 <= len(test) / (len(train) + len(test)) <= 0.26
    assert len(train) + len(test) >= 36  # 1 / (sqrt(.8) + sqrt(.2))^2 = 0.556 of 72 at the exact ratio is 40


@pytest.mark.parametrize(("options", "message"), [
    ({"test_size": 1.5}, "test_size is 1.5"), ({"method": "z"}, "method 'z' is not known"),
    ({"n_splits": 2}, "method 'optimal' has one answer"),
])
def test_bad_options_are_refused_when_used(options, message):
    with pytest.raises(ArcuateError, match=message):
        next(arc.CrossSubjectTextSplit(**options).split(X, Y, GROUPS))


def test_random_state_may_be_a_generator_of_states():
    cv = arc.CrossSubjectTextKFold(n_splits=3, random_state=np.random.RandomState(0))
    assert not same(cv.split(X, Y, GROUPS), cv.split(X, Y, GROUPS))
