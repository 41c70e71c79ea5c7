"""The published figures on the real lists of Narratives and ZuCo."""

from __future__ import annotations

import csv

import pytest

from arcuate.experiments.published_leakage import PUBLISHED
from arcuate.experiments.reproduce_leakage import (
    Eeg2Text,
    compare,
    narratives,
    run_all,
    run_one,
    zuco,
)


def rates_over_seeds(table, dataset, method, name, seeds=(1, 2, 3, 4)):
    runs = [run_one(table, dataset, method, seed) for seed in seeds]
    return [run.rate(name) for run in runs]


def test_narratives_rates_at_one_seed_are_the_published_ones(shared_data):
    table = narratives(shared_data)
    assert (len(table), len(table.graph.subjects), len(table.graph.texts)) == (234_210, 228, 15)
    expected = {
        "a": ((0, 0), (100, 100)), "b": ((2, 30), (0, 0)), "c": ((12.4, 12.6), (100, 100)),
        "d": ((12.2, 12.8), (99.5, 100)), "e": ((12.2, 12.8), (7, 11)), "f": ((0, 0), (0, 0)),
        "optimal": ((0, 0), (0, 0)),
    }
    for method, (bslr, tslr) in expected.items():
        run = run_one(table, "narratives", method, seed=1)
        assert bslr[0] <= run.rate("BSLR") <= bslr[1], method
        assert tslr[0] <= run.rate("TSLR") <= tslr[1], method
        assert run.verdict == ("clean" if method in ("f", "optimal") else "leak")


@pytest.mark.slow
def test_narratives_rates_over_four_seeds(shared_data):
    table = narratives(shared_data)
    for method, (bslr, tslr) in {
        "a": ((0, 0), (100, 100)), "b": ((2, 30), (0, 0)), "c": ((12.4, 12.6), (100, 100)),
        "d": ((12.2, 12.8), (99.5, 100)), "e": ((12.2, 12.8), (7, 11)), "f": ((0, 0), (0, 0)),
        "optimal": ((0, 0), (0, 0)),
    }.items():
        for rate, (low, high) in (("BSLR", bslr), ("TSLR", tslr)):
            values = rates_over_seeds(table, "narratives", method, rate)
            assert all(low <= value <= high for value in values), (method, rate, values)


def test_zuco_rates_are_the_published_ones(shared_data):
    table = zuco(shared_data)
    assert (len(table), len(table.graph.texts)) == (13_284, 1_039)
    assert rates_over_seeds(table, "zuco", "a", "TSLR") == pytest.approx([22.2] * 4, abs=0.05)
    assert all(13 <= value <= 15 for value in rates_over_seeds(table, "zuco", "c", "TSLR"))
    assert rates_over_seeds(table, "zuco", "f", "TSLR") == [0.0] * 4


def test_a_method_that_cannot_split_zuco_is_recorded_as_refused(shared_data):
    runs = run_all(shared_data, seeds=[1], methods=["b"], datasets=["zuco"])
    assert runs[0].verdict == "refused"
    assert "'val'" in runs[0].refused
    assert runs[0].rate("BSLR") is None
    [row, _] = compare(runs)
    assert (row.ours["all"], row.published, row.difference) == (None, None, None)


def test_the_split_of_eeg2text_shares_texts_and_all_subjects(shared_data):
    split = Eeg2Text(shared_data)
    assert split.shared_texts() == {"test_train": 6, "val_train": 13, "test_val": 2}
    assert split.shared_subjects() == {"test_train": 12, "val_train": 12, "test_val": 12}
    assert split.findings.verdict == "leak"
    near = [one for one in split.findings.findings if one.check == "near-duplicate-text"]
    assert any("Raymond graduated" in example for one in near for example in one.examples)


def test_the_figures_built_in_are_those_published(published):
    with open(published / "leakage_rates.csv", encoding="utf-8") as file:
        rows = {(row["rate"], row["method"], row["dataset"]): (float(row["mean"]), float(row["sd"]))
                for row in csv.DictReader(file)}
    assert rows == PUBLISHED
