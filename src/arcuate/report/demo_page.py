"""The demo's page: the same decoder under a leaking and a leak-free split, side by side."""

from __future__ import annotations

from pathlib import Path

from arcuate.atomic import write_text
from arcuate.decoding.verdict.record import READS
from arcuate.experiments.demo import METHODS, Demo, Shown
from arcuate.report.blocks import Code, Column, Figures, Paragraph, Section, Table, Tag, Tone, Verdict
from arcuate.report.grid_picture import grid_picture
from arcuate.report.page import render_page

EXAMPLES = 12


def write_demo_page(demo: Demo, path: Path) -> Path:
    """Write the page and return where."""
    return write_text(path, demo_page(demo))


def demo_page(demo: Demo) -> str:
    """The page as one string of HTML."""
    leaking, clean = demo.shown
    scores = [f"{shown.verdicts['brain'].real.scores['rouge1_f'].value:.0f}" for shown in demo.shown]
    verdict = Verdict(
        "Same decoder, same data",
        f"ROUGE-1 F is {scores[0]} under the split that most papers used and {scores[1]} under a leak-free one: "
        "the rest was recited from training text.",
        "bad",
    )
    return render_page(
        "arcuate: the demo", verdict,
        [_splits(demo), _pictures(demo), _decoder(demo), _examples(leaking, clean), _next(demo)],
        subtitle=f"Simulated EEG reading, laid out as ZuCo: {demo.table.describe()}.",
        signature=clean.findings.signature,
    )


def _splits(demo: Demo) -> Section:
    columns = (
        "method", "what it cuts", "audit", Column("signal leakage (BSLR, %)", numeric=True),
        Column("text leakage (TSLR, %)", numeric=True), Column("data kept (%)", numeric=True, digits=1),
    )
    rows = [
        (
            shown.method, METHODS[shown.method], _audited(shown),
            shown.findings.rates.bslr["test_train"], shown.findings.rates.tslr["test_train"],
            100 * shown.split.manifest["retained"],
        )
        for shown in demo.shown
    ]
    lead = (
        "Everybody read every sentence here, so a split without leaks must give data up: "
        "no split of a fully crossed design in 8:1:1 can keep more than about 44%. "
        "arcuate finds the best and proves it."
    )
    return Section("splits", "Two splits of one dataset", (Table("The two splits", columns, rows),), lead)


def _audited(shown: Shown) -> Tag:
    leaks = shown.findings.verdict == "leak"
    return Tag("leak" if leaks else "clean", "bad" if leaks else "good")


def _pictures(demo: Demo) -> Section:
    blocks: list[object] = []
    for shown in demo.shown:
        words = f"Method {shown.method}: {METHODS[shown.method]}."
        blocks += [Paragraph(words), grid_picture(shown.findings.tallies[0])]
    lead = "In a split without leaks every row and every column has one colour; grey is what was given up."
    return Section("pictures", "Where a leak is seen at once", tuple(blocks), lead)  # type: ignore[arg-type]


def _decoder(demo: Demo) -> Section:
    figures: list[tuple[str, str, Tone]] = []
    rows = []
    for shown in demo.shown:
        score = shown.verdicts["brain"].real.scores["rouge1_f"].value
        tone: Tone = "bad" if shown.findings.verdict == "leak" else "good"
        figures.append((f"{score:.1f}", f"ROUGE-1 F under {shown.method}", tone))
        for name, found in shown.verdicts.items():
            gain = found.difference()
            rows.append((
                shown.method, {"brain": "signal", "noise": "noise alone"}[name],
                found.real.scores["rouge1_f"].value, found.controls[0].scores["rouge1_f"].value,
                f"{gain.value:+.1f} [{gain.low:+.1f}, {gain.high:+.1f}]",
                Tag(found.verdict, "good" if found.verdict == READS else "neutral"),
            ))
    columns = ("split", "recordings hold", Column("real signal", numeric=True, digits=1),
               Column("shuffled signal", numeric=True, digits=1), "gain, 95% interval", "verdict")
    lead = (
        "A decoder that can only recite: it answers with the training text that fits its signal best. "
        "The interval is clustered by text and subject."
    )
    note = (
        "Under the leaking split the score says little about new texts, whatever the verdict: "
        "the very sentences were in training. On recordings of noise alone nothing may win, and nothing does."
    )
    table = Table("ROUGE-1 F with the real and with shuffled signals", columns, rows, note=note)
    return Section("decoder", "One decoder under both", (Figures(tuple(figures)), table), lead)


def _examples(leaking: Shown, clean: Shown) -> Section:
    blocks = []
    for shown in (leaking, clean):
        rows = [row for at, row in enumerate(shown.examples) if at % max(1, len(shown.examples) // EXAMPLES) == 0]
        blocks.append(Table(
            f"Method {shown.method}", ("target", "decoded from the signal", "decoded from a shuffled signal"),
            rows[:EXAMPLES], search=True,
        ))
    return Section("examples", "What it said", tuple(blocks), "Under the leaking split it recites whole sentences.")


def _next(demo: Demo) -> Section:
    commands = "\n".join((
        "arcuate split  YOUR_TABLE.csv --method optimal --ratio 8:1:1 --out split.csv",
        "arcuate audit  YOUR_TABLE.csv split.csv --html audit.html",
        "arcuate verdict real.csv --control shuffled.csv --html verdict.html",
    ))
    lead = "A table with a column 'subject' and a column 'text' is enough."
    return Section("next", "Now yours", (Code(commands, "Commands"),), lead)
