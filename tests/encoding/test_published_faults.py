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
from arcuate.encoding.folds import block_folds


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
