"""`arcuate reproduce encoding`: the tables of Beinborn et al. 2019 from the data at hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from arcuate.experiments.reproduce_encoding import Reproduction


def encoding(
    data: Annotated[Path, typer.Option(help="Folder that holds the datasets, in any subfolders.")],
    out: Annotated[Path, typer.Option(help="Folder to write to; a stopped run goes on where it was.")],
    permutations: Annotated[int, typer.Option(help="For nulls and p-values.", min=0)] = 99,
    subjects: Annotated[int, typer.Option(help="Only the first so many of each dataset; 0: all.", min=0)] = 0,
    features: Annotated[list[str] | None, typer.Option(
        help="In ELMo's place; by default glove, with smollm2:0 for single words and smollm2:15 for running text.",
    )] = None,
    layers: Annotated[bool, typer.Option(help="Score SmolLM2 layer by layer too.")] = True,
    seed: Annotated[int, typer.Option(help="The same seed gives the same scores.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Pairwise, voxelwise and RSA tables on Words, Stories, Alice and Harry; says which data are missing."""
    from arcuate.atomic import write_text
    from arcuate.experiments.reproduce_encoding import reproduce_encoding
    from arcuate.report.reproduce_encoding_page import reproduction_page

    made = reproduce_encoding(
        data, out, announce=lambda line: typer.echo(line, err=True), permutations=permutations,
        n_subjects=subjects or None, models=tuple(features) if features else None, layers=layers, seed=seed,
    )  # fmt: skip
    write_text(out / "encoding.html", reproduction_page(made))
    if as_json:
        typer.echo(json.dumps(made.to_dict(), ensure_ascii=False))
        return
    _show(made)
    for line in made.plan.missing:
        typer.echo(f"Missing: {line}")
    typer.echo(f"Written: {out / 'encoding.html'}, encoding.json and one CSV a table.")


def _show(made: Reproduction) -> None:
    """One row a published figure, ours beside it; intervals, nulls and p-values are in the CSV files."""
    from rich.console import Console
    from rich.table import Table

    from arcuate.experiments.published_encoding import TITLES

    console = Console()
    for name, title in TITLES.items():
        rows = [(row, row.ours) for row in made.rows if row.table == name and row.ours is not None]
        features = sorted(dict.fromkeys(row.features for row, _ in rows), key=lambda name: name == "random")
        table = Table("dataset", "score", "published", "(random)", *features, title=title, title_justify="left")
        lines: dict[tuple[str, ...], dict[str, float]] = {}
        for row, ours in rows:
            score = " ".join(part for part in (row.metric, row.match, row.select) if part)
            voxels = "" if row.voxels in (None, "all") or row.aggregate is None else f", {row.voxels}"
            random = "" if row.published_random is None else f"{row.published_random:.2f}"
            marked = row.dataset + ("*" if row.data == "stand-in" else "")
            lines.setdefault((marked, score + voxels, f"{row.published:.2f}", random), {})[row.features] = ours
        for key, cells in lines.items():
            table.add_row(*key, *(f"{cells[one]:.2f}" if one in cells else "" for one in features))
        console.print(table)
    if any(source.stand_in for source in made.plan.sources):
        console.print("* not the published files:", markup=False)
    for source in made.plan.sources:
        if source.stand_in:
            console.print(f"  {source.role}: {source.stand_in}", markup=False)
