"""Build the documentation into site/: every page of docs/, and the commands' own help. Broken links fail."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from arcuate.atomic import write_text
from arcuate.cli import COMMANDS

DOCS = Path(__file__).parent
SITE = DOCS.parent / "site"
STYLE = (
    "body{max-width:52rem;margin:2rem auto;padding:0 1rem;font:16px/1.55 system-ui,sans-serif;color-scheme:light dark}"
    "pre{overflow:auto;padding:.8rem;background:#8881}table{border-collapse:collapse}td,th{border:1px solid #8886;"
    "padding:.3rem .6rem;text-align:left}img{max-width:100%}nav{margin-bottom:2rem}"
)


def main() -> None:
    """Render all pages, or say which link leads nowhere."""
    pages = {path.stem: path.read_text("utf-8") for path in sorted(DOCS.glob("*.md"))}
    pages = {"index": (DOCS.parent / "README.md").read_text("utf-8"), **pages, "commands": commands()}
    broken = [f"{name}.md: {link}" for name, text in pages.items() for link in missing(name, text)]
    if broken:
        sys.exit("Links that lead nowhere:\n" + "\n".join(broken))
    for name, text in pages.items():
        write_text(SITE / f"{name}.html", page(name, text, list(pages)))
    print(f"{len(pages)} pages in {SITE}")


def commands() -> str:
    """A page with the help of every command."""
    lines = ["# Commands\n"]
    for name in COMMANDS:
        done = subprocess.run([sys.executable, "-m", "arcuate", name, "--help"], capture_output=True, text=True,
                              check=True, env={"COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1", "PATH": "/usr/bin"})
        lines += [f"## arcuate {name}\n", "```text", done.stdout.rstrip(), "```\n"]
    return "\n".join(lines)


def missing(name: str, text: str) -> list[str]:
    """Relative links of a page whose file is not there."""
    base = DOCS.parent if name == "index" else DOCS
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    return [link for link in links if "://" not in link and not (base / link).exists()]


def page(name: str, text: str, names: list[str]) -> str:
    """One page of HTML; links to other pages lead to their HTML."""
    renderer = MarkdownIt("commonmark", {"html": False}).enable("table")
    body = re.sub(r'href="(?:docs/)?([\w-]+)\.md', r'href="\1.html', renderer.render(text))
    body = body.replace('src="docs/', 'src="../docs/').replace('src="images/', 'src="../docs/images/')
    links = " · ".join(f'<a href="{escape(other)}.html">{escape(other)}</a>' for other in names)
    return str(Markup(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        'content="width=device-width"><title>arcuate: {}</title><style>{}</style></head><body><nav>{}</nav>{}</body></html>'
    ).format(name, Markup(STYLE), Markup(links), Markup(body)))


if __name__ == "__main__":
    main()
