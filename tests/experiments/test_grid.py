"""Cells and grids: named by all that determines them, run once, never stale, resumable, told when they fail."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from arcuate.errors import ArcuateError
from arcuate.experiments import cells as cells_module
from arcuate.experiments.cells import Cell, source_hash, with_needs
from arcuate.experiments.grid import outlook, run_grid

ME = "tests.experiments.grid_work"


def adding(n, needs=(), **more):
    return Cell.of(f"{ME}:add", {"n": n, **more}, needs=tuple(needs))


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """The work is imported by name, in this process and in spawned ones."""
    root = str(Path(__file__).parents[2])
    monkeypatch.syspath_prepend(root)
    monkeypatch.setenv("PYTHONPATH", root)


def test_a_second_run_does_nothing(tmp_path):
    first = adding(1)
    chain = [adding(2, [first]), adding(3, [first])]
    assert len(run_grid(chain, tmp_path)) == 3
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "cells").iterdir()}
    assert run_grid(chain, tmp_path) == []
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "cells").iterdir()} == files
    assert chain[0].result(tmp_path)["sum"] == 3


def test_only_what_is_missing_runs(tmp_path):
    first = adding(1)
    second = adding(2, [first])
    run_grid([second], tmp_path)
    second.result_file(tmp_path).unlink()
    assert run_grid([second], tmp_path) == [second]


@pytest.mark.parametrize("change", [
    {"settings": '{"n": 2}'}, {"data": ("other",)}, {"runner": f"{ME}:fail"}, {"needs": (adding(9),)},
])
def test_whatever_decides_the_result_is_in_its_name(change):
    from dataclasses import replace

    assert replace(adding(1), **change).key != adding(1).key


def test_other_code_is_another_cell(monkeypatch):
    before = Cell.of("m:f", {}, code=("errors",)).key
    cells_module._key.cache_clear()
    monkeypatch.setattr(cells_module, "source_hash", lambda packages: "other")
    assert Cell.of("m:f", {}, code=("errors",)).key != before
    cells_module._key.cache_clear()


def test_code_left_out_does_not_count():
    whole, less = source_hash(("metrics",)), source_hash(("metrics", "-metrics/text"))
    assert whole == less  # only folders are left out: a file's name is not one
    assert source_hash(("decoding", "-decoding/verdict")) != source_hash(("decoding",))


def test_a_guess_of_time_is_not_part_of_the_name():
    assert Cell.of("m:f", {}, seconds=1).key == Cell.of("m:f", {}, seconds=99).key


def test_a_failure_keeps_the_others_and_is_told(tmp_path):
    bad = Cell.of(f"{ME}:fail", {"n": 1})
    good = adding(5)
    with pytest.raises(ArcuateError, match=r"2 of 3 cells failed(.|\n)*planned to fail(.|\n)*what it builds on failed"):
        run_grid([adding(2, [bad]), good], tmp_path)
    assert good.result(tmp_path) is not None
    assert outlook([adding(2, [bad]), good], tmp_path).missing == 2


def test_a_killed_cell_leaves_no_file(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run_grid([Cell.of(f"{ME}:interrupted", {})], tmp_path)
    assert not list(tmp_path.glob("cells/*"))


def test_a_damaged_result_is_refused(tmp_path):
    cell = adding(1)
    cell.run(tmp_path)
    cell.result_file(tmp_path).write_text("{")
    with pytest.raises(ArcuateError, match="is damaged"):
        cell.result(tmp_path)
    cell.result_file(tmp_path).write_text(json.dumps({"settings": {"n": 7}}))
    with pytest.raises(ArcuateError, match="holds other settings"):
        cell.result(tmp_path)


def test_several_processes_give_the_same_results(tmp_path):
    first = adding(1)
    chain = [adding(n, [first]) for n in range(4)] + [adding(n) for n in range(10, 13)]
    run_grid(chain, tmp_path / "one")
    run_grid(chain, tmp_path / "two", workers=2)
    for cell in with_needs(chain):
        assert cell.result(tmp_path / "one")["sum"] == cell.result(tmp_path / "two")["sum"]


def test_a_dask_cluster_gives_the_same_results(tmp_path):
    distributed = pytest.importorskip("distributed")
    small = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(**small) as cluster:
        run_grid([adding(1), adding(2)], tmp_path, cluster=cluster.scheduler_address)
    assert adding(2).result(tmp_path)["sum"] == 2


def test_outlook_learns_from_like_cells(tmp_path):
    cells = [Cell.of(f"{ME}:add", {"n": n}, seconds=100) for n in range(4)]
    before = outlook(cells, tmp_path)
    assert (before.missing, before.seconds, before.guessed) == (4, 400, True)
    start = time.perf_counter()
    cells[0].run(tmp_path)
    after = outlook(cells, tmp_path)
    assert (after.done, after.guessed) == (1, False)
    assert after.seconds <= 3 * (time.perf_counter() - start)
