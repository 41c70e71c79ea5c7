"""Leave-two-out in closed form against one scikit-learn refit a pair: all 66 pairs of 12 stimuli."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from arcuate.datasets.responses import BrainResponses
from arcuate.encoding.evaluate import evaluate
from arcuate.encoding.features.record import Features
from arcuate.encoding.leave_two_out import Pairs, SelectedPairs, gram, score_gram
from arcuate.encoding.select import Selection, spheres, stability
from arcuate.encoding.settings import EncodingSettings
from arcuate.metrics.pairwise import MATCHES, SIMILARITIES, match_pairs, similarity_matrix
from arcuate.metrics.voxelwise import correlation, explained_variance

N, P, VOXELS, CHOSEN, ALPHA = 12, 20, 40, 9, 3.0
RULES = ["none", "ev", "r", "stable", "searchlight", "top500_test"]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(7)
    x = rng.normal(size=(N, P))
    signal = x @ rng.normal(size=(P, VOXELS)) * (rng.uniform(size=VOXELS) < 0.4) * 0.3
    repetitions = signal[:, None, :] + rng.normal(2, 1, size=(N, 4, VOXELS))
    return x, repetitions.mean(axis=1), repetitions, rng.uniform(0, 10, size=(VOXELS, 3))


def scaled(values, train):
    return (values - values[train].mean(0)) / values[train].std(0)


def chosen_by_hand(rule, fitted, y, repetitions, coordinates, train, test):
    if rule == "none":
        return np.arange(VOXELS)
    scores = {
        "ev": lambda: explained_variance(y[train], fitted[train]),
        "r": lambda: correlation(y[train], fitted[train]),
        "stable": lambda: stability(repetitions[train]),
        "searchlight": lambda: spheres(coordinates, 4.0) @ explained_variance(y[train], fitted[train]),
        "top500_test": lambda: explained_variance(y[test], fitted[test]),
    }[rule]()
    return np.sort(np.argsort(-scores)[:CHOSEN])


def by_refits(data, rule, z_features=False, z_responses=False):
    x, y, repetitions, coordinates = data
    points = {cell: [] for cell in itertools.product(SIMILARITIES, MATCHES)}
    all_predictions = []
    for test in itertools.combinations(range(N), 2):
        test, train = list(test), [i for i in range(N) if i not in test]
        xx = scaled(x, train) if z_features else x
        yy = scaled(y, train) if z_responses else y
        fitted = Ridge(ALPHA, solver="svd").fit(xx[train], yy[train]).predict(xx)
        columns = chosen_by_hand(rule, fitted, yy, repetitions, coordinates, train, test)
        s, p = yy[test][:, columns], fitted[test][:, columns]
        all_predictions.append((columns, p))
        for similarity, match in points:
            f = similarity_matrix(s, p, similarity)
            points[similarity, match].append(match_pairs(f[0, 0], f[0, 1], f[1, 0], f[1, 1], match)[0])
    return {cell: np.mean(values) for cell, values in points.items()}, all_predictions


def ours(data, rule, z_responses=False):
    x, y, repetitions, coordinates = data
    around = spheres(coordinates, 4.0)
    selection = Selection(rule, CHOSEN)
    return SelectedPairs.of(Pairs.of(x, ALPHA), y, selection, repetitions, around, standardise=z_responses)


def evaluated(data, rule, **settings):
    """The same through the whole pipeline, which takes the closed form or refits as the settings need."""
    x, y, repetitions, coordinates = data
    responses = BrainResponses(
        dataset="toy", subject="1", kind="isolated", responses=y, stimuli=tuple("abcdefghijkl"),
        repetitions=repetitions, coordinates=coordinates,
    )
    result = evaluate([(responses, Features("toy", x, "toy"))], EncodingSettings(
        alpha=ALPHA, scores=("pairwise",), select=Selection(rule, CHOSEN, radius=4.0), permutations=0, **settings,
    ))
    return {(one.metric, one.match): one.value for one in result.scores}


def test_cells_from_gram_matrices_equal_refits(data):
    x, y, _, _ = data
    expected, _ = by_refits(data, "none")
    found = score_gram(Pairs.of(x, ALPHA), *gram(y))
    assert {cell: one.value for cell, one in found.items()} == pytest.approx(expected, abs=1e-12)
    assert {one.n for one in found.values()} == {66}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("z_responses", [False, True])
def test_selection_by_pair_equals_refits(data, rule, z_responses):
    expected, _ = by_refits(data, rule, z_responses=z_responses)
    found = ours(data, rule, z_responses).score()
    assert {cell: one.value for cell, one in found.items()} == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("standardise", ["none", "features", "responses", "both"])
def test_the_pipeline_equals_refits(data, rule, standardise):
    z_features, z_responses = standardise in ("features", "both"), standardise in ("responses", "both")
    expected, _ = by_refits(data, rule, z_features, z_responses)
    assert evaluated(data, rule, standardise=standardise) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("rule", ["ev", "stable"])
def test_predictions_and_voxels_of_every_pair_equal_refits(data, rule):
    _, expected = by_refits(data, rule)
    selected = ours(data, rule)
    pairs = selected.pairs
    y = selected.responses[pairs]
    e, product, residual = selected.model.residuals(np.arange(len(pairs)))
    sums = selected._totals[0] - y.sum(axis=1)
    total = selected._totals[1] - (y**2).sum(axis=1) - sums**2 / (N - 2)
    columns = selected._columns(np.arange(len(pairs)), y, e, total, product, residual)
    for k, (voxels, predictions) in enumerate(expected):
        assert columns[k].tolist() == voxels.tolist()
        assert (y[k] - e[k] + selected.mean)[:, voxels] == pytest.approx(predictions, abs=1e-8)


def test_a_permutation_permutes_the_gram_matrix(data):
    x, y, _, _ = data
    order = np.random.default_rng(1).permutation(N)
    pairs = Pairs.of(x, ALPHA)
    direct = score_gram(pairs, *gram(y[order]))
    shared = score_gram(pairs, *(matrix[np.ix_(order, order)] for matrix in gram(y)))
    assert {c: s.value for c, s in direct.items()} == {c: s.value for c, s in shared.items()}


def test_batches_do_not_change_the_result(data, monkeypatch):
    whole = ours(data, "ev").score()
    monkeypatch.setattr("arcuate.encoding.leave_two_out.BATCH", 7 * VOXELS)
    assert ours(data, "ev").score() == whole
