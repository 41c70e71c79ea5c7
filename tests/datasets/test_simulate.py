"""The simulator: the same bytes for a seed, the layouts it names, signal at SNR > 0 and none at 0."""

import hashlib
import json

import numpy as np
import pyarrow.parquet as pq
import pytest

import arcuate as arc
from arcuate.datasets.simulate import Simulation, simulate, stories_of
from arcuate.datasets.simulation.grammar import VOCABULARY, word_numbers
from arcuate.datasets.simulation.layout import LAYOUTS
from arcuate.errors import ArcuateError
from arcuate.signals.store import SignalStore


def digest(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def bag_of_words(texts):
    bags = np.zeros((len(texts), len(VOCABULARY)))
    for row, text in enumerate(texts):
        np.add.at(bags[row], word_numbers(text), 1)
    return bags


def test_same_seed_same_bytes(tmp_path):
    for name, seed in (("one", 3), ("two", 3), ("three", 4)):
        simulate(tmp_path / name, subjects=3, stories=2, sentences=6, seed=seed)
    assert digest(tmp_path / "one") == digest(tmp_path / "two") != digest(tmp_path / "three")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("modality", ["eeg", "fmri"])
def test_every_layout_makes_a_valid_dataset(layout, modality, tmp_path):
    done = simulate(tmp_path / "d", layout=layout, modality=modality, subjects=6, stories=4, sentences=8)
    table = arc.read_samples(tmp_path / "d" / "samples.parquet")
    assert len(table) == done.rows
    assert table.unit == ("text" if modality == "eeg" else "story")
    rows = pq.read_table(tmp_path / "d" / "samples.parquet").to_pylist()
    store = SignalStore.open(tmp_path / "d" / "signals")
    for row in rows:
        assert np.isfinite(store.window(row["run"], row["start"], row["n_frames"])).all()
    assert {row["subject"] for row in rows} == {f"sub-{i + 1:03d}" for i in range(6)}
    assert len({row["story"] for row in rows}) == 4


def test_zuco_is_crossed_and_repeats_texts_between_its_reading_tasks(tmp_path):
    simulate(tmp_path / "z", layout="zuco", subjects=3, stories=3, sentences=40)
    table = arc.read_samples(tmp_path / "z" / "samples.parquet")
    assert len(table) == 3 * 120
    assert len(table.graph.texts) == 120 - round(47 / 1039 * 120)


def test_no_sentence_stands_in_two_stories():
    texts = stories_of(Simulation(layout="crossed", stories=6, sentences=50))
    together = [text for story in texts.values() for text in story]
    assert len(together) == len(set(together)) == 300


def test_volumes_have_the_asked_shape(tmp_path):
    done = simulate(tmp_path / "v", subjects=1, stories=1, sentences=5, frame="8x7x6")
    assert done.frame_shape == (8, 7, 6)


def explained(folder, modality):
    """Share of an unseen subject's signal variance that words explain, fitted on the others."""
    rows = pq.read_table(folder / "samples.parquet").to_pylist()
    store = SignalStore.open(folder / "signals")
    if modality == "eeg":
        signal = np.array([store.window(r["run"], r["start"], r["n_frames"]).astype(float).mean(0) for r in rows])
    else:  # the window's text is heard some seconds before its response: take its last frames
        signal = np.array([store.window(r["run"], r["start"], r["n_frames"])[5:].astype(float).mean(0) for r in rows])
    signal -= signal.mean(axis=0)
    bags = bag_of_words([r["text"] for r in rows])
    bags -= bags.mean(axis=0)
    test = np.array([r["subject"] == "sub-001" for r in rows])
    gram = bags[~test].T @ bags[~test] + 30 * np.eye(bags.shape[1])
    predicted = bags[test] @ np.linalg.solve(gram, bags[~test].T @ signal[~test])
    return 1 - ((signal[test] - predicted) ** 2).sum() / (signal[test] ** 2).sum()


@pytest.mark.parametrize(("layout", "modality"), [("zuco", "eeg"), ("crossed", "fmri")])
def test_words_explain_an_unseen_subject_only_at_snr_above_0(layout, modality, tmp_path):
    size = {"layout": layout, "subjects": 8, "stories": 3, "sentences": 30}
    simulate(tmp_path / "signal", snr=4.0, **size)
    simulate(tmp_path / "noise", snr=0.0, **size)
    assert explained(tmp_path / "signal", modality) > 0.2
    assert explained(tmp_path / "noise", modality) < 0.03


def test_at_snr_0_the_signal_does_not_depend_on_the_text(tmp_path, monkeypatch):
    simulate(tmp_path / "one", layout="zuco", subjects=1, stories=1, sentences=5, snr=0.0)
    monkeypatch.setattr("arcuate.datasets.simulate.stories_of", lambda s: {"SR": ["the fox"] * s.sentences})
    simulate(tmp_path / "other", layout="zuco", subjects=1, stories=1, sentences=5, snr=0.0)
    one, other = (SignalStore.open(tmp_path / name / "signals") for name in ("one", "other"))
    assert np.array_equal(one.array("sub-001_SR"), other.array("sub-001_SR"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layout": "moon"}, "layout 'moon' is not known"),
        ({"subjects": 0}, "too few"),
        ({"snr": -1.0}, "snr is -1"),
        ({"snr": float("nan")}, "snr is nan"),
        ({"window": 0}, "window is 0"),
        ({"frame": "64x64"}, "frame is '64x64'"),
        ({"sentences": 2, "window": 50}, "fewer than the window of 50"),
        ({"modality": "meg"}, "modality 'meg' is not known"),
    ],
)
def test_bad_options_are_refused_and_leave_nothing(options, message, tmp_path):
    with pytest.raises(ArcuateError, match=message):
        simulate(tmp_path / "out", **options)
    assert list(tmp_path.iterdir()) == []


def test_command(arcuate, tmp_path):
    done = arcuate("simulate", "--out", "d", "--subjects", 2, "--stories", 2, "--sentences", 6, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["subjects"] == 2
    again = arcuate("simulate", "--out", "d")
    assert (again.returncode, again.stdout) == (2, "")
    assert "is not empty" in again.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["d"]
