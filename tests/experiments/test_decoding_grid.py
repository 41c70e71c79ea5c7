"""The decoding grid: a leak-free additional set, every split audited, the whole grid, tables in the papers' form."""

from __future__ import annotations

import csv
import json
import shutil

import pytest

from arcuate.errors import ArcuateError
from arcuate.experiments.decoding_findings import findings
from arcuate.experiments.decoding_grid import GENERATIONS, TEST_INPUTS, TEST_SETS, Axes, cells_of
from arcuate.experiments.decoding_plan import make_plan, plan_for, read_plans
from arcuate.experiments.decoding_setups import published_setups, reduced_setups
from arcuate.experiments.decoding_tables import paper_tables
from arcuate.experiments.published_decoding import TABLES
from arcuate.experiments.published_decoding import published as published_rows
from arcuate.experiments.reproduce_decoding import SIZES, collect, find_or_simulate, grid_of


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    """A tiny simulated fMRI dataset and its plan."""
    from arcuate.datasets.simulate import simulate

    out = tmp_path_factory.mktemp("grid")
    simulate(out / "data" / "narratives-like", layout="narratives", seed=3, snr=5.0, **SIZES["tiny"].narratives)
    return out, make_plan(out / "data" / "narratives-like", out, seeds=(1,))


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


class TestPlan:
    def test_the_additional_set_shares_nothing_with_any_split(self, planned):
        import polars as pl

        out, plan = planned
        about = {row["sample"]: row for row in pl.read_parquet(out / plan.dataset / "samples.parquet").to_dicts()}
        test = [about[row["sample"]] for row in rows(out / plan.additional)]
        assert test
        for split in plan.splits:
            for row in rows(out / split.file):
                other = about[row["sample"]]
                assert other["subject"] not in {one["subject"] for one in test}
                assert other["story"] not in {one["story"] for one in test}

    def test_every_method_is_planned_and_audited(self, planned):
        _, plan = planned
        assert [split.method for split in plan.splits] == [*"abcdef", "optimal"]
        assert {split.method: split.audit for split in plan.splits if split.method in "f optimal a"} == {
            "f": "clean", "optimal": "clean", "a": "leak"}

    def test_a_plan_is_read_as_written_and_without_polars(self, planned):
        out, plan = planned
        assert read_plans(out) == [plan]

    def test_paths_do_not_depend_on_the_machine(self, planned):
        out, plan = planned
        assert plan.dataset == "data/narratives-like"
        assert str(out) not in json.dumps([split.file for split in plan.splits])


    def test_a_plan_is_kept_for_the_same_data_and_made_anew_for_other(self, planned, tmp_path):
        from arcuate.datasets.simulate import simulate

        simulate(tmp_path / "toy", layout="crossed", subjects=6, stories=6, sentences=3, regions=4, window=4)
        options = {"name": "toy", "methods": ("a",), "seeds": (1,)}
        first = plan_for(tmp_path / "toy", tmp_path, **options)
        made = (tmp_path / "plan" / "toy" / "plan.json").stat().st_mtime_ns
        assert plan_for(tmp_path / "toy", tmp_path, **options) == first
        assert (tmp_path / "plan" / "toy" / "plan.json").stat().st_mtime_ns == made
        assert len(plan_for(tmp_path / "toy", tmp_path, **{**options, "seeds": (1, 2)}).splits) == 2
        shutil.rmtree(tmp_path / "toy")
        simulate(tmp_path / "toy", layout="crossed", subjects=6, stories=6, sentences=3, regions=4, window=4, seed=9)
        assert plan_for(tmp_path / "toy", tmp_path, **options).data_sha256 != first.data_sha256

    def test_another_size_in_the_same_folder_is_refused(self, planned):
        out, _ = planned
        with pytest.raises(ArcuateError, match="was simulated with subjects 12, not 48"):
            find_or_simulate(None, out, SIZES["small"])


