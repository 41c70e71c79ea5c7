"""Bootstrap, permutation and corrections against closed forms, enumeration and simulation."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, t

from arcuate.errors import ArcuateError
from arcuate.metrics import uncertainty
from arcuate.metrics.uncertainty import Clusters, Estimates, bootstrap, holm, swap_test


def mean(sums):
    return sums[..., :1] / sums[..., 1:2]


def gap(sums):
    return mean(sums[..., :2]) - mean(sums[..., 2:])


def column(values):
    return np.stack([np.asarray(values, float), np.ones(len(values))], axis=1)


def test_independent_samples_give_the_textbook_interval():
    values = np.random.default_rng(0).normal(3, 2, 200)
    found = bootstrap(column(values), mean, Clusters.of([str(n) for n in range(200)]), draws=20_000)
    error = values.std(ddof=1) / np.sqrt(200)
    assert found.value[0] == pytest.approx(values.mean())
    assert found.standard_error[0] == pytest.approx(error, rel=0.02)
    assert found.low[0] == pytest.approx(values.mean() - t.isf(0.025, 199) * error, abs=0.1 * error)
    assert found.high[0] == pytest.approx(values.mean() + t.isf(0.025, 199) * error, abs=0.1 * error)


def test_copies_of_a_sample_add_no_certainty():
    values = np.random.default_rng(1).normal(0, 1, 40)
    names = [str(n) for n in range(40)]
    once = bootstrap(column(values), mean, Clusters.of(names), draws=4000)
    often = bootstrap(column(np.repeat(values, 9)), mean, Clusters.of(np.repeat(names, 9).tolist()), draws=4000)
    assert often.standard_error[0] == pytest.approx(once.standard_error[0], rel=0.05)


def test_crossed_variance_is_that_of_both_factors():
    """With strong text and subject effects the error is near the sum of both, which texts alone miss."""
    generator = np.random.default_rng(2)
    errors, text_only, truth = [], [], []
    for _ in range(40):
        text, subject = np.divmod(np.arange(40 * 12), 12)
        values = generator.normal(0, 1, 40)[text] + generator.normal(0, 1, 12)[subject] + generator.normal(0, 1, 480)
        names = (text.astype(str).tolist(), subject.astype(str).tolist())
        errors.append(bootstrap(column(values), mean, Clusters.of(*names), draws=400).standard_error[0] ** 2)
        text_only.append(bootstrap(column(values), mean, Clusters.of(names[0]), draws=400).standard_error[0] ** 2)
        truth.append(1 / 40 + 1 / 12 + 1 / 480)
    assert np.mean(errors) == pytest.approx(np.mean(truth), rel=0.2)
    assert np.mean(text_only) < 0.5 * np.mean(truth)


def test_independent_pairs_are_counted_once():
    """Without text and subject effects the crossed error is that of independent samples, not two or three times it."""
    generator = np.random.default_rng(5)
    text, subject = np.divmod(np.arange(50 * 30), 30)
    clusters = Clusters.of(text.astype(str).tolist(), subject.astype(str).tolist())
    squared = [bootstrap(column(generator.normal(0, 1, 1500)), mean, clusters, draws=300).standard_error[0] ** 2
               for _ in range(40)]
    assert np.mean(squared) == pytest.approx(1 / 1500, rel=0.3)


def test_swaps_are_those_of_full_enumeration():
    generator = np.random.default_rng(3)
    real, control = column(generator.normal(0.6, 1, 8)), column(generator.normal(0, 1, 8))
    names = list("aabbccdd")
    clusters = Clusters.of(names)
    found = bootstrap(np.hstack([real, control]), gap, clusters, draws=200)
    above, below = swap_test(real, control, mean, clusters, found, draws=40_000)
    by_text = (real - control)[:, 0].reshape(4, 2).sum(axis=1)
    swapped = [np.dot(signs, by_text) / 8 for signs in itertools.product([-1, 1], repeat=4)]
    assert above[0] == pytest.approx(np.mean([s >= found.value[0] - 1e-12 for s in swapped]), abs=0.01)
    assert below[0] == pytest.approx(np.mean([s <= found.value[0] + 1e-12 for s in swapped]), abs=0.01)


def test_no_difference_is_no_evidence():
    rows = column(np.arange(10.0))
    clusters = Clusters.of(list("aabbccddee"), list("xyxyxyxyxy"))
    found = bootstrap(np.hstack([rows, rows]), gap, clusters, draws=300)
    assert (found.low[0], found.value[0], found.high[0]) == (0, 0, 0)
    above, below = swap_test(rows, rows, mean, clusters, found, draws=300)
    assert (above[0], below[0]) == (1, 1)


def test_many_clusters_are_joined_without_changing_the_error(monkeypatch):
    values = np.random.default_rng(4).normal(0, 1, 3000)
    clusters = Clusters.of([str(n) for n in range(3000)])
    whole = bootstrap(column(values), mean, clusters, draws=2000).standard_error[0]
    monkeypatch.setattr(uncertainty, "MAX_GROUPS", 300)
    joined = bootstrap(column(values), mean, clusters, draws=2000).standard_error[0]
    assert joined == pytest.approx(whole, rel=0.15)


def test_same_seed_same_numbers():
    rows = np.hstack([column(np.arange(12.0)), column(np.arange(12.0)[::-1] + 1)])
    clusters = Clusters.of(list("aabbccddeeff"), list("xyxyxyxyxyxy"))
    first, second = (bootstrap(rows, gap, clusters, draws=500, seed=7) for _ in range(2))
    assert (first.low[0], first.high[0]) == (second.low[0], second.high[0])


def test_detectable_effect_is_the_sum_of_two_quantiles():
    found = Estimates(*(np.array([x]) for x in (0.0, -1.0, 1.0, 0.5, np.inf)))
    assert found.detectable()[0] == pytest.approx(0.5 * (1.6449 + 0.8416), abs=1e-3)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_lies_between_none_and_bonferroni(p_values):
    corrected = holm(p_values)
    assert (corrected >= np.array(p_values) - 1e-12).all()
    assert (corrected <= np.minimum(1, len(p_values) * np.array(p_values)) + 1e-12).all()
    # Holm controls more than the false discovery rate does.
    assert (corrected >= false_discovery_control(p_values) - 1e-12).all()
    # Step-down by its definition, one hypothesis at a time.
    order = np.argsort(p_values, kind="stable")
    running = 0.0
    for step, place in enumerate(order):
        running = max(running, (len(p_values) - step) * p_values[place])
        assert corrected[place] == pytest.approx(min(1, running))


def test_one_text_is_refused():
    with pytest.raises(ArcuateError, match="1 distinct target texts"):
        Clusters.of(["a", "a"])


def test_unequal_lengths_are_refused():
    with pytest.raises(ArcuateError, match="3 texts but 2 subjects"):
        Clusters.of(["a", "b", "c"], ["x", "y"])
