"""The verdict's page: the answer first, outputs side by side, safe with any text, usable in a browser."""

from __future__ import annotations

import pytest

from arcuate.decoding.verdict.judge import judge
from arcuate.decoding.verdict.predictions import Predictions
from arcuate.report.verdict_page import OUTPUTS_SHOWN, verdict_page

HOSTILE = "<script>window.stolen = 1</script>"


@pytest.fixture(scope="module")
def sets():
    targets = tuple(f"word{n} then word{n + 1} and word{n * 7}" for n in range(30))
    real = Predictions("real", targets, tuple(t.replace("then", HOSTILE) for t in targets), tuple("abc" * 10))
    noise = Predictions("noise", targets, targets[5:] + targets[:5], tuple("abc" * 10))
    return judge(real, [noise], draws=300), real, [noise]


def test_the_page_in_a_browser(sets, opened):
    seen = opened(verdict_page(*sets))
    page = seen.page
    assert page.inner_text("h1") == "Verdict on real"
    assert "Reads the brain" in page.inner_text(".verdict")
    assert page.evaluate("window.stolen") is None
    assert seen.console == []
    assert all(url.startswith("file:") for url in seen.requests)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1200
    outputs = page.locator("section#outputs, #outputs").first.inner_text()
    assert "word3 then word4" in outputs
    assert HOSTILE in outputs  # as text


def test_search_finds_an_output(sets, opened):
    page = opened(verdict_page(*sets)).page
    table = page.locator("#outputs")
    table.locator("input").fill("word29 ")
    page.wait_for_timeout(200)
    shown = [row for row in table.locator("tbody tr").all() if row.is_visible()]
    assert 1 <= len(shown) < 30


def test_many_samples_are_thinned_out_and_said_so(sets):
    found, _, _ = sets
    n = 3 * OUTPUTS_SHOWN
    many = Predictions("real", tuple(f"t{k} x" for k in range(n)), tuple(f"u{k}" for k in range(n)))
    page = verdict_page(found, many, [many])
    assert f"{OUTPUTS_SHOWN} of {n:,} samples" in page


def test_a_collapsed_decoder_is_shown_as_such():
    targets = tuple(f"word{n} then word{n + 1}" for n in range(20))
    constant = Predictions("constant", targets, ("the same",) * 20)
    silent = Predictions("silent", targets, ("",) * 20)
    page = verdict_page(judge(constant, [silent], draws=200), constant, [silent])
    assert "near-constant" in page
    assert "No evidence" in page
