"""Results of the decoding grid on a terminal: findings, then one verdict a model and method."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

_WORD = {True: "holds", False: "does not hold", None: "not in the grid"}


def finish(results: Mapping[str, Any], page: Path, as_json: bool) -> None:
    """Write the page, and print the findings or the whole as JSON."""
    from arcuate.report.decoding_page import write_decoding_page

    write_decoding_page(results, page)
    if as_json:
        typer.echo(json.dumps(results, ensure_ascii=False))
        return
    _show(results)
    typer.echo(f"Page: {page}")


def _show(results: Mapping[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    if results["simulated"]:
        console.print("Simulated data at reduced size: these are not the papers' datasets.", style="yellow")
    table = Table("finding", "data, model", "", "numbers", title="The papers' findings here")
    for one in results["findings"]:
        table.add_row(one["name"], f"{one['dataset']}, {one['model']}", _WORD[one["holds"]], one["numbers"])
    if results["findings"]:
        console.print(table)
    verdicts = Table("data", "model", "method", "audit", "verdict", "gain over shuffled", "p",
                     title="Free-running on the split's own test set, seed by seed")
    for row in results["verdicts"]:
        if (row["generation"], row["test_set"], row["length"], row["train_input"]) == ("free", "own", "1x", "real"):
            gain = "–" if row["gain"] is None else f"{row['gain']:+.2f} [{row['low']:+.2f}, {row['high']:+.2f}]"
            verdicts.add_row(row["dataset"], row["model"], row["method"], row["audit"], row["verdict"], gain,
                             f"{row['p']}")
    console.print(verdicts)
