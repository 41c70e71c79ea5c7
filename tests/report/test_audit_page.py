"""The audit's page: every section, the picture that shows the leak, and the browser's view of it."""

from __future__ import annotations

import re

import polars as pl
import pytest

from arcuate.leakage.audit import audit
from arcuate.leakage.tally import Tally
from arcuate.report.audit_page import audit_page
from arcuate.report.bipartite_picture import bipartite_picture
from arcuate.report.grid_picture import MOST_COLUMNS, grid_picture
from arcuate.splits.methods import split

SECTIONS = {
    "picture": "The picture", "rates": "Leakage rates", "findings": "Findings", "checks": "What was checked",
    "sizes": "Ratios and what is kept", "fix": "How to fix it", "manifest": "Manifest",
}
HOSTILE = ["<script>window.stolen = 1</script> one", "\u202eesrever two", "🧠 three 👩‍🔬", "y" * 1_000_000 + " four"]
COMMAND = "arcuate split t.csv --method optimal --out split.csv"


@pytest.fixture
def leaking():
    return pl.DataFrame({
        "subject": ["<b>sub-01</b>", "sub-02", "sub-02", "sub-03", "sub-04", "sub-04"],
        "text": [*HOSTILE, HOSTILE[0], "a sixth text"],
        "part": ["train", "train", "test", "val", "test", "dropped"]})


@pytest.fixture
def clean():
    return pl.DataFrame({
        "subject": ["a", "b", "c", "d"], "text_id": ["x", "x", "y", "y"], "part": ["train", "train", "test", "test"]})


def test_every_section_is_there_and_works_in_the_browser(opened, leaking):
    seen = opened(audit_page([audit(leaking, name="mine.csv")], COMMAND))
    page = seen.page
    assert page.locator("main > section h2").all_inner_texts() == ["Leak", *SECTIONS.values()]
    for name in SECTIONS:
        assert page.locator(f"section#{name}").is_visible(), name
    page.get_by_label("Search").fill("subject-overlap")
    assert page.locator("#findings tbody tr:visible").count() == 1
    page.get_by_label("Search").fill("")
    assert page.locator("#fix code").inner_text() == COMMAND
    page.get_by_role("button", name="Copy").click()
    assert page.evaluate("window.stolen") is None
    assert seen.console == []
    assert len(seen.requests) == 1
    assert "<script>window.stolen = 1</script>" in page.locator("#findings").inner_text()
    assert "<b>sub-01</b>" in page.locator("#picture svg").first.inner_html().replace("&lt;", "<").replace("&gt;", ">")


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (390, "dark"), (1200, "dark")])
def test_it_fits_the_screen(opened, leaking, width, scheme):
    seen = opened(audit_page([audit(leaking)], COMMAND), width=width, scheme=scheme)
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    assert seen.page.locator("#verdict").bounding_box()["y"] < 400  # the verdict comes first
    assert seen.console == []


def test_the_verdict_is_in_plain_words(leaking, clean):
    assert "This split leaks" in audit_page([audit(leaking)], COMMAND)
    page = audit_page([audit(clean)], COMMAND)
    assert "No leak was found" in page
    assert "There is nothing to fix." in page
    assert "Not checked: near-duplicate-text" in page
    warned = clean.with_columns(subject=pl.Series(["a", "b", "c", "c"]))
    assert "Clean, with warnings" in audit_page([audit(warned)], COMMAND)


def test_a_page_stays_small_with_a_megabyte_of_text(leaking):
    assert len(audit_page([audit(leaking)], COMMAND).encode()) < 300_000


def test_several_splits_are_compared_with_their_spread_over_seeds(opened):
    frame = pl.DataFrame({"subject": [f"s{k}" for k in range(20)] * 10, "text_id": [f"t{k % 10}" for k in range(200)]})
    made = [audit(frame, split(frame, method, seed=seed), name=f"{method}{seed}") for method in "cf" for seed in (1, 2)]
    seen = opened(audit_page(made, COMMAND))
    page = seen.page
    assert page.locator("#compare tbody").first.locator("tr").count() == 4
    assert page.locator("#compare table").count() == 2
    assert page.locator("#compare table").nth(1).locator("tbody tr").count() == 4  # 2 methods × 2 rates
    assert "2 of 4 splits leak" in page.locator("#verdict").inner_text()
    assert seen.console == []


def test_folds_are_listed_and_said(clean):
    rows = clean.with_columns(sample=pl.Series(list("0123"))).drop("part")
    folds = pl.concat([
        rows.select("sample", fold=pl.lit(fold), part=pl.Series(parts))
        for fold, parts in enumerate((["train", "train", "test", "test"], ["train", "test", "train", "test"]))])
    page = audit_page([audit(rows, folds)], COMMAND)
    assert "The first of 2 folds is drawn." in page
    assert "Rates of each fold" in page
    assert "test / train, fold 1" in page


# --- the pictures ---------------------------------------------------------------------------------

def test_the_picture_marks_what_stands_in_two_parts(leaking, clean):
    bad, good = grid_picture(Tally.of(leaking, "text")), grid_picture(Tally.of(clean, "text"))
    assert bad.svg.count("in two parts</title>") == 2  # sub-02, and the first text
    assert "2 names in two parts" in bad.svg
    assert "in two parts</title>" not in good.svg
    assert "0 names in two parts" in good.svg
    assert dict(bad.legend).keys() == {"train", "val", "test", "dropped", "empty"}


def test_each_cell_is_coloured_by_its_part(clean):
    svg = str(grid_picture(Tally.of(clean, "text")).svg)
    cells = re.findall(r'class="fill-(\w+)"><title>([^<]*)</title>', svg)
    assert sorted(cells) == [
        ("test", "y × c: 1 test"), ("test", "y × d: 1 test"),
        ("train", "x × a: 1 train"), ("train", "x × b: 1 train")]
    mixed = pl.concat([clean, clean.with_columns(part=pl.lit("val"))])
    assert "1 train, 1 val" not in svg
    assert "x × a: 1 train, 1 val" in grid_picture(Tally.of(mixed, "text")).svg


def test_large_tables_are_drawn_together():
    n = 5_000
    frame = pl.DataFrame({"subject": [f"s{k % 3}" for k in range(n)], "text_id": [f"t{k:05d}" for k in range(n)],
                          "part": ["train"] * (n - 10) + ["test"] * 10})
    picture = grid_picture(Tally.of(frame, "text"))
    assert f"{3:,} × {n:,}" in picture.caption
    assert len(picture.svg) < 200_000
    assert int(re.search(r"in 3 × (\d+) cells", picture.caption).group(1)) <= MOST_COLUMNS


def test_small_datasets_get_the_papers_drawing_and_large_ones_do_not(clean, leaking):
    drawn = bipartite_picture(Tally.of(clean, "text"))
    assert drawn.svg.count("<line") == 4
    assert "in two parts" not in drawn.svg
    assert bipartite_picture(Tally.of(leaking, "text")).svg.count("in two parts</title>") == 2
    many = pl.DataFrame({"subject": [f"s{k}" for k in range(31)], "text_id": ["x"] * 31, "part": ["train"] * 31})
    assert bipartite_picture(Tally.of(many, "text")) is None


def test_windows_name_stories():
    frame = pl.DataFrame({"subject": ["a", "b"], "story": ["x", "y"], "segment": [0, 0], "part": ["train", "test"]})
    assert "tories" in grid_picture(Tally.of(frame, "story")).caption
    assert "0 subjects" not in audit_page([audit(frame)], COMMAND)
