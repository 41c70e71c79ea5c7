"""The demo, run as a user runs it: one page, a leak shown, a clean split beside it."""

import json

import pytest


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    import subprocess
    import sys

    folder = tmp_path_factory.mktemp("demo")
    run = [sys.executable, "-m", "arcuate", "demo", "--out", "out"]
    done = subprocess.run(run, capture_output=True, text=True, cwd=folder, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


def test_one_split_leaks_and_the_other_does_not(shown):
    folder, printed = shown
    audits = {name: (folder / "out" / f"audit-{name}.json").read_text() for name in ("c", "optimal")}
    verdicts = {name: json.loads(audit)["verdict"] for name, audit in audits.items()}
    assert verdicts == {"c": "leak", "optimal": "clean"}
    assert "audit: leak" in printed
    assert "audit: clean" in printed


def test_the_page_says_so_and_asks_for_nothing(shown):
    page = (shown[0] / "out" / "index.html").read_text()
    assert "under the split that most papers used" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert len(page) < 10_000_000


def test_nothing_reads_noise(shown, arcuate):
    folder, _ = shown
    for method in ("c", "optimal"):
        pair = [folder / "out" / f"predictions-noise-{method}-{kind}.csv" for kind in ("real", "shuffled")]
        done = arcuate("verdict", pair[0], "--control", pair[1], "--json")
        assert done.returncode == 1, done.stderr
        assert json.loads(done.stdout)["verdict"] == "no evidence"


def test_the_splits_can_be_audited_again_by_hand(shown, arcuate):
    folder, _ = shown
    table = folder / "out" / "brain" / "samples.parquet"
    assert arcuate("audit", table, folder / "out" / "split-c.csv").returncode == 1
    assert arcuate("audit", table, folder / "out" / "split-optimal.csv").returncode == 0


def test_a_folder_with_other_things_in_it_is_left_alone(arcuate, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    done = arcuate("demo", "--out", "mine")
    assert done.returncode == 2
    assert "is not empty" in done.stderr
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"
