"""Words and scans: binning, delays, runs and the canonical response, against brute force and nilearn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcuate.datasets.response_readers import response_dataset
from arcuate.datasets.responses import BrainResponses, TimedWords
from arcuate.encoding.align import Alignment, align, bin_words, canonical_hrf
from arcuate.encoding.features.record import Features
from arcuate.errors import ArcuateError


def heard(onsets, n_scans=10, tr=2.0, first=0.0, runs=None, times=None) -> BrainResponses:
    onsets = np.asarray(onsets, dtype=float)
    words = TimedWords(tuple(f"w{i}" for i in range(len(onsets))), onsets, onsets + 0.1)
    return BrainResponses(
        dataset="toy", subject="1", kind="continuous", responses=np.zeros((n_scans, 1)), stimuli=words, tr=tr,
        onset_of_first_scan_s=first, scan_times_s=times, runs=runs,
    )  # fmt: skip


def of_words(values) -> Features:
    return Features("toy", np.asarray(values, dtype=float), "toy", rows="words")


def by_hand(values, onsets, n_scans, tr, first, delay, how):
    rows = []
    last = np.zeros(values.shape[1])
    for i in range(n_scans):
        inside = [w for w, t in enumerate(onsets) if first + i * tr <= t + delay < first + (i + 1) * tr]
        if how == "last":
            last = values[inside[-1]] if inside else last
            rows.append(last)
        elif not inside:
            rows.append(np.zeros(values.shape[1]))
        else:
            rows.append(values[inside].sum(axis=0) if how == "sum" else values[inside].mean(axis=0))
    return np.array(rows)


@given(
    st.lists(st.integers(0, 79), min_size=1, max_size=30),
    st.sampled_from(["last", "mean", "sum"]),
    st.integers(0, 4),
    st.sampled_from([0.0, 20.0]),
)
def test_binning_equals_a_loop_over_scans(quarters, how, delay, first):
    onsets = first + np.sort(np.array(quarters)) * 0.25 + 0.125
    values = np.random.default_rng(len(quarters)).normal(size=(len(onsets), 2))
    binned, _ = bin_words(values, heard(onsets, first=first), how, delay_s=2.0 * delay)
    assert np.allclose(binned, by_hand(values, onsets, 10, 2.0, first, 2.0 * delay, how))


def test_a_word_belongs_to_the_scan_during_which_it_begins():
    binned, _ = bin_words(np.ones((3, 1)), heard([20.0, 21.999, 22.0], first=20.0))
    assert binned.ravel()[:3].tolist() == [2, 1, 0]


def test_fir_is_one_copy_a_delay_and_looks_back():
    made = align(of_words([[1.0]]), heard([4.1]), Alignment(method="fir", delays=(1, 2, 3, 4)), "sum")
    # The word begins during scan 2; scan 3 sees it at delay 1, scan 6 at delay 4, scans 0 to 2 not at all.
    assert np.argwhere(made.values).tolist() == [[3, 0], [4, 1], [5, 2], [6, 3]]
    assert made.groups == (("toy", 4),)


def test_fir_keeps_groups_together():
    both = Features("a+b", np.array([[1.0, 10.0, 20.0]]), "ab", rows="words", groups=(("a", 1), ("b", 2)))
    made = align(both, heard([0.1]), Alignment(method="fir", delays=(0, 1)), "sum")
    assert made.groups == (("a", 2), ("b", 4))
    assert made.values[0].tolist() == [1, 0, 10, 20, 0, 0]
    assert made.values[1].tolist() == [0, 1, 0, 0, 10, 20]


@pytest.mark.parametrize("method", ["offset", "fir", "hrf"])
def test_nothing_crosses_the_border_of_a_run(method):
    runs = np.repeat([1, 2], 5)
    values = align(of_words([[1.0]]), heard([8.2], runs=runs), Alignment(method=method), "sum").values
    assert not values[5:].any()  # the word begins in the last scan of run 1
    assert values[:5].any() == (method == "hrf")


def test_gaps_between_runs_take_no_words():
    times = np.concatenate([np.arange(5) * 2.0, 100 + np.arange(5) * 2.0])
    responses = heard([1.0, 50.0, 101.0], times=times, runs=np.repeat([1, 2], 5))
    binned, notes = bin_words(np.ones((3, 1)), responses)
    assert binned.ravel().tolist() == [1, 0, 0, 0, 0, 1, 0, 0, 0, 0]
    assert notes == ("1 of 3 words have no scan 0 s later",)


def test_silence_is_counted_and_told():
    _, notes = bin_words(np.ones((1, 1)), heard([5.0]), "mean")
    assert notes == ("9 of 10 scans without a word have zeros as features",)
    _, notes = bin_words(np.ones((1, 1)), heard([5.0]), "last")
    assert notes == ("2 of 10 scans before the first word have zeros as features",)


def test_the_canonical_response_is_spms():
    from nilearn.glm.first_level.hemodynamic_models import spm_hrf

    reference = spm_hrf(1.0, oversampling=50)
    seconds = np.arange(len(reference)) / 50
    assert np.corrcoef(canonical_hrf(seconds), reference)[0, 1] > 0.9999
    assert canonical_hrf(np.arange(0, 60, 0.01)).sum() * 0.01 == pytest.approx(1, abs=1e-4)


def test_the_hrf_equals_nilearns_regressor():
    from nilearn.glm.first_level.hemodynamic_models import compute_regressor

    onsets = np.array([1.3, 5.9, 6.4, 15.0])
    made = align(of_words(np.ones((4, 1))), heard(onsets, n_scans=30), Alignment(method="hrf")).values.ravel()
    middle = 2.0 * np.arange(30) + 1.0
    condition = np.vstack([onsets, np.zeros(4), np.ones(4)])
    reference = compute_regressor(condition, "spm", middle, oversampling=100)[0].ravel()
    assert np.corrcoef(made, reference)[0, 1] > 0.9999


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "boxcar"}, "alignment is 'boxcar'. Use 'offset', 'fir' or 'hrf'"),
        ({"offset_s": -4.0}, "A response follows its words"),
        ({"delays": (1, 1)}, "Give each once"),
        ({"delays": ()}, "give numbers >= 0"),
    ],
)
def test_odd_alignments_are_refused(options, message):
    with pytest.raises(ArcuateError, match=message):
        Alignment(**options)


def test_features_of_other_words_are_refused():
    with pytest.raises(ArcuateError, match="have 2 rows of words, but toy/1 has 1 words"):
        align(of_words([[1.0], [2.0]]), heard([1.0]), Alignment())


@pytest.mark.shared
def test_word_rate_of_real_alice_peaks_two_scans_later_in_the_posterior_temporal_lobe(shared_data):
    dataset = response_dataset("alice")
    subjects = [dataset.read(shared_data, name) for name in dataset.subjects(shared_data).names]
    signal = np.mean([_detrended(one.responses[:, one.rois["LPTL"][0]]) for one in subjects], axis=0)
    rate, notes = bin_words(np.ones((2127, 1)), subjects[0], "sum")
    assert rate.sum() == 2127  # every word has its scan
    assert notes == ()
    # From the scan on that can have heard the first word.
    by_delay = {d: np.corrcoef(_rate(subjects[0], d)[d:], signal[d:])[0, 1] for d in range(7)}
    assert max(by_delay, key=by_delay.get) == 2
    assert by_delay[2] == pytest.approx(0.17, abs=0.01)


def _detrended(values):
    basis = np.linalg.qr(np.vander(np.linspace(-1, 1, len(values)), 4))[0]
    values = values - basis @ (basis.T @ values)
    return values / values.std()


def _rate(one, delay):
    return bin_words(np.ones((2127, 1)), one, "sum", 2.0 * delay)[0].ravel()
