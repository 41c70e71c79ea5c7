"""A plain folder: samples table and arrays; nothing outside it is read, nothing odd is accepted."""

from __future__ import annotations

import numpy as np
import pyarrow.parquet as pq
import pytest

from arcuate.datasets.registry import load, prepare
from arcuate.errors import ArcuateError
from arcuate.signals.store import SignalStore

A = np.arange(24.0).reshape(8, 3)
B = -np.arange(6.0).reshape(2, 3)


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "mine"
    (root / "deep").mkdir(parents=True)
    np.save(root / "a.npy", A)
    np.save(root / "deep" / "b.npy", B)
    write(root, "s1,Hello there.,a.npy,0,4", "s1,Another one.,a.npy,2,6", "s2,Hello there.,deep/b.npy,0,2")
    return root


def write(root, *rows, header="subject,text,array,start,n_frames"):
    (root / "samples.csv").write_text("\n".join([header, *rows]) + "\n")


def test_each_sample_has_its_frames(root, tmp_path):
    done = prepare("folder", root, tmp_path / "out")
    store = SignalStore.open(done.folder / "signals")
    samples = pq.read_table(done.folder / "samples.parquet").to_pylist()
    windows = [store.window(s["run"], s["start"], s["n_frames"]) for s in samples]
    for window, expected in zip(windows, (A[:4], A[2:], B), strict=True):
        np.testing.assert_array_equal(window, expected)
    assert [s["sample"] for s in samples] == ["0", "1", "2"]
    assert (done.rows, done.frames) == (3, 10)


def test_without_start_the_whole_array_is_the_sample(root, tmp_path):
    write(root, "s1,x y,a.npy", "s2,z,deep/b.npy", header="subject,text,array")
    samples = pq.read_table(prepare("folder", root, tmp_path / "out").folder / "samples.parquet").to_pylist()
    assert [(s["start"], s["n_frames"]) for s in samples] == [(0, 8), (0, 2)]


def test_without_arrays_the_table_stands_alone(root, tmp_path):
    write(root, "s1,x y", "s2,z", header="subject,text")
    done = prepare("folder", root, tmp_path / "out", modality="fmri")
    assert (done.rows, done.has_signals) == (2, False)
    assert len(load("folder", root)) == 2


@pytest.mark.parametrize(("row", "words"), [
    ("s1,x,../a.npy,0,1", r"without '\.\.'"), ("s1,x,/etc/a.npy,0,1", "inside"), ("s1,x,a.txt,0,1", "Name a .npy"),
    ("s1,x,,0,1", "Name a .npy"), ("s1,x,c.npy,0,1", "does not exist"), ("s1,x,deep.npy,0,1", "is a folder"),
    ("s1,x,a.npy,6,3", "has 8 frames, sample '0' asks for 3 from 6"), ("s1,x,a.npy,-1,3", "from -1"),
    ("s1,x,a.npy,one,3", "no whole number"), ("s1,x,cut.npy,0,1", "cannot be read as an array"),
    ("s1,x,pickle.npy,0,1", "cannot be read as an array"), ("s1,x,flat.npy,0,1", "frames along the first axis"),
    ("s1,x,nan.npy,0,1", "nan at frame 0"),
])
def test_odd_arrays_are_refused_and_nothing_is_left(root, tmp_path, row, words):
    (root / "deep.npy").mkdir()
    (root / "cut.npy").write_bytes((root / "a.npy").read_bytes()[:100])
    np.save(root / "pickle.npy", np.array([{}], dtype=object), allow_pickle=True)
    np.save(root / "flat.npy", np.zeros(3))
    np.save(root / "nan.npy", np.full((2, 3), np.nan))
    write(root, row)
    with pytest.raises(ArcuateError, match=words):
        prepare("folder", root, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine"]


def test_two_tables_are_refused(root):
    (root / "samples.tsv").write_text("subject\ttext\na\tb\n")
    with pytest.raises(ArcuateError, match="are both there"):
        load("folder", root)
