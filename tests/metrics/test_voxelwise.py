"""Voxelwise scores against scikit-learn and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import pearsonr
from sklearn.metrics import explained_variance_score, r2_score

from arcuate.errors import ArcuateError
from arcuate.metrics.voxelwise import VOXELWISE, best_voxels, explained_variance, over_voxels, r2, r2_simple


@pytest.fixture
def pair():
    rng = np.random.default_rng(1)
    targets = rng.normal(2, 3, size=(30, 8))
    return targets, 0.4 * targets + rng.normal(size=(30, 8))


def test_explained_variance_is_scikit_learns(pair):
    expected = explained_variance_score(*pair, multioutput="raw_values")
    assert explained_variance(*pair) == pytest.approx(expected)


def test_r2_is_scikit_learns(pair):
    assert r2(*pair) == pytest.approx(r2_score(*pair, multioutput="raw_values"))


def test_r2_simple_is_r_times_its_size(pair):
    targets, predictions = pair
    predictions[:, 0] *= -1
    r = [pearsonr(t, p)[0] for t, p in zip(targets.T, predictions.T, strict=True)]
    assert r2_simple(targets, predictions) == pytest.approx([x * abs(x) for x in r])
    assert r2_simple(targets, predictions)[0] < 0


@pytest.mark.parametrize("metric", VOXELWISE)
def test_a_constant_voxel_has_no_score_and_is_counted(metric, pair):
    targets, predictions = pair
    targets[:, 2] = 7
    values = VOXELWISE[metric](targets, predictions)
    assert np.isnan(values[2])
    assert over_voxels(values).undefined == 1
    assert over_voxels(values).value == pytest.approx(np.delete(values, 2).mean())
    assert over_voxels(values, "sum").value == pytest.approx(np.delete(values, 2).sum())


@pytest.mark.parametrize("metric", VOXELWISE)
def test_one_sample_is_refused(metric):
    with pytest.raises(ArcuateError, match="1 test samples"):
        VOXELWISE[metric](np.ones((1, 3)), np.ones((1, 3)))


def test_best_voxels_never_takes_an_undefined_one():
    assert best_voxels(np.array([np.nan, 0.5, 0.7, np.nan]), 3).tolist() == [1, 2]
