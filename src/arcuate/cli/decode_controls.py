"""`arcuate decode controls`: the whole grid of controls on one dataset."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcuate.cli.grid_options import AsJson, Cluster, DryRun, Gpus, PlanOnly, Workers, has_polars, run_cells

if TYPE_CHECKING:
    from arcuate.experiments.decoding_plan import Plan
    from arcuate.experiments.decoding_setups import Setup


def controls(
    dataset: Annotated[Path, typer.Argument(help="Folder that 'arcuate prepare' or 'arcuate simulate' wrote.")],
    out: Annotated[Path, typer.Option(help="Folder of the grid: plan, cells, results.json, controls.html.")],
    models: Annotated[str, typer.Option(help="Models, comma-separated; default: the papers' for this modality.")] = "",
    recipe: Annotated[list[Path] | None, typer.Option(help="YAML recipes in place of --models.")] = None,
    reduced: Annotated[bool | None, typer.Option(
        "--reduced/--published", help="Small models; default for simulated data.")] = None,
    methods: Annotated[str, typer.Option(help="Split methods, comma-separated.")] = "a,b,c,d,e,f,optimal",
    seeds: Annotated[int, typer.Option(min=1, help="Seeds 1 to this number, of splits and weights.")] = 3,
    epochs: Annotated[int, typer.Option(min=1, help="Epochs of the reduced text stage.")] = 12,
    pretraining: Annotated[int, typer.Option(min=1, help="Epochs of the reduced encoder stages.")] = 12,
    lengths: Annotated[str, typer.Option(help="1x, longer or both.")] = "1x,longer",
    workers: Workers = 1,
    gpus: Gpus = None,
    cluster: Cluster = None,
    dry_run: DryRun = False,
    plan_only: PlanOnly = False,
    as_json: AsJson = False,
) -> None:
    """Every split method × real and noise training × real, shuffled, noise and zero testing × free and forced.

    A second call does only what is missing. Exit 1 when no model reads the brain on a leak-free split.
    """
    from arcuate.experiments.decoding_grid import Axes, cells_of

    plan = _plan(dataset, out, tuple(methods.split(",")), seeds)
    if plan_only:
        typer.echo(f"{out}: {sum(split.file is not None for split in plan.splits)} splits of {plan.name}, "
                   f"{plan.additional_samples} additional test samples.")
        return
    setups = _setups(plan, models, recipe or [], reduced, epochs, pretraining)
    axes = Axes(models=tuple(setups), methods=tuple(methods.split(",")), lengths=tuple(lengths.split(",")))
    cells = cells_of(plan, setups, axes)
    if run_cells(cells, out, workers, gpus, cluster, dry_run):
        from arcuate.cli.decoding_terminal import finish
        from arcuate.experiments.reproduce_decoding import collect

        results = collect(cells, out, [plan])
        finish(results, out / "controls.html", as_json)
        if not any(row["verdict"] == "reads the brain" and row["audit"] == "clean" for row in results["verdicts"]):
            raise typer.Exit(1)
    elif as_json:
        typer.echo(json.dumps({"cells": len(cells)}))


def _plan(dataset: Path, out: Path, methods: tuple[str, ...], seeds: int) -> Plan:
    from arcuate.errors import ArcuateError
    from arcuate.experiments.decoding_plan import plan_for, read_plans

    if has_polars():
        return plan_for(dataset, out, name=dataset.name, methods=methods, seeds=list(range(1, seeds + 1)))
    for plan in read_plans(out):
        if plan.name == dataset.name:
            return plan
    raise ArcuateError(f"{out} holds no plan of {dataset.name}. Make it where polars is installed (--plan-only).")


def _setups(
    plan: Plan, models: str, recipes: list[Path], reduced: bool | None, epochs: int, pretraining: int,
) -> dict[str, Setup]:
    from arcuate.experiments import decoding_setups as known

    small = plan.simulated if reduced is None else reduced
    if recipes:
        made: list[Any] = [known.recipe_setup(path, small) for path in recipes]
        return {setup.label: setup for setup in made}
    every = (known.reduced_setups(plan.modality, epochs, pretraining) if small
             else known.published_setups(plan.modality))
    usual = ",".join(name for name in ("unicorn", "eeg2text") if name in every)
    return known.chosen_setups(every, (models or usual).split(","))
