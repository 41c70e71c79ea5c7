"""Closed forms against scikit-learn refits."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from arcuate.encoding.folds import block_folds, shuffled_folds
from arcuate.encoding.ridge import decompose, fit, held_out_weights, predict_held_out, residual_maker
from arcuate.errors import ArcuateError

SHAPES = [(20, 5), (20, 20), (20, 60)]
ALPHAS = [1e-3, 1.0, 1e4]


def simulated(n, p, voxels=6, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(3, 1, size=(n, p))
    return x, x @ rng.normal(size=(p, voxels)) + rng.normal(5, 1, size=(n, voxels))


@pytest.mark.parametrize(("n", "p"), SHAPES)
@pytest.mark.parametrize("alpha", ALPHAS)
def test_k_fold_predictions_equal_refits(n, p, alpha):
    x, y = simulated(n, p)
    for fold in shuffled_folds(n, 4, seed=1):
        expected = Ridge(alpha, solver="svd").fit(x[fold.train], y[fold.train]).predict(x[fold.test])
        assert predict_held_out(x, y, alpha, fold.test) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_predictions_with_a_gap_equal_refits(alpha):
    x, y = simulated(30, 8)
    maker = residual_maker(decompose(x), alpha)
    for fold in block_folds(np.repeat([0, 1], 15), 4, gap=2):
        expected = Ridge(alpha, solver="svd").fit(x[fold.train], y[fold.train]).predict(x[fold.test])
        weights = held_out_weights(maker, fold.test, fold.left_out(30))
        assert weights @ y == pytest.approx(expected, abs=1e-8)
        assert not weights[:, fold.left_out(30)].any()


@pytest.mark.parametrize(("n", "p"), SHAPES)
def test_fit_equals_scikit_learn(n, p):
    x, y = simulated(n, p)
    coefficients, intercepts = fit(x, y, 2.0)
    expected = Ridge(2.0, solver="svd").fit(x, y)
    assert coefficients == pytest.approx(expected.coef_.T, abs=1e-8)
    assert intercepts == pytest.approx(expected.intercept_, abs=1e-8)


@pytest.mark.parametrize("alpha", [0, -1, np.nan, np.inf])
def test_a_penalty_that_is_not_positive_is_refused(alpha):
    with pytest.raises(ArcuateError, match="alpha is"):
        fit(*simulated(5, 2), alpha)


def test_leaving_out_everything_is_refused():
    with pytest.raises(ArcuateError, match="none remains"):
        predict_held_out(*simulated(5, 2), 1.0, np.arange(5))
