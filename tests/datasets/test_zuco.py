"""ZuCo as a dataset: the real sentence lists, and prepared folders of both versions."""

from __future__ import annotations

import csv
import json
from collections import Counter

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.datasets.miniatures.matlab import Structs, write_mat5, write_mat73
from tests.datasets.miniatures.zuco import frames_of, write_results

import arcuate as arc
from arcuate.datasets.registry import prepare
from arcuate.datasets.zuco.dataset import ZucoOptions, plan_zuco
from arcuate.datasets.zuco.materials import ListedSentence, read_duplicates, read_materials
from arcuate.errors import ArcuateError
from arcuate.samples.text_identity import text_key
from arcuate.signals.store import SignalStore


@pytest.fixture(scope="module")
def sentences(shared_data):
    return read_materials(shared_data / "zuco" / "original")


class TestRealLists:
    """The sentence lists are read whole, from their three dialects."""

    def test_the_published_counts(self, sentences):
        assert Counter(s.task for s in sentences) == {"SR": 400, "NR": 300, "TSR": 407}
        tasks = {}
        for sentence in sentences:
            tasks.setdefault(text_key(sentence.sentence), set()).add(sentence.task)
        assert len(sentences) == 1107
        assert len(tasks) == 1039
        assert sum({"NR", "TSR"} <= seen for seen in tasks.values()) == 47

    def test_equal_to_an_independent_parse(self, sentences, shared_data):
        with open(shared_data / "zuco" / "sentences.csv", encoding="utf-8", newline="") as file:
            rows = [ListedSentence(r["task"], int(r["index"]), r["sentence_id"], r["paragraph_id"], r["sentence"],
                                   r["control"], r["label"]) for r in csv.DictReader(file)]
        assert sentences == rows
        assert read_materials(shared_data / "zuco") == rows

    def test_listed_duplicates_are_in_both_tasks(self, sentences, shared_data):
        duplicates = read_duplicates(shared_data / "zuco" / "original" / "duplicate_sentences.csv")
        assert len(duplicates) == 48
        keys = {}
        for s in sentences:
            keys.setdefault((s.task, f"{s.sentence_id}-{s.paragraph_id}"), set()).add(text_key(s.sentence))
        unequal = [nr for _, nr, tsr in duplicates if not keys["NR", nr] & keys["TSR", tsr]]
        assert unequal == ["47-1", "50-5"]  # Marić and Württemberg, spelled otherwise in TSR

    def test_the_design_as_a_table(self, shared_data):
        table = arc.load("zuco1", shared_data / "zuco")
        assert (len(table), len(table.graph.subjects), len(table.graph.texts)) == (13_284, 12, 1_039)
        assert table.unit == "text"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """Two subjects of each version; one of 2.0 whom the authors exclude."""
    root = tmp_path_factory.mktemp("zuco")
    for seed, (subject, task, version) in enumerate(
        [("ZAB", "SR", "5"), ("ZKB", "NR", "5"), ("YAC", "NR", "7.3"), ("YMH", "NR", "7.3")]
    ):
        write_results(root, subject, task, version, seed=seed % 2)
    return root


def check_folder(done, root, subjects, measure="GD"):
    """Every usable sentence is a sample with exactly its frames, and every other one is counted."""
    samples = pq.read_table(done.folder / "samples.parquet").to_pylist()
    store = SignalStore.open(done.folder / "signals")
    store.verify()
    expected = {}
    for subject, (task, story, rows, outcomes) in subjects.items():
        for index, (row, outcome) in enumerate(zip(rows, outcomes, strict=True)):
            if isinstance(outcome, list):
                expected[f"{subject}_{task}_{index:03d}"] = (story, row, outcome)
    assert [sample["sample"] for sample in samples] == list(expected)
    for sample in samples:
        story, row, places = expected[sample["sample"]]
        assert sample["text"] == row["content"].replace("film.1", "film.")
        assert sample["story"] == story
        frames = store.window(sample["run"], sample["start"], sample["n_frames"])
        np.testing.assert_array_equal(frames, frames_of(row, places, measure).astype(np.float32))
    reasons = Counter(o for _, _, _, outcomes in subjects.values() for o in outcomes if isinstance(o, str))
    assert done.rejected == reasons


def test_version_1(root, tmp_path):
    _, rows0, expected0 = write_results(tmp_path / "again", "ZAB", "SR", "5", seed=0)
    _, rows1, expected1 = write_results(tmp_path / "again", "ZKB", "NR", "5", seed=1)
    done = prepare("zuco1", root, tmp_path / "out")
    check_folder(done, root, {"ZKB": ("NR", "NR", rows1, expected1), "ZAB": ("SR", "SR", rows0, expected0)})
    assert done.frame_shape == (840,)
    assert any("15 sentences, 400 are published" in note for note in done.notes)
    assert any("typing debris corrected in 1" in note for note in done.notes)
    about = json.loads((done.folder / "dataset.json").read_text())
    assert (about["name"], about["modality"], about["options"]["measure"]) == ("zuco1", "eeg", "GD")


