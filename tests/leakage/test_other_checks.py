"""The checks that look beyond counts: signals, statistics, balance and ids."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest

from arcuate.errors import ArcuateError
from arcuate.leakage.audit import audit
from arcuate.leakage.checks import CHECKS
from arcuate.leakage.checks.ambiguous_ids import canonical
from arcuate.leakage.evidence import Evidence, NotChecked, Settings
from arcuate.leakage.kinds import KINDS
from arcuate.leakage.tally import Tally
from arcuate.samples.read import read_samples
from arcuate.signals.normalise import fit
from arcuate.signals.store import SignalStore, write_store
from arcuate.splits.record import read_split

ROWS = pl.DataFrame({
    "subject": ["a", "a", "b", "b", "c", "c"], "text_id": list("uvwxyz"),
    "part": ["train", "train", "val", "val", "test", "test"]})


def found_by(check, frame=ROWS, **options):
    return list(CHECKS[check].run(Evidence(tally=Tally.of(frame, "text"), **options)))


# --- signals --------------------------------------------------------------------------------------

@pytest.fixture
def store(tmp_path):
    rng = np.random.default_rng(0)
    return write_store(tmp_path / "signals", [(name, rng.normal(size=(8, 3)), {}) for name in "abc"])


def placed(store, changes=()):
    """Two samples a subject, four frames each; `changes` overwrite the signal of (run, start)."""
    arrays = {run: np.array(store.array(run)) for run in store.runs}
    for run, start, frames in changes:
        arrays[run][start:start + 4] = frames
    table = ROWS.with_columns(
        sample=pl.Series([f"s{k}" for k in range(6)]), run=pl.col("subject"), start=pl.Series([0, 4] * 3),
        n_frames=pl.lit(4))
    return arrays, table


@dataclass(frozen=True)
class Foreign:
    """A store that arcuate did not write: it may hold NaN, which arcuate's own writer refuses."""

    arrays: dict

    def window(self, run, start, length):
        return self.arrays[run][start:start + length]


def audited(store, changes):
    arrays, table = placed(store, changes)
    return audit(table, signals=Foreign(arrays))


def test_distinct_signals_are_silent(store):
    found = audited(store, [])
    assert [one for one in found.findings if one.check == "identical-signals"] == []
    assert next(run for run in found.checks if run.check == "identical-signals").ran


def test_a_signal_on_two_sides_is_a_leak_and_named(store):
    found = audited(store, [("c", 4, np.array(store.array("a"))[0:4])])
    [leak] = [one for one in found.findings if one.check == "identical-signals"]
    assert (leak.severity, leak.parts, leak.samples, leak.culprits) == ("leak", ("test", "train"), 1, 1)
    assert leak.examples == ("s5 (c, test) = s0 (a, train)",)
    assert (leak.share, leak.kind) == (0.5, "L1.4")
    assert leak.message == "1 sample of test with the very signal of a sample in train"
    assert found.verdict == "leak"


def test_a_signal_twice_in_one_part_and_dead_signals_are_warnings(store):
    twin = np.array(store.array("a"))[0:4]
    found = audited(store, [("a", 4, twin), ("b", 0, 0.0), ("c", 0, np.nan), ("c", 4, 0.0)])
    said = {(one.severity, one.parts, one.message): one.examples for one in found.findings
            if one.check == "identical-signals"}
    assert said == {
        ("warning", ("train",), "2 samples of train share their signal with another sample of train"):
            ("s0 (a) = s1 (a)",),
        ("warning", ("val",), "signals of 1 sample of val are constant"): ("s2 (b)",),
        ("warning", ("test",), "signals of 1 sample of test hold NaN"): ("s4 (c)",),
        ("warning", ("test",), "signals of 1 sample of test are constant"): ("s5 (c)",),
    }


def test_overlapping_stretches_of_a_run_leak_even_between_texts(store):
    _, table = placed(store)
    moved = table.with_columns(
        run=pl.when(pl.col("sample") == "s5").then(pl.lit("a")).otherwise("run"),
        start=pl.when(pl.col("sample") == "s5").then(3).otherwise("start"))
    [leak] = audit(moved).of("leak")
    assert (leak.check, leak.parts, leak.examples) == ("window-overlap", ("test", "train"), ("a: 1 window",))
    assert audit(table).verdict == "clean"


