"""Texts that share a passage stay together; an audit then finds nothing on the real sentences."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest

from arcuate.errors import ArcuateError
from arcuate.leakage.audit import audit
from arcuate.samples.near_duplicates import link
from arcuate.samples.read import read_samples
from arcuate.splits.methods import split
from arcuate.splits.together import kept_together, passages_merged, shared_passages


def share(one: list[str], two: list[str], ngram: int) -> bool:
    """By the definition, slowly."""
    runs = [{tuple(text[k:k + ngram]) for k in range(len(text) - ngram + 1)} for text in (one, two)]
    if runs[0] & runs[1]:
        return True
    short, long = sorted((one, two), key=len)
    inside = any(long[k:k + len(short)] == short for k in range(len(long) - len(short) + 1))
    return 4 <= len(short) < ngram and inside


def test_linked_as_by_the_definition():
    rng = np.random.default_rng(0)
    for _ in range(200):
        texts = [[str(word) for word in rng.integers(0, 2, rng.integers(1, 12))] for _ in range(6)]
        expected = [(a, b) for a, b in itertools.combinations(range(6), 2) if share(texts[a], texts[b], 8)]
        assert link(6, shared_passages(texts, 8)).tolist() == link(6, expected).tolist()


def test_what_was_merged_before_stays_merged():
    texts = ["a b c d e f g h one", "two a b c d e f g h", "three three three three", "four"]
    frame = pl.DataFrame({"subject": list("abcd"), "text": texts})
    merged = read_samples(frame, same_text=["four=three three three three"])
    assert len(passages_merged(merged).graph.texts) == 2
    assert len(kept_together(merged, 0.8, None).graph.texts) == 3


def test_stories_are_left_alone():
    frame = pl.DataFrame({"subject": ["a", "b"], "story": ["x", "y"], "segment": [0, 0], "n_segments": [2, 2],
                          "text": ["a b c d e f g h i", "a b c d e f g h j"]})
    table = read_samples(frame)
    assert table.unit == "story"
    assert passages_merged(table) is table


def test_too_short_a_passage_is_refused():
    with pytest.raises(ArcuateError, match="Use 4 words or more"):
        passages_merged(read_samples(pl.DataFrame({"subject": ["a"], "text": ["x"]})), 3)


@pytest.mark.parametrize(("method", "options"), [("f", {}), ("optimal", {"time_limit": 5})])
def test_an_audit_of_zuco_finds_no_leak(shared_data, method, options):
    sentences = pl.read_csv(shared_data / "zuco" / "sentences.csv", infer_schema=False)
    readers = pl.DataFrame({"subject": [f"Z{k:02}" for k in range(12)]})
    table = read_samples(readers.join(sentences.select(text="sentence"), how="cross"))
    assert audit(table, split(table, method, **options)).verdict == "clean"
