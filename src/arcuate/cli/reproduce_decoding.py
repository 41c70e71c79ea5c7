"""`arcuate reproduce decoding`: the papers' Tables 3 to 8 and Figure 5 again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arcuate.cli.grid_options import AsJson, Cluster, DryRun, Gpus, PlanOnly, Workers, has_polars, run_cells

if TYPE_CHECKING:
    from arcuate.experiments.reproduce_decoding import Size


def decoding(
    out: Annotated[Path, typer.Option(help="Folder of the grid: data, plan, cells, results.json, decoding.html.")],
    data: Annotated[Path | None, typer.Option(
        help="Folder with the prepared datasets narratives/ and zuco/; what is not there is simulated.")] = None,
    size: Annotated[str, typer.Option(help="Of simulated data and models: tiny, small; auto: by GPU.")] = "auto",
    snr: Annotated[float, typer.Option(min=0.0, help="Signal-to-noise ratio of simulated data.")] = 5.0,
    workers: Workers = 1,
    gpus: Gpus = None,
    cluster: Cluster = None,
    dry_run: DryRun = False,
    plan_only: PlanOnly = False,
    run_only: Annotated[bool, typer.Option("--run-only", help="Only run cells; make the tables elsewhere.")] = False,
    collect_only: Annotated[bool, typer.Option("--collect-only", help="Only make tables of the cells done.")] = False,
    as_json: AsJson = False,
) -> None:
    """Original and additional test set, shuffled input, fair benchmark, teacher forcing, longer training, curves."""
    from arcuate.experiments import reproduce_decoding as run
    from arcuate.experiments.decoding_plan import read_plans

    chosen = _size(size)
    plans = run.plan_all(data, out, chosen, snr) if has_polars() else read_plans(out)
    if any(plan.simulated for plan in plans):
        names = ", ".join(plan.name for plan in plans if plan.simulated)
        typer.echo(f"Simulated at reduced size, since no real data was found: {names}.", err=True)
    if plan_only:
        return
    cells = run.grid_of(plans, chosen)
    if (collect_only or run_cells(cells, out, workers, gpus, cluster, dry_run)) and not run_only:
        from arcuate.cli.decoding_terminal import finish

        finish(run.collect(cells, out, plans), out / "decoding.html", as_json)


def _size(name: str) -> Size:
    from arcuate.errors import UnknownName
    from arcuate.experiments.reproduce_decoding import SIZES

    if name == "auto":
        import torch

        name = "small" if torch.cuda.is_available() else "tiny"
    if name not in SIZES:
        raise UnknownName("Size", name, [*SIZES, "auto"])
    return SIZES[name]
