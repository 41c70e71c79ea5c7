"""The page that sets the published leakage rates beside ours."""

from __future__ import annotations

from arcuate.experiments.reproduce_leakage import Eeg2Text, run_all
from arcuate.report.reproduce_leakage_page import reproduce_leakage_page


def test_it_shows_both_rules_refusals_and_the_split_of_eeg2text(opened, shared_data):
    runs = run_all(shared_data, seeds=[1, 2], methods=["a", "b", "c", "f"], datasets=["zuco"])
    seen = opened(reproduce_leakage_page(runs, Eeg2Text(shared_data)))
    page = seen.page
    assert "6 of 6 published rates" in page.locator("#verdict").inner_text()
    assert page.locator("#rates tbody tr").count() == 8
    assert page.locator("#runs tbody tr").count() == 8
    assert "leaves part 'val' empty" in page.locator("#rates").inner_text()
    shared = page.locator("#eeg2text table").first.locator("tbody tr").all_inner_texts()
    assert [row.split() for row in shared] == [
        ["test", "/", "train", "6", "12"], ["val", "/", "train", "13", "12"], ["test", "/", "val", "2", "12"]]
    assert seen.console == []
