"""The page shell: whole, safe with any text, and usable in a real browser."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcuate.errors import ArcuateError
from arcuate.report.blocks import (
    Bullets,
    Code,
    Column,
    Facts,
    Figures,
    Paragraph,
    Picture,
    Plot,
    Section,
    Table,
    Tag,
    Verdict,
)
from arcuate.report.page import render_page
from arcuate.report.palette import DARK, LIGHT
from arcuate.report.svg import drawing, element, label
from arcuate.report.text import LONGEST, shown

HOSTILE = [
    "<script>window.stolen = 1</script>", "<img src=x onerror='window.stolen = 1'>",
    "</style><script>window.stolen=1</script>",
    "\u202egnp.exe\u202c", "\u2067right\u2069 to left", "👩‍🔬🧠", "a\x00b\x1b[31m", "{{ 7 * 7 }}", "x" * 1_000_000,
    "'\"><svg onload=window.stolen=1>", "\ud800 lone", "javascript:window.stolen=1",
]


def hostile_page() -> str:
    picture = Picture(drawing(60, 20, [label(0, 10, text[:40]) for text in HOSTILE[:3]], description=HOSTILE[0]), "c")
    rows = [(text, at, Tag(text[:30], "bad"), (text, "line")) for at, text in enumerate(HOSTILE)]
    columns = ("name", Column(HOSTILE[1], numeric=True), "tag", "lines")
    table = Table(HOSTILE[0], columns, rows, search=True, note=HOSTILE[3])
    return render_page(
        HOSTILE[0], Verdict(HOSTILE[1], HOSTILE[2], "bad", tuple(HOSTILE)),
        [Section("all", HOSTILE[0], (
            table, picture, Paragraph(HOSTILE[1]), Bullets(tuple(HOSTILE)),
            Facts({text[:50]: text for text in HOSTILE}),
            Figures(((HOSTILE[0], HOSTILE[1], "good"),)), Code(HOSTILE[2], HOSTILE[0])), lead=HOSTILE[0])],
        subtitle=HOSTILE[2], signature=HOSTILE[0],
    )


def plain_page(**options) -> str:
    table = Table("Scores", ("name", Column("value", numeric=True, digits=1), "how"), [
        ("beta", 10.0, Tag("good", "good", 1)), ("alpha", 9.0, Tag("bad", "bad", 0)), ("gamma", None, "none"),
    ], search=True)
    return render_page("Title", Verdict("Clean", "All is well.", "good"), [
        Section("scores", "Scores", (table, Code("arcuate audit t.csv"))), Section("more", "More", (Paragraph("x"),))],
        **options)


def test_hostile_text_is_escaped_and_long_text_is_cut():
    page = hostile_page()
    assert "<img" not in page
    assert "<svg onload" not in page
    assert page.count("<script>") == 1  # the page's own
    assert "x" * 4_001 not in page
    assert "x" * (LONGEST + 1) not in page.split("<tbody>")[1].split("</tbody>")[0]
    assert "(1,000,000 characters)" in page
    assert "49" not in re.findall(r"\{\{ 7 \* 7 \}\}|49", page)
    assert "\x00" not in page
    assert len(page) < 200_000


@given(st.text())
def test_any_text_can_stand_on_a_page(text):
    html = render_page(text, None, [Section("a", text, (Paragraph(text), Table(text, (text,), [(text,)])))])
    html.encode("utf-8")
    assert html.count("<script") == 1


def test_the_policy_allows_nothing_but_the_scripts_of_the_page():
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', plain_page()).group(1)
    assert "default-src &#39;none&#39;" in policy
    assert policy.count("sha256-") == 1
    assert "unsafe-eval" not in policy
    assert not re.search(r"https?://", plain_page())


def test_plotly_is_inlined_only_where_a_plot_is():
    assert "Plotly" not in plain_page()
    page = render_page("t", None, [Section("a", "A", (Plot({"data": [{"y": [1, None, float("nan")]}]}, "c"),))])
    assert "Plotly" in page
    assert len(page) < 10_000_000
    evil = render_page("t", None, [Section("a", "A", (Plot({"data": [{"name": "</script><script>"}]}, "c"),))])
    assert "</script><script>" not in evil.split("data-plot=")[-1].split("</figure>")[0].replace("\\u003c", "")


def test_pages_say_no_to_what_cannot_work():
    with pytest.raises(ArcuateError, match="must differ"):
        render_page("t", None, [Section("a", "A"), Section("a", "B")])
    with pytest.raises(ArcuateError, match="anchor"):
        Section("two words", "A")
    with pytest.raises(ArcuateError, match="has 1 cells but there are 2 columns"):
        Table("c", ("a", "b"), [(1,)])
    with pytest.raises(ArcuateError, match="Markup"):
        Picture("<svg/>", "c")
    many = Table("c", ("a",), [("y" * 390,)] * 30_000)
    with pytest.raises(ArcuateError, match="over 10,000,000"):
        render_page("t", None, [Section("a", "A", (many,))])


def test_the_same_records_give_the_same_bytes():
    assert plain_page() == plain_page()


def test_both_palettes_name_the_same_colours_and_text_can_be_read():
    assert set(LIGHT) == set(DARK)

    def luminance(colour):
        channels = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(one, two):
        high, low = sorted((luminance(one), luminance(two)), reverse=True)
        return (high + 0.05) / (low + 0.05)

    for palette in (LIGHT, DARK):
        for text, ground in [("ink", "paper"), ("ink", "card"), ("soft", "paper"), ("soft", "card"), ("link", "paper"),
                             *((tone, f"{tone}-wash") for tone in ("good", "bad", "caution", "neutral"))]:
            assert contrast(palette[text], palette[ground]) >= 4.5, (text, ground)


def test_svg_is_escaped_in_attributes_and_text():
    made = str(element("rect", element("title", "<b>"), class_='"><script>', data_x=None, x=1.50))
    assert made == '<rect class="&#34;&gt;&lt;script&gt;" x="1.5"><title>&lt;b&gt;</title></rect>'


def test_shown_text_is_what_html_and_utf8_can_hold():
    assert shown("a\x00\ud800b") == "a��b"
    assert shown("tab\tline\n") == "tab\tline\n"
    assert shown(None) == "–"


# --- in the browser -------------------------------------------------------------------------------

@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_browser_runs_nothing_hostile_and_asks_for_nothing(opened, scheme):
    seen = opened(hostile_page(), scheme=scheme)
    seen.page.wait_for_timeout(100)
    assert seen.page.evaluate("window.stolen") is None
    assert seen.console == []
    assert [url for url in seen.requests if not url.startswith("file://")] == []
    assert len(seen.requests) == 1
    assert "<script>window.stolen = 1</script>" in seen.page.locator("tbody").inner_text()


def test_search_filters_and_says_how_many(opened):
    page = opened(plain_page()).page
    page.get_by_label("Search").fill("ALPHA")
    assert page.locator("tbody tr:visible").count() == 1
    assert page.locator("output").inner_text() == "1 of 3 rows"
    page.get_by_label("Search").fill("alpha gamma")
    assert page.locator("output").inner_text() == "0 of 3 rows"
    page.get_by_label("Search").fill("")
    assert page.locator("tbody tr:visible").count() == 3
    assert page.locator("output").get_attribute("aria-live") == "polite"


def test_columns_sort_by_keyboard_and_numbers_sort_as_numbers(opened):
    page = opened(plain_page()).page
    names = lambda: page.locator("tbody th").all_inner_texts()  # noqa: E731
    page.get_by_role("button", name="value").press("Enter")
    assert names() == ["alpha", "beta", "gamma"]
    assert page.locator("th[aria-sort=ascending]").inner_text() == "value"
    page.get_by_role("button", name="value").press("Enter")
    assert names()[-1] == "alpha"
    page.get_by_role("button", name="name").click()
    assert names() == ["alpha", "beta", "gamma"]
    assert page.locator("th[aria-sort]").count() == 1
    assert "sorted by name, ascending" in page.locator("#says").inner_text()


def test_the_page_can_be_walked_by_keyboard_and_screen_reader(opened):
    page = opened(plain_page()).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    for role in ("main", "banner", "contentinfo", "navigation"):
        assert page.get_by_role(role).count() == 1, role
    assert page.locator("table caption").count() == page.locator("table").count()
    assert page.evaluate("document.documentElement.lang") == "en"
    assert page.locator("h1").count() == 1
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
    unnamed = "[...document.querySelectorAll('button, input')].filter(e => !e.textContent && !e.labels?.length).length"
    assert page.evaluate(unnamed) == 0


@pytest.mark.parametrize("width", [320, 390, 768])
def test_a_phone_needs_no_sideways_scrolling(opened, width):
    page = opened(hostile_page(), width=width).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_plot_is_drawn_offline(opened):
    html = render_page("t", None, [Section("a", "A", (Plot({"data": [{"y": [1, 3, 2]}]}, "three points"),))])
    seen = opened(html)
    seen.page.wait_for_selector(".plot svg")
    assert seen.console == []
    assert len(seen.requests) == 1
