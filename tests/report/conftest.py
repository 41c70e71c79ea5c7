"""A real browser for the pages: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@dataclass
class Opened:
    """A page that is open, and what it did meanwhile."""

    page: object
    console: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def chromium():
    """The browser; tests that need it are skipped where it is not installed."""
    playwright = pytest.importorskip("playwright.sync_api")
    executable = shutil.which("chromium")
    if executable is None:
        pytest.skip("chromium is not installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium, tmp_path):
    """Open HTML in a new window; `width` in pixels, `scheme` light or dark."""
    contexts = []

    def open_page(html: str, width: int = 1200, scheme: str = "light") -> Opened:
        path = Path(tmp_path) / "page.html"
        path.write_text(html, encoding="utf-8")
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        seen = Opened(page)
        page.on("console", lambda message: seen.console.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: seen.console.append(f"error: {error}"))
        page.on("request", lambda request: seen.requests.append(request.url))
        page.goto(path.as_uri())
        return seen

    yield open_page
    for context in contexts:
        context.close()
