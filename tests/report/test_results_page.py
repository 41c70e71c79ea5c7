"""`arcuate report`: a page from any results; a single encoding or grid gets the page of its own."""

import json

import pytest

from arcuate.errors import ArcuateError
from arcuate.report.results_page import results_page

ENCODING = {
    "scores": [{"subject": "s1", "features": "glove", "score": "pairwise", "metric": "cosine", "match": "sum",
                "aggregate": None, "voxels": "all", "value": 0.6}],
    "summary": [{"features": "glove", "score": "pairwise", "metric": "cosine", "match": "sum", "aggregate": None,
                 "voxels": "all", "mean": 0.6, "low": 0.5, "high": 0.7, "n_subjects": 1, "null_mean": 0.5, "p": 0.01}],
    "differences": [], "ceilings": [], "notes": [], "settings": {}, "signature": "dataset:toy",
}


def test_a_single_encoding_gets_its_own_page():
    assert "Encoding: language features and brain responses" in results_page({"a.json": ENCODING})
    assert "2 results" in results_page({"a.json": ENCODING, "b.json": ENCODING})


def test_no_result_is_refused():
    with pytest.raises(ArcuateError, match="no result"):
        results_page({})


def test_a_table_that_is_cut_says_so():
    many = {"verdict": "clean", "rows": [{"value": number} for number in range(301)], "signature": "x"}
    assert "The first 300 of 301 rows." in results_page({"a.json": many})


def test_command(arcuate, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps({"verdict": "leak", "signature": "x"}))
    (tmp_path / "b.json").write_text("[1]")
    done = arcuate("report", "a.json", "--html", "page.html")
    assert done.returncode == 0, done.stderr
    assert "leak" in (tmp_path / "page.html").read_text()
    bad = arcuate("report", "b.json", "--html", "other.html")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert "not a result" in bad.stderr
    assert not (tmp_path / "other.html").exists()
