"""`arcuate encode`: parse, evaluate, print."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from arcuate.encoding.result import EncodingResult, Summary

app = typer.Typer()


@app.command()
def encode(
    file: Annotated[Path | None, typer.Argument(help="YAML file with the options' names; options win.")] = None,
    dataset: Annotated[str | None, typer.Option(help="A dataset of brain responses; see `arcuate datasets`.")] = None,
    root: Annotated[Path | None, typer.Option(help="The folder with its files.")] = None,
    features: Annotated[list[str] | None, typer.Option(
        help="random, glove, smollm2, a Hugging Face name or path (NAME:LAYER), rate, length, frequency, surprisal, "
             "position, autocorrelation; A+B side by side. May be repeated.")] = None,
    alpha: Annotated[str | None, typer.Option(help="Penalty (10), or cv: one a voxel by nested folds.")] = None,
    bands: Annotated[int | None, typer.Option(help="With cv: weightings of the A+B groups to try.")] = None,
    folds: Annotated[str | None, typer.Option(help="leave-two-out, a number, or runs.")] = None,
    gap: Annotated[int | None, typer.Option(help="Scans beside a test block that are not fitted on (10).")] = None,
    scores: Annotated[list[str] | None, typer.Option(help="pairwise,voxelwise,rsa.")] = None,
    select: Annotated[str | None, typer.Option(
        help="Voxels for pairwise scores: none, ev, r, stable, random, roi, searchlight; top500_test is circular.",
    )] = None,
    voxels: Annotated[int | None, typer.Option(help="How many voxels to select (500).")] = None,
    roi: Annotated[str | None, typer.Option(help="Region of interest, with --select roi.")] = None,
    radius: Annotated[float | None, typer.Option(help="Of a searchlight, in the unit of the coordinates.")] = None,
    subjects: Annotated[list[str] | None, typer.Option(help="Only these; comma-separated or repeated.")] = None,
    standardise: Annotated[str | None, typer.Option(help="auto, none, features, responses or both.")] = None,
    drift: Annotated[int | None, typer.Option(help="Degree of the drift taken out of scans (1); -1: none.")] = None,
    permutations: Annotated[int | None, typer.Option(help="For p-values and null means (100).")] = None,
    map_permutations: Annotated[int | None, typer.Option(
        help="For the p-values of single voxels, ended early where clearly not significant (those of the scores).",
    )] = None,
    null: Annotated[str | None, typer.Option(help="Scans under the null: shift or block.")] = None,
    partners: Annotated[int | None, typer.Option(help="Random partners a scan (1000).")] = None,
    distance: Annotated[int | None, typer.Option(help="Least steps between partners (20).")] = None,
    leave_out_lonely: Annotated[bool | None, typer.Option(help="Leave out scans without a partner.")] = None,
    drop_voxels: Annotated[bool | None, typer.Option(help="Leave out NaN and constant voxels.")] = None,
    missing: Annotated[str | None, typer.Option(help="A word without a vector: error or exclude.")] = None,
    align: Annotated[str | None, typer.Option(help="Words to scans: fir, offset (as published) or hrf.")] = None,
    offset: Annotated[float | None, typer.Option(help="Seconds, with --align offset (4).")] = None,
    delays: Annotated[list[str] | None, typer.Option(help="TRs, with --align fir (1,2,3,4).")] = None,
    context: Annotated[int | None, typer.Option(help="Words a language model sees before a word (40).")] = None,
    pooling: Annotated[str | None, typer.Option(help="last, mean or sentences.")] = None,
    device: Annotated[str | None, typer.Option(help="Of the language model and of the fits: cpu or cuda.")] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same scores.")] = None,
    out: Annotated[Path | None, typer.Option(
        help="Folder for result.json and maps.npz; after a kill, the same command goes on there.",
    )] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page: violins, baselines, brain maps.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """How well do language features predict brain responses, by every metric, against every baseline?"""
    options = {k: v for k, v in locals().items() if k not in ("file", "out", "html", "as_json")}
    from arcuate.encoding.request import FINISHED, request_from, run, write_result

    request = request_from(options, file)
    result = run(request, lambda found: typer.echo(f"This will take {found}.", err=True), out and out / FINISHED)
    if out is not None:
        write_result(result, out)
    if html is not None:
        from arcuate.report.encoding_page import write_encoding_page

        write_encoding_page(result, html, dataset=request.dataset, root=request.root)
    if as_json:
        typer.echo(json.dumps(result.to_dict(), ensure_ascii=False, default=str))
    else:
        _show(result)


def _show(result: EncodingResult) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    for features in dict.fromkeys(row.features for row in result.summary):
        table = Table("score", "voxels", "mean", "95% over subjects", "null", "p", title=features, title_justify="left")
        for row in result.summary:
            if row.features == features:
                table.add_row(*_cells(row))
        console.print(table)
    for ceiling in result.ceilings:
        who = ceiling.get("subject") or f"{ceiling['n_subjects']} subjects"
        console.print(f"Ceiling between {ceiling['kind']} ({who}), {ceiling['voxels']}: r = {ceiling['r']:.2f}")
    for note in result.notes:
        console.print(f"Note: {note}", markup=False)
    console.print(result.signature, markup=False, soft_wrap=True)


def _cells(row: Summary) -> list[str]:
    name = " ".join(part for part in (row.score, row.metric, row.match, row.aggregate) if part)
    interval = "" if row.low != row.low else f"{row.low:.3f} to {row.high:.3f}"
    null, p = ("", "") if row.p != row.p else (f"{row.null_mean:.3f}", f"{row.p:.3f}")
    return [name, row.voxels, f"{row.mean:.3f}", interval, null, p]
