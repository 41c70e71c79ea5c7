"""The command line: one file a command, loaded only when it is called."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

import click

from arcuate._version import __version__
from arcuate.errors import ArcuateError

# Command -> (module that defines `app`, a typer.Typer; the line that `arcuate --help` shows).
COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("arcuate.cli.demo", "Show all of it in two minutes, on simulated data."),
    "datasets": ("arcuate.cli.datasets", "Known datasets: size, licence, how to obtain, what is found on disk."),
    "prepare": ("arcuate.cli.prepare", "Turn a dataset's files into a samples table and a signal store."),
    "simulate": ("arcuate.cli.simulate", "Write a simulated dataset whose truth is known."),
    "split": ("arcuate.cli.split", "Split recordings so that nothing leaks and the most data is kept."),
    "audit": ("arcuate.cli.audit", "Find every leak in a split, yours or a paper's."),
    "decode": ("arcuate.cli.decode", "Train, run and score brain-to-text decoders, with all controls."),
    "verdict": ("arcuate.cli.verdict", "Does this decoder read the brain, or only recite text?"),
    "encode": ("arcuate.cli.encode", "How well do language features predict brain responses?"),
    "reproduce": ("arcuate.cli.reproduce", "The papers' tables again, from the data you have."),
    "report": ("arcuate.cli.report", "One HTML page from result files."),
}


class LazyGroup(click.Group):
    """A group that imports a command's module only when that command runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        import typer

        command: Any = typer.main.get_command(import_module(COMMANDS[cmd_name][0]).app)
        command.name = cmd_name
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="arcuate")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def arcuate(debug: bool) -> None:
    """Tells whether a model linking brain signals and language really works.

    Exit codes: 0 done and clean; 1 the thing asked about failed (a leak, a control not beaten,
    no feasible split); 2 bad input or usage.
    """
    if debug:
        os.environ["ARCUATE_DEBUG"] = "1"


def main(arguments: list[str] | None = None) -> Any:
    """Run the command line; errors become one or two lines on stderr and an exit code."""
    try:
        sys.exit(arcuate.main(args=arguments, prog_name="arcuate", standalone_mode=False) or 0)
    except ArcuateError as error:
        if os.environ.get("ARCUATE_DEBUG"):
            raise
        _say(str(error))
        sys.exit(error.exit_code)
    except Exception as error:
        kinds = _command_line_kinds(error)
        if "Exit" in kinds:
            sys.exit(error.exit_code)  # type: ignore[attr-defined]
        if "Abort" in kinds:
            _say("Stopped.")
            sys.exit(130)
        if "ClickException" in kinds:
            message = error.format_message().rstrip(". ")  # type: ignore[attr-defined]
            _say(f"{message}. See '{_command_path(error)} --help'.")
            sys.exit(2)
        raise


def _command_line_kinds(error: Exception) -> set[str]:
    """What click calls this error: newer typer brings a click of its own, whose classes are not click's."""
    known = [kind for kind in type(error).__mro__ if kind.__module__.split(".")[0] in ("click", "typer")]
    return {kind.__name__ for kind in known}


def _command_path(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    return context.command_path if context else "arcuate"


def _say(message: str) -> None:
    print(f"arcuate: {message}", file=sys.stderr)
