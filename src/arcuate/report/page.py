"""One self-contained HTML page: verdict first, then sections; it opens offline and asks for nothing.

A page is records (see `arcuate.report.blocks`) put through one autoescaping template. The content
security policy allows exactly the inline scripts written here, by hash, and no request at all.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from arcuate._version import __version__
from arcuate.errors import ArcuateError
from arcuate.report.blocks import Plot, Section, Verdict
from arcuate.report.palette import DARK, LIGHT, css_variables
from arcuate.report.text import shown

TEMPLATES = Path(__file__).parent / "templates"
LARGEST_PAGE = 10_000_000
"""Bytes that a page may have; a larger one is refused rather than written."""


def render_page(
    title: str, verdict: Verdict | None, sections: Sequence[Section], *,
    subtitle: str = "", signature: str = "",
) -> str:
    """Render a page as one string of HTML.

    Parameters
    ----------
    title, subtitle
        What the page is about.
    verdict
        The answer, shown first; None for pages that only list results.
    sections
        The parts, in order; their names must differ.
    signature
        The line that names all that is needed to compute the page's numbers again.

    Examples
    --------
    >>> from arcuate.report.blocks import Section, Table, Verdict
    >>> scores = Table("Scores", ("model", "score"), [("<script>", 1)], search=True)
    >>> verdict = Verdict("Clean", "No leak was found.", "good")
    >>> page = render_page("Demo", verdict, [Section("scores", "Scores", (scores,))])
    >>> "&lt;script&gt;" in page, page.startswith("<!doctype html>")
    (True, True)
    """
    names = [section.name for section in sections]
    if len(set(names)) != len(names):
        raise ArcuateError(f"Section names are {names}. Each is an anchor and must differ from the others.")
    plots = [block for section in sections for block in section.blocks if isinstance(block, Plot)]
    scripts = [_script("page.js")]
    if plots:
        scripts = [_plotly(), _script("plots.js"), *scripts]
    page = _environment().get_template("page.html.j2").render(
        title=shown(title), subtitle=subtitle, verdict=verdict, sections=sections, signature=signature,
        version=__version__, style=_style(), scripts=scripts, policy=_policy(scripts),
    )
    size = len(page.encode("utf-8"))
    if size > LARGEST_PAGE:
        raise ArcuateError(
            f"The page {title!r} would be {size:,} bytes, over {LARGEST_PAGE:,}. Show fewer rows or plots."
        )
    return page


def _environment() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )
    environment.filters["shown"] = shown
    environment.filters["data"] = _data
    return environment


def _data(figure: object) -> Markup:
    """A Plotly figure as JSON that cannot end its own script element."""
    from plotly.io.json import to_json_plotly

    text = to_json_plotly(figure)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # no "<" is left


def _style() -> Markup:
    colours = (
        f":root{{color-scheme:light dark;{css_variables(LIGHT)}}}"
        f"@media (prefers-color-scheme:dark){{:root{{{css_variables(DARK)}}}}}"
    )
    return Markup(colours + (TEMPLATES / "page.css").read_text("utf-8"))  # our own file


def _script(name: str) -> Markup:
    return Markup((TEMPLATES / name).read_text("utf-8"))  # our own file


def _plotly() -> Markup:
    from plotly.offline import get_plotlyjs

    return Markup(get_plotlyjs())  # Plotly's own script


def _policy(scripts: Sequence[str]) -> str:
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode('utf-8')).digest()).decode('ascii')}'"
        for script in scripts
    )
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
