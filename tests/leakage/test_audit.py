"""The audit as a whole: splits in every form, folds, the verdict, what raises and what is signed."""

from __future__ import annotations

import json

import polars as pl
import pytest

import arcuate as arc
from arcuate.errors import ArcuateError, NotPossible
from arcuate.leakage.audit import audit
from arcuate.leakage.checks import CHECKS
from arcuate.leakage.evidence import Settings
from arcuate.leakage.findings import Finding, Findings, LeakFound, Rates
from arcuate.samples.read import read_samples
from arcuate.splits.methods import split
from arcuate.splits.record import write_split

TABLE = pl.DataFrame({
    "sample": [f"s{k}" for k in range(6)], "subject": ["a", "a", "b", "b", "c", "c"],
    "text": ["One.", "Two.", "Three.", "Four.", "Five.", "one"]})
PARTS = ["train", "train", "val", "val", "test", "test"]


def lists(parts=PARTS):
    placed = TABLE.with_columns(part=pl.Series(parts))
    return {name: placed.filter(pl.col("part") == name)["sample"].to_list() for name in dict.fromkeys(parts)}


def same(found, expected):
    assert (found.rates, found.findings) == (expected.rates, expected.findings)


def test_a_split_says_the_same_in_every_form(tmp_path):
    expected = audit(TABLE, lists())
    assert [one.check for one in expected.of("leak")] == ["text-overlap"]
    same(audit(TABLE.with_columns(part=pl.Series(PARTS))), expected)
    same(audit(read_samples(TABLE), lists()), expected)
    (tmp_path / "split.json").write_text(json.dumps(lists()))
    same(audit(TABLE, tmp_path / "split.json"), expected)
    rows = TABLE.select("sample", part=pl.Series(PARTS))
    same(audit(TABLE, rows), expected)
    same(audit(TABLE, rows.reverse()), expected)
    rows.write_csv(tmp_path / "split.csv")
    same(audit(TABLE, str(tmp_path / "split.csv")), expected)
    rows.write_parquet(tmp_path / "split.parquet")
    same(audit(TABLE, tmp_path / "split.parquet"), expected)
    folder = tmp_path / "ids"
    folder.mkdir()
    for part, ids in lists().items():
        (folder / f"{part}.txt").write_text("\n".join(ids))
    same(audit(TABLE, folder), expected)
    same(audit(TABLE, sorted(folder.iterdir())), expected)


def test_samples_that_lists_leave_out_are_dropped_but_rows_must_name_all():
    found = audit(TABLE, {"train": ["s0"], "test": ["s4"]})
    assert found.sizes["dropped"]["samples"] == 4
    assert found.verdict == "clean"
    with pytest.raises(ArcuateError, match="does not name 5 of the table's 6 samples"):
        audit(TABLE, pl.DataFrame({"sample": ["s0"], "part": ["train"]}))


def test_a_split_that_merged_near_duplicates_is_read_all_the_same():
    texts = ["the cat sat on the mat today", "The cat sat on the mat", "a dog", "a bird", "some fish", "no one"]
    frame = TABLE.with_columns(text=pl.Series(texts), text_id=pl.Series(list("uvwxyz")))
    merged = read_samples(frame, near_duplicates=0.5)
    made = split(merged, "f", (1, 1))
    assert audit(frame, made).rates.bslr["test_train"] == 0.0
    with pytest.raises(ArcuateError, match="subject"):
        audit(frame.with_columns(subject=pl.col("subject").reverse()), made)


def test_each_fold_is_judged_and_the_rates_are_their_mean():
    folds = pl.concat([
        TABLE.select("sample", fold=pl.lit(k), part=pl.Series(parts))
        for k, parts in enumerate([PARTS, ["train"] * 4 + ["val", "test"], ["train"] * 4 + ["dropped", "dropped"]])])
    found = audit(TABLE, folds)
    assert [one.bslr["test_train"] for one in found.fold_rates] == [0.0, 0.0, None]
    assert [one.tslr["test_train"] for one in found.fold_rates] == [20.0, 20.0, None]
    assert found.rates.tslr["test_train"] == pytest.approx(20.0)
    assert found.rates.bslr["test_val"] == pytest.approx((0.0 + 100 / 3) / 2)
    assert {(one.fold, one.check) for one in found.of("leak")} == {
        (0, "text-overlap"), (1, "text-overlap"), (1, "subject-overlap")}
    assert [one.fold for one in found.findings if one.message == "test is empty"] == [2]
    assert "|folds:3|" in found.signature
    assert len(found.tallies) == 3
    assert found.to_dict()["folds"][1]["tslr"]["test_train"] == 20.0
    assert all("fold" in one for one in found.to_dict()["findings"])
    assert audit(TABLE, lists()).fold_rates == ()


