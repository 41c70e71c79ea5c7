"""`arcuate verdict`: parse, judge, print, exit 1 unless every control is beaten."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(add_completion=False)


@app.command()
def verdict(
    real: Annotated[Path, typer.Argument(help="Predictions from real signals (CSV, TSV, JSONL).")],
    control: Annotated[list[Path], typer.Option(help="Predictions without the signal: shuffled, noise, zero, a "
                                                     "model trained on noise; may be repeated, all must be beaten.")],
    html: Annotated[Path | None, typer.Option(help="Write one self-contained page with outputs side by side.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    teacher_forced: Annotated[bool, typer.Option(
        "--teacher-forced", help="Judge predicted_teacher_forced where a file has both.")] = False,
    metric: Annotated[str, typer.Option(help="The score that decides; the others are reported.")] = "rouge1_f",
    draws: Annotated[int, typer.Option(min=100, help="Bootstrap and permutation draws.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Same seed, same numbers.")] = 0,
) -> None:
    """Does this decoder read the brain, or only recite text? Exit 0: it reads; 1: no evidence, or worse."""
    from arcuate.decoding.verdict.judge import judge
    from arcuate.decoding.verdict.predictions import read_predictions, short_names
    from arcuate.decoding.verdict.record import READS

    files = [real, *control]
    truth, *others = (
        read_predictions(path, teacher_forced=teacher_forced, name=name)
        for path, name in zip(files, short_names(files), strict=True)
    )
    found = judge(truth, others, metric=metric, draws=draws, seed=seed)
    if html is not None:
        from arcuate.report.verdict_page import write_verdict_page

        write_verdict_page(found, truth, others, html)
    if as_json:
        typer.echo(json.dumps(found.as_dict(), ensure_ascii=False))
    else:
        from arcuate.cli.verdict_terminal import show

        show(found, html)
    if found.verdict != READS:
        raise typer.Exit(1)
