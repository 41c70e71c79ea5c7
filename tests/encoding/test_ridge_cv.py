"""One alpha a voxel, and bands of features, against himalaya."""

from __future__ import annotations

import numpy as np
import pytest
from himalaya.kernel_ridge import KernelRidgeCV, solve_multiple_kernel_ridge_random_search
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold

from arcuate.encoding.fold_fit import fit_fold, predict
from arcuate.encoding.folds import Fold, shuffled_folds
from arcuate.encoding.ridge_banded import band_scales, band_weights
from arcuate.encoding.ridge_cv import choose_alphas, fit_dual, prepare_search, search_losses
from arcuate.encoding.settings import EncodingSettings
from arcuate.errors import ArcuateError

N, P, VOXELS = 60, 25, 40
ALPHAS = tuple(10.0**k for k in range(-2, 6))


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    x = rng.normal(1, 1, size=(N, P))
    y = x @ rng.normal(size=(P, VOXELS)) * rng.uniform(0, 1, size=VOXELS) ** 3 + 3 * rng.normal(size=(N, VOXELS))
    return x, y


def sklearn_folds(k=5):
    return [Fold(train, test) for train, test in KFold(k).split(np.zeros(N))]


def test_alphas_and_weights_are_himalayas(data):
    x, y = data
    theirs = KernelRidgeCV(alphas=ALPHAS, cv=KFold(5), fit_intercept=True, warn=False).fit(x, y)
    search = prepare_search(x, sklearn_folds(), ALPHAS)
    chosen = choose_alphas(search, y, block=7)
    assert len(set(chosen)) > 3
    assert search.alphas[chosen] == pytest.approx(np.asarray(theirs.best_alphas_))
    dual = fit_dual(search, y, chosen)
    mean = x.mean(axis=0)
    predicted = y.mean(axis=0) + (x - mean) @ ((x - mean).T @ dual)
    assert predicted == pytest.approx(np.asarray(theirs.predict(x)), abs=1e-8)


def test_losses_equal_refits(data):
    x, y = data
    losses = search_losses(prepare_search(x, sklearn_folds(4), ALPHAS), y)
    for row, alpha in enumerate(ALPHAS):
        errors = []
        for train, test in KFold(4).split(x):
            fitted = Ridge(alpha, solver="svd").fit(x[train], y[train]).predict(x[test])
            errors.append(((y[test] - fitted) ** 2).mean(axis=0))
        assert losses[row] == pytest.approx(np.mean(errors, axis=0))


def test_bands_are_himalayas(data):
    x, y = data
    groups = (("a", 10), ("b", 15))
    gammas = band_weights(2, 6, seed=1)
    x = x - x.mean(axis=0)
    y = y - y.mean(axis=0)
    kernels = np.stack([x[:, :10] @ x[:, :10].T, x[:, 10:] @ x[:, 10:].T])
    deltas, _, _, alphas, _ = solve_multiple_kernel_ridge_random_search(
        kernels, y, n_iter=gammas, alphas=np.array(ALPHAS), cv=KFold(5), fit_intercept=True,
        return_weights="dual", return_alphas=True, progress_bar=False,
    )
    search = prepare_search(x, sklearn_folds(), ALPHAS, scales=band_scales(groups, gammas))
    chosen = choose_alphas(search, y)
    gamma = gammas[chosen // len(ALPHAS)]
    assert search.alphas[chosen] == pytest.approx(np.asarray(alphas))
    assert gamma.T == pytest.approx(np.exp(np.asarray(deltas)) * np.asarray(alphas))


def test_a_fold_chooses_alpha_on_its_training_rows(data):
    x, y = data
    fold = shuffled_folds(N, 4, seed=1)[0]
    settings = EncodingSettings(alpha="cv", alphas=ALPHAS, folds=4)
    fit = fit_fold(x, fold, np.zeros(N), settings, "isolated", training=False)
    other = y.copy()
    other[fold.test] = 1e3
    first, second = predict(fit, y), predict(fit, other)
    assert np.array_equal(first.alphas, second.alphas)
    assert np.array_equal(first.predictions, second.predictions)
    for v in range(0, VOXELS, 7):
        alpha = ALPHAS[first.alphas[v]]
        expected = Ridge(alpha, solver="svd").fit(x[fold.train], y[fold.train, v]).predict(x[fold.test])
        assert first.predictions[:, v] == pytest.approx(expected)


def test_other_rows_are_refused(data):
    x, y = data
    with pytest.raises(ArcuateError, match="10 rows of responses for 60"):
        choose_alphas(prepare_search(x, sklearn_folds(), ALPHAS), y[:10])