def test_leaks_raise_and_say_who():
    with pytest.raises(LeakFound) as raised:
        arc.audit(TABLE, lists()).raise_on_leak()
    assert isinstance(raised.value, NotPossible)
    assert str(raised.value) == (
        "the given split: 1 of 2 texts in test also in train (“One.”: 1 in test, 1 in train). "
        "Split again with: arcuate split --method optimal")


def test_warnings_raise_only_when_strict():
    found = audit(TABLE, {"train": ["s0", "s1"], "test": ["s2", "s3"]})
    assert (found.verdict, found.exit_code(), found.exit_code(strict=True)) == ("clean", 0, 1)
    assert found.raise_on_leak() is found
    with pytest.raises(LeakFound, match="one reader"):
        found.raise_on_leak(strict=True)
    crossed = pl.DataFrame({"subject": ["a", "b", "c", "d"], "text_id": ["x", "x", "y", "y"],
                            "part": ["train", "train", "test", "test"]})
    assert audit(crossed).exit_code(strict=True) == 0


def test_a_finding_without_examples_is_told_all_the_same():
    bare = Finding(check="text-overlap", severity="leak", parts=("test",), samples=1, share=1.0, culprits=1,
                   examples=(), message="m", kind="L1.4")
    found = Findings(name="n", rates=Rates("all", {}, {}), findings=(bare,) * 5, checks=(), signature="")
    with pytest.raises(LeakFound) as raised:
        found.raise_on_leak()
    assert str(raised.value) == "n: m; m; m. Split again with: arcuate split --method optimal"


def test_info_is_no_reason_to_fail():
    note = Finding(check="imbalance", severity="info", parts=("test",), samples=1, share=1.0, culprits=1,
                   examples=("x",), message="m", kind="L3.3")
    found = Findings(name="n", rates=Rates("all", {}, {}), findings=(note,), checks=(), signature="")
    assert (found.verdict, found.exit_code(strict=True), found.of("info")) == ("clean", 0, (note,))


def test_findings_come_worst_first_and_in_the_order_of_the_checks():
    frame = TABLE.with_columns(part=pl.Series(["train", "test"] * 3))
    found = audit(frame)
    order = {"leak": 0, "warning": 1, "info": 2}
    ranks = [(order[one.severity], list(CHECKS).index(one.check)) for one in found.findings]
    assert ranks == sorted(ranks)
    assert len({rank for rank, _ in ranks}) > 1


def test_checks_that_cannot_run_are_not_passed_over():
    found = audit(TABLE.drop("text").with_columns(text_id=pl.Series(list("uvwxyz"))), lists())
    assert found.verdict == "clean"
    assert set(found.to_dict()["not_checked"]) == {
        "near-duplicate-text", "ngram-overlap", "window-overlap", "closer-than-response", "identical-signals",
        "fitted-on-all"}
    assert all(found.to_dict()["not_checked"].values())
    assert [run.check for run in found.checks] == list(CHECKS)
    off = audit(TABLE, lists(), settings={"near_duplicates": None})
    assert off.to_dict()["not_checked"]["near-duplicate-text"] == "near-duplicates are off"


def test_only_the_checks_asked_for_run():
    found = audit(TABLE, lists(), checks=["subject-overlap"])
    assert ([run.check for run in found.checks], found.findings) == (["subject-overlap"], ())
    assert found.signature.startswith("audit:subject-overlap|")
    with pytest.raises(ArcuateError, match="Check 'subjects' is not known"):
        audit(TABLE, lists(), checks=["subjects"])


def test_the_json_has_the_promised_keys():
    whole = audit(TABLE, lists(), over="test").to_dict()
    assert {"verdict", "rates", "findings", "signature"} <= set(whole)
    assert set(whole["rates"]) == {"over", "bslr", "tslr"}
    assert whole["rates"]["over"] == "test"
    assert set(whole["rates"]["bslr"]) == set(whole["rates"]["tslr"]) == {"test_train", "val_train", "test_val"}
    for one in whole["findings"]:
        assert {"check", "severity", "parts", "samples", "share", "examples"} <= set(one)
        assert "fold" not in one
    assert whole["findings"][0]["kind"] == "L1.4 duplicates in the data"
    assert whole["sizes"]["train"] == {"samples": 2, "subjects": 1, "texts": 2}
    assert json.loads(json.dumps(whole)) == whole


def test_the_signature_names_what_the_numbers_hang_on():
    one = audit(TABLE, lists())
    assert one.signature.startswith("audit:all-checks|over:all|unit:text|window:1|near:0.8|ngram:8|response:10|counts:")
    assert audit(TABLE, lists(), over="test").signature != one.signature
    assert audit(TABLE, lists(), settings=Settings(near_duplicates=None)).signature.split("|")[4] == "near:off"
    other = audit(TABLE, lists(["train", "train", "val", "test", "test", "val"]))
    assert one.signature.split("|")[7:9] != other.signature.split("|")[7:9]
    assert "|split:" in one.signature
    assert "|split:" not in audit(TABLE.with_columns(part=pl.Series(PARTS))).signature