class TestCells:
    def test_the_whole_grid(self, planned):
        _, plan = planned
        cells = cells_of(plan, reduced_setups("fmri"), Axes(models=("unicorn",)))
        # a-f and optimal; real 1x, real longer, noise 1x; every test input, generation and test set.
        assert len(cells) == 7 * 3 * len(TEST_INPUTS) * len(GENERATIONS) * len(TEST_SETS)
        assert len({cell.key for cell in cells}) == len(cells)
        assert len({cell.needs[0].key for cell in cells}) == 21

    def test_names_are_the_same_on_every_machine(self, planned):
        """No absolute path and no time is part of a name."""
        out, plan = planned
        (cell, *_) = cells_of(plan, reduced_setups("fmri"), Axes(models=("unicorn",)))
        assert str(out) not in cell.settings + cell.needs[0].settings

    def test_longer_training_is_longer_and_slower(self):
        setup = reduced_setups("fmri", epochs=4)["unicorn"]
        first, longer = setup.stages[-1], setup.longer().stages[-1]
        assert longer.epochs == 3 * first.epochs
        assert longer.lr == pytest.approx(first.lr / 3)
        assert setup.stages[:2] == setup.longer().stages[:2]

    def test_published_settings(self):
        setups = published_setups("eeg")
        assert (setups["eeg2text"].stages[0].epochs, setups["eeg2text"].stages[0].lr) == (80, 1e-6)
        assert setups["unicorn"].stages[0].batch_size == 512


def test_other_data_than_planned_is_refused(planned):
    from dataclasses import replace

    pytest.importorskip("lightning")
    out, plan = planned
    (cell, *_) = cells_of(replace(plan, data_sha256="0" * 64), reduced_setups("fmri"), Axes(models=("constant",)))
    with pytest.raises(ArcuateError, match="not the data that was planned for"):
        cell.run(out)


def test_baselines_and_training_run_end_to_end(planned):
    pytest.importorskip("lightning")
    from arcuate.experiments.grid import run_grid
    from arcuate.report.decoding_page import decoding_page

    out, plan = planned
    cells = [
        cell for cell in grid_of([plan], SIZES["tiny"])
        if cell.values["method"] == "optimal" and cell.values["length"] == "1x"
        and cell.values["model"] in ("unicorn", "constant", "oracle", "retrieval")
        and cell.values["train_input"] == "real" and cell.values["test_input"] in ("real", "shuffled")
    ]
    run_grid(cells, out)
    assert run_grid(cells, out) == []
    results = collect(cells, out, [plan], draws=200)
    assert results["simulated"] is True
    assert {row["verdict"] for row in results["verdicts"]} <= {"reads the brain", "no evidence", "worse than control"}
    oracle = [row for row in results["scores"] if row["model"] == "oracle"]
    assert all(row["rouge1_f"] == pytest.approx(100) for row in oracle)
    assert all("audit:" in row["signature"] and row["audit"] in ("clean", "leak") for row in results["scores"])
    assert {table["number"] for table in results["tables"]} >= {"3", "4", "5", "6", "7"}
    curves = [row for row in results["curves"] if row["model"] == "unicorn"]
    assert {row["stage"] for row in curves} == {"frame", "sequence", "text"}
    page = decoding_page(results)
    assert "Simulated data at reduced size" in page
    assert "Figure 5" in page


class TestPublished:
    @pytest.mark.parametrize("table", TABLES)
    def test_the_embedded_figures_are_the_papers(self, table, published):
        ours = [{name: str(value) for name, value in row.items()} for row in published_rows(table)]
        theirs = rows(published / f"decoding_{table}.csv")
        assert len(ours) == len(theirs)
        for mine, paper in zip(ours, theirs, strict=True):
            for name, value in paper.items():
                assert mine[name] == value or float(mine[name]) == float(value)


