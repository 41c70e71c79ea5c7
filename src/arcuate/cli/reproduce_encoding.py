"""`arcuate reproduce encoding`: the tables of Beinborn et al. 2019 from the data at hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def encoding(
    data: Annotated[Path, typer.Option(help="Folder that holds the datasets, in any subfolders.")],
    out: Annotated[Path, typer.Option(help="Folder to write to; a stopped run goes on where it was.")],
    permutations: Annotated[int, typer.Option(help="For nulls and p-values.", min=0)] = 99,
    subjects: Annotated[int, typer.Option(help="Only the first so many of each dataset; 0: all.", min=0)] = 0,
    features: Annotated[list[str] | None, typer.Option(help="In ELMo's place: glove, smollm2:15.")] = None,
    layers: Annotated[bool, typer.Option(help="Score SmolLM2 layer by layer too.")] = True,
    seed: Annotated[int, typer.Option(help="The same seed gives the same scores.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Pairwise, voxelwise and RSA tables on Words, Stories, Alice and Harry; says which data are missing."""
    from arcuate.atomic import write_text
    from arcuate.experiments.encoding_plan import MODELS
    from arcuate.experiments.reproduce_encoding import reproduce_encoding
    from arcuate.report.reproduce_encoding_page import reproduction_page

    made = reproduce_encoding(
        data, out, announce=lambda line: typer.echo(line, err=True), permutations=permutations,
        n_subjects=subjects or None, models=tuple(features or MODELS), layers=layers, seed=seed,
    )  # fmt: skip
    write_text(out / "encoding.html", reproduction_page(made))
    if as_json:
        typer.echo(json.dumps(made.to_dict(), ensure_ascii=False))
        return
    from rich.console import Console

    _show(made.rows, Console())
    for line in made.plan.missing:
        typer.echo(f"Missing: {line}")
    typer.echo(f"Written: {out / 'encoding.html'}, encoding.json and one CSV a table.")


def _show(rows: tuple, console: object) -> None:  # type: ignore[type-arg]
    from rich.table import Table

    from arcuate.experiments.published_encoding import TITLES

    for name, title in TITLES.items():
        table = Table("dataset", "data", "score", "voxels", "published", "features", "ours", "95%", "p", title=title)
        for row in rows:
            if row.table == name and row.ours is not None:
                score = " ".join(part for part in (row.metric, row.match, row.select) if part)
                interval = "" if row.low is None else f"{row.low:.2f} to {row.high:.2f}"
                published = row.published_random if row.features == "random" else row.published
                table.add_row(row.dataset, row.data, score, row.voxels or "", f"{published:.2f}", row.features,
                              f"{row.ours:.2f}", interval, "" if row.p is None else f"{row.p:.3f}")  # fmt: skip
        console.print(table)  # type: ignore[attr-defined]
