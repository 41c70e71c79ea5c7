"""The decoding experiments as one page: findings first, then the papers' tables and Figure 5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from arcuate.atomic import write_text
from arcuate.experiments.decoding_results import NOT_JUDGED
from arcuate.report.blocks import Block, Column, Paragraph, Section, Table, Tag, Tone, Verdict
from arcuate.report.curves import curve_picture
from arcuate.report.page import render_page

Row = Mapping[str, Any]
_HOLDS = {True: Tag("holds", "good"), False: Tag("does not hold", "caution"), None: Tag("not in the grid", "neutral")}
_TONE: dict[str, Tone] = {"reads the brain": "good", "no evidence": "caution", "worse than control": "bad",
                          NOT_JUDGED: "neutral"}
_STYLE = {"a": "dotted", "f": "solid", "optimal": "solid"}


def write_decoding_page(results: Mapping[str, Any], path: str | Path) -> Path:
    """Write the page of a grid's results."""
    return write_text(path, decoding_page(results))


def decoding_page(results: Mapping[str, Any]) -> str:
    """The page as one string of HTML."""
    found = results["findings"]
    held = sum(one["holds"] is True for one in found)
    asked = sum(one["holds"] is not None for one in found)
    details = ("Simulated data at reduced size: the form of the papers' tables, not their datasets.",) \
        if results["simulated"] else ()
    answer = Verdict(
        f"{held} of {asked}",
        f"{held} of {asked} checks hold: each of the published findings, put to each dataset and model of this grid.",
        "neutral", details,
    )
    sections = [_findings(found), _verdicts(results["verdicts"]), *_tables(results["tables"]),
                _curves(results["curves"]), _splits(results["plans"])]
    return render_page(
        "Does it read the brain? The grid of controls", answer, sections,
        subtitle=f"{results['cells']['done']:,} of {results['cells']['asked']:,} cells",
        signature=results["signature"],
    )


def _findings(found: Sequence[Row]) -> Section:
    table = Table(
        "Published findings, put to this grid", ("finding", "data", "model", "here", "numbers (points of ROUGE-1 F)"),
        [(one["claim"], one["dataset"], one["model"], _HOLDS[one["holds"]], one["numbers"]) for one in found],
    )
    return Section("findings", "Which of the papers' findings hold here?", (table,))


def _verdicts(rows: Sequence[Row]) -> Section:
    table = Table(
        "Verdict on every trained model: real signal against shuffled, noise and zero",
        ("data", "model", "method", "audit", "training", "test set", "generation", Column("seed", True, 0), "verdict",
         Column("gain", True), Column("low", True), Column("high", True), Column("rank", True, 1, "50 is chance")),
        [(row["dataset"], row["model"], row["method"], Tag(row["audit"], "good" if row["audit"] == "clean" else "bad"),
          f"{row['train_input']}, {row['length']}", row["test_set"], row["generation"], row["seed"],
          Tag(row["verdict"], _TONE[row["verdict"]] if row["audit"] == "clean" else "neutral"),
          row["gain"], row["low"], row["high"], row["retrieval_rank"])
         for row in rows],
        search=True, note="Gain in ROUGE-1 F over shuffled input, with its 95% interval.",
    )
    return Section("verdicts", "Verdicts", (table,), "A verdict under a leaking split says nothing about new texts.")


def _tables(tables: Sequence[Row]) -> list[Section]:
    sections = []
    for table in tables:
        columns = tuple(
            Column(name.replace("_", " "), numeric=True, digits=0 if name == "seeds" else 2)
            if name not in ("dataset", "model", "method", "generation", "length") else name
            for name in table["columns"]
        )
        rows = [tuple(row.get(name) for name in table["columns"]) for row in table["rows"]]
        blocks: tuple[Block, ...] = (Table(table["title"], columns, rows, note=table["note"]),)
        name = "table-" + "-".join(part for part in table["number"].replace(",", " ").split())
        sections.append(Section(name, f"Table {table['number']}: {table['title']}", blocks))
    return sections


def _curves(rows: Sequence[Row]) -> Section:
    pictures: list[Block] = []
    chosen = [row for row in rows if row["stage"] in ("frame", "sequence") and row["length"] == "1x"
              and row["train_input"] == "real"]
    for dataset, model, stage in sorted({(row["dataset"], row["model"], row["stage"]) for row in chosen}):
        mine = [row for row in chosen if (row["dataset"], row["model"], row["stage"]) == (dataset, model, stage)]
        seed = min(row["seed"] for row in mine)
        curves = {f"({row['method']})": row["val_loss"]
                  for row in sorted(mine, key=lambda row: row["method"]) if row["seed"] == seed}
        pictures.append(curve_picture(curves, f"{dataset}, {model}: pre-training by {stage}, seed {seed}",
                                      styles={name: _STYLE.get(name.strip("()"), "dashed") for name in curves}))
    return Section("figure-5", "Figure 5: validation loss of the encoder's pre-training",
                   tuple(pictures) or (Paragraph("No encoder was pre-trained in this grid."),),
                   "Solid: no leak. Dotted: texts leak, signals do not. Dashed: signals leak.")


def _splits(plans: Sequence[Row]) -> Section:
    rows = [
        (plan["name"], split["method"], split["seed"],
         Tag(split["audit"], "good" if split["audit"] == "clean" else "bad") if split["audit"] else "–",
         *(split["counts"].get(part) for part in ("train", "val", "test", "dropped")),
         plan["additional_samples"], split["refused"] or "")
        for plan in plans for split in plan["splits"]
    ]
    counts = tuple(Column(name, True, 0) for name in ("train", "val", "test", "dropped", "additional"))
    table = Table("Splits", ("data", "method", Column("seed", True, 0), "audit", *counts, "refused"), rows)
    return Section("splits", "What was split, and what the audit says", (table,))
