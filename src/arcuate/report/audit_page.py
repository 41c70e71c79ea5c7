"""The audit as one page: verdict first, then the picture that shows a leak at once, then the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from arcuate.atomic import write_text
from arcuate.leakage.checks import CHECKS
from arcuate.leakage.findings import Finding, Findings, Rates, Severity
from arcuate.leakage.kinds import describe
from arcuate.leakage.rates import OVERS, Over, mean_rates, rates
from arcuate.report.bipartite_picture import bipartite_picture
from arcuate.report.blocks import (
    Block,
    Bullets,
    Code,
    Column,
    Facts,
    Figures,
    Paragraph,
    Section,
    Table,
    Tag,
    Tone,
    Verdict,
)
from arcuate.report.grid_picture import grid_picture
from arcuate.report.page import render_page

Columns = tuple[Column | str, ...]
SHOWN = 5
TONES: Mapping[Severity, Tone] = {"leak": "bad", "warning": "caution", "info": "neutral"}
ORDER: Mapping[Severity, int] = {"leak": 0, "warning": 1, "info": 2}


def write_audit_page(found: Sequence[Findings], path: str | Path, command: str) -> Path:
    """Write the page of one audit, or of several splits side by side; `command` is what makes a clean split.

    Examples
    --------
    >>> import polars as pl, tempfile
    >>> from arcuate.leakage.audit import audit
    >>> rows = pl.DataFrame({"subject": ["a", "b"], "text": ["One.", "one"], "part": ["train", "test"]})
    >>> page = write_audit_page([audit(rows)], Path(tempfile.mkdtemp()) / "a.html", "arcuate split t.csv")
    >>> "also in train" in page.read_text(encoding="utf-8")
    True
    """
    return write_text(path, audit_page(found, command))


def audit_page(found: Sequence[Findings], command: str) -> str:
    """Render the page; see `write_audit_page`."""
    sections = [] if len(found) == 1 else [_side_by_side(found)]
    sections += [
        _picture(found), _rates(found), _findings(found), _checks(found), _sizes(found), _fix(found, command),
        _manifest(found),
    ]
    title = f"Audit of {Path(found[0].name).name}" if len(found) == 1 else f"Audit of {len(found)} splits"
    return render_page(
        title, _verdict(found), sections, subtitle=_subtitle(found[0]),
        signature="; ".join(dict.fromkeys(one.signature for one in found)),
    )


def _subtitle(found: Findings) -> str:
    samples = sum(size["samples"] for size in found.sizes.values())
    groups = found.tallies[0].groups
    texts = "stories" if found.tallies[0].unit == "story" else "texts"
    return f"{samples:,} samples, {groups['subject'].n_unique():,} subjects, {groups['node'].n_unique():,} {texts}"


def _verdict(found: Sequence[Findings]) -> Verdict:
    leaking = [one for one in found if one.verdict == "leak"]
    if len(found) > 1:
        words = f"{len(leaking)} of {len(found)} splits leak." if leaking else "No split leaks."
        names = tuple(f"{Path(one.name).name}: {one.verdict}" for one in found)
        return Verdict("Leak" if leaking else "Clean", words, "bad" if leaking else "good", names)
    [one] = found
    skipped = [run.check for run in one.checks if not run.ran]
    note = (f"Not checked: {', '.join(skipped)}.",) if skipped else ()
    if leaking:
        reasons = _first_of_each(one.of("leak"))
        return Verdict("Leak", "This split leaks: a score on its test part is not evidence.", "bad", reasons + note)
    warnings = one.of("warning")
    if warnings:
        reasons = _first_of_each(warnings)
        return Verdict("Clean, with warnings", "No leak was found; look at the warnings.", "caution", reasons + note)
    return Verdict("Clean", "No leak was found: no subject, text or recording is on two sides.", "good", note)


def _first_of_each(findings: Sequence[Finding]) -> tuple[str, ...]:
    """One sentence a check: the pair of parts that matters most comes first."""
    first: dict[str, str] = {}
    for finding in findings:
        first.setdefault(finding.check, _sentence(finding))
    return tuple(first.values())


def _sentence(finding: Finding) -> str:
    return f"{finding.message[0].upper()}{finding.message[1:]}."


def _picture(found: Sequence[Findings]) -> Section:
    blocks: list[Block] = []
    for one in found[:12]:
        if len(found) > 1:
            blocks.append(Paragraph(f"{Path(one.name).name}: {one.verdict}"))
        blocks.append(grid_picture(one.tallies[0]))
        small = bipartite_picture(one.tallies[0])
        if small is not None and len(found) == 1:
            blocks.append(small)
    if len(found) > 12:
        blocks.append(Paragraph(f"The other {len(found) - 12} splits are not drawn."))
    lead = "Who was recorded with what, and in which part. One colour a row and a column is what you want to see."
    if len(found[0].tallies) > 1:
        lead += f" The first of {len(found[0].tallies)} folds is drawn."
    return Section("picture", "The picture", tuple(blocks), lead)


def _rates(found: Sequence[Findings]) -> Section:
    columns: Columns = ("split", "rate", "mean over", *(
        Column(pair.replace("_", " / "), numeric=True) for pair in found[0].rates.bslr))
    rows: list[tuple[object, ...]] = []
    for one in found:
        for over in sorted(OVERS, key=lambda rule: rule != one.rates.over):
            ours = one.rates if over == one.rates.over else _other_rule(one, over)
            for name, values in (("BSLR, subjects", ours.bslr), ("TSLR, texts", ours.tslr)):
                rows.append((Path(one.name).name, name, over, *(values.get(pair) for pair in found[0].rates.bslr)))
    first = found[0].rates
    figures = Figures(tuple(
        ("–" if value is None else f"{value:.2f} %", f"{name}, test against train", "bad" if value else "good")
        for name, value in (("BSLR", first.bslr.get("test_train")), ("TSLR", first.tslr.get("test_train")))
    )) if len(found) == 1 else None
    table = Table("Leakage rates in percent", columns, rows, note=(
        "BSLR: how much of a subject's data is also on the other side; TSLR: the same of texts (for windows, the "
        "share of a test sample's segments that occur in training). 'all' averages over every subject or text of "
        "the dataset, which reproduces the published figures; 'test' over those in the test part, as the papers "
        "write it. The TSLR of windows is a mean over samples, so both rules agree."))
    blocks: tuple[Block, ...] = (figures, table) if figures else (table,)
    return Section("rates", "Leakage rates", (*blocks, *_by_fold(found)))


def _by_fold(found: Sequence[Findings]) -> tuple[Block, ...]:
    """The rates of every fold, where a split has folds."""
    rows = [
        (Path(one.name).name, fold, name, *(values.get(pair) for pair in one.rates.bslr))
        for one in found for fold, measured in enumerate(one.fold_rates)
        for name, values in (("BSLR", measured.bslr), ("TSLR", measured.tslr))
    ]
    if not rows:
        return ()
    numbers = (Column(pair.replace("_", " / "), numeric=True) for pair in found[0].rates.bslr)
    columns: Columns = ("split", Column("fold", numeric=True), "rate", *numbers)
    return (Table("Rates of each fold", columns, rows, note=f"Mean over {found[0].rates.over}."),)


def _other_rule(found: Findings, over: Over) -> Rates:
    return mean_rates([rates(tally, over) for tally in found.tallies])


def _findings(found: Sequence[Findings]) -> Section:
    several = len(found) > 1
    columns = (*(("split",) if several else ()), "severity", "check", "parts", Column("samples", numeric=True),
               Column("share %", numeric=True, digits=1), "what was found", "worst examples")
    rows = []
    for one in found:
        for finding in one.findings:
            rows.append((
                *((Path(one.name).name,) if several else ()),
                Tag(finding.severity, TONES[finding.severity], ORDER[finding.severity]), finding.check,
                " / ".join(finding.parts) + ("" if finding.fold is None else f", fold {finding.fold}"),
                finding.samples, 100 * finding.share, (_sentence(finding), describe(finding.kind)),
                finding.examples[:SHOWN],
            ))
    if not rows:
        return Section("findings", "Findings", (Paragraph("Nothing was found.", "good"),))
    note = "Leakage types after Kapoor & Narayanan (2023), Patterns 4(9). Share is of the first part's samples."
    return Section("findings", "Findings", (Table("Findings, the worst first", columns, rows, search=True, note=note),))


def _checks(found: Sequence[Findings]) -> Section:
    rows = []
    for run in found[0].checks:
        hits = [finding for one in found for finding in one.findings if finding.check == run.check]
        worst = min((ORDER[finding.severity] for finding in hits), default=None)
        answer = Tag("not checked", "neutral", 4) if not run.ran else Tag("nothing found", "good", 3)
        if worst is not None:
            severity = next(name for name, rank in ORDER.items() if rank == worst)
            answer = Tag(severity, TONES[severity], worst)
        rows.append((run.check, CHECKS[run.check].question, answer, run.why_not or ""))
    lead = "A check that could not run says so: it is not a clean one."
    return Section("checks", "What was checked", (
        Table("Checks", ("check", "question", "answer", "why not"), rows),), lead)


def _sizes(found: Sequence[Findings]) -> Section:
    rows = []
    for one in found:
        kept = sum(size["samples"] for part, size in one.sizes.items() if part != "dropped")
        total = kept + one.sizes.get("dropped", {}).get("samples", 0)
        for part, size in one.sizes.items():
            share = 100 * size["samples"] / (total if part == "dropped" else kept) if kept else None
            rows.append((Path(one.name).name, part, size["samples"], share, size["subjects"], size["texts"]))
    columns = ("split", "part", Column("samples", numeric=True), Column("% of kept", numeric=True, digits=1),
               Column("subjects", numeric=True), Column("texts", numeric=True))
    lines = []
    for one in found:
        kept = sum(size["samples"] for part, size in one.sizes.items() if part != "dropped")
        total = sum(size["samples"] for size in one.sizes.values())
        bound = one.manifest.get("bound")
        best = f"; no leak-free split can keep more than {bound:.2%}" if isinstance(bound, float) else ""
        lines.append(f"{Path(one.name).name} keeps {kept:,} of {total:,} samples ({kept / max(total, 1):.2%}){best}.")
    note = "For dropped samples the percentage is of all samples."
    return Section("sizes", "Ratios and what is kept", (
        Bullets(tuple(lines)), Table("Sizes of the parts", columns, rows, note=note)))


def _fix(found: Sequence[Findings], command: str) -> Section:
    fired = dict.fromkeys(finding.check for one in found for finding in one.findings if finding.severity != "info")
    if not fired:
        return Section("fix", "How to fix it", (Paragraph("There is nothing to fix."), Code(command, "Split again")))
    remedies = Bullets(tuple(f"{name}: {CHECKS[name].remedy}" for name in fired))
    return Section("fix", "How to fix it", (
        Code(command, "Command that makes a split without leaks"), remedies,
        Paragraph("Then keep it so: arcuate audit in CI exits 1 on a leak, and "
                  "arc.audit(table, split).raise_on_leak() fails a test."),
    ))


def _manifest(found: Sequence[Findings]) -> Section:
    blocks: list[Block] = []
    for one in found:
        if len(found) > 1:
            blocks.append(Paragraph(Path(one.name).name))
        facts = dict(_flat(one.manifest))
        blocks.append(Facts(facts) if facts else Paragraph("The split came without a manifest."))
    return Section("manifest", "Manifest", tuple(blocks))


def _flat(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Nested values as lines: 'table · sha256'."""
    for name, value in values.items():
        path = f"{above} · {name}" if above else str(name)
        if isinstance(value, Mapping):
            yield from _flat(value, path)
        elif isinstance(value, list | tuple):
            yield path, ", ".join(f"{item:.4g}" if isinstance(item, float) else str(item) for item in value) or "none"
        elif value is not None:
            yield path, f"{value:.6g}" if isinstance(value, float) else str(value)


