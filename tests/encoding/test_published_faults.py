"""Each fault that we found in the published code of Beinborn et al. 2019 stays mended (numbers as in the spec)."""

from __future__ import annotations

import numpy as np
import pytest

from arcuate.datasets.response_readers import response_dataset
from arcuate.datasets.responses import BrainResponses, TimedWords
from arcuate.encoding.align import Alignment, align, bin_words
from arcuate.encoding.features.make import make_features
from arcuate.encoding.features.options import FeatureOptions
from arcuate.encoding.features.record import Features
from arcuate.encoding.fold_fit import fit_fold, prepared
from arcuate.encoding.folds import block_folds
from arcuate.encoding.select import Selection, fixed_columns, stability
from arcuate.encoding.settings import EncodingSettings
from arcuate.errors import ArcuateError
from arcuate.metrics.pairwise import partners
from arcuate.metrics.rsa import dissimilarity, rsa


def heard_then_answered(delay_scans: int, n_scans: int = 200) -> tuple[BrainResponses, Features]:
    """A brain that answers each word `delay_scans` scans after it, and nothing else."""
    onsets = np.arange(n_scans) * 2.0 + 0.5
    values = np.random.default_rng(0).normal(size=(n_scans, 1))
    answer = np.zeros((n_scans, 1))
    answer[delay_scans:] = values[: n_scans - delay_scans]
    words = TimedWords(tuple(f"w{i}" for i in range(n_scans)), onsets, onsets + 0.4)
    responses = BrainResponses(dataset="toy", subject="1", kind="continuous", responses=answer, stimuli=words, tr=2.0)
    return responses, Features("toy", values, "toy", rows="words")


def test_fault_1_the_delay_runs_forwards():
    """Scan i was paired with the words of scan i + 2."""
    responses, features = heard_then_answered(delay_scans=2)
    made = align(features, responses, Alignment(method="offset", offset_s=4.0), "sum").values
    assert np.array_equal(made, responses.responses)
    backwards = np.concatenate([features.values[2:], np.zeros((2, 1))])
    assert abs(np.corrcoef(backwards.ravel(), responses.responses.ravel())[0, 1]) < 0.2


@pytest.mark.shared
def test_fault_2_alice_starts_20_seconds_into_the_recording(shared_data):
    """Scans were taken to start with the recording; then word rate has no peak like a haemodynamic response."""
    dataset = response_dataset("alice")
    subjects = [dataset.read(shared_data, name) for name in dataset.subjects(shared_data).names]
    assert {one.times_s[0] for one in subjects} == {20.0}
    first_word, last_word = subjects[0].stimuli.onsets[[0, -1]]
    rate, _ = bin_words(np.ones((2127, 1)), subjects[0], "sum")
    assert rate[0] > 0
    assert first_word - 20 < 0.1
    assert rate[int((last_word - 20) // 2)] > 0  # the last sentences are not lost either
    assert rate.sum() == 2127


def test_fault_4_random_vectors_know_the_whole_word():
    """In sentences the random language model saw first letters only, so these two were the same."""
    read = BrainResponses(dataset="toy", subject="1", kind="isolated", responses=np.eye(3),
                          stimuli=("the cat sat", "two cows slept", "sat the cat"))  # fmt: skip
    values = make_features("random", read, FeatureOptions(dimensions=20)).features.values
    assert not np.allclose(values[0], values[1])
    assert np.corrcoef(values[0], values[1])[0, 1] < 0.8
    assert np.allclose(values[0], values[2])  # the same words


@pytest.mark.shared
def test_fault_5_no_scan_of_alice_is_dropped(shared_data):
    """Of 351 scans the last block was lost, 288 were scored."""
    one = response_dataset("alice").read(shared_data, "s18")
    assert one.n_rows == 362
    made = make_features("random", one)
    assert made.features.values.shape[0] == 362
    tested = np.concatenate([fold.test for fold in block_folds(one.runs, k=6, gap=10)])
    assert np.sort(tested).tolist() == list(range(362))


def test_fault_3_rsa_leaves_the_diagonal_out():
    """With the diagonal, noise correlated with noise: Pearson .90 at 60 stimuli."""
    rng = np.random.default_rng(0)
    pairs = [[dissimilarity(rng.normal(size=(60, 300))) for _ in range(2)] for _ in range(20)]
    ours = [rsa(a, b, "pearson") for a, b in pairs]
    theirs = [np.corrcoef(a.ravel(), b.ravel())[0, 1] for a, b in pairs]
    assert np.mean(theirs) > 0.8
    assert abs(np.mean(ours)) < 0.03


def test_fault_5_the_last_block_is_as_long_as_the_others():
    """Equal blocks of a rounded-down length left a rest at the end, which was dropped."""
    for n_scans in (351, 362, 1351):
        tested = [fold.test for fold in block_folds(np.zeros(n_scans, dtype=int), k=6, gap=10)]
        assert np.concatenate(tested).tolist() == list(range(n_scans))
        assert max(map(len, tested)) - min(map(len, tested)) <= 1


def test_fault_6_stability_correlates_different_repetitions_and_keeps_every_pair():
    """The matrix of correlations was never stored, and a trial was also paired with itself (r = 1)."""
    noise = np.random.default_rng(0).normal(size=(500, 6, 20))
    assert abs(stability(noise).mean()) < 0.01
    by_hand = [
        np.mean([np.corrcoef(noise[:, a, v], noise[:, b, v])[0, 1] for a in range(6) for b in range(a)])
        for v in range(20)
    ]
    assert stability(noise) == pytest.approx(by_hand)
    signal = noise.copy()
    signal[:, :, 7] += 2 * np.random.default_rng(1).normal(size=(500, 1))
    assert stability(signal).argmax() == 7


def test_fault_7_random_selection_is_seeded():
    once, again, other = (fixed_columns(Selection("random", 50, seed), 1000, {}) for seed in (1, 1, 2))
    assert once.tolist() == again.tolist() != other.tolist()


@pytest.mark.parametrize("n_scans", [1, 20, 39])
def test_fault_7_the_search_for_partners_ends_on_short_folds(n_scans):
    """On folds under 40 scans the middle has no partner 20 steps away, and the search ran forever."""
    with pytest.raises(ArcuateError, match="no partner"):
        partners(np.arange(n_scans), number=1000, distance=20, seed=1)
    assert partners(np.arange(40), number=10, distance=20, seed=1).sum() == 400


def test_fault_8_test_scans_are_prepared_by_training_scans_alone():
    """Test folds were detrended and demeaned by themselves: their offset and drift then came out as 0."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(60, 3)), rng.normal(size=(60, 4))
    fold = block_folds(np.zeros(60, dtype=int), k=3, gap=2)[1]
    settings = EncodingSettings(folds=3, standardise="both", drift=1)
    fit = fit_fold(x, fold, np.zeros(60), settings, "continuous", training=False)
    moved = y.copy()
    moved[fold.test] += 5 + np.arange(len(fold.test))[:, None]
    train, test, _ = prepared(fit, y)
    train_moved, test_moved, _ = prepared(fit, moved)
    assert np.array_equal(train, train_moved)
    assert np.allclose((test_moved - test) / (moved - y)[fold.test], (test_moved - test)[:1] / 5)
    assert (test_moved - test).min() > 1  # what is the test scans' own is not taken out
    # and what does not belong to training never matters to it
    gap = np.setdiff1d(np.arange(60), np.concatenate([fold.train, fold.test]))
    moved[gap] = 1e6
    assert np.array_equal(prepared(fit, moved)[0], train)
