"""A verdict as people read it in a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from arcuate.decoding.verdict.record import Verdict

_COLOUR = {"reads the brain": "green", "no evidence": "yellow", "worse than control": "red"}
_SHOWN = ("bleu1", "bleu2", "bleu3", "bleu4", "rouge1_p", "rouge1_r", "rouge1_f", "wer", "retrieval_rank",
          "retrieval_top1")


def show(found: Verdict, html: Path | None) -> None:
    """Print the answer, the scores of all conditions, the differences and the warnings."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    colour = _COLOUR[found.verdict]
    console.print(Text(found.verdict.upper(), style=f"bold {colour}"))
    console.print(Text(found.sentence))
    for warning in found.warnings:
        console.print(Text(f"! {warning}", style="yellow"))
    console.print(_scores(found))
    console.print(_differences(found))
    console.print(Text(_facts(found)))
    console.print(Text(found.signature, style="dim"), soft_wrap=True)
    if html is not None:
        console.print(Text(f"Page: {html}"))


def _scores(found: Verdict) -> Table:
    from rich.table import Table

    from arcuate.decoding.verdict.words import metric_words

    parts = (found.real, *found.controls, *found.baselines)
    table = Table(title=f"Scores in percent, {found.samples:,} samples, {found.distinct_targets:,} distinct targets")
    table.add_column("score", no_wrap=True)
    for part in parts:
        table.add_column(part.name, justify="right", overflow="fold")
    for name in _SHOWN:
        if name in found.real.scores:
            table.add_row(metric_words(name), *(f"{part.scores[name].value:.2f}" for part in parts))
    return table


def _differences(found: Verdict) -> Table:
    from rich.table import Table

    from arcuate.decoding.verdict.words import metric_words

    table = Table(title=f"Gain of the real signal in {metric_words(found.metric)}, in points (p one-sided)")
    table.add_column("over", overflow="fold")
    for name in ("gain", "95% interval", "p", "p, Holm", "detectable"):
        table.add_column(name, justify="right")
    deciding = [(of.control, of) for of in found.differences if of.metric == found.metric]
    for name, of in [*deciding, *((f"{of.control}, own texts", of) for of in found.specific)]:
        table.add_row(
            name, f"{of.value:+.2f}", f"{of.low:+.2f} to {of.high:+.2f}", f"{of.p:.4f}", f"{of.p_holm:.4f}",
            f"{of.detectable:.2f}",
        )
    return table


def _facts(found: Verdict) -> str:
    collapse, retrieval = found.real.collapse, found.retrieval
    assert collapse is not None
    people = f"{found.subjects} subjects" if found.subjects else "subjects not known"
    return (
        f"Outputs: {collapse.distinct_outputs:,} distinct for {found.distinct_targets:,} texts ({people}), the "
        f"commonest {100 * collapse.most_common_share:.1f}% of the time"
        f"{': near-constant (collapsed)' if collapse.collapsed else ''}. "
        f"Retrieval: the true text ranks above {retrieval.rank.value:.1f}% of the others "
        f"({retrieval.rank.low:.1f} to {retrieval.rank.high:.1f}; chance 50), is first in {retrieval.top1:.2f}% "
        f"(chance {retrieval.chance_top1:.2f}), p = {retrieval.p:.3f}."
    )
