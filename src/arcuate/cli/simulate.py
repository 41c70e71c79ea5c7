"""`arcuate simulate`: write a dataset whose truth is known."""

from __future__ import annotations

import json
from pathlib import Path

import typer

app = typer.Typer()


@app.command()
def simulate(
    out: Path = typer.Option(..., help="Folder to write: samples.parquet, signals/, dataset.json."),
    layout: str = typer.Option("narratives", help="Who heard what: narratives, zuco, crossed or sparse."),
    modality: str = typer.Option(None, help="eeg or fmri; by default as the layout's dataset."),
    subjects: int = typer.Option(24, help="How many subjects."),
    stories: int = typer.Option(8, help="How many stories (zuco: tasks)."),
    sentences: int = typer.Option(20, help="Sentences a story."),
    words_per_segment: int = typer.Option(2, help="fMRI: words told in one TR."),
    window: int = typer.Option(10, help="fMRI: segments a sample spans."),
    tr: float = typer.Option(1.5, help="fMRI: seconds between frames."),
    snr: float = typer.Option(1.0, help="Signal variance over noise variance; 0 is noise alone."),
    regions: int = typer.Option(64, help="fMRI: numbers a frame, when it is a vector of regions."),
    frame: str = typer.Option("regions", help="fMRI: 'regions', or volumes such as 64x64x27."),
    seed: int = typer.Option(1, help="Same seed, same bytes."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Write a simulated dataset: at SNR above 0 a decoder can win, at SNR 0 nothing may."""
    from arcuate.datasets.simulate import simulate as write

    done = write(
        out, layout=layout, modality=modality, subjects=subjects, stories=stories, sentences=sentences,
        words_per_segment=words_per_segment, window=window, tr=tr, snr=snr, regions=regions, frame=frame, seed=seed,
    )
    if as_json:
        typer.echo(json.dumps({"folder": str(out), "samples": done.rows, "subjects": done.subjects,
                               "stories": done.stories, "frames": done.frames, "frame_shape": done.frame_shape}))
        return
    shape = "×".join(map(str, done.frame_shape))
    typer.echo(f"{out}: {done.rows:,} samples of {done.subjects} subjects and {done.stories} stories, "
               f"{done.frames:,} frames of {shape}.")
    typer.echo(f"Next: arcuate split {out / 'samples.parquet'} --method optimal --out split.csv")