def test_the_ratio_comes_from_the_manifest(tmp_path):
    frame = pl.DataFrame({"subject": [f"s{k}" for k in range(10)] * 2, "text_id": ["x"] * 10 + ["y"] * 10})
    made = split(frame, "a", (8, 1, 1))
    path = write_split(made, tmp_path / "split.csv")
    off = [one.message for one in audit(frame, path).findings if one.check == "imbalance"]
    assert off == []
    told = audit(frame, path, settings={"ratio": (1.0, 1.0, 1.0)})
    assert sum("instead of 33.3%" in one.message for one in told.findings) == 3
    by_subjects = {**made.manifest, "options": {"ratio": "1:1:1", "ratio_of": "subjects"}}
    assert not audit(frame, type(made)(made.frame, by_subjects)).of("warning")
    wide = {**made.manifest, "options": {"ratio": "7:1.5:1.5", "tolerance": 0.5}}
    assert not audit(frame, type(made)(made.frame, wide)).of("warning")
    for ratio in ("6:2:2", [6, 2, 2]):
        off = {**made.manifest, "options": {"ratio": ratio}}
        assert [one.message for one in audit(frame, type(made)(made.frame, off)).of("warning")] == [
            "train has 80.0% of the kept samples instead of 60.0%",
            "val has 10.0% of the kept samples instead of 20.0%",
            "test has 10.0% of the kept samples instead of 20.0%"]
    broken = {**made.manifest, "options": {"ratio": "much"}}
    with pytest.raises(ArcuateError, match="ratio is 'much'"):
        audit(frame, type(made)(made.frame, broken))


def test_names_say_which_split(tmp_path):
    path = tmp_path / "s.json"
    path.write_text(json.dumps(lists()))
    assert audit(TABLE, path).name == str(path)
    assert audit(TABLE, lists()).name == "the given split"
    assert audit(TABLE, lists(), name="mine").name == "mine"
    made = split(TABLE, "f", (1, 1))
    assert audit(TABLE, made).name == "split f"
    assert audit(TABLE, type(made)(made.frame, {})).name == "split given"
    assert audit(TABLE.with_columns(part=pl.Series(PARTS))).name == "the polars frame"


def test_a_table_without_parts_asks_for_a_split():
    with pytest.raises(ArcuateError) as raised:
        audit(TABLE)
    assert str(raised.value) == (
        "the polars frame has no column 'part', but sample, subject, text. Give a split file, or add the column.")


@pytest.mark.parametrize("bad", ["training", None])
def test_bad_parts_in_the_table_are_refused(bad):
    with pytest.raises(ArcuateError, match=f"part is {bad!r}. Use train, val, test or dropped"):
        audit(TABLE.with_columns(part=pl.Series([bad, *PARTS[1:]])))


def test_runs_tables_are_judged_run_by_run():
    runs = pl.DataFrame({"subject": ["a", "a", "b"], "story": ["x", "x", "x"], "n_trs": [12, 12, 12]})
    table = read_samples(runs, window=10)
    samples = table.rows()["sample"].to_list()
    apart = {"train": [one for one in samples if one[0] != "1"], "test": [one for one in samples if one[0] == "1"]}
    found = {one.check: one for one in audit(table, apart).of("leak")}
    assert set(found) == {"subject-overlap", "text-overlap"}  # two scans of one story, but no window in common
    mixed = {"train": ["0:0"], "test": ["0:2", "1:0", "2:0"]}
    found = {one.check: one for one in audit(table, mixed).of("leak")}
    assert found["window-overlap"].examples == ("a · x · row 0: 1 window",)
    assert found["text-overlap"].samples == 3
    assert audit(runs, mixed, window=10).rates.tslr["test_train"] == pytest.approx(100 * (8 + 10 + 10) / 30)


def test_stories_without_segments_are_judged_story_by_story():
    frame = pl.DataFrame({"subject": ["a", "b"], "story": ["x", "x"], "text_id": ["u", "v"], "part": ["train", "test"]})
    assert audit(frame).verdict == "clean"
    by_story = audit(read_samples(frame, unit="story"))
    assert [one.check for one in by_story.of("leak")] == ["text-overlap"]


def test_declared_variants_are_one_text():
    frame = pl.DataFrame({"subject": ["a", "b"], "text_id": ["u", "v"], "part": ["train", "test"]})
    assert audit(read_samples(frame, same_text=["u=v"])).verdict == "leak"
