"""`arcuate reproduce`: the papers' tables again, one small file a table."""

from __future__ import annotations

import typer

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="The papers' tables again, from the data you have.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
