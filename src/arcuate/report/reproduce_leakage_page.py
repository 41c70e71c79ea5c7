"""The published table of leakage rates and ours, side by side, on one page."""

from __future__ import annotations

from collections.abc import Sequence

from arcuate.experiments.reproduce_leakage import Eeg2Text, LeakageRun, Reproduced, compare
from arcuate.leakage.rates import pairs_of_parts
from arcuate.report.blocks import Block, Column, Paragraph, Section, Table, Tag, Tone, Verdict
from arcuate.report.grid_picture import grid_picture
from arcuate.report.page import render_page

RULES = (
    "The papers write that the mean runs over the subjects (texts) in the test set. Their own numbers fit the mean "
    "over all subjects (texts) of the dataset: under the first rule (b) on Narratives and (c) on ZuCo come out far "
    "from what was published. Both are shown; the difference is that of the mean over all."
)
CLOSE = 1.5
"""Percentage points within which a rate counts as reproduced; (b) swings by more from seed to seed."""


def reproduce_leakage_page(runs: Sequence[LeakageRun], eeg2text: Eeg2Text) -> str:
    """Render the page.

    Parameters
    ----------
    runs
        What `run_all` gave.
    eeg2text
        The split of EEG2Text's code on ZuCo.
    """
    rows = list(compare(list(runs)))
    return render_page(
        "Leakage rates of the published splitting methods", _verdict(rows),
        [_table(rows), _every_run(runs), _eeg2text(eeg2text)],
        subtitle="Real Narratives (228 subjects × 15 stories, windows of 10) and ZuCo (12 subjects × 1,039 texts)",
        signature=eeg2text.findings.signature,
    )


def _verdict(rows: Sequence[Reproduced]) -> Verdict:
    known = [row for row in rows if row.difference is not None]
    close = [row for row in known if _is_close(row)]
    tone: Tone = "good" if len(close) == len(known) else "caution"
    far = tuple(
        f"{row.rate} ({row.method}) on {row.dataset}: {row.ours['all'][0]:.2f} against {row.published:.2f}"
        for row in known if not _is_close(row) and row.ours["all"])
    words = f"{len(close)} of {len(known)} published rates come out within {CLOSE:g} points or their own spread."
    return Verdict("Reproduced" if not far else "Mostly reproduced", words, tone, far)


def _is_close(row: Reproduced) -> bool:
    """Within the margin, or within two standard deviations of either side."""
    ours = row.ours["all"]
    if row.difference is None or ours is None:
        return False
    return abs(row.difference) <= max(CLOSE, 2 * (row.published_sd or 0.0), 2 * ours[1])


def _mean(value: tuple[float, float] | None) -> tuple[float | None, float | None]:
    return value if value is not None else (None, None)


def _table(rows: Sequence[Reproduced]) -> Section:
    columns = ("dataset", "method", "rate", Column("published", numeric=True), Column("± sd", numeric=True),
               Column("ours, over all", numeric=True), Column("± sd ", numeric=True),
               Column("difference", numeric=True), Column("ours, over test", numeric=True), "note")
    cells = [
        (row.dataset, row.method, row.rate, row.published, row.published_sd, *_mean(row.ours["all"]), row.difference,
         _mean(row.ours["test"])[0], row.refused or ("" if row.published is not None else "not published"))
        for row in rows
    ]
    return Section("rates", "Published and ours", (
        Table("Rates in percent, test against train, mean of the seeds", columns, cells, search=True),
        Paragraph(RULES)))


def _every_run(runs: Sequence[LeakageRun]) -> Section:
    pairs = [f"{later}_{earlier}" for later, earlier in pairs_of_parts(("train", "val", "test"))]
    measured = (f"{rate} {pair.replace('_', '/')}" for rate in ("BSLR", "TSLR") for pair in pairs)
    columns: tuple[Column | str, ...] = (
        "dataset", "method", Column("seed", numeric=True), "verdict", Column("kept %", numeric=True, digits=1),
        *(Column(name, numeric=True) for name in measured))
    cells = [
        (run.dataset, run.method, run.seed,
         Tag(run.verdict, {"leak": "bad", "clean": "good"}.get(run.verdict, "neutral")),  # type: ignore[arg-type]
         None if run.kept is None else 100 * run.kept,
         *(run.rate(rate, "all", pair) for rate in ("BSLR", "TSLR") for pair in pairs))
        for run in runs
    ]
    table = Table("Rates of all pairs of parts, mean over all", columns, cells, search=True)
    return Section("runs", "Every run", (table,),
                   "The papers measure test against train; validation leaks as much, so all three pairs are here.")


def _eeg2text(split: Eeg2Text) -> Section:
    texts, subjects = split.shared_texts(), split.shared_subjects()
    columns = ("parts", Column("texts shared", numeric=True), Column("subjects shared", numeric=True))
    cells = [(pair.replace("_", " / "), texts.get(pair, 0), subjects.get(pair, 0)) for pair in (
        "test_train", "val_train", "test_val")]
    blocks: list[Block] = [
        Table("What the parts share", columns, cells), grid_picture(split.findings.tallies[0]),
        Table("Findings", ("check", "parts", Column("samples", numeric=True), "what", "worst examples"), [
            (one.check, " / ".join(one.parts), one.samples, one.message, one.examples[:3])
            for one in split.findings.findings], search=True),
    ]
    return Section("eeg2text", "The split that EEG2Text's code makes on ZuCo", tuple(blocks), (
        "In each task the first 80% of the sentences are train, the next 10% val, the rest test, for every subject: "
        "every subject is in all parts, and sentences that stand in two tasks are in two parts."))
