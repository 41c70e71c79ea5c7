"""Normalisation: equal to the closed form on the training frames, and blind to all others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcuate.errors import ArcuateError
from arcuate.signals.normalise import KINDS, Normaliser, fit, within_frame
from arcuate.signals.store import write_store

RNG = np.random.default_rng(0)
A, B = RNG.normal(50, 3, (200, 4)), RNG.normal(-5, 2, (150, 4))
WINDOWS = [*(("a", start, 10) for start in range(150)), ("b", 100, 50), ("a", 160, 40), ("b", 0, 90)]
PARTS = ["train"] * 151 + ["test", "dropped"]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return write_store(tmp_path_factory.mktemp("n") / "s", [("a", A, {}), ("b", B, {})], dtype="float32")


@pytest.fixture(scope="module")
def training():
    return np.concatenate([A[:159], B[100:]]).astype("float32").astype("float64")


@pytest.mark.parametrize(("kind", "shift", "scale"), [
    ("zscore", np.mean, np.std), ("center", np.mean, lambda x, axis: 1.0), ("minmax", np.min, np.ptp),
])
def test_equals_the_closed_form_over_frames_counted_once(store, training, kind, shift, scale):
    fitted = fit(store, WINDOWS, PARTS, "abc", kind)
    np.testing.assert_allclose(fitted.shift, shift(training, axis=0), rtol=1e-12)
    np.testing.assert_allclose(fitted.scale, scale(training, axis=0), rtol=1e-12)
    assert fitted.provenance["frames"] == len(training)


@pytest.mark.parametrize("kind", KINDS)
def test_test_frames_change_nothing(tmp_path, store, kind):
    changed = A.copy()
    changed[160:] = 1e6
    other = write_store(tmp_path / "s", [("a", changed, {}), ("b", B, {})], dtype="float32")
    one, two = fit(store, WINDOWS, PARTS, "abc", kind), fit(other, WINDOWS, PARTS, "abc", kind)
    assert np.array_equal(one.shift, two.shift)
    assert np.array_equal(one.scale, two.scale)


def test_train_is_mean_0_and_deviation_1_after_it(store):
    fitted = fit(store, WINDOWS, PARTS, "abc")
    scored = fitted(np.concatenate([store.window("a", 0, 159), store.window("b", 100, 50)]))
    np.testing.assert_allclose(scored.mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(scored.std(axis=0), 1, atol=1e-5)


def test_order_of_windows_does_not_matter(store):
    one = fit(store, WINDOWS, PARTS, "abc")
    two = fit(store, WINDOWS[::-1], PARTS[::-1], "abc")
    assert np.array_equal(one.scale, two.scale)
    assert one.provenance == two.provenance


def test_elements_constant_in_training_become_zero(tmp_path):
    array = RNG.normal(size=(30, 3))
    array[:, 1] = 7
    store = write_store(tmp_path / "s", [("a", array, {})], dtype="float32")
    fitted = fit(store, [("a", 0, 30)], ["train"], "abc")
    assert fitted.provenance["constant_elements"] == 1
    assert np.all(fitted(store.array("a"))[:, 1] == 0)


def test_saved_with_its_provenance_and_refused_for_another_split(store, tmp_path):
    fitted = fit(store, WINDOWS, PARTS, "abc")
    path = fitted.save(tmp_path / "stats.npz")
    again = Normaliser.load(path, split_sha256="abc")
    assert (again.kind, again.provenance) == ("zscore", fitted.provenance)
    assert again.provenance["fitted_on"] == ["train"]
    assert np.array_equal(again(A), fitted(A))
    with pytest.raises(ArcuateError, match="was fitted on split abc"):
        Normaliser.load(path, split_sha256="def")
    assert path.read_bytes() == fitted.save(tmp_path / "again.npz").read_bytes()


def test_damaged_statistics(tmp_path, store):
    path = fit(store, WINDOWS, PARTS, "abc").save(tmp_path / "stats.npz")
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(ArcuateError, match="cannot be read"):
        Normaliser.load(path)
    with pytest.raises(ArcuateError, match="saved as"):
        fit(store, WINDOWS, PARTS, "abc").save(tmp_path / "stats.txt")


@pytest.mark.parametrize(("windows", "parts", "words"), [
    ([("a", 0, 5)], ["test"], "No window is in part 'train'"),
    ([("a", 0, 5)], [], "1 windows but 0 parts"),
    ([("a", 198, 5)], ["train"], "200 frames"),
])
def test_nonsense_is_refused(store, windows, parts, words):
    with pytest.raises(ArcuateError, match=words):
        fit(store, windows, parts, "abc")


def test_other_frames_are_refused(store):
    with pytest.raises(ArcuateError, match="fitted on frames of"):
        fit(store, WINDOWS, PARTS, "abc")(np.zeros((2, 5)))
    with pytest.raises(ArcuateError, match="not known"):
        fit(store, WINDOWS, PARTS, "abc", "median")


@given(st.lists(st.tuples(st.sampled_from(["a", "b"]), st.integers(0, 100), st.integers(1, 50)), min_size=1))
def test_union_of_any_windows_equals_brute_force(store, windows):
    frames = sorted({(run, i) for run, start, n in windows for i in range(start, start + n)})
    values = np.array([store.array(run)[i] for run, i in frames], dtype=np.float64)
    fitted = fit(store, windows, ["train"] * len(windows), "abc")
    assert fitted.provenance["frames"] == len(frames)
    np.testing.assert_allclose(fitted.shift, values.mean(axis=0), rtol=1e-9)


def test_within_frame_matches_the_definition():
    scored = within_frame(A)
    np.testing.assert_allclose(scored, (A - A.mean(1, keepdims=True)) / A.std(1, keepdims=True), rtol=1e-5)
