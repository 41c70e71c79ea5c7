"""p-values of voxels that stop early are as valid as those of all permutations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.stats import kstest

from arcuate.datasets.responses import BrainResponses, TimedWords
from arcuate.encoding.evaluate import evaluate
from arcuate.encoding.features.record import Features
from arcuate.encoding.fold_fit import fit_fold
from arcuate.encoding.folds import shuffled_folds
from arcuate.encoding.nulls import stimulus_orders
from arcuate.encoding.settings import EncodingSettings
from arcuate.encoding.voxel_nulls import voxel_p_values
from arcuate.errors import ArcuateError


def fitted(x, alpha):
    settings = EncodingSettings(alpha=alpha, alphas=(1.0, 10.0, 100.0), folds=4, inner_folds=3)
    return [
        fit_fold(x, fold, np.zeros(len(x)), settings, "isolated", training=False)
        for fold in shuffled_folds(len(x), 4, seed=1)
    ]


@pytest.mark.parametrize("alpha", [10.0, "cv"])
def test_null_voxels_have_uniform_p_values_and_stop_early(alpha):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(40, 5)), rng.normal(size=(40, 3000))
    found = voxel_p_values(fitted(x, alpha), y, stimulus_orders(40, 199, seed=2), stop_after=10)
    assert found.used.mean() < 60
    # p is discrete: spread each over the step below it
    uniform = found.p - rng.uniform(size=3000) * np.where(found.used < 199, found.p / found.used, 1 / 200)
    assert kstest(uniform, "uniform").statistic < 0.05
    assert (found.p <= 0.05).mean() == pytest.approx(0.05, abs=0.015)


def test_without_stopping_it_is_the_plain_p_value():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(30, 4)), rng.normal(size=(30, 50))
    orders = stimulus_orders(30, 30, seed=2)
    fits = fitted(x, 10.0)
    found = voxel_p_values(fits, y, orders, stop_after=10**6)
    null = np.stack([voxel_p_values(fits, y[order], orders[:0]).r for order in orders])
    assert found.p == pytest.approx((1 + (null >= found.r).sum(axis=0)) / 31)
    early = voxel_p_values(fits, y, orders, stop_after=3)
    assert np.array_equal(early.r, found.r)
    assert early.used.max() <= 30


def test_single_precision_gives_the_same():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(30, 4)), rng.normal(size=(30, 50)).astype(np.float32)
    orders = stimulus_orders(30, 20, seed=2)
    single, double = (voxel_p_values(fitted(x, 10.0), y.astype(t), orders) for t in (np.float32, np.float64))
    assert single.r == pytest.approx(double.r, abs=1e-5)


def test_a_constant_voxel_has_no_p_value():
    x = np.random.default_rng(1).normal(size=(30, 4))
    y = np.ones((30, 2))
    y[:, 1] = x[:, 0]
    found = voxel_p_values(fitted(x, 10.0), y, stimulus_orders(30, 20, seed=2))
    assert np.isnan(found.p[0])
    assert found.p[1] == pytest.approx(1 / 21)
    with pytest.raises(ArcuateError, match="stop_after is 0"):
        voxel_p_values(fitted(x, 10.0), y, stimulus_orders(30, 20, seed=2), stop_after=0)


def test_p_values_of_drifting_autocorrelated_voxels_are_uniform():
    """Over many features: the null moves them, whatever the responses are like.

    Slow series are the hard case: without short turns in the null, p ≤ .05 in 13% of cases.
    """
    settings = EncodingSettings(folds=3, gap=5, scores=("voxelwise",), permutations=0, map_permutations=59)
    words = TimedWords(("word",), np.zeros(1), np.ones(1))
    found = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        noise = lfilter([1.0], [1.0, -0.9], rng.normal(size=(176, 25)), axis=0)[50:]
        x, y = noise[:, :5], noise[:, 5:] + 100 + rng.normal(0, 2, size=20) * np.linspace(-1, 1, 126)[:, None]
        data = BrainResponses(dataset="noise", subject="1", kind="continuous", responses=y, stimuli=words, tr=2.0)
        found.append(evaluate([(data, Features("noise", x, "noise", rows="scans"))], settings).maps["1/noise/p"])
    p = np.concatenate(found)
    # p is discrete, and the more so the larger it is: below a half its steps are short
    assert (p <= 0.5).mean() == pytest.approx(0.5, abs=0.06)
    assert (p <= 0.05).mean() == pytest.approx(0.05, abs=0.025)
