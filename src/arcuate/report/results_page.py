"""One page from any result files of arcuate: what each says first, then its numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from arcuate.errors import ArcuateError
from arcuate.report.blocks import Block, Column, Facts, Paragraph, Section, Table, Tone, Verdict
from arcuate.report.page import render_page

ROWS_SHOWN = 300
_GOOD, _BAD = ("reads the brain", "clean", "proved"), ("leak", "worse than control")


def read_result(path: str | Path) -> dict[str, Any]:
    """Read one result: the JSON that a command of arcuate prints with `--json` or writes.

    Examples
    --------
    >>> read_result("nowhere.json")
    Traceback (most recent call last):
    ...
    arcuate.errors.ArcuateError: Cannot read nowhere.json: No such file or directory.
    """
    try:
        found = json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise ArcuateError(f"Cannot read {path}: {error.strerror}.") from error
    except ValueError as error:
        raise ArcuateError(f"{path} is not JSON: {error}. Give what a command printed with --json.") from error
    if not isinstance(found, dict):
        raise ArcuateError(f"{path} holds a {type(found).__name__}, not a result. Give what --json printed.")
    return found


def results_page(results: Mapping[str, Mapping[str, Any]]) -> str:
    """A page of several results, by name; a single grid of controls or encoding gets the page of its own.

    Examples
    --------
    >>> page = results_page({"a.json": {"verdict": "clean", "rates": {"bslr": 0.0}, "signature": "x:1"}})
    >>> "clean" in page and "bslr" in page
    True
    """
    if not results:
        raise ArcuateError("There is no result to show. Name at least one JSON file.")
    first = next(iter(results.values()))
    if len(results) == 1 and first.get("kind") == "decoding":
        from arcuate.report.decoding_page import decoding_page

        return decoding_page(first)
    if len(results) == 1 and {"scores", "summary", "ceilings"} <= first.keys():
        from arcuate.report.encoding_page import encoding_page

        return encoding_page(first)
    names = _anchors(list(results))
    said = [f"{name}: {_word(found)}" for name, found in results.items() if _word(found)]
    answer = Verdict(f"{len(results)} result{'s' * (len(results) > 1)}", said[0] if len(said) == 1 else
                     "What each result says:" if said else "Numbers below.", _tone(results.values()),
                     tuple(said) if len(said) > 1 else ())
    sections = [Section(anchor, name, tuple(_blocks(found)), str(found.get("sentence", "")))
                for anchor, (name, found) in zip(names, results.items(), strict=True)]
    return render_page("Results", answer, sections, subtitle=", ".join(results))


def _word(found: Mapping[str, Any]) -> str:
    return str(found.get("verdict", "")) if isinstance(found.get("verdict", ""), str) else ""


def _tone(results: Any) -> Tone:
    words = [_word(found) for found in results]
    if any(word in _BAD for word in words):
        return "bad"
    return "good" if words and all(word in _GOOD for word in words) else "neutral"


def _anchors(names: Sequence[str]) -> list[str]:
    return [f"r{number}-" + (re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "x")
            for number, name in enumerate(names, start=1)]


def _blocks(found: Mapping[str, Any]) -> list[Block]:
    """Plain values first, then every list of records as a table of its own."""
    facts: dict[str, object] = {}
    tables: list[Block] = []
    for name, value in _flat(found, ""):
        if _is_records(value):
            tables.append(_table(name, value))
        elif isinstance(value, (str, int, float)) or value is None:
            facts[name] = value
        elif isinstance(value, list) and len(value) <= 12:
            facts[name] = ", ".join(map(str, value))
    blocks: list[Block] = [Facts(facts)] if facts else []
    return [*blocks, *tables] or [Paragraph("This result is empty.")]


def _flat(found: Mapping[str, Any], prefix: str) -> list[tuple[str, Any]]:
    """Nested mappings as dotted names.

    Examples
    --------
    >>> _flat({"a": {"b": 1}, "c": 2}, "")
    [('a.b', 1), ('c', 2)]
    """
    flat: list[tuple[str, Any]] = []
    for name, value in found.items():
        flat += _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else [(f"{prefix}{name}", value)]
    return flat


def _is_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _table(name: str, records: Sequence[Mapping[str, Any]]) -> Table:
    shown = [dict(_flat(record, "")) for record in records[:ROWS_SHOWN]]
    names = [column for column in dict.fromkeys(column for row in shown for column in row)
             if not any(isinstance(row.get(column), (list, dict)) for row in shown)]
    numeric = {column: any(isinstance(row.get(column), (int, float)) for row in shown) for column in names}
    columns = tuple(Column(column, numeric=numeric[column], digits=3) for column in names)
    note = f"The first {ROWS_SHOWN} of {len(records):,} rows." if len(records) > ROWS_SHOWN else ""
    rows = [tuple(row.get(column) for column in names) for row in shown]
    return Table(name, columns, rows, search=len(rows) > 10, note=note)
