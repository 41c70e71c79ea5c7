"""Every word of an audit, on two small tables that were checked by hand: tests/leakage/expected/*.json."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from arcuate.leakage.audit import audit

EXPECTED = Path(__file__).parent / "expected"
TIMES = "It was the best of times, it was the worst of times"
TABLES = {
    "texts": pl.DataFrame({
        "sample": [f"s{k}" for k in range(12)],
        "subject": ["Ann", "Ann", "ann ", "Bob", "Bob", "Cyd", "Cyd", "Dan", "Dan", "Eve", "Eve", "Fay"],
        "story": ["one", "One", "one", "two", "two", "three", "three", "Two", "two", "two", "two", "two"],
        "text": [
            f"{TIMES}.", "Call me Ishmael.", "call me ishmael!", f"{TIMES}, really.", "The cat sat down.",
            "Then the cat sat down at once.", "All happy families are alike.", "A tale of two.", "A tale of two.",
            "Nothing else.", "Nothing else.", "Dropped words."],
        "part": ["train", "train", "test", "test", "train", "val", "val", "test", "val", "test", "train", "dropped"],
        "age": [20, 20, 60, 61, 61, 30, 30, 70, 70, 25, 25, 50], "sex": [*"FFMMMFFMMFFF"]}),
    "windows": pl.DataFrame({
        "subject": [*"aaaabbbcc"], "story": [*"xxxyxxyzz"],
        "run": [None, None, "2", "1", "1", "1", "1", "1", "1"], "segment": [0, 4, 0, 0, 3, 3, 30, 0, 9],
        "n_segments": [5, 5, 5, 5, 2, 2, 5, 5, 5], "tr_s": ["2.0"] * 9,
        "part": ["train", "test", "test", "train", "val", "val", "test", "train", "test"]}),
}


@pytest.mark.parametrize("name", TABLES)
def test_an_audit_says_what_was_checked_by_hand(name):
    found = audit(TABLES[name], name=name).to_dict()
    found["signature"] = found["signature"].rpartition("|arcuate:")[0]
    assert found == json.loads((EXPECTED / f"{name}.json").read_text(encoding="utf-8"))
