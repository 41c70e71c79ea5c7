"""Batches: every window whole, every frame once, nothing lost by buckets, blocks or processes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcuate.decoding.batches import BatchMaker
from arcuate.decoding.data import read_data, read_parts, split_hashes
from arcuate.decoding.inputs import signal_source
from arcuate.decoding.plan import default_block, plan_epoch, share
from arcuate.errors import ArcuateError


@pytest.fixture(params=["eeg", "fmri"])
def data(request):
    return read_data(request.getfixturevalue(request.param).folder)


def dummy_targets(data):
    return [np.array([4, 5, 2])] * len(data)


def test_a_batch_holds_each_window_and_each_frame_once(data):
    maker = BatchMaker(data, dummy_targets(data), signal_source("real", len(data), []))
    rows = np.arange(len(data))[::-1][:9]
    batch = maker.make(rows)
    numbers = {n for r in rows for n in range(data.first_frame[r], data.first_frame[r] + data.n_frames[r])}
    assert len(batch.frames) == len(numbers)
    windows = batch.windows().numpy()
    for i, row in enumerate(rows):
        run, start, length = data.windows()[row]
        np.testing.assert_array_equal(windows[i][:length], data.store.window(run, start, length))
        assert not windows[i][length:].any()
        assert batch.mask[i].sum() == length


@settings(max_examples=40, deadline=None)
@given(batch=st.integers(1, 40), block=st.sampled_from([1, 4, 16]), seed=st.integers(0, 5) | st.none())
def test_every_sample_is_in_one_batch(fmri, batch, block, seed):
    data = read_data(fmri.folder)
    rows = np.arange(3, 48)
    made = plan_epoch(data, rows, np.ones(len(data), int), batch, block=block, seed=None if seed is None else (seed,))
    assert sorted(np.concatenate(made).tolist()) == rows.tolist()
    assert max(map(len, made)) <= batch
    assert max(map(len, made)) - min(map(len, made)) <= 1 or block == 1


def test_buckets_pad_less_than_chance_and_epochs_differ(eeg):
    data = read_data(eeg.folder)
    rows, tokens = np.arange(len(data)), np.asarray(data.n_frames) + 1

    def padded(batches):
        return sum(len(b) * int(data.n_frames[b].max()) for b in batches)

    bucketed = plan_epoch(data, rows, tokens, 8, seed=(0, 1))
    plain = np.array_split(np.random.default_rng(0).permutation(rows), 9)
    assert padded(bucketed) < 0.85 * padded(plain)
    other = plan_epoch(data, rows, tokens, 8, seed=(0, 2))
    assert [b.tolist() for b in bucketed] != [b.tolist() for b in other]
    again = plan_epoch(data, rows, tokens, 8, seed=(0, 1))
    assert [b.tolist() for b in bucketed] == [b.tolist() for b in again]


def test_blocks_share_frames(fmri):
    data = read_data(fmri.folder)
    rows = np.arange(len(data))
    assert default_block(data, rows) == 16
    maker = BatchMaker(data, dummy_targets(data), signal_source("real", len(data), []))
    near = plan_epoch(data, rows, np.ones(len(data), int), 13, block=13, seed=(0,))
    scattered = plan_epoch(data, rows, np.ones(len(data), int), 13, seed=(0,))
    read = [sum(len(maker.make(b).frames) for b in plan) for plan in (near, scattered)]
    assert read[0] < 0.65 * read[1]


def test_processes_share_a_batch_without_loss():
    batch = np.arange(21)
    pieces = [share(batch, rank, 2, 3) for rank in range(2)]
    assert sorted(np.concatenate([p for rank in pieces for p in rank]).tolist()) == batch.tolist()
    with pytest.raises(ArcuateError, match="cannot be shared among 2"):
        share(np.arange(3), 0, 2, 2)


def test_controls_carry_nothing_of_the_sample(data):
    rows = np.arange(4, 20)
    shuffled = signal_source("shuffled", len(data), [rows], seed=1)
    moved = shuffled.rows(rows)
    assert sorted(moved.tolist()) == rows.tolist()
    assert (moved != rows).all()
    noise = BatchMaker(data, dummy_targets(data), signal_source("noise", len(data), [], seed=2, mean=3, scale=2))
    one, together = noise.make(rows[:1]), noise.make(rows)
    assert (one.windows()[0] == together.windows()[0][: one.mask.shape[1]]).all()  # the batch does not matter
    values = together.frames.numpy()
    assert abs(values.mean() - 3) < 0.2
    assert abs(values.std() - 2) < 0.2
    zero = BatchMaker(data, dummy_targets(data), signal_source("zero", len(data), []))
    assert not zero.make(rows).frames.any()
    assert zero.make(rows).mask.sum() == data.n_frames[rows].sum()
    with pytest.raises(ArcuateError, match="'random' is not known"):
        signal_source("random", len(data), [])


def test_nan_frames_are_named(tmp_path):
    from tests.decoding.tiny import eeg_dataset

    tiny = eeg_dataset(tmp_path)
    file = sorted((tiny.folder / "signals" / "runs").glob("*.npy"))[1]
    frames = np.load(file)
    frames[7, 3] = np.nan
    np.save(file, frames)
    data = read_data(tiny.folder)
    maker = BatchMaker(data, dummy_targets(data), signal_source("real", len(data), []))
    with pytest.raises(ArcuateError, match="run 'S1' has NaN or infinity in frame 7"):
        maker.make(np.arange(len(data)))


def test_windows_longer_than_their_run_are_refused(tmp_path):
    import pyarrow.parquet as pq
    from tests.decoding.tiny import fmri_dataset

    tiny = fmri_dataset(tmp_path)
    table = pq.read_table(tiny.folder / "samples.parquet")
    long = table.set_column(table.column_names.index("n_frames"), "n_frames", [[40] * len(table)])
    pq.write_table(long, tiny.folder / "samples.parquet")
    with pytest.raises(ArcuateError, match="window of 40 frames .* does not fit run 'S0', which has 16 frames"):
        read_data(tiny.folder)


@pytest.mark.parametrize(("text", "message"), [
    ("sample,part\nzz,train\n", "names sample 'zz'"),
    ("sample,part\n00-00,train\n00-00,test\n", "twice"),
    ("sample,part\n00-00,training\n", "part 'training'"),
    ("sample,what\n00-00,train\n", "no column 'part'"),
    ("fold,sample,part\n0,00-00,train\n1,00-00,test\n", "has folds"),
])
def test_splits_that_do_not_fit_are_refused(eeg, tmp_path, text, message):
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(ArcuateError, match=message):
        read_parts(read_data(eeg.folder), tmp_path / "s.csv")


def test_the_split_hash_is_that_of_the_split_record(eeg, tmp_path):
    from arcuate.splits.record import read_split

    plain = tmp_path / "plain.csv"
    plain.write_text(eeg.split.read_text())
    assert read_split(plain).hash == read_parts(read_data(eeg.folder), plain).sha256
    folds = "fold,sample,part\n0,00-00,train\n0,01-00,test\n1,00-00,test\n1,01-00,train\n"
    (tmp_path / "f.csv").write_text(folds)
    record = read_split(tmp_path / "f.csv")
    parts = read_parts(read_data(eeg.folder), tmp_path / "f.csv", fold=1)
    assert parts.sha256 == record.fold(1).hash
    assert {record.hash, record.fold(0).hash, record.fold(1).hash} == split_hashes(tmp_path / "f.csv")
