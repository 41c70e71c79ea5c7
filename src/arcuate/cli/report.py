"""`arcuate report`: one HTML page from result files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(add_completion=False)


@app.command()
def report(
    results: Annotated[list[Path], typer.Argument(help="JSON that arcuate's commands printed or wrote.")],
    html: Annotated[Path, typer.Option(help="The page to write.")],
) -> None:
    """One self-contained page from RESULTS: splits, audits, verdicts, encodings, grids."""
    from arcuate.atomic import write_text
    from arcuate.report.results_page import read_result, results_page

    names = [path.name for path in results]
    shown = [path.name if names.count(path.name) == 1 else str(path) for path in results]
    write_text(html, results_page(dict(zip(shown, map(read_result, results), strict=True))))
    typer.echo(f"Page: {html}")
