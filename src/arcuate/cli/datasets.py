"""`arcuate datasets`: what is known, and what is on disk."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from arcuate.datasets.listing import Listed

app = typer.Typer()


@app.command()
def datasets(
    name: str = typer.Argument(None, help="Show all that is known about this one."),
    root: Path = typer.Option(None, help="Folder to look into, with its direct subfolders."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Known datasets: modality, size, licence, how to obtain them, and what is found under --root."""
    from arcuate.datasets.listing import list_datasets
    from arcuate.errors import UnknownName

    entries = list_datasets(root)
    if name is not None:
        known = [entry.name for entry in entries]
        entries = [entry for entry in entries if entry.name == name]
        if not entries:
            raise UnknownName("dataset", name, known)
    if as_json:
        typer.echo(json.dumps({"datasets": [asdict(entry) for entry in entries]}))
    elif name is not None:
        _print_one(entries[0])
    else:
        _print_all(entries, root)


def _print_all(entries: list[Listed], root: Path | None) -> None:
    """A block a dataset: no table of six columns fits a terminal."""
    for entry in entries:
        name = typer.style(entry.name, bold=True)
        typer.echo(f"{name}  [{entry.modality}, arcuate {entry.used_by}]  {entry.title}")
        typer.echo(f"    size {entry.size}; licence {entry.licence}")
        for line in entry.obtain:
            typer.echo(f"    obtain: {line}")
        for folder, what in entry.found.items():
            typer.echo(f"    found in {folder}: {what}")
        if root is not None and not entry.found:
            typer.echo("    not found")
    typer.echo("Details of one: arcuate datasets NAME. Use: arcuate prepare NAME --root DIR --out FOLDER, "
               "or arcuate encode --dataset NAME --root DIR.")


def _print_one(entry: Listed) -> None:
    lines = {
        "": entry.title, "signal": entry.modality, "size": entry.size, "licence": entry.licence, "source": entry.source,
        "paper": entry.citation, "files": entry.files, "obtain": "\n         ".join(entry.obtain),
        "found": "\n         ".join(f"{folder}: {what}" for folder, what in entry.found.items()),
    }
    typer.echo(entry.name)
    for label, text in lines.items():
        if text:
            typer.echo(f"{label:8} {text}")
