"""Noise ceilings where the answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from arcuate.errors import ArcuateError
from arcuate.metrics.ceiling import between_repetitions, between_subjects, without_drift
from arcuate.metrics.subject_interval import interval_over_subjects


def test_between_subjects_finds_the_known_correlation():
    # signal of variance 1, noise of variance 1, mean of 9 others: r = 1 / sqrt(2 · (1 + 1/9))
    rng = np.random.default_rng(0)
    signal = rng.normal(size=(20_000, 2))
    subjects = [signal + rng.normal(size=signal.shape) for _ in range(10)]
    expected = np.full((10, 2), 1 / np.sqrt(2 * (1 + 1 / 9)))
    assert between_subjects(subjects) == pytest.approx(expected, abs=0.02)


def test_between_repetitions_of_noise_is_zero():
    repetitions = np.random.default_rng(0).normal(size=(5_000, 6, 3))
    assert between_repetitions(repetitions) == pytest.approx(np.zeros(3), abs=0.03)


def test_subjects_with_other_voxels_are_refused():
    with pytest.raises(ArcuateError, match="same rows and voxels"):
        between_subjects([np.ones((3, 2)), np.ones((3, 4))])


def test_drift_is_taken_out():
    time = np.linspace(0, 1, 50)
    assert np.abs(without_drift(np.stack([time**3, 1 + time], axis=1), 3)).max() < 1e-10


def test_interval_covers_the_mean_and_needs_two_subjects():
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(200):
        low, high = interval_over_subjects(rng.normal(size=25), resamples=500)
        covered += low < 0 < high
    assert covered >= 175
    assert np.isnan(interval_over_subjects(np.array([0.5]))).all()
