"""The page of `arcuate reproduce encoding`: published figures beside ours, and what the paper could not know."""

from __future__ import annotations

from collections.abc import Sequence

from arcuate.experiments.encoding_plan import SOURCES
from arcuate.experiments.published_encoding import TITLES
from arcuate.experiments.reproduce_encoding import ReproducedRow, Reproduction
from arcuate.report.blocks import Block, Bullets, Column, Paragraph, Section, Table, Tag, Verdict
from arcuate.report.encoding_page import verdict_of
from arcuate.report.encoding_tables import difference_table, notes_section, summary_table
from arcuate.report.layer_curve import layer_curves
from arcuate.report.page import render_page
from arcuate.report.rdm_picture import rdm_plot
from arcuate.report.violins import NAMES, violin_plots

TONES = {"published files": "good", "stand-in": "caution", "missing": "bad"}
LEADS = {
    "voxel_selection": "Pairwise accuracy, sum match; 500 voxels chosen on the training part of every pair.",
    "pairwise": "500 voxels by explained variance on the training part, where there are more than 500.",
    "voxelwise_mean": "Selection on the test part is circular; it is shown as published, to show its effect.",
    "voxelwise_sum": "Sums depend on the number of voxels: compare only equal numbers.",
    "rsa": "Ours leave out the diagonal; published code kept it, which lifts Pearson even for noise.",
}
DIGITS = {"voxelwise_sum": 1, "rsa": 3}


def reproduction_page(made: Reproduction) -> str:
    """Render the whole reproduction.

    Examples
    --------
    >>> from arcuate.experiments.encoding_plan import Plan
    >>> nothing = Reproduction(Plan((), ("words: needs files.",), ()), (), {}, (), "reproduce:encoding")
    >>> "Beinborn" in reproduction_page(nothing)
    True
    """
    sections = [_sources(made), *(_table(name, made.rows) for name in TITLES if _of(name, made.rows))]
    sections += [*_baselines(made), *_subjects(made), *_layers(made)]
    if made.rdms is not None:
        plot = rdm_plot(made.rdms.matrices, made.rdms.stimuli)
        sections.append(Section("rdms", "Words: dissimilarity of brain and features", (plot,)))
    notes = [note for result in made.results.values() for note in result.get("notes", ())]
    sections.append(notes_section([*made.excluded, *dict.fromkeys(notes)]))
    return render_page(
        "Language–brain encoding: the tables of Beinborn, Abnar & Choenni (2019) again", _verdict(made), sections,
        subtitle="Every figure of tables 2 to 6 beside ours, computed with the faults of the published code mended.",
        signature=made.signature,
    )  # fmt: skip


def _verdict(made: Reproduction) -> Verdict:
    figures = {_key(row): row for row in made.rows}
    count = {data: sum(row.data == data and row.ours is not None for row in figures.values()) for data in TONES}
    lacking = sum(row.ours is None for row in figures.values())
    sentence = (
        f"Of {len(figures)} published figures, {count['published files']} have ours beside them from the published "
        f"files, {count['stand-in']} from stand-ins; {lacking} could not be computed here."
    )
    return Verdict("Made again in part" if lacking else "Made again", sentence, "neutral",
                   tuple(f"Missing: {line}" for line in made.plan.missing))  # fmt: skip


def _sources(made: Reproduction) -> Section:
    found = {source.role: source for source in made.plan.sources}
    rows = []
    for role, (published, _) in SOURCES.items():
        source = found.get(role)
        kind = "missing" if source is None else ("stand-in" if source.stand_in else "published files")
        what = source.stand_in if source else next((m for m in made.plan.missing if m.startswith(role)), "")
        rows.append((role, source.dataset if source else published, Tag(kind, TONES[kind]), what or "as published"))  # type: ignore[arg-type]
    columns = ("dataset", "reader", "data", "what")
    blocks: list[Block] = [Table("What each dataset of the paper is read from", columns, rows)]
    if made.excluded:
        blocks.append(Bullets(tuple(f"Left out: {line}" for line in made.excluded)))
    return Section("data", "Data", tuple(blocks))


