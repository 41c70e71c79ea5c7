"""The whole evaluation: what it finds, what it refuses, what it reports."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from arcuate.datasets.responses import BrainResponses, TimedWords
from arcuate.encoding.against_null import against_null
from arcuate.encoding.evaluate import evaluate
from arcuate.encoding.features.record import Features
from arcuate.encoding.nulls import scan_orders
from arcuate.encoding.scorers import Rsa
from arcuate.encoding.select import Selection
from arcuate.encoding.settings import EncodingSettings
from arcuate.errors import ArcuateError
from arcuate.metrics.rsa import dissimilarity, rsa

WORDS = tuple(f"word{i:02d}" for i in range(20))
QUICK = EncodingSettings(permutations=19, voxelwise_folds=4, top=10)


def isolated(subject="1", signal=2.0, seed=0):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(20, 4))
    weights = rng.normal(size=(4, 30))
    noise = np.random.default_rng([seed, int(subject)]).normal(size=(20, 30))
    data = BrainResponses(
        dataset="toy", subject=subject, kind="isolated", responses=signal * x @ weights + noise, stimuli=WORDS,
    )
    return data, Features("toy", x, "features:toy")


def continuous(n=150, runs=1, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    words = TimedWords(("a",), np.zeros(1), np.ones(1))
    y = x @ rng.normal(size=(3, 12)) + rng.normal(size=(n, 12)) + 100 + 0.05 * np.arange(n)[:, None]
    return BrainResponses(
        dataset="toy", subject="1", kind="continuous", responses=y, stimuli=words, tr=2.0,
        runs=np.repeat(np.arange(runs), n // runs), rois={f"R{i}": np.array([i]) for i in range(12)},
    ), Features("toy", x, "features:toy", rows="scans")


def value(result, **wanted):
    found = [s for s in result.summary if all(getattr(s, k) == v for k, v in wanted.items())]
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize("make", [isolated, continuous])
def test_a_strong_signal_is_found_by_every_score(make):
    folds = "leave-two-out" if make is isolated else 3
    result = evaluate([make()], replace(QUICK, folds=folds, alpha=1.0))
    for one in result.summary:
        if one.score == "pairwise" and one.match == "sum":
            assert one.mean > 0.9
        if one.metric == "r2_simple" and one.aggregate == "mean":
            assert one.mean > 0.3
        if "circular" not in one.voxels and one.score != "rsa":
            assert one.p == pytest.approx(1 / 20)
    assert (result.maps["1/toy/q"] < 0.06).mean() > 0.8


def test_no_signal_is_not_found():
    result = evaluate([isolated(signal=0.0)], QUICK)
    assert value(result, metric="cosine", match="sum").p > 0.05


def test_subjects_become_a_mean_with_an_interval_and_a_null():
    result = evaluate([isolated(subject) for subject in "123"], replace(QUICK, scores=("pairwise",)))
    one = value(result, metric="pearson", match="strict")
    scores = [s.value for s in result.scores if (s.metric, s.match) == ("pearson", "strict")]
    assert one.n_subjects == 3
    assert one.mean == pytest.approx(np.mean(scores))
    assert min(scores) <= one.low <= one.mean <= one.high <= max(scores)


def test_rows_in_another_order_give_the_same_scores_and_nulls():
    """The null moves stimuli, not rows: subjects who saw them in other orders share it."""
    data, features = isolated()
    order = np.random.default_rng(1).permutation(20)
    moved = replace(data, responses=data.responses[order], stimuli=tuple(WORDS[i] for i in order))
    settings = replace(QUICK, scores=("pairwise", "rsa"))
    first = evaluate([(data, features)], settings)
    second = evaluate([(moved, replace(features, values=features.values[order]))], settings)
    for a, b in zip(first.scores, second.scores, strict=True):
        if a.match != "single":  # which of two is the first depends on the order of rows
            assert (a.value, a.null_mean, a.p) == pytest.approx((b.value, b.null_mean, b.p))


@pytest.mark.parametrize("empty", [(), (0, 7)])
def test_rsa_of_an_order_is_rsa_of_the_rows_in_that_order(empty):
    """Rows without features stay out of the null too; the others are set against the responses of the order."""
    data, features = isolated()
    features.values[list(empty)] = 0
    kept = np.setdiff1d(np.arange(20), empty)
    order = np.random.default_rng(1).permutation(20)
    for rows, one in ((kept, None), (order[kept], order)):
        found = Rsa(data, features, QUICK).score(one)
        for cell, measured in found.items():
            spaces = dissimilarity(features.values[kept]), dissimilarity(data.responses[rows])
            assert measured.value == pytest.approx(rsa(*spaces, cell.metric))
            assert measured.n == len(kept)


def test_features_are_compared_with_baselines():
    data, features = isolated()
    noise = Features("random", np.random.default_rng(3).normal(size=(20, 4)), "random")
    result = evaluate([(data, features), (data, noise)], replace(QUICK, scores=("pairwise",)))
    assert {(d.features, d.baseline) for d in result.differences} == {("toy", "random")}
    assert next(d for d in result.differences if d.match == "sum").mean > 0.2


def test_ceilings_between_subjects_need_common_regions():
    first, features = continuous(seed=1)
    shared = first.responses + np.random.default_rng(2).normal(size=first.responses.shape)
    second = replace(first, subject="2", responses=shared)
    result = evaluate([(first, features), (second, features)], replace(QUICK, folds=3, scores=("voxelwise",)))
    assert [c["voxels"] for c in result.ceilings] == list(first.rois)
    assert all(0.4 < c["r"] < 1 for c in result.ceilings)
    assert evaluate([isolated("1"), isolated("2")], replace(QUICK, scores=("rsa",))).ceilings == ()


def test_the_same_request_gives_the_same_bytes_and_names_itself():
    texts = {json.dumps(evaluate([isolated()], QUICK).to_dict()) for _ in range(2)}
    assert len(texts) == 1
    line = json.loads(texts.pop())["signature"]
    for part in ("dataset:toy", "features:features:toy", "alpha:10", "folds:leave-two-out", "seed:1", "arcuate:"):
        assert part in line


def test_batches_of_orders_do_not_change_the_null(monkeypatch):
    whole = evaluate([continuous()], replace(QUICK, folds=3))
    monkeypatch.setattr("arcuate.encoding.fold_scores.STACKED", 1)
    single = evaluate([continuous()], replace(QUICK, folds=3))
    assert whole.evaluated[0].null == pytest.approx(single.evaluated[0].null, nan_ok=True)


def test_runs_are_folds_and_shifts_are_counted():
    result = evaluate([continuous(runs=3)], replace(QUICK, folds="runs", permutations=500, scores=("voxelwise",)))
    assert any("149 circular shifts of 150 scans exist" in note for note in result.notes)
    assert len(result.evaluated[0].null) == 149


# What cannot be scored


def broken(**changes):
    data, features = isolated()
    responses = data.responses.copy()
    for where, what in changes.items():
        responses[:, int(where[1:])] = what
    return replace(data, responses=responses), features


def test_nan_and_constant_voxels_are_refused_or_counted():
    bad = broken(v3=np.nan, v7=5.0)
    with pytest.raises(ArcuateError, match=r"toy/1: 2 of 30 voxels .*1 with NaN .*1 constant.*column 3.*--drop-voxels"):
        evaluate([bad], QUICK)
    result = evaluate([bad], replace(QUICK, drop_voxels=True))
    assert "toy/1: 2 of 30 voxels left out: 1 with NaN or infinity, 1 constant" in result.notes
    assert value(result, metric="ev", aggregate="mean", voxels="all").mean < 1


def test_regions_move_with_dropped_voxels():
    data, features = broken(v0=1.0)
    data = replace(data, rois={"left": np.array([0, 1, 2]), "gone": np.array([0])})
    settings = replace(QUICK, drop_voxels=True, scores=("pairwise",), select=Selection("roi", roi="left"))
    direct = replace(data, responses=data.responses[:, [1, 2]], rois={"left": np.array([0, 1])})
    assert evaluate([(data, features)], settings).scores == evaluate([(direct, features)], settings).scores
    with pytest.raises(ArcuateError, match="'gone' is not known"):
        evaluate([(data, features)], replace(settings, select=Selection("roi", roi="gone")))


def test_a_subject_of_zeros_is_refused():
    data, features = isolated()
    with pytest.raises(ArcuateError, match="none of the 30 voxels"):
        evaluate([(replace(data, responses=np.zeros((20, 30))), features)], replace(QUICK, drop_voxels=True))


def test_a_voxel_constant_in_one_test_fold_is_counted_not_zero():
    data, features = continuous()
    data.responses[:50, 4] = data.responses[0, 4]
    settings = replace(QUICK, folds=3, standardise="none", drift=-1, scores=("voxelwise",))
    result = evaluate([(data, features)], settings)
    assert {s.undefined for s in result.scores if s.voxels == "all"} == {1}


def test_mismatched_rows_are_refused():
    data, features = isolated()
    with pytest.raises(ArcuateError, match=r"20 rows of responses, features 'toy' have 19"):
        evaluate([(data, replace(features, values=features.values[:19]))], QUICK)


def test_a_fold_too_short_for_the_distance_is_refused_or_counted():
    settings = replace(QUICK, folds=5, scores=("pairwise",))
    with pytest.raises(ArcuateError, match="no partner at least 20 steps away"):
        evaluate([continuous()], settings)
    result = evaluate([continuous()], replace(settings, leave_out_lonely=True))
    assert "toy/1: 50 scans without a partner 20 steps away" in result.notes


@pytest.mark.parametrize(("selection", "message"), [
    (Selection("stable", 5), "no single repetitions"),
    (Selection("searchlight", 5), "no coordinates"),
    (Selection("roi", roi="V1"), "'V1' is not known"),
    (Selection("ev", 500), "asks for 500 voxels, toy/1 has 30"),
    (Selection("random", 500), "asks for 500 voxels"),
])  # fmt: skip
def test_a_selection_that_cannot_be_is_refused(selection, message):
    with pytest.raises(ArcuateError, match=message):
        evaluate([isolated()], replace(QUICK, select=selection))


def test_scans_cannot_be_left_out_in_twos():
    with pytest.raises(ArcuateError, match="continuous stimuli"):
        evaluate([continuous()], QUICK)


def test_two_datasets_are_refused():
    data, features = isolated()
    with pytest.raises(ArcuateError, match="'toy' and 'other'"):
        evaluate([(data, features), (replace(data, dataset="other"), features)], QUICK)


@pytest.mark.parametrize("wrong", [
    {"alpha": -1}, {"alpha": "best"}, {"folds": "some"}, {"scores": ("bleu",)}, {"scores": ()},
    {"standardise": "yes"}, {"permutations": -1}, {"bands": 3},
])  # fmt: skip
def test_settings_that_mean_nothing_are_refused(wrong):
    with pytest.raises(ArcuateError):
        EncodingSettings(**wrong)


def test_features_of_scans_move_and_what_is_made_from_time_stays():
    """The null of A + position is A against other scans, beside a position that is right."""
    data, language = continuous()
    rng = np.random.default_rng(1)
    time = np.linspace(-1, 1, data.n_rows)[:, None]
    both = Features("toy+time", np.hstack([language.values, time]), "x", rows="scans",
                    groups=(("toy", 3), ("time", 1)), of_time=("time",))  # fmt: skip
    settings = replace(QUICK, folds=3, permutations=4)
    null = evaluate([(data, both)], settings).evaluated[0].null
    for row, order in zip(null, scan_orders(data.n_rows, 4, settings.seed), strict=True):
        moved = language.values[np.argsort(order)]
        assert moved[order[7]] == pytest.approx(language.values[7])
        values = replace(both, values=np.hstack([moved, time]))
        again = evaluate([(data, values)], replace(settings, permutations=0)).evaluated[0]
        assert row == pytest.approx([one.value for one in again.cells.values()])
    alone = replace(both, name="time", values=time + 1e-3 * rng.normal(size=time.shape), groups=(("time", 1),))
    result = evaluate([(data, alone)], settings)
    assert any("time is made from time alone and has no null" in note for note in result.notes)
    assert all(np.isnan(score.p) for score in result.scores)
    assert "1/time/r" in result.maps
    assert "1/time/p" not in result.maps


@pytest.mark.parametrize("make", [isolated, continuous])
def test_maps_can_have_more_permutations_than_scores(make):
    folds = 4 if make is isolated else 3
    settings = replace(QUICK, folds=folds, scores=("voxelwise",), alpha="cv", inner_folds=3)
    data, features = make()
    noise = np.random.default_rng(3).normal(size=(data.n_rows, 40))
    mixed = replace(data, responses=np.hstack([data.responses, noise]), rois={})
    plain = evaluate([(mixed, features)], replace(settings, permutations=99))
    fast = evaluate([(mixed, features)], replace(settings, permutations=0, map_permutations=99))
    assert fast.maps["1/toy/r"] == pytest.approx(plain.maps["1/toy/r"])
    signal, other = slice(0, data.n_voxels), slice(data.n_voxels, None)
    assert (fast.maps["1/toy/p"][signal] == plain.maps["1/toy/p"][signal]).mean() > 0.9
    assert 0.3 < fast.maps["1/toy/p"][other].mean() < 0.7
    # With the same alphas and no early end they are the same numbers.
    fixed = replace(settings, alpha=1.0)
    plain = evaluate([(mixed, features)], replace(fixed, permutations=9))
    fast = evaluate([(mixed, features)], replace(fixed, permutations=0, map_permutations=9))
    assert fast.maps["1/toy/p"] == pytest.approx(plain.maps["1/toy/p"])
    assert "map_permutations:9" in fast.signature


def test_subjects_that_go_together_score_as_they_do_alone():
    first, features = continuous(seed=1)
    second = replace(first, subject="2", responses=first.responses + np.random.default_rng(2).normal(size=(150, 12)))
    settings = replace(QUICK, folds=3)
    both = evaluate([(first, features), (second, features)], settings)
    for one, data in zip(both.evaluated, (first, second), strict=True):
        alone = evaluate([(data, features)], settings).evaluated[0]
        assert np.array_equal(one.null, alone.null)
        assert one.cells == alone.cells


class Killed(BaseException):
    """As a signal would end the work."""


@pytest.mark.parametrize("make", [isolated, continuous])
def test_a_killed_evaluation_goes_on_and_gives_the_same_bytes(make, tmp_path, monkeypatch):
    settings = replace(QUICK, folds=4 if make is isolated else 3)
    data, features = make()
    other = replace(features, name="other", values=features.values[::-1].copy())
    whole = evaluate([(data, features), (data, other)], settings)
    scored = []

    def counting(group, kill_after=None):
        if len(scored) == kill_after:
            raise Killed
        scored.append(group[0].features)
        return against_null(group)

    def run():
        return evaluate([(data, features), (data, other)], settings, tmp_path)

    monkeypatch.setattr("arcuate.encoding.evaluate.against_null", partial(counting, kill_after=1))
    with pytest.raises(Killed):
        run()
    assert len(list(tmp_path.iterdir())) == 1
    monkeypatch.setattr("arcuate.encoding.evaluate.against_null", counting)
    after = run()
    assert scored == ["toy", "other"]
    assert json.dumps(after.to_dict()) == json.dumps(whole.to_dict())
    assert after.maps.keys() == whole.maps.keys()
    assert all(np.array_equal(after.maps[name], whole.maps[name], equal_nan=True) for name in whole.maps)
    # Other settings are other work; a damaged file is made again.
    next(tmp_path.iterdir()).write_bytes(b"PK")
    run()
    evaluate([(data, features)], replace(settings, seed=2), tmp_path)
    assert len(scored) == 4
