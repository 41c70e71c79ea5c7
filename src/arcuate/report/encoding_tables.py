"""Tables of an encoding result: scores over subjects, differences from baselines, ceilings, notes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from arcuate.report.blocks import Bullets, Column, Section, Table, Tag
from arcuate.report.violins import NAMES

Lines = Sequence[Mapping[str, Any]]
LEVEL = 0.05
# "alice/s18 and 26 more: what was left out"
_BY_SUBJECT = re.compile(r"^\S+/\S+?(?: and (?P<more>\d+) more)?: (?P<line>.*)$", re.DOTALL)


def summary_table(summary: Lines, caption: str = "Mean over subjects, 95% interval, permutation null") -> Table:
    """One row a score and set of features.

    Examples
    --------
    >>> summary_table([]).rows
    []
    """
    columns = ("features", "score", "voxels", Column("mean", numeric=True, digits=3),
               Column("low", numeric=True, digits=3, hint="95% bootstrap interval over subjects"),
               Column("high", numeric=True, digits=3), Column("permuted", numeric=True, digits=3),
               Column("p", hint="share of permutations that reach the mean"),
               Column("subjects", numeric=True))  # fmt: skip
    rows = [
        (line["features"], score_name(line), NAMES.get(line["voxels"], line["voxels"]), line["mean"], line["low"],
         line["high"], line["null_mean"], p_tag(line["p"]), line["n_subjects"])
        for line in summary
    ]  # fmt: skip
    return Table(caption, columns, rows, search=len(rows) > 12)


def difference_table(differences: Lines) -> Table:
    """Features less baseline, subject by subject.

    Examples
    --------
    >>> difference_table([]).caption
    'Difference from each baseline, subject by subject'
    """
    columns = ("features", "baseline", "score", "voxels", Column("difference", numeric=True, digits=3),
               Column("low", numeric=True, digits=3), Column("high", numeric=True, digits=3), "beyond 0")  # fmt: skip
    rows = [
        (d["features"], d["baseline"], score_name(d), NAMES.get(d["voxels"], d["voxels"]), d["mean"], d["low"],
         d["high"], Tag("yes", "good", 1) if (d["low"] or 0) > 0 else Tag("no", "neutral", 0))
        for d in differences
    ]  # fmt: skip
    return Table("Difference from each baseline, subject by subject", columns, rows, search=True)


def ceiling_table(ceilings: Lines) -> Table:
    """What no model can be expected to pass.

    Examples
    --------
    >>> ceiling_table([{"kind": "subjects", "voxels": "LPTL", "r": 0.4}]).rows[0][2]
    0.4
    """
    columns = ("between", "voxels", Column("r", numeric=True, digits=3), Column("low", numeric=True, digits=3),
               Column("high", numeric=True, digits=3))  # fmt: skip
    rows = [
        (f"{c['kind']}{' of ' + str(c['subject']) if c.get('subject') else ''}", c["voxels"], c["r"], c.get("low"),
         c.get("high"))
        for c in ceilings
    ]  # fmt: skip
    return Table("Noise ceilings: how well others, or repetitions, predict the same responses", columns, rows)


def notes_section(notes: Sequence[str], longest: int = 40) -> Section:
    """What was left out or filled in; many alike are counted.

    Examples
    --------
    >>> notes_section(["a/1: x is left out", "a/2 and 3 more: x is left out"]).blocks[0].items
    ('x is left out (5 subjects)',)
    """
    alike: dict[str, int] = {}
    for note in notes:
        by_subject = _BY_SUBJECT.match(note)
        line = by_subject["line"] if by_subject else note
        alike[line] = alike.get(line, 0) + 1 + int(by_subject["more"] or 0 if by_subject else 0)
    lines = [f"{line} ({count} subjects)" if count > 1 else line for line, count in alike.items()]
    if len(lines) > longest:
        lines = [*lines[:longest], f"and {len(lines) - longest} more, in the JSON"]
    return Section("notes", "What was left out or changed", (Bullets(tuple(lines)),))


def score_name(line: Mapping[str, Any]) -> str:
    """A score in words.

    Examples
    --------
    >>> score_name({"score": "pairwise", "metric": "cosine", "match": "sum", "aggregate": None})
    'pairwise cosine sum'
    """
    return " ".join(str(line[key]) for key in ("score", "metric", "match", "aggregate") if line[key])


def p_tag(p: float | None) -> Tag | None:
    """A p-value that is coloured by whether it is small.

    Examples
    --------
    >>> p_tag(0.01).tone, p_tag(0.4).tone, p_tag(None)
    ('good', 'neutral', None)
    """
    return None if p is None else Tag(f"{p:.3f}", "good" if p <= LEVEL else "neutral", p)
