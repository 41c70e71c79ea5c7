"""Pairwise accuracy against the equations written out pair by pair."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import distance

from arcuate.errors import ArcuateError
from arcuate.metrics.pairwise import (
    MATCHES,
    SIMILARITIES,
    match_pairs,
    pairwise_accuracy,
    partners,
    similarity_matrix,
)

ONE = {
    "cosine": lambda s, p: 1 - distance.cosine(s, p),
    "euclidean": lambda s, p: -distance.euclidean(s, p),
    "pearson": lambda s, p: np.corrcoef(s, p)[0, 1],
}


def by_hand(s1, s2, p1, p2, f, match):
    first, second = f(s1, p1) > f(s1, p2), f(s2, p2) > f(s2, p1)
    both = f(s1, p1) + f(s2, p2) > f(s1, p2) + f(s2, p1)
    return {"sum": both, "single": first, "strict": first and second}[match]


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("match", MATCHES)
def test_equals_the_equations(similarity, match):
    rng = np.random.default_rng(3)
    s, p = rng.normal(size=(9, 7)), rng.normal(size=(9, 7))
    p += 0.5 * s
    expected = [
        by_hand(s[i], s[j], p[i], p[j], ONE[similarity], match) for i in range(9) for j in range(i + 1, 9)
    ]
    found = pairwise_accuracy(s, p, similarity, match)
    assert found.value == pytest.approx(np.mean(expected))
    assert (found.n, found.ties, found.undefined) == (36, 0, 0)


@pytest.mark.parametrize("match", MATCHES)
def test_all_ties_score_chance_and_are_reported(match):
    s = np.random.default_rng(0).normal(size=(5, 4))
    found = pairwise_accuracy(s, np.tile(s.mean(0), (5, 1)), "cosine", match)
    assert found.ties == found.n == 10
    assert found.value == (0.25 if match == "strict" else 0.5)


def test_a_prediction_of_norm_zero_is_an_undefined_tie():
    s = np.random.default_rng(0).normal(size=(4, 3))
    found = pairwise_accuracy(s, np.zeros((4, 3)), "cosine", "sum")
    assert (found.value, found.ties, found.undefined) == (0.5, 6, 6)


def test_half_a_tie_in_strict_counts_half():
    win, lose = np.array([1.0]), np.array([0.0])
    points, tied = match_pairs(win, lose, win, win, "strict")
    assert points.item() == 0.5
    assert tied.item()


def test_partners_keep_the_distance_and_the_seed():
    counts = partners(np.arange(60), number=1000, distance=20, seed=5)
    i, j = np.nonzero(counts)
    assert np.abs(i - j).min() >= 20
    assert np.array_equal(counts, partners(np.arange(60), number=1000, distance=20, seed=5))
    assert not np.array_equal(counts, partners(np.arange(60), number=1000, distance=20, seed=6))


def test_a_fold_too_short_for_the_distance_is_refused_or_counted():
    with pytest.raises(ArcuateError, match=r"10 of the 30 samples .* at least 20 steps"):
        partners(np.arange(30), number=1000, distance=20, seed=1)
    counts = partners(np.arange(30), number=1000, distance=20, seed=1, allow_none=True)
    assert (counts.sum(axis=1) == 0).sum() == 10


def test_shapes_must_agree():
    with pytest.raises(ArcuateError, match=r"\(3, 2\)"):
        similarity_matrix(np.zeros((3, 2)), np.zeros((2, 2)), "cosine")
