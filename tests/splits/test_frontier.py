"""The frontier: monotone where theory says so, against the closed form, as data and as pictures."""

from __future__ import annotations

import json

import polars as pl
import pytest

from arcuate.errors import ArcuateError
from arcuate.report.frontier import write_frontier
from arcuate.samples.read import read_samples
from arcuate.splits.frontier import frontier
from arcuate.splits.optimum import Optimal
from arcuate.splits.parts import Ratio


def crossed(n_subjects: int, n_texts: int):
    rows = [(f"s{i:03}", f"t{j:03}") for i in range(n_subjects) for j in range(n_texts)]
    return read_samples(pl.DataFrame(rows, schema=["subject", "text_id"], orient="row"))


@pytest.fixture(scope="module")
def found():
    method = Optimal(ratio=Ratio(8, 1, 1), time_limit=5, tolerance=0.1)
    return frontier(crossed(12, 40), method, [0.05, 0.1, 0.2, 0.3])


def test_more_test_data_costs_training_data(found):
    kept = [point.train_kept for point in found.points]
    assert kept == sorted(kept, reverse=True)
    assert all(point.retained <= point.bound + 1e-9 for point in found.points)


def test_a_crossed_design_costs_what_the_closed_form_says(found):
    assert found.crossed == pytest.approx(0.429, abs=1e-3)
    one = found.points[1]
    assert one.retained == pytest.approx(found.crossed, abs=0.05)  # 12 subjects do not divide evenly


def test_a_share_that_cannot_be_is_marked_not_left_out():
    two = read_samples(pl.DataFrame({"subject": ["a", "b"], "text_id": ["x", "y"]}))
    points = frontier(two, Optimal(ratio=Ratio(1, 1), tolerance=0.1), [0.1, 0.5]).points
    assert [point.feasible for point in points] == [False, True]


def test_bad_shares_are_refused():
    with pytest.raises(ArcuateError, match="between 0 and 1"):
        frontier(crossed(3, 3), Optimal(), [0.0])


def test_it_is_json(found):
    assert json.loads(json.dumps(found.as_dict()))["points"][0]["asked"] == 0.05


def test_the_page_holds_every_point_and_asks_for_nothing(found, tmp_path):
    page = write_frontier(found, tmp_path / "frontier.html").read_text()
    assert "kept for training" in page
    assert all(f"{100 * point.train_kept:.2f}" in page for point in found.points)
    assert "<script src" not in page


def test_the_picture_is_svg(found, tmp_path):
    import xml.etree.ElementTree as ET

    picture = write_frontier(found, tmp_path / "frontier.svg").read_text()
    root = ET.fromstring(picture)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert picture.count("<polyline") == 3
    with pytest.raises(ArcuateError, match=r"\.html or \.svg"):
        write_frontier(found, tmp_path / "frontier.png")
