"""RSA against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import pearsonr, spearmanr

from arcuate.errors import ArcuateError
from arcuate.metrics.rsa import dissimilarity, rsa, upper_triangle

REFERENCE = {"pearson": pearsonr, "spearman": spearmanr}


@pytest.mark.parametrize("correlation", REFERENCE)
def test_equals_scipy(correlation):
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(12, 5)), rng.normal(size=(12, 9))
    assert upper_triangle(dissimilarity(a)) == pytest.approx(pdist(a, "cosine"))
    expected = REFERENCE[correlation](pdist(a, "cosine"), pdist(b, "cosine"))[0]
    assert rsa(dissimilarity(a), dissimilarity(b), correlation) == pytest.approx(expected)


def test_a_row_of_zeros_is_refused():
    with pytest.raises(ArcuateError, match="Row 1 has norm 0"):
        dissimilarity(np.array([[1.0, 2.0], [0.0, 0.0], [3.0, 1.0]]))


def test_other_samples_are_refused():
    with pytest.raises(ArcuateError, match=r"\(4, 4\) and \(5, 5\)"):
        rsa(np.eye(4), np.eye(5))
