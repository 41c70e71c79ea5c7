"""`arcuate decode`: train, generate and score decoders; parse, call, print."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcuate.cli.decode_controls import controls
from arcuate.errors import ArcuateError, MissingExtra

if TYPE_CHECKING:
    from arcuate.decoding.train import TrainResult

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Brain-to-text decoders.")
app.command("controls")(controls)

Dataset = Annotated[Path, typer.Argument(help="Folder that 'arcuate prepare' or 'arcuate simulate' wrote.")]
SplitFile = Annotated[Path, typer.Argument(metavar="SPLIT", help="Split file with 'sample' and 'part'.")]
Fold = Annotated[int | None, typer.Option(help="Which fold of a k-fold split.")]
Device = Annotated[str, typer.Option(help="auto, cpu or gpu.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command()
def train(
    dataset: Dataset,
    split: SplitFile,
    recipe: Annotated[Path, typer.Option(help="YAML recipe: model, language model, stages (see recipes/).")],
    out: Annotated[Path, typer.Option(help="Folder to write: checkpoints, log.csv, result.json.")],
    reduced: Annotated[bool, typer.Option("--reduced", help="The recipe's reduced size, for simulated data.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last finished epoch in OUT.")] = False,
    audit: Annotated[Path | None, typer.Option(
        help="What 'arcuate audit --json' said of this split, where the audit itself cannot run.")] = None,
    allow_leak: Annotated[bool, typer.Option("--allow-leak", help="Train on a leaking split; the result says "
                                                                    "audit:leaks.")] = False,
    fold: Fold = None,
    input: Annotated[str | None, typer.Option(help="Signal in training: real, shuffled, noise or zero.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of weights, order and dropout.")] = None,
    device: Device = "auto",
    devices: Annotated[int, typer.Option(help="Processes (CPU) or GPUs that share each batch.")] = 1,
    compile: Annotated[bool, typer.Option("--compile", help="Compile the layers (GPU).")] = False,
    tensorboard: Annotated[bool, typer.Option("--tensorboard", help="Also write TensorBoard logs.")] = False,
    as_json: AsJson = False,
) -> None:
    """Train a decoder on SPLIT of DATASET; a split that leaks is refused."""
    _need_torch()
    from arcuate.decoding.config import TrainConfig, read_recipe
    from arcuate.decoding.train import train as run

    values = read_recipe(recipe, reduced=reduced)
    given = {"fold": fold, "input": input, "seed": seed}
    values |= {name: value for name, value in given.items() if value is not None}
    config = TrainConfig(**{
        **values, "dataset": dataset, "split": split, "out": out, "resume": resume, "device": device,
        "devices": devices, "compile": compile or values.get("compile", False), "tensorboard": tensorboard,
        "audit": _audited(dataset, split, audit), "allow_leak": allow_leak,
    })
    _show_training(run(config), as_json)


@app.command()
def generate(
    checkpoint: Annotated[Path, typer.Argument(help="Folder of a training run, or of one checkpoint.")],
    dataset: Dataset,
    split: SplitFile,
    out: Annotated[Path, typer.Option(help="Predictions, .csv or .tsv; settings go beside it as .json.")],
    part: Annotated[str, typer.Option(help="train, val or test.")] = "test",
    input: Annotated[str, typer.Option(help="Signal: real, shuffled among the part, noise or zero.")] = "real",
    teacher_forced: Annotated[bool, typer.Option(
        "--teacher-forced", help="The true words before each word are given: not a decoding result.")] = False,
    beams: Annotated[int, typer.Option(help="1 is greedy.")] = 1,
    max_new_tokens: Annotated[int | None, typer.Option(help="Default: as many as in training.")] = None,
    batch_size: Annotated[int, typer.Option(help="Samples generated together.")] = 64,
    fold: Fold = None,
    seed: Annotated[int, typer.Option(help="Seed of the shuffled and noise inputs.")] = 0,
    device: Device = "auto",
    as_json: AsJson = False,
) -> None:
    """Write what a trained decoder reads in the signals, free-running unless --teacher-forced."""
    _need_torch()
    from arcuate.decoding.generate import generate as run

    said = run(
        checkpoint, dataset, split, part, fold=fold, input=input, teacher_forced=teacher_forced, beams=beams,
        max_new_tokens=max_new_tokens, batch_size=batch_size, device=device, seed=seed,
    )
    said.write(out)
    distinct = len(set(said.predicted))
    if as_json:
        typer.echo(json.dumps({"out": str(out), "samples": len(said.predicted), "distinct_outputs": distinct,
                               "column": said.column, "signature": said.signature}))
        return
    typer.echo(f"{out}: {len(said.predicted):,} samples, {distinct:,} distinct outputs ({said.column}).")
    typer.echo(f"Next: arcuate decode score {out}")


@app.command()
def score(
    predictions: Annotated[Path, typer.Argument(help="Predictions: CSV, TSV or JSONL.")],
    teacher_forced: Annotated[bool, typer.Option(
        "--teacher-forced", help="Score predicted_teacher_forced where both are there.")] = False,
    bertscore: Annotated[bool, typer.Option("--bertscore", help="BERTScore too (extra 'bertscore').")] = False,
    out: Annotated[Path | None, typer.Option(help="Also write the JSON to this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """BLEU-1..4, ROUGE-1, WER, CER and retrieval of a predictions file, each with its signature."""
    from arcuate.decoding.score import score_file

    result = score_file(predictions, teacher_forced=teacher_forced, bertscore=bertscore)
    text = json.dumps(result, ensure_ascii=False)
    if out is not None:
        from arcuate.atomic import write_text

        write_text(out, text + "\n")
    if as_json:
        typer.echo(text)
        return
    _show_scores(result)


def _audited(dataset: Path, split: Path, file: Path | None) -> str:
    """'clean' or 'leak': by the audit itself, or by what it said elsewhere of this very split."""
    if file is None:
        try:
            import polars  # noqa: F401
        except ImportError:
            raise ArcuateError(
                "The split cannot be audited here (polars is not installed). Run 'arcuate audit --json "
                f"{dataset / 'samples.parquet'} {split} > audit.json' elsewhere and give --audit audit.json."
            ) from None
        from arcuate.leakage.audit import audit

        return audit(dataset / "samples.parquet", split).verdict
    from arcuate.decoding.audit_file import read_audit

    return read_audit(file, split)


def _need_torch() -> None:
    from importlib.util import find_spec

    for package in ("torch", "transformers", "lightning", "safetensors"):
        if find_spec(package) is None:
            raise MissingExtra(package, "decoding")


def _show_training(result: TrainResult, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(result.as_dict()))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("stage", "epochs", "train loss", "val loss, best", title=str(result.checkpoint))
    for stage in dict.fromkeys(row["stage"] for row in result.history):
        rows = [row for row in result.history if row["stage"] == stage]
        best = min(rows, key=lambda row: row["val_loss"])
        table.add_row(stage, str(len(rows)), f"{rows[-1]['train_loss']:.4f}",
                      f"{best['val_loss']:.4f} (epoch {best['epoch']})")
    Console().print(table)
    if result.targets_cut:
        typer.echo(f"{result.targets_cut} training texts were cut to the largest number of tokens.")
    typer.echo(result.signature)


def _show_scores(result: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("score", "value", "signature", title=f"{result['file']}: {result['samples']:,} samples")
    for name, value in result["scores"].items():
        table.add_row(name, f"{value:.2f}", result["signatures"][name])
    Console().print(table)
    typer.echo(f"{result['distinct_outputs']:,} distinct outputs for {result['distinct_targets']:,} targets "
               f"({result['column']}).")