@pytest.mark.parametrize("column", ["tr_s", "tr"])
def test_stretches_within_the_response_are_a_warning_when_times_are_known(column):
    frame = pl.DataFrame({
        "subject": ["a", "b", "c", "d"], "text_id": ["x", "x", "y", "y"], "part": ["train", "train", "test", "test"],
        "run": ["r", "q", "r", "q"], "start": ["0", "0", "8", "60"], "n_frames": ["4"] * 4, column: ["2.0"] * 4})
    assert audit(frame.drop(column)).of("warning") == ()
    [near] = audit(frame).of("warning")
    assert (near.check, near.examples, near.samples) == ("closer-than-response", ("r: 1 window",), 1)
    assert audit(frame, settings={"response_s": 8.0}).of("warning") == ()
    twice = pl.concat([frame, frame.filter(pl.col("start") == "8")])
    assert audit(twice).of("warning")[0].samples == 2


def test_a_stretch_under_several_samples_is_read_once_and_numbers_may_be_text(store):
    arrays, table = placed(store)
    again = pl.concat([table, table.with_columns(sample=pl.col("sample") + "b")])
    texts = again.with_columns(pl.col("start", "n_frames").cast(pl.String))
    read = []

    class Counting(Foreign):
        def window(self, run, start, length):
            read.append((run, start, length))
            return super().window(run, start, length)

    found = audit(texts, signals=Counting(arrays))
    assert read == [(run, start, 4) for run in "abc" for start in (0, 4)]
    warned = [one for one in found.of("warning") if one.check == "identical-signals"]
    assert [(one.parts, one.samples, one.culprits) for one in warned] == [
        (("train",), 4, 2), (("val",), 4, 2), (("test",), 4, 2)]
    assert warned[0].examples == ("s0 (a) = s0b (a)", "s1 (a) = s1b (a)")
    assert warned[0].kind == "L1.4"


def test_signals_are_looked_at_in_every_fold(store):
    arrays, table = placed(store, [("c", 4, np.array(store.array("a"))[0:4])])
    parts = table["part"].to_list()
    folds = pl.concat([table.select("sample", fold=pl.lit(fold), part=pl.Series(parts)) for fold in (0, 1)])
    found = audit(table.drop("part"), folds, signals=Foreign(arrays))
    assert [one.fold for one in found.of("leak") if one.check == "identical-signals"] == [0, 1]


def test_a_store_is_opened_from_its_folder(tmp_path, store):
    _, table = placed(store)
    assert isinstance(store, SignalStore)
    found = audit(table, signals=tmp_path / "signals")
    assert next(run for run in found.checks if run.check == "identical-signals").ran


def test_a_store_without_frames_in_the_table_is_refused(store):
    with pytest.raises(ArcuateError, match="run, start, n_frames"):
        audit(ROWS, signals=store)


# --- statistics -----------------------------------------------------------------------------------

def test_statistics_of_this_very_split_are_clean_and_all_others_leak(tmp_path, store):
    _, table = placed(store)
    windows = list(table.select("run", "start", "n_frames").iter_rows())
    split = {part: table.filter(pl.col("part") == part)["sample"].to_list() for part in ("train", "val", "test")}
    samples = table.drop("part")
    sha = read_split(split, read_samples(samples)).hash
    good = fit(store, windows, table["part"].to_list(), sha).save(tmp_path / "good.npz")
    assert audit(samples, split, statistics=[good]).verdict == "clean"
    other = fit(store, windows, table["part"].to_list(), "another").save(tmp_path / "other.npz")
    [leak] = audit(samples, split, statistics=[good, other]).of("leak")
    assert (leak.check, leak.examples, leak.kind) == ("fitted-on-all", ("other.npz",), "L1.2")
    assert "another split" in leak.message


@pytest.mark.parametrize(("about", "said"), [
    ({"fitted_on": ["train", "test"], "split_sha256": "ab"}, "was fitted on train, test, not on train alone"),
    ({"fitted_on": "all", "split_sha256": "ab"}, "was fitted on all, not on train alone"),
    ({"fitted_on": [], "split_sha256": "ab"}, "was fitted on nothing, not on train alone"),
    ({"split_sha256": "ab"}, "does not say what it was fitted on"),
    ({"fitted_on": ["train"]}, "was fitted on the training part of another split (None)"),
    ({"fitted_on": "train", "split_sha256": "cd"}, "was fitted on the training part of another split (cd)"),
])
def test_faulty_statistics_leak(about, said):
    [found] = found_by("fitted-on-all", statistics=({"name": "pca", **about},), split_sha256="ab")
    assert found.severity == "leak"
    assert found.message.startswith(f"pca {said}")
    assert (found.parts, found.samples, found.share) == (("val", "test"), 4, 1.0)


