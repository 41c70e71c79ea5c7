"""The rates against their definition, written out; and the two averaging rules."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcuate.errors import ArcuateError
from arcuate.leakage.rates import leakage_rate, pairs_of_parts, rates, tslr_of_windows
from arcuate.leakage.tally import Tally

PAIRS = (("test", "train"), ("val", "train"), ("test", "val"))


def by_definition(rows, column, later, earlier, over):
    """BSLR / TSLR of EEG as leakage.md writes it, sample by sample."""
    shares = []
    for name in sorted({row[column] for row in rows}):
        n_later = sum(row[column] == name and row["part"] == later for row in rows)
        n_earlier = sum(row[column] == name and row["part"] == earlier for row in rows)
        if over == "test" and n_later == 0:
            continue
        shares.append(min(1.0, n_later / n_earlier) if n_later and n_earlier else 0.0)
    return 100 * sum(shares) / len(shares) if shares else 0.0


def windows_by_definition(rows, later, earlier):
    """TSLR of fMRI: mean over the later samples of the share of their segments in any earlier sample."""
    there = [row for row in rows if row["part"] == earlier]
    seen = {(row["story"], row["segment"] + k) for row in there for k in range(row["n_segments"])}
    shares = [
        sum((row["story"], row["segment"] + k) in seen for k in range(row["n_segments"])) / row["n_segments"]
        for row in rows if row["part"] == later
    ]
    return 100 * sum(shares) / len(shares)


@pytest.mark.parametrize("over", ["all", "test"])
@given(seed=st.integers(0, 10**6))
def test_rates_of_texts_are_as_defined(worlds, over, seed):
    frame = worlds["messy_texts"](seed).rename({"text": "text_id"})
    found = rates(Tally.of(frame, "text"), over)
    rows = frame.to_dicts()
    for later, earlier in PAIRS:
        pair = f"{later}_{earlier}"
        assert found.bslr[pair] == pytest.approx(by_definition(rows, "subject", later, earlier, over))
        assert found.tslr[pair] == pytest.approx(by_definition(rows, "text_id", later, earlier, over))


@given(seed=st.integers(0, 10**6))
def test_tslr_of_windows_is_as_defined(worlds, seed):
    frame = worlds["messy_windows"](seed)
    tally = Tally.of(frame, "story")
    rows = frame.to_dicts()
    found = rates(tally)
    for later, earlier in PAIRS:
        expected = windows_by_definition(rows, later, earlier)
        assert found.tslr[f"{later}_{earlier}"] == pytest.approx(expected)
        assert tslr_of_windows(tally, later, earlier) == pytest.approx(expected)


def test_a_rate_is_capped_at_one_and_zero_where_one_side_is_empty():
    assert leakage_rate([9, 5, 0], [3, 0, 5]) == pytest.approx(100 / 3)
    assert leakage_rate([9, 5, 0], [3, 0, 5], over="test") == pytest.approx(50)
    assert leakage_rate([1], [8]) == 12.5
    assert leakage_rate([0], [1], over="test") == 0.0


def test_a_pair_with_an_empty_part_is_none():
    frame = pl.DataFrame({"subject": ["a", "b"], "text_id": ["x", "y"], "part": ["train", "test"]})
    found = rates(Tally.of(frame, "text"))
    assert found.bslr == {"test_train": 0.0, "val_train": None, "test_val": None} == dict(found.tslr)
    assert found.over == "all"


def test_further_test_parts_are_measured_too():
    assert pairs_of_parts(("train", "val", "test", "test2")) == [
        ("test", "train"), ("val", "train"), ("test", "val"), ("test2", "train"), ("test2", "val"), ("test2", "test")]
    assert pairs_of_parts(("train",)) == []
    frame = pl.DataFrame({"subject": ["a", "b", "b"], "text_id": ["x", "y", "z"], "part": ["train", "test", "test2"]})
    assert rates(Tally.of(frame, "text")).bslr["test2_test"] == 50.0


def test_dropped_samples_count_in_no_part_but_their_subjects_in_the_mean():
    frame = pl.DataFrame({
        "subject": ["a", "a", "b", "a"], "text_id": ["x", "y", "z", "x"],
        "part": ["train", "test", "dropped", "dropped"]})
    found = rates(Tally.of(frame, "text"))
    assert found.bslr["test_train"] == 50.0
    assert found.tslr["test_train"] == 0.0


@pytest.mark.parametrize("function", [lambda: leakage_rate([1], [1], over="some"),
                                      lambda: rates(Tally.of(pl.DataFrame({
                                          "subject": ["a"], "text_id": ["x"], "part": ["train"]}), "text"), "some")])
def test_an_unknown_rule_is_refused(function):
    with pytest.raises(ArcuateError, match=r"'some' is not known\. Known: all, test"):
        function()
