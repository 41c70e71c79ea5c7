"""BH adjustment against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from arcuate.errors import ArcuateError
from arcuate.metrics.fdr import benjamini_hochberg


def test_equals_scipy():
    p = np.random.default_rng(4).uniform(size=200) ** 2
    assert benjamini_hochberg(p) == pytest.approx(false_discovery_control(p))


def test_nan_is_no_test():
    p = np.random.default_rng(4).uniform(size=20)
    with_gaps = np.insert(p, [3, 7], np.nan)
    found = benjamini_hochberg(with_gaps)
    assert np.isnan(found).sum() == 2
    assert found[~np.isnan(found)] == pytest.approx(false_discovery_control(p))


def test_no_p_value_is_refused():
    with pytest.raises(ArcuateError, match=r"1\.5"):
        benjamini_hochberg(np.array([0.1, 1.5]))
