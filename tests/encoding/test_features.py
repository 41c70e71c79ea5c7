"""Features of words and texts: random vectors, GloVe, plain properties, side by side."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from arcuate.datasets.response_readers import response_dataset
from arcuate.datasets.responses import BrainResponses, TimedWords
from arcuate.encoding.align import Alignment
from arcuate.encoding.features.glove import glove_vectors
from arcuate.encoding.features.make import concatenate, make_features
from arcuate.encoding.features.options import FeatureOptions
from arcuate.encoding.features.random_words import random_vectors
from arcuate.encoding.features.record import Features
from arcuate.encoding.features.registry import FEATURES
from arcuate.errors import ArcuateError

NO_MODEL = [name for name in FEATURES if name not in ("smollm2", "surprisal")]
FIXED = FeatureOptions(alignment=Alignment(method="offset"))


def isolated(*texts: str) -> BrainResponses:
    responses = np.arange(len(texts) * 2.0).reshape(-1, 2)
    return BrainResponses(dataset="toy", subject="1", kind="isolated", responses=responses, stimuli=texts)


def continuous(*words: str, n_scans: int = 8) -> BrainResponses:
    onsets = np.arange(len(words)) * 1.0
    return BrainResponses(
        dataset="toy", subject="1", kind="continuous", responses=np.zeros((n_scans, 1)), tr=2.0,
        stimuli=TimedWords(words, onsets, onsets + 0.5),
    )  # fmt: skip


@pytest.mark.parametrize("name", NO_MODEL)
def test_every_kind_gives_one_row_a_stimulus_and_one_a_scan(name):
    made = make_features(name, isolated("cat", "The dog barked!", "cat"))
    assert made.features.values.shape[0] == 3
    assert np.array_equal(made.features.values[0], made.features.values[2])
    assert f"features:{name}" in made.features.signature
    scans = make_features(name, continuous("the", "cat", "sat", "down"), FIXED)
    assert scans.features.rows == "scans"
    assert scans.features.values.shape[0] == 8
    assert "align:offset(4s)" in scans.features.signature


def test_random_vectors_do_not_depend_on_the_process_or_the_company():
    code = "from arcuate.encoding.features.random_words import random_vectors as r; print(r(['cat'], 2, 1).tolist())"
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert there.strip() == str(random_vectors(["a", "cat", "b"], 2, 1)[1:2].tolist())
    assert not np.array_equal(random_vectors(["cat"], 2, 1), random_vectors(["cat"], 2, 2))


def test_random_vectors_are_standard_normal():
    rows = random_vectors([f"word{i}" for i in range(400)], 50, 1)
    assert abs(rows.mean()) < 0.03
    assert rows.std() == pytest.approx(1, abs=0.02)
    assert np.abs(np.corrcoef(rows) - np.eye(400)).max() < 0.75  # no two words alike


def test_a_text_is_the_mean_of_its_words():
    values = make_features("glove", isolated("cat", "dog", "Cat, dog.")).features.values
    assert np.allclose(values[2], values[:2].mean(axis=0))


def test_glove_splits_words_as_its_corpus_was_split():
    vectors, known = glove_vectors(["alice's", "alice", "'s", "don't", "do", "n't", "rabbit-holes"])
    assert known.all()
    assert np.allclose(vectors[0], (vectors[1] + vectors[2]) / 2)
    assert np.allclose(vectors[3], (vectors[4] + vectors[5]) / 2)


def test_a_word_missing_from_glove_is_an_error_that_names_it():
    with pytest.raises(ArcuateError, match=r"glove does not know 1 of 2 words: 'qzxqzx'.*--missing exclude"):
        make_features("glove", isolated("cat", "qzxqzx"))


def test_excluded_stimuli_leave_with_their_responses_and_are_counted():
    made = make_features("glove", isolated("cat", "qzxqzx", "a qzxqzx dog"), FeatureOptions(missing="exclude"))
    assert made.responses.stimuli == ("cat", "a qzxqzx dog")
    assert made.responses.responses.tolist() == [[0, 1], [4, 5]]
    assert made.responses.excluded == (made.features.notes[1],)
    assert "2 of 5 words without a vector (qzxqzx)" in made.features.notes[0]
    assert "1 of 3 stimuli have no features and are left out: 'qzxqzx'" in made.features.notes[1]


def test_excluded_words_leave_their_scan_to_the_others():
    options = FeatureOptions(missing="exclude", alignment=Alignment(method="offset", offset_s=0.0))
    with_gap = make_features("glove", continuous("cat", "qzxqzx", "dog"), options)
    assert with_gap.responses.n_rows == 8
    vectors, _ = glove_vectors(["cat", "dog"])
    assert np.allclose(with_gap.features.values[:2], vectors)
    assert "1 of 3 words without a vector (qzxqzx)" in with_gap.features.notes[0]


def test_a_stimulus_without_a_word_is_refused():
    with pytest.raises(ArcuateError, match="Stimulus '--' holds no word for 'random'"):
        make_features("random", isolated("cat", "--"))


def test_properties_are_what_they_say():
    values = make_features("rate+length+frequency", isolated("the", "rhinoceros", "the dog")).features.values
    assert values[:, 0].tolist() == [1, 1, 2]
    assert values[:, 1].tolist() == [3, 10, 3]
    assert values[0, 2] == 0.0  # "the" has rank 1
    assert values[1, 2] < values[2, 2] < 0


def test_features_side_by_side_keep_their_groups():
    made = make_features("rate+random", continuous("the", "cat"), FeatureOptions(dimensions=3))
    assert made.features.groups == (("rate", 4), ("random", 12))  # four FIR delays each
    assert made.features.values.shape == (8, 16)
    with pytest.raises(ArcuateError, match="name a part twice"):
        make_features("rate+rate", isolated("cat"))
    with pytest.raises(ArcuateError, match="They need the same rows"):
        concatenate([Features("a", np.zeros((2, 1)), "a"), Features("b", np.zeros((3, 1)), "b")])
    with pytest.raises(ArcuateError, match="Name one or more"):
        make_features("rate+", isolated("cat"))


def test_position_is_for_continuous_stimuli_and_restarts_with_the_run():
    with pytest.raises(ArcuateError, match="'position' is for continuous stimuli"):
        make_features("position", isolated("cat"))
    responses = continuous("cat", n_scans=6)
    two_runs = BrainResponses(
        dataset="toy", subject="1", kind="continuous", responses=np.zeros((6, 1)), tr=2.0,
        stimuli=responses.stimuli, runs=np.array([1, 1, 1, 2, 2, 2]),
    )  # fmt: skip
    values = make_features("position", two_runs).features.values
    assert values[:, 0].tolist() == [-1, 0, 1, -1, 0, 1]


def test_a_name_that_is_no_feature_and_no_model_is_refused(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ArcuateError, match="Known without a hub: random, glove, smollm2"):
        make_features("no-such-owner/no-such-model:3", isolated("cat"))


@pytest.mark.parametrize(
    ("options", "message"),
    [({"missing": "zero"}, "Use 'error' or 'exclude'"), ({"pooling": "max"}, "pooling is 'max'"),
     ({"dimensions": 0}, "dimensions is 0"), ({"context": -1}, "context is -1")],
)  # fmt: skip
def test_odd_options_are_refused(options, message):
    with pytest.raises(ArcuateError, match=message):
        FeatureOptions(**options)


@pytest.mark.shared
def test_real_alice_lacks_one_word_in_glove(shared_data):
    one = response_dataset("alice").read(shared_data, "s18")
    with pytest.raises(ArcuateError, match="does not know 1 of 2127 words: 'curtseying'"):
        make_features("glove", one)
    made = make_features("glove", one, FeatureOptions(missing="exclude"))
    assert made.features.values.shape == (362, 200)
    assert made.responses.n_rows == 362