def _side_by_side(found: Sequence[Findings]) -> Section:
    columns: Columns = ("split", "verdict", *(
        Column(f"{kind} {pair.replace('_', '/')}", numeric=True)
        for kind in ("BSLR", "TSLR") for pair in found[0].rates.bslr), Column("kept %", numeric=True, digits=1))
    rows = []
    for one in found:
        kept = sum(size["samples"] for part, size in one.sizes.items() if part != "dropped")
        total = sum(size["samples"] for size in one.sizes.values())
        rows.append((
            Path(one.name).name, Tag(one.verdict, "bad" if one.verdict == "leak" else "good"),
            *(values.get(pair) for values in (one.rates.bslr, one.rates.tslr) for pair in found[0].rates.bslr),
            100 * kept / max(total, 1),
        ))
    table = Table("Splits of one dataset side by side", columns, rows,
                  note=f"Rates in percent, mean over {found[0].rates.over}.")
    return Section("compare", "Side by side", (table, *_over_seeds(found)))


def _over_seeds(found: Sequence[Findings]) -> tuple[Block, ...]:
    """Mean and standard deviation over the seeds of a method, where several seeds were given."""
    import numpy as np

    methods: dict[str, list[Findings]] = {}
    for one in found:
        methods.setdefault(str(one.manifest.get("method", "given")), []).append(one)
    rows = []
    for method, ones in methods.items():
        if len(ones) < 2 or method == "given":
            continue
        for kind in ("bslr", "tslr"):
            values = [value for one in ones if (value := getattr(one.rates, kind).get("test_train")) is not None]
            if len(values) > 1:
                mean, spread = float(np.mean(values)), float(np.std(values, ddof=1))
                error = 1.96 * spread / len(values) ** 0.5
                rows.append((method, kind.upper(), len(values), mean, spread, mean - error, mean + error))
    if not rows:
        return ()
    numbers = (Column(name, numeric=True) for name in ("seeds", "mean", "sd", "low", "high"))
    columns: Columns = ("method", "rate", *numbers)
    return (Table("Over seeds, test against train", columns, rows, note="low, high: mean ± 1.96 standard errors."),)