def test_right_statistics_are_silent_and_none_means_not_checked():
    about = {"fitted_on": ["train"], "split_sha256": "ab"}
    assert found_by("fitted-on-all", statistics=(about,), split_sha256="ab") == []
    [unknown] = found_by("fitted-on-all", statistics=(about,))
    assert unknown.message.startswith("the statistics was fitted on the training part of another split")
    with pytest.raises(NotChecked, match="Ask yourself"):
        found_by("fitted-on-all")


def test_statistics_are_read_from_json(tmp_path):
    path = tmp_path / "scaler.json"
    path.write_text(json.dumps({"fitted_on": "all"}))
    [leak] = [one for one in audit(ROWS, statistics=[path]).of("leak") if one.check == "fitted-on-all"]
    assert leak.message == "scaler.json was fitted on all, not on train alone"
    with pytest.raises(ArcuateError, match="cannot be read as statistics"):
        audit(ROWS, statistics=[tmp_path / "absent.json"])


# --- balance --------------------------------------------------------------------------------------

def said(frame, **options):
    return {one.message: one for one in found_by("imbalance", frame, **options)}


CROSSED = pl.DataFrame({
    "subject": ["a", "b", "c", "d"] * 2, "text_id": ["x"] * 4 + ["y"] * 4,
    "part": ["train", "train", "test", "test"] * 2})


def test_balanced_parts_are_silent():
    assert said(CROSSED) == {}
    assert said(CROSSED, settings=Settings(ratio=(1, 1))) == {}


def test_empty_parts_are_named():
    only = CROSSED.with_columns(part=pl.lit("train"))
    [empty] = said(only).values()
    assert (empty.kind, empty.severity, empty.parts, empty.samples, empty.share, empty.culprits, empty.examples) == (
        "L1.1", "warning", ("test",), 0, 0.0, 1, ("test",))
    assert set(said(only)) == {"test is empty"}
    assert set(said(CROSSED.with_columns(part=pl.lit("test")))) == {"train is empty"}
    assert set(said(CROSSED, settings=Settings(ratio=(8, 1, 1)))) == {"val is empty"}


@pytest.mark.parametrize(("ratio", "tolerance", "off"), [
    ((1, 1), 0.1, set()), ((5.5, 4.5), 0.2, set()), ((6, 4), 0.2, {"test"}), ((6, 4), 0.26, set()),
    ((8, 2), 0.1, {"train", "test"}),
])
def test_parts_off_their_ratio_are_told(ratio, tolerance, off):
    found = said(CROSSED, settings=Settings(ratio=ratio, tolerance=tolerance))
    assert {one.parts[0] for one in found.values()} == off
    if ratio == (8, 2):
        train = found["train has 50.0% of the kept samples instead of 80.0%"]
        assert (train.samples, train.severity, train.kind) == (4, "warning", "L3.3")


def test_a_text_with_one_reader_is_told_but_not_in_a_study_of_one():
    lonely = pl.concat([CROSSED, pl.DataFrame({"subject": ["c"], "text_id": ["z"], "part": ["test"]})])
    [found] = said(lonely).values()
    assert found.message.startswith("1 text with one reader only")
    assert (found.samples, found.examples, found.severity) == (1, ("z: only c",), "warning")
    assert found.share == pytest.approx(1 / 9)
    alone = CROSSED.with_columns(subject=pl.lit("a"))
    assert not any("one reader" in message for message in said(alone))


def test_ages_that_differ_are_told():
    aged = CROSSED.with_columns(age=pl.Series([20, 22, 40, 44] * 2))
    [found] = said(aged).values()
    assert found.message == "mean age is 42.0 in test and 21.0 in train"
    assert found.parts == ("test", "train")
    assert said(CROSSED.with_columns(age=pl.Series([20, 40, 21, 41] * 2))) == {}
    half = [0.0, 2.0, 2**0.5 / 2, 2 + 2**0.5 / 2]  # exactly half a standard deviation apart
    assert said(CROSSED.with_columns(age=pl.Series([0.0, 4.0, 2.0, 6.0] * 2))) != {}
    assert said(CROSSED.with_columns(age=pl.Series([value * 0.99 if at > 1 else value for at, value in
                                                    enumerate(half)] * 2))) == {}
    assert said(CROSSED.with_columns(age=pl.Series([30, 30, 30, 30] * 2))) == {}
    assert said(CROSSED.with_columns(age=pl.Series(["20", "n/a", "40", "n/a"] * 2))) == {}  # one known age a part