def _of(name: str, rows: Sequence[ReproducedRow]) -> list[ReproducedRow]:
    return [row for row in rows if row.table == name]


def _key(row: ReproducedRow) -> tuple[object, ...]:
    voxels = row.voxels if row.aggregate else None
    return (row.table, row.dataset, row.metric, row.match, row.aggregate, voxels, row.select)


def _table(name: str, rows: Sequence[ReproducedRow]) -> Section:
    own = _of(name, rows)
    models = [f for f in dict.fromkeys(row.features for row in own) if f and f != "random"]
    digits = DIGITS.get(name, 2)
    with_random = name != "voxel_selection"
    columns: list[Column | str] = ["dataset", "data", "score"]
    columns += [Column("published", numeric=True, digits=digits, hint="with ELMo")]
    columns += [Column(model, numeric=True, digits=digits, hint="ours") for model in models]
    if with_random:
        columns += [Column(name, numeric=True, digits=digits) for name in ("published random", "random")]
    lines = []
    for key in dict.fromkeys(_key(row) for row in own):
        cells = {row.features: row.ours for row in own if _key(row) == key}
        first = next(row for row in own if _key(row) == key)
        line: list[object] = [first.dataset, Tag(first.data, TONES[first.data]), _score(first), first.published]  # type: ignore[arg-type]
        line += [cells.get(model) for model in models]
        if with_random:
            line += [first.published_random, cells.get("random")]
        lines.append(line)
    table = Table(TITLES[name], tuple(columns), lines, search=len(lines) > 12)
    return Section(name.replace("_", "-"), TITLES[name], (table,), LEADS[name])


def _score(row: ReproducedRow) -> str:
    parts = [NAMES.get(row.metric, row.metric), row.match]
    if row.aggregate:
        parts.append(NAMES.get(row.voxels or "", row.voxels))
    if row.select:
        parts.append(f"selection: {row.select}")
    return ", ".join(part for part in parts if part)


def _baselines(made: Reproduction) -> list[Section]:
    sections = []
    for role in ("alice", "harry"):
        result = made.results.get(f"{role}-baselines")
        if result is None:
            continue
        verdict = verdict_of(result["summary"], result["differences"])
        tone = verdict.tone if verdict.tone in ("good", "caution") else None
        blocks: tuple[Block, ...] = (
            Paragraph(f"{verdict.word}. {verdict.sentence}", tone),
            summary_table(result["summary"], f"{role.title()}: FIR delays 1 to 4 TR, alpha by voxel, blocks with gaps"),
            *violin_plots(result["scores"], result["summary"]),
            difference_table(result["differences"]),
        )
        lead = "Word rate, position, autocorrelation and random vectors hold no meaning: language must do better."
        sections.append(Section(f"{role}-baselines", f"{role.title()} against baselines", blocks, lead))
    return sections


def _subjects(made: Reproduction) -> list[Section]:
    sections = []
    for role in SOURCES:
        result = made.results.get(f"{role}-nulls") or made.results.get(f"{role}-tables")
        if result is None or f"{role}-baselines" in made.results:
            continue
        verdict = verdict_of(result["summary"], result["differences"])
        blocks: tuple[Block, ...] = (
            Paragraph(f"{verdict.word}. {verdict.sentence}"), *violin_plots(result["scores"], result["summary"])
        )  # fmt: skip
        sections.append(Section(f"{role}-subjects", f"{role.title()}: every subject", blocks))
    return sections


def _layers(made: Reproduction) -> list[Section]:
    return [
        Section(f"{role}-layers", f"{role.title()}: layer by layer", tuple(layer_curves(result["summary"])))
        for role in SOURCES
        if (result := made.results.get(f"{role}-layers")) and layer_curves(result["summary"])
    ]