def score(**changes):
    base = {"dataset": "narratives-like", "model": "unicorn", "method": "a", "seed": 1, "audit": "leak", "length": "1x",
            "train_input": "real", "test_set": "own", "test_input": "real", "generation": "teacher-forced"}
    numbers = dict.fromkeys(("bleu1", "bleu2", "bleu3", "bleu4", "rouge1_p", "rouge1_r", "rouge1_f",
                             "retrieval_rank", "retrieval_top1"), 10.0)
    return {**base, **numbers, **changes}


class TestTablesAndFindings:
    def test_published_figures_stand_beside_ours(self):
        table = paper_tables([score(method="f"), score(method="f", test_set="additional", rouge1_f=9.0)])[0]
        (row,) = table.rows
        assert (row["rouge1_f original"], row["rouge1_f additional"]) == (10.0, 9.0)
        assert (row["published rouge1_f original"], row["published rouge1_f additional"]) == (19.04, 18.45)

    def test_seeds_are_averaged(self):
        rows = [score(test_set=which, seed=seed, rouge1_f=10.0 * seed)
                for which in ("own", "additional") for seed in (1, 2)]
        (row,) = paper_tables(rows)[0].rows
        assert (row["seeds"], row["rouge1_f original"]) == (2, 15.0)

    def test_inflation_is_seen_and_its_absence_too(self):
        def told(leaking):
            scores = [score(method=m, rouge1_f=leaking) for m in "acd"] + [score(method=m) for m in ("f", "optimal")]
            found = findings({"scores": scores, "curves": [], "verdicts": []})
            return {one.name: one.holds for one in found}

        assert told(40.0)["inflation"] is True
        assert told(10.5)["inflation"] is False
        assert told(40.0)["longer training"] is None

    def test_a_loss_that_turns_up_is_told_from_one_that_falls(self):
        def curve(method, losses):
            return score(method=method) | {"stage": "sequence", "val_loss": losses}

        rows = [curve(m, [3.0, 2.0, 1.0]) for m in "bcde"] + [curve(m, [3.0, 1.0, 2.0]) for m in ("a", "f")]
        found = findings({"scores": [score()], "curves": rows, "verdicts": []})
        assert {one.name: one.holds for one in found}["encoder loss"] is True


class TestCommands:
    def test_dry_run_says_what_would_run(self, arcuate, planned):
        out, _ = planned
        done = arcuate("decode", "controls", out / "data" / "narratives-like", "--out", out, "--seeds", 1, "--dry-run")
        assert done.returncode == 0, done.stderr
        assert "357 cells" in done.stdout  # 21 trainings and their 336 generations

    def test_unknown_models_are_refused(self, arcuate, planned):
        out, _ = planned
        done = arcuate("decode", "controls", out / "data" / "narratives-like", "--out", out, "--seeds", 1,
                       "--models", "gpt9", "--dry-run")
        assert done.returncode == 2
        assert "'gpt9' is not known" in done.stderr

    def test_report_makes_one_page(self, arcuate, tmp_path):
        (tmp_path / "v.json").write_text(json.dumps({"verdict": "no evidence", "sentence": "So.", "rows": [{"a": 1}]}))
        done = arcuate("report", "v.json", "--html", "page.html")
        assert done.returncode == 0, done.stderr
        assert "no evidence" in (tmp_path / "page.html").read_text()
        (tmp_path / "bad.json").write_text("[1]")
        assert arcuate("report", "bad.json", "--html", "p.html").returncode == 2
        assert arcuate("report", "none.json", "--html", "p.html").returncode == 2


def test_predictions_that_cannot_be_judged_keep_their_row_and_say_why():
    from arcuate.decoding.verdict.predictions import Predictions
    from arcuate.experiments.decoding_results import _judged

    single = Predictions("real", ("one text",) * 3, ("a", "b", "c"))
    row = _judged(single, [Predictions("shuffled", ("one text",) * 3, ("c", "a", "b"))], draws=50)
    assert row["verdict"] == "not judged"
    assert row["sentence"]
    assert row["gain"] is None
