"""`arcuate prepare`: a dataset's own files become a samples table and a signal store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from arcuate.datasets.prepared import Prepared

app = typer.Typer()


@app.command()
def prepare(
    name: str = typer.Argument(..., metavar="DATASET", help="One of `arcuate datasets`: narratives, zuco1, folder..."),
    root: Path = typer.Option(..., help="Folder that holds the dataset's files."),
    out: Path = typer.Option(..., help="Folder to write: samples.parquet, signals/, dataset.json."),
    dtype: str = typer.Option("float32", help="How signals are stored: float16 or float32."),
    subjects: str = typer.Option(None, help="Only these, with commas between."),
    window: int = typer.Option(None, help="Narratives: volumes a sample (10)."),
    shape: str = typer.Option(None, help="Narratives: voxels of the acquisition, as 64x64x27 (default) or any."),
    stories: str = typer.Option(None, help="Narratives: only these, with commas between."),
    keep_excluded: bool = typer.Option(None, "--keep-excluded", help="Narratives: keep scans its authors exclude."),
    exclude_scans: list[str] = typer.Option(
        None, "--exclude-scan", help="Narratives: leave out SUB_task-TASK[_run-N]; may be repeated."),
    signals: str = typer.Option(None, help="Narratives: raw, fmriprep, afni-smooth or afni-nosmooth."),
    space: str = typer.Option(None, help="Narratives: space of a pipeline's images, as fsaverage6."),
    transcripts: Path = typer.Option(None, help="Narratives: second root, with stimuli/gentle/*/align.csv."),
    within_run: str = typer.Option(None, help="Narratives: 'zscore' scales each voxel over its own run."),
    measure: str = typer.Option(None, help="ZuCo: band features of GD (default), FFD or TRT."),
    tasks: str = typer.Option(None, help="ZuCo: only these of SR,NR,TSR."),
    keep_partial: bool = typer.Option(None, "--keep-partial", help="ZuCo: drop bad words, not their sentence."),
    published_reader: bool = typer.Option(
        None, "--published-reader", help="ZuCo: repeat the faults of the published 2.0 reader."),
    modality: str = typer.Option(None, help="Plain folder: eeg (default) or fmri."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Turn a dataset's files into a samples table and a signal store, whole or not at all."""
    from arcuate.datasets.registry import prepare as write

    given = {
        "subjects": _list(subjects), "window": window, "shape": shape, "stories": _list(stories),
        "keep_excluded": keep_excluded, "exclude_scans": tuple(exclude_scans or ()) or None, "signals": signals,
        "space": space, "transcripts": str(transcripts) if transcripts else None, "within_run": within_run,
        "measure": measure, "tasks": _list(tasks), "keep_partial": keep_partial,
        "published_reader": published_reader, "modality": modality,
    }
    options: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    done = write(name, root, out, dtype=dtype, **options)  # type: ignore[arg-type]
    if as_json:
        typer.echo(json.dumps(_as_json(done)))
    else:
        _print(done)


def _list(text: str | None) -> tuple[str, ...] | None:
    return tuple(part.strip() for part in text.split(",") if part.strip()) if text else None


def _as_json(done: Prepared) -> dict[str, Any]:
    return {
        "dataset": done.dataset, "folder": str(done.folder), "table": str(done.folder / done.table),
        "rows": done.rows, "subjects": done.subjects, "stories": done.stories, "runs": done.runs,
        "signals": done.has_signals, "frames": done.frames, "frame_shape": list(done.frame_shape),
        "rejected": dict(done.rejected), "notes": list(done.notes),
    }


def _print(done: Prepared) -> None:
    unit = done.table.removesuffix(".parquet")
    typer.echo(f"{done.folder / done.table}: {done.rows:,} {unit} of {done.subjects} subjects "
               f"and {done.stories} stories or tasks.")
    if done.has_signals:
        shape = "×".join(map(str, done.frame_shape))
        typer.echo(f"{done.folder / 'signals'}: {done.runs} runs, {done.frames:,} frames of {shape}.")
    else:
        typer.echo("No signals were found: the table stands alone.")
    for reason, count in sorted(done.rejected.items(), key=lambda item: -item[1]):
        typer.echo(f"rejected {count:,}: {reason}")
    for note in done.notes:
        typer.echo(f"note: {note}")
    window = " --window 10" if unit == "runs" else ""
    typer.echo(f"Next: arcuate split {done.folder / done.table}{window} --method optimal --out split.csv")
