"""What a cell of the decoding grid does: train one model, or let a trained one speak. Runs without polars."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arcuate.errors import ArcuateError
from arcuate.experiments.cells import Cell

Result = Mapping[str, Any]


def train_cell(cell: Cell, folder: Path, needed: tuple[Result, ...]) -> Result:
    """Train into FOLDER/runs/KEY; a run that was killed goes on where it stopped."""
    from arcuate.decoding.config import Stage, TrainConfig
    from arcuate.decoding.train import train

    values = cell.values
    _check_data(cell, folder)
    setup = values["setup"]
    run = folder / "runs" / cell.key
    result = train(TrainConfig(
        model=setup["model"], dataset=folder / values["data"], split=folder / values["split"], out=run,
        language=setup["language"] or {"type": "bart"}, options=setup["options"],
        stages=tuple(Stage(**stage) for stage in setup["stages"]), input=values["train_input"],
        seed=values["seed"], max_tokens=setup["max_tokens"], resume=(run / "state.json").is_file(),
        audit=values["audit"], allow_leak=True,
    ))
    _keep_only_best(run)
    return {"run": cell.key, "signature": result.signature, "history": list(result.history),
            "best_val_loss": result.best_val_loss, "parameters": result.parameters, "samples": result.samples}


def generate_cell(cell: Cell, folder: Path, needed: tuple[Result, ...]) -> Result:
    """Let the trained model speak on one test set with one kind of input."""
    from arcuate.decoding.generate import generate

    values = cell.values
    _check_data(cell, folder)
    said = generate(
        folder / "runs" / needed[0]["run"], folder / values["data"], folder / values["split"], "test",
        input=values["test_input"], teacher_forced=values["generation"] == "teacher-forced", batch_size=256,
        seed=values["seed"],
    )
    return {"signature": said.signature, "subject": list(said.subject), "sample": list(said.sample),
            "target": list(said.target), "predicted": list(said.predicted)}


def _check_data(cell: Cell, folder: Path) -> None:
    """The plan may have travelled; its data must be the very data that the cell is named after."""
    from arcuate.decoding.data import read_data

    found = read_data(folder / cell.values["data"]).sha256
    if found != cell.data[0]:
        raise ArcuateError(
            f"{folder / cell.values['data']} is not the data that was planned for ({found[:12]} in place of "
            f"{cell.data[0][:12]}). Plan again, or bring the planned data."
        )


def _keep_only_best(run: Path) -> None:
    """A grid has hundreds of runs: only the checkpoint that speaks is kept."""
    import json

    state = json.loads((run / "state.json").read_text("utf-8"))
    for checkpoint in (run / "checkpoints").iterdir():
        if checkpoint.name not in (state["best"], state["last"]):
            shutil.rmtree(checkpoint)
