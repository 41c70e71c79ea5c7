"""The reproduction of the encoding paper: every published figure, every dataset found or named as missing."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from scipy.io import savemat

from arcuate.errors import ArcuateError
from arcuate.experiments.encoding_plan import make_plan
from arcuate.experiments.published_encoding import published_figures
from arcuate.experiments.reproduce_encoding import reproduce_encoding


def test_the_published_figures_are_those_of_the_paper(published):
    figures = published_figures()
    for name, n in [
        ("pairwise", 36),
        ("voxel_selection", 15),
        ("voxelwise_mean", 27),
        ("voxelwise_sum", 27),
        ("rsa", 8),
    ]:
        assert len([f for f in figures if f.table == name]) == n
        assert (published / f"encoding_{name}.csv").read_text() == _packaged(name)
    one = next(
        f for f in figures if (f.table, f.dataset, f.metric, f.match) == ("pairwise", "alice", "cosine", "strict")
    )
    assert (one.value, one.random) == (0.28, 0.27)
    one = next(f for f in figures if f.table == "voxelwise_sum" and f.dataset == "harry" and f.metric == "r2_simple")
    assert (one.voxels, one.value, one.random) == ("all", -6.29, -3.10)


def _packaged(name):
    from importlib.resources import files

    return (files("arcuate.experiments") / "published" / f"encoding_{name}.csv").read_text()


def write_words(folder, n_subjects=2, n_words=12, n_voxels=510):
    """Mitchell's files in small, with a signal that GloVe can find a little of."""
    words = ["cat", "dog", "cow", "horse", "hammer", "saw", "chisel", "pliers", "house", "barn", "church", "igloo"]
    rng = np.random.default_rng(0)
    for subject in range(1, n_subjects + 1):
        trials = [(w, e) for e in range(1, 7) for w in range(n_words)]
        info = np.empty(
            (1, len(trials)), dtype=[(f, object) for f in ("cond", "cond_number", "word", "word_number", "epoch")]
        )
        data = np.empty((len(trials), 1), dtype=object)
        pattern = rng.normal(size=(n_words, n_voxels))
        for row, (word, epoch) in enumerate(trials):
            info[0, row] = ("c", float(word // 4 + 1), words[word], float(word % 4 + 1), float(epoch))
            data[row, 0] = (pattern[word] + rng.normal(size=n_voxels))[None, :]
        meta = np.empty((1, 1), dtype=[("subject", object), ("colToCoord", object)])
        meta[0, 0] = (f"P{subject}", np.argwhere(np.ones((n_voxels, 1, 1))) + 1.0)
        savemat(folder / f"data-science-P{subject}.mat", {"meta": meta, "info": info, "data": data})


def test_published_files_are_preferred_and_a_stopped_run_goes_on(tmp_path, monkeypatch):
    data = tmp_path / "data"
    data.mkdir()
    write_words(data)
    said = []
    made = reproduce_encoding(
        data, tmp_path / "out", announce=said.append, permutations=3, models=("glove",), layers=False
    )
    assert [(s.role, s.dataset, s.stand_in) for s in made.plan.sources] == [("words", "mitchell2008", "")]
    assert [line.split(" ")[0] for line in made.plan.missing] == ["stories", "alice", "harry"]
    ours = [row for row in made.rows if row.ours is not None]
    assert {row.table for row in ours} == {"pairwise", "voxel_selection", "voxelwise_mean", "voxelwise_sum", "rsa"}
    assert {row.select for row in ours if row.table == "voxel_selection"} == {"none", "stable", "ev", "r", "random"}
    assert {row.data for row in ours} == {"published files"}
    assert {row.data for row in made.rows if row.dataset == "harry"} == {"missing"}
    with open(tmp_path / "out" / "pairwise.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 9 * 2 + 27  # two sets of features on Words; the other datasets are missing
    written = (tmp_path / "out" / "encoding.json").read_bytes()

    def nothing_runs(*_, **__):
        raise AssertionError("an evaluation ran again")

    monkeypatch.setattr("arcuate.experiments.reproduce_encoding.run", nothing_runs)
    said.clear()
    reproduce_encoding(data, tmp_path / "out", announce=said.append, permutations=3, models=("glove",), layers=False)
    assert sum("kept from before" in line for line in said) == len(made.plan.runs)
    assert (tmp_path / "out" / "encoding.json").read_bytes() == written
    with pytest.raises(AssertionError, match="ran again"):  # other settings are other evaluations
        reproduce_encoding(data, tmp_path / "out", permutations=4, models=("glove",), layers=False)


def test_a_folder_without_data_names_all_that_is_missing(tmp_path):
    with pytest.raises(ArcuateError, match=r"No dataset of the paper.*words.*stories.*alice.*harry"):
        make_plan(tmp_path)


@pytest.mark.shared
def test_the_plan_on_the_real_data(shared_data):
    plan = make_plan(shared_data, layers=False)
    assert [(s.role, s.dataset, bool(s.stand_in)) for s in plan.sources] == [
        ("words", "cognival-mitchell2008", True), ("alice", "alice", False), ("harry", "cognival-wehbe2014", True)
    ]  # fmt: skip
    assert [line.split(" ")[0] for line in plan.missing] == ["words", "stories", "harry"]
    names = [run.name for run in plan.runs]
    assert "words-select-stable" not in names  # the stand-in has no repetitions
    assert "alice-baselines" in names
    assert {len(run.request.subjects) for run in plan.runs if run.role == "alice"} == {27}


@pytest.mark.shared
def test_reproduce_encoding_on_the_command_line(arcuate, shared_data, tmp_path):
    alice = shared_data / "alice"
    options = ["--data", alice, "--out", tmp_path / "out", "--subjects", 2, "--permutations", 3,
               "--features", "glove", "--no-layers", "--json"]  # fmt: skip
    done = arcuate("reproduce", "encoding", *options)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["excluded"] == ["alice: s33: every value of s33-timecourses.txt is 0"]
    assert any("needs data-science-P1.mat" in line for line in found["missing"])
    made = [row for row in found["tables"]["pairwise"] if row["dataset"] == "alice" and row["ours"] is not None]
    assert {row["features"] for row in made} == {"glove", "random"}
    assert all(0.3 < row["ours"] < 0.7 for row in made if row["match"] == "sum")
    page = (tmp_path / "out" / "encoding.html").read_text(encoding="utf-8")
    assert "Alice against baselines" in page
    assert "every value of s33-timecourses.txt is 0" in page
