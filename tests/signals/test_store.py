"""The signal store: what goes in comes out, views share memory, damage is refused, nothing is left behind."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from arcuate.errors import ArcuateError
from arcuate.signals.store import SignalStore, SignalWriter, write_store


@pytest.fixture
def frames():
    return np.random.default_rng(1).normal(size=(20, 3, 2))


@pytest.fixture
def store(tmp_path, frames):
    runs = [("a", frames, {"tr": 1.5}), ("b", frames[:7] * 2, {})]
    return write_store(tmp_path / "s", runs, dtype="float32")


@given(
    array=arrays(np.float32, st.tuples(st.integers(1, 9), st.integers(1, 3), st.integers(1, 3)),
                 elements=st.floats(-1000, 1000, width=16)),
    dtype=st.sampled_from(["float16", "float32"]),
)
def test_round_trip(tmp_path_factory, array, dtype):
    store = write_store(tmp_path_factory.mktemp("s") / "s", [("r", array, {"k": [1]})], dtype=dtype)
    assert store.array("r").dtype == dtype
    assert store.frame_shape == array.shape[1:]
    assert np.array_equal(store.array("r"), array.astype(dtype))
    assert store.meta("r") == {"k": [1]}
    store.verify()


def test_windows_are_views_that_share_memory(store, frames):
    one, two = store.window("a", 3, 10), store.window("a", 4, 10)
    assert np.shares_memory(one, two)
    assert np.shares_memory(one, store.array("a"))
    assert not one.flags.writeable
    assert np.array_equal(one, frames[3:13].astype("float32"))


@pytest.mark.parametrize(("start", "length"), [(-1, 2), (0, 0), (15, 6), (20, 1)])
def test_a_window_outside_the_run_is_refused_not_cut(store, start, length):
    with pytest.raises(ArcuateError, match="20 frames"):
        store.window("a", start, length)


def test_chunks_and_whole_arrays_give_the_same_bytes(tmp_path, frames):
    with SignalWriter(tmp_path / "c", dtype="float16") as writer:
        writer.add_chunks("a", (frames[i:i + 3] for i in range(0, 20, 3)), 20)
    whole = write_store(tmp_path / "w", [("a", frames, {})], dtype="float16")
    assert SignalStore.open(tmp_path / "c").sha256 == whole.sha256


def test_a_large_run_is_written_in_pieces(tmp_path, frames, monkeypatch):
    monkeypatch.setattr("arcuate.signals.write.CHUNK_BYTES", 100)
    store = write_store(tmp_path / "s", [("a", frames, {})], "float32")
    assert np.array_equal(store.array("a"), frames.astype("f4"))


def test_a_copy_for_another_process_holds_no_signal(store):
    store.array("a")
    sent = pickle.dumps(store)
    assert len(sent) < 1000
    assert np.array_equal(pickle.loads(sent).array("a"), store.array("a"))  # noqa: S301


@pytest.mark.parametrize(("value", "dtype", "words"), [
    (np.nan, "float32", "nan at frame 4, position (1, 0)"),
    (np.inf, "float32", "inf at frame 4"),
    (1e6, "float16", "float16 ends at 65504"),
])
def test_values_that_cannot_be_kept_are_refused_and_nothing_is_left(tmp_path, frames, value, dtype, words):
    frames[4, 1, 0] = value
    with pytest.raises(ArcuateError) as error:
        write_store(tmp_path / "s", [("good", np.zeros((2, 3, 2)), {}), ("bad", frames, {})], dtype=dtype)
    assert words in str(error.value)
    assert "'bad'" in str(error.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("runs", [
    [("a", np.zeros((2, 3)), {}), ("b", np.zeros((2, 4)), {})],
    [("a", np.zeros((2, 3)), {}), ("a", np.zeros((2, 3)), {})],
    [("a", np.zeros((0, 3)), {})],
    [("a", np.zeros(3), {})],
    [("a", np.array([["x"]]), {})],
    [("", np.zeros((2, 3)), {})],
    [],
], ids=["shapes", "twice", "no frames", "one axis", "text", "no name", "no runs"])
def test_bad_runs_are_refused_and_nothing_is_left(tmp_path, runs):
    with pytest.raises(ArcuateError):
        write_store(tmp_path / "s", runs)
    assert list(tmp_path.iterdir()) == []


def test_fewer_frames_than_announced(tmp_path):
    with pytest.raises(ArcuateError, match="gave 2 frames where 3"), SignalWriter(tmp_path / "s") as writer:
        writer.add_chunks("a", [np.zeros((2, 3))], n_frames=3)


def test_a_store_is_not_overwritten_unless_asked(tmp_path, store, frames):
    with pytest.raises(ArcuateError, match="not empty"):
        write_store(store.folder, [("c", frames, {})])
    assert SignalStore.open(store.folder).runs == ("a", "b")
    assert write_store(store.folder, [("c", frames, {})], overwrite=True).runs == ("c",)


def test_a_truncated_run_is_seen_at_open(store):
    path = store.folder / "runs/000001.npy"
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(ArcuateError, match=r"000001\.npy \(run 'b'\) has .* truncated"):
        SignalStore.open(store.folder)


def test_a_changed_byte_is_seen_by_verify(store):
    path = store.folder / "runs/000000.npy"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(ArcuateError, match="does not match its checksum"):
        SignalStore.open(store.folder).verify()


def test_a_missing_run_and_a_missing_index(store, tmp_path):
    (store.folder / "runs/000000.npy").unlink()
    with pytest.raises(ArcuateError, match="missing"):
        SignalStore.open(store.folder)
    with pytest.raises(ArcuateError, match="not a signal store"):
        SignalStore.open(tmp_path)


def test_a_truncated_index(store):
    path = store.folder / "index.parquet"
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(ArcuateError, match="cannot be read as a signal index"):
        SignalStore.open(store.folder)


@pytest.mark.parametrize("file", ["../secret.npy", "/etc/passwd", "runs/../../x.npy", "runs/1.npy/../x"])
def test_an_index_that_points_elsewhere_is_refused(store, file):
    edit_index(store, file=[file, "runs/000001.npy"])
    with pytest.raises(ArcuateError, match="not a run file"):
        SignalStore.open(store.folder)


def test_a_link_in_place_of_a_run_is_refused(store, tmp_path):
    run = store.folder / "runs/000000.npy"
    elsewhere = tmp_path / "elsewhere.npy"
    run.rename(elsewhere)
    run.symlink_to(elsewhere)
    with pytest.raises(ArcuateError, match="missing"):
        SignalStore.open(store.folder)


def test_an_index_that_disagrees_with_the_array_is_refused(store):
    edit_index(store, n_frames=[19, 7])
    with pytest.raises(ArcuateError, match="the index says"):
        SignalStore.open(store.folder).array("a")


def test_a_run_that_is_not_there_names_those_that_are(store):
    with pytest.raises(ArcuateError, match=r"'c' is not known\. Known: a, b"):
        store.array("c")


def test_only_numpy_and_pyarrow_are_imported():
    heavy = "{'polars', 'sklearn', 'torch', 'pandas', 'scipy', 'nibabel', 'narwhals'}"
    code = f"import sys, arcuate.signals.normalise; print(sorted({heavy} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def edit_index(store, **columns):
    path = store.folder / "index.parquet"
    table = pq.read_table(path)
    for name, values in columns.items():
        position = table.schema.get_field_index(name)
        table = table.set_column(position, table.schema.field(name), [values])
    pq.write_table(table, path)
