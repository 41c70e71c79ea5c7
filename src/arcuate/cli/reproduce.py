"""`arcuate reproduce`: the papers' tables again, one small file a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcuate.cli.reproduce_decoding import decoding
from arcuate.cli.reproduce_encoding import encoding
from arcuate.cli.reproduce_leakage import leakage

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="The papers' tables again, from the data you have.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def reproduce() -> None:
    """The papers' tables again, from the data you have."""


app.command("leakage")(leakage)
app.command("decoding")(decoding)
app.command("encoding")(encoding)


@app.command("all")
def every(
    data: Annotated[Path, typer.Option(help="Folder that holds the datasets.")],
    out: Annotated[Path, typer.Option(help="Folder to write to; each table gets a folder of its own.")],
) -> None:
    """All tables, one after the other."""
    whole = typer.main.get_command(app)
    worst = 0
    for command in app.registered_commands:
        if command.name and command.name != "all":
            arguments = [command.name, "--data", str(data), "--out", str(out / command.name)]
            # without standalone mode an exit code comes back as the result
            worst = max(worst, whole.main(args=arguments, prog_name="arcuate reproduce", standalone_mode=False) or 0)
    if worst:
        raise typer.Exit(worst)