def test_version_2_is_told_by_letter_and_the_excluded_subject_named(root, tmp_path):
    _, rows, expected = write_results(tmp_path / "again", "YAC", "NR", "7.3", seed=0)
    done = prepare("zuco2", root, tmp_path / "out")
    check_folder(done, root, {"YAC": ("NR", "NRv2", rows, expected)})
    assert any("resultsYMH_NR.mat: excluded by the dataset's authors" in note for note in done.notes)
    assert prepare("zuco2", root, tmp_path / "with", subjects=("YAC", "YMH")).subjects == 2


def test_both_versions_and_other_measures(root, tmp_path):
    done = prepare("zuco", root, tmp_path / "out", measure="TRT", dtype="float16")
    assert (done.subjects, done.stories) == (3, 3)
    assert SignalStore.open(done.folder / "signals").array("ZAB_SR").dtype == np.float16


def test_load_equals_the_prepared_table(root, tmp_path):
    done = prepare("zuco1", root, tmp_path / "out")
    table = arc.load("zuco1", root)
    assert table.identity_hash == arc.read_samples(done.folder / "samples.parquet").identity_hash


def test_filters_and_options(root):
    assert {run.name for run in plan_zuco(root, ZucoOptions(tasks=("SR",))).runs} == {"ZAB_SR"}
    strict = sum(run.n_rows for run in plan_zuco(root, ZucoOptions(tasks=("SR",))).runs)
    partial = sum(run.n_rows for run in plan_zuco(root, ZucoOptions(tasks=("SR",), keep_partial=True)).runs)
    assert partial == strict + 4  # sentences with one bad word of two; where a field is gone, none is left
    published = sum(run.n_rows for run in plan_zuco(root, ZucoOptions(published_reader=True), ("2.0",)).runs)
    assert published == sum(run.n_rows for run in plan_zuco(root, ZucoOptions(), ("2.0",)).runs) - 3


@pytest.mark.parametrize(("options", "words"), [
    ({"measure": "SFD"}, "measure 'SFD' is not known"), ({"tasks": ("XX",)}, "task 'XX' is not known"),
    ({"subjects": ("ZZZ",)}, "subject 'ZZZ' is not known"),
])
def test_unknown_names(root, options, words):
    with pytest.raises(ArcuateError, match=words):
        plan_zuco(root, ZucoOptions(**options))


def test_unrecorded_rows_are_checked_against_the_official_table(tmp_path, monkeypatch):
    from arcuate.datasets.zuco import dataset

    write_results(tmp_path, "ZPH", "NR", "5")
    monkeypatch.setitem(dataset.ROWS, ("1.0", "NR"), 15)
    (run,) = plan_zuco(tmp_path, ZucoOptions()).runs
    assert any("2 sentences are not recorded where the official loader names 50" in note for note in run.notes)
    monkeypatch.setitem(dataset.UNRECORDED, ("ZPH", "NR"), ((2, 3),))
    (run,) = plan_zuco(tmp_path, ZucoOptions()).runs
    assert not any("official loader" in note for note in run.notes)


@pytest.mark.parametrize(("name", "content", "words"), [
    ("sentiment_labels_task1.csv", b"h;h;h;h\r\n5;a;b;c;;0\r\n", "line 2: 6 fields, expected 3 or 4"),
    ("relations_labels_task2.csv", b"h\n5,4,text,CONTROL\n", "line 2: 4 fields, expected 5"),
    ("relations_labels_task3.csv", b"h\r\n1;2;;AWARD\r\n", "sentence 0 of TSR is empty"),
    ("relations_labels_task3.csv", b"h\r\n1;2;ok;AWARD\r\n1;2;caf\xe9;AWARD\r\n", "line 3: byte 0xe9 is not UTF-8"),
])
def test_bad_lists(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ArcuateError, match=words):
        read_materials(tmp_path)


def test_files_without_the_field_word_are_refused(tmp_path):
    for name, write in {"resultsZAB_SR.mat": write_mat5, "resultsYAC_NR.mat": write_mat73}.items():
        write(tmp_path / name, sentenceData=Structs([{"content": "a"}, {"content": "b"}]))
        with pytest.raises(ArcuateError, match=f"{name}: no sentence has the field 'word'"):
            list(plan_zuco(tmp_path, ZucoOptions()).runs)
        (tmp_path / name).unlink()


def test_the_same_list_twice_is_refused(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "relations_labels_task2.csv").write_text("h\n1,2,x,,y\n")
    with pytest.raises(ArcuateError, match="twice"):
        read_materials(tmp_path)