def test_sex_and_task_that_differ_are_told():
    [found] = said(CROSSED.with_columns(sex=pl.Series(["F", "F", "M", "F"] * 2))).values()
    assert found.message == "sex is spread differently in test and train"
    assert found.examples == ("sex F: 50% of test, 100% of train", "sex M: 50% of test, 0% of train")
    assert found.severity == "warning"
    assert said(CROSSED.with_columns(sex=pl.Series(["F", "M", "M", "F"] * 2))) == {}
    for unknown in (["F", "M", None, None], [None, None, "F", "M"]):
        assert said(CROSSED.with_columns(sex=pl.Series(unknown * 2))) == {}
    assert set(said(CROSSED.with_columns(task=pl.Series(["n", "n", "n", "t"] * 2)))) == {
        "task is spread differently in test and train"}


def test_a_task_that_follows_the_story_is_only_noted():
    frame = pl.DataFrame({
        "subject": ["a", "b", "c", "d"], "story": ["x", "x", "y", "y"], "segment": [0, 1, 0, 1],
        "task": ["one", "one", "two", "two"], "part": ["train", "train", "test", "test"]})
    [found] = CHECKS["imbalance"].run(Evidence(tally=Tally.of(frame, "story")))
    assert (found.severity, found.check) == ("info", "imbalance")


# --- ids ------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("one", "two"), [
    ("sub-1", "sub-01"), ("sub-01", "sub_001"), ("Sub-2", "sub-2"), (" x", "x"), ("a b", "ab"), ("ｓ1", "s1")])
def test_spellings_of_one_id_are_told(one, two):
    assert canonical(one) == canonical(two)
    frame = ROWS.with_columns(subject=pl.Series([one, one, "m", "n", two, two]))
    [found] = found_by("ambiguous-ids", frame)
    assert (found.severity, found.samples, found.culprits, found.parts) == ("warning", 4, 1, ("train", "test"))
    assert found.share == pytest.approx(4 / 6)
    assert found.message == "1 subject spelled in two ways may be one; 1 of them on two sides"
    assert repr(one) in found.examples[0]
    assert repr(two) in found.examples[0]


@pytest.mark.parametrize(("one", "two"), [("sub-1", "sub-10"), ("sub-1", "sub-11"), ("s100", "s1"), ("a1", "a01b")])
def test_different_ids_stay_different(one, two):
    assert canonical(one) != canonical(two)
    frame = ROWS.with_columns(subject=pl.Series([one, one, "m", "n", two, two]))
    assert found_by("ambiguous-ids", frame) == []


def test_a_task_that_varies_within_a_story_could_be_balanced():
    frame = pl.DataFrame({
        "subject": ["a", "b", "c", "d"], "story": ["x", "x", "y", "y"], "segment": [0, 1, 0, 1],
        "task": ["one", "two", "three", "three"], "part": ["train", "train", "test", "test"]})
    [found] = CHECKS["imbalance"].run(Evidence(tally=Tally.of(frame, "story")))
    assert found.severity == "warning"
    assert found.examples[0] == "task three: 100% of test, 0% of train"


def test_spellings_of_stories_are_told_and_dropped_samples_are_no_side():
    frame = ROWS.with_columns(story=pl.Series(["pieman", "Pieman", "x", "x", "y", "y"]))
    [found] = found_by("ambiguous-ids", frame)
    assert found.examples == ("story 'Pieman' (train) and 'pieman' (train)",)
    assert "0 of them on two sides" in found.message


# --- contract -------------------------------------------------------------------------------------

def _if_possible(check, evidence):
    try:
        return list(check(evidence))
    except NotChecked:
        return []


@pytest.mark.parametrize("name", CHECKS)
def test_every_check_says_what_it_asks_and_yields_whole_findings(name, worlds):
    assert CHECKS[name].question.endswith("?")
    assert CHECKS[name].remedy.endswith(".")
    for kind in ("messy_texts", "messy_windows"):
        unit = "text" if kind == "messy_texts" else "story"
        tally = Tally.of(worlds[kind](1, 150), unit)
        for one in _if_possible(CHECKS[name].run, Evidence(tally=tally)):
            assert one.check == name
            assert one.kind in KINDS
            assert 0 < one.share <= 1
            assert 0 < len(one.examples) <= 10
            assert one.culprits >= 1
            assert all(part in tally.parts for part in one.parts)
