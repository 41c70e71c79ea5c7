"""An audit on the terminal: rates, findings, what was not checked, and the verdict last."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from arcuate.report.text import shown

if TYPE_CHECKING:
    from arcuate.leakage.findings import Findings

COLOURS = {"leak": "bold red", "warning": "yellow", "info": "dim", "clean": "bold green"}


def show(found: Sequence[Findings], html: Path | None = None) -> None:
    """Print one audit in full, or several side by side."""
    console = Console()
    if len(found) == 1:
        _rates(console, found[0])
        _findings(console, found[0])
    else:
        _side_by_side(console, found)
    for one in found:
        console.print(f"[dim]{escape(one.signature)}[/]", soft_wrap=True, highlight=False)
    if html is not None:
        console.print(f"written to {escape(str(html))}", highlight=False, soft_wrap=True)
    for one in found:
        console.print(verdict_line(one), highlight=False, soft_wrap=True)


def verdict_line(found: Findings) -> str:
    """One line: the verdict, the split, and what it rests on."""
    leaks, warnings = found.of("leak"), found.of("warning")
    said = f"{len(leaks)} finding{'s' * (len(leaks) != 1)}" if leaks else "no leak was found"
    extra = f", {len(warnings)} warning{'s' * (len(warnings) != 1)}" if warnings else ""
    skipped = sum(not run.ran for run in found.checks)
    unchecked = f", {skipped} check{'s' * (skipped != 1)} could not run" if skipped else ""
    return f"[{COLOURS[found.verdict]}]{found.verdict.upper()}[/] {escape(shown(found.name))}: {said}{extra}{unchecked}"


def _rates(console: Console, found: Findings) -> None:
    grid = Table(title=f"Leakage rates in percent, mean over {found.rates.over}", title_justify="left")
    grid.add_column("rate")
    for pair in found.rates.bslr:
        grid.add_column(pair.replace("_", " / "), justify="right")
    for name, values in (("BSLR (subjects)", found.rates.bslr), ("TSLR (texts)", found.rates.tslr)):
        grid.add_row(name, *(percent(value) for value in values.values()))
    console.print(grid)


def _findings(console: Console, found: Findings) -> None:
    if found.findings:
        grid = Table(title="Findings", title_justify="left", show_lines=True)
        grid.add_column("check", no_wrap=True)
        grid.add_column("parts, samples", no_wrap=True)
        grid.add_column("what, and the worst of it", overflow="fold")
        for one in found.findings:
            worst = "".join(f"\n[dim]{escape(shown(example))}[/]" for example in one.examples[:2])
            fold = "" if one.fold is None else f" · fold {one.fold}"
            grid.add_row(
                f"[{COLOURS[one.severity]}]{one.severity}[/]\n{one.check}",
                f"{' / '.join(one.parts)}{fold}\n{one.samples:,} ({one.share:.1%})", escape(shown(one.message)) + worst,
            )
        console.print(grid)
    for run in found.checks:
        if not run.ran:
            console.print(f"[dim]not checked: {run.check}: {escape(run.why_not)}[/]", soft_wrap=True, highlight=False)


def _side_by_side(console: Console, found: Sequence[Findings]) -> None:
    grid = Table(
        title=f"Leakage rates in percent, mean over {found[0].rates.over}", title_justify="left", box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0), pad_edge=False)
    grid.add_column("split", overflow="fold")
    grid.add_column("verdict", no_wrap=True)
    for kind in ("BSLR", "TSLR"):
        for pair in found[0].rates.bslr:
            grid.add_column(f"{kind}\n{pair.replace('_', chr(10) + '/')}", justify="right", no_wrap=True)
    grid.add_column("kept", justify="right", no_wrap=True)
    for one in found:
        kept = sum(size["samples"] for part, size in one.sizes.items() if part != "dropped")
        total = kept + one.sizes.get("dropped", {}).get("samples", 0)
        rates = [one.rates.bslr.get(pair) for pair in found[0].rates.bslr]
        rates += [one.rates.tslr.get(pair) for pair in found[0].rates.tslr]
        grid.add_row(
            escape(shown(one.name)), f"[{COLOURS[one.verdict]}]{one.verdict}[/]", *(percent(rate) for rate in rates),
            f"{kept / total:.1%}" if total else "–",
        )
    console.print(grid)


def percent(value: float | None) -> str:
    """A rate for people.

    Examples
    --------
    >>> percent(12.5), percent(None)
    ('12.50', '–')
    """
    return "–" if value is None else f"{value:.2f}"
