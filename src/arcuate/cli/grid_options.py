"""What the commands that run a grid share: where to run, and what to tell before and after."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arcuate.experiments.cells import Cell

Workers = Annotated[int, typer.Option(min=1, help="Local processes; 1 runs in this one.")]
Gpus = Annotated[int | None, typer.Option(min=0, help="GPUs to share out among the workers; default: all there are.")]
Cluster = Annotated[str | None, typer.Option(help="Address of a Dask scheduler to run the cells on.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would run, and how long it may take.")]
PlanOnly = Annotated[bool, typer.Option("--plan-only", help="Only write data, splits and audits: the runs can then "
                                                             "happen on a machine without polars.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def has_polars() -> bool:
    """Whether plans can be made here, or only run."""
    from importlib.util import find_spec

    return find_spec("polars") is not None


def run_cells(
    cells: Sequence[Cell], out: Path, workers: int, gpus: int | None, cluster: str | None, dry_run: bool,
) -> bool:
    """Run what is missing; False when only asked what would be done."""
    from arcuate.experiments.grid import outlook, run_grid

    typer.echo(outlook(cells, out).words(workers), err=not dry_run)
    if dry_run:
        return False
    run_grid(cells, out, workers=workers, gpus=_gpus() if gpus is None else gpus, cluster=cluster)
    return True


def _gpus() -> int:
    import torch

    return torch.cuda.device_count()
