"""No leak, ever: on generated tables of every shape, for every method that promises it."""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arcuate.errors import ArcuateError, NotPossible
from arcuate.samples.read import read_samples
from arcuate.splits.cross_validation import (
    CrossSubjectTextGridFold,
    CrossSubjectTextKFold,
    CrossSubjectTextSplit,
)
from arcuate.splits.folds import SCHEMES, CrossFolds
from arcuate.splits.methods import LEAK_FREE, METHODS, method_of

RATIOS = [(8, 1, 1), (1, 1), (3, 1), (9, 1), (1, 1, 1, 1), (2, 1, 1)]
WORDS = "the quick brown fox jumps over one lazy dog near a quiet river bank today".split()


@st.composite
def pairs(draw):
    """Who read what: crossed, sparse, one subject, isolated nodes."""
    n_subjects, n_texts = draw(st.integers(1, 7)), draw(st.integers(1, 9))
    crossed = [(s, t) for s in range(n_subjects) for t in range(n_texts)]
    shape = draw(st.sampled_from(["crossed", "sparse", "one subject", "isolated"]))
    if shape == "crossed":
        return crossed
    if shape == "one subject":
        return [(0, t) for t in range(n_texts)]
    found = draw(st.lists(st.sampled_from(crossed), min_size=1, max_size=25))  # repeated pairs stay
    if shape == "isolated":
        found += [(n_subjects + k, n_texts + k) for k in range(draw(st.integers(1, 4)))]
    return found


def spelled(number: int, variant: int) -> str:
    """Text `number`, in one of four wordings: as it is, re-punctuated, with another last word, or both."""
    start = [WORDS[(number * 3 + k * (1 + number % 4)) % len(WORDS)] for k in range(12)]
    words = [f"t{number}", *start]
    if variant >= 2:
        words[-1] = "elsewhere"  # one 3-shingle of eleven differs: Jaccard 10/12
    text = " ".join(words)
    return text.upper().replace(" ", ",  ") + "!" if variant % 2 else text


@st.composite
def sample_tables(draw):
    """A table of any kind, and how to read it."""
    kind = draw(st.sampled_from(["ids", "texts", "windows", "runs"]))
    edges = draw(pairs())
    frame = pl.DataFrame({"subject": [f"s{s}" for s, _ in edges]})
    if kind == "ids":
        frame = frame.with_columns(text_id=pl.Series([f"t{t}" for _, t in edges]))
        if draw(st.booleans()):
            frame = frame.with_columns(weight=pl.Series(draw(_list(st.integers(1, 40), len(edges)))))
        return frame, {}
    if kind == "texts":
        variants = draw(_list(st.integers(0, 3), len(edges)))
        words = [spelled(t, v) for (_, t), v in zip(edges, variants, strict=True)]
        return frame.with_columns(text=pl.Series(words)), {"near_duplicates": 0.8}
    frame = frame.with_columns(story=pl.Series([f"story{t}" for _, t in edges]))
    if kind == "windows":
        segments = draw(_list(st.integers(0, 20), len(edges)))
        return frame.with_columns(segment=pl.Series(segments)), {"window": draw(st.integers(1, 4))}
    totals = draw(_list(st.integers(4, 12), len(edges)))
    return frame.with_columns(n_trs=pl.Series(totals)), {"window": 4}


def _list(values, length):
    return st.lists(values, min_size=length, max_size=length)


def clusters(frame: pl.DataFrame) -> dict[str, int]:
    """Texts grouped by equality and near-equality, worked out here by brute force."""
    texts = frame["text"].unique().sort().to_list()
    group = {text: number for number, text in enumerate(texts)}
    for one in texts:
        for two in texts:
            if _key(one) == _key(two) or _jaccard(one, two) >= 0.8:
                old, new = group[one], group[two]
                group = {text: new if number == old else number for text, number in group.items()}
    return group


def _key(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in folded if character.isalnum())


def _jaccard(one: str, two: str) -> float:
    a, b = ({tuple(words[k:k + 3]) for k in range(len(words) - 2)}
            for words in (re.findall(r"\w+", text.casefold()) for text in (one, two)))
    return len(a & b) / len(a | b)


def sides(frame: pl.DataFrame, table) -> pl.DataFrame:
    """The split's frame with, for each row, its text as the test itself identifies it."""
    rows = table.rows("text") if table.columns.has("text") else table.rows()
    if "text" in rows.columns:
        group = clusters(rows)
        return frame.with_columns(identity=pl.Series([str(group[text]) for text in rows["text"]]))
    return frame.with_columns(identity=rows["text_id"] if "text_id" in rows.columns else rows["story"])


def assert_no_leak(frame: pl.DataFrame, table) -> None:
    rows = sides(frame, table)
    kept = rows.filter(pl.col("part") != "dropped")
    for column in ("subject", "identity"):
        parts = kept.group_by(column).agg(pl.col("part").n_unique())
        assert parts["part"].max() == 1, (column, kept)
    assert kept.filter(pl.col("reason").is_not_null()).is_empty()
    home = {column: dict(kept.select(column, "part").iter_rows()) for column in ("subject", "identity")}
    for row in rows.filter(pl.col("part") == "dropped").iter_rows(named=True):
        stated = re.fullmatch(r"subject in (\w+), (?:text|story) in (\w+)", row["reason"] or "")
        assert stated, row
        assert stated[1] != stated[2]
        assert home["subject"].get(row["subject"], stated[1]) == stated[1], row
        assert home["identity"].get(row["identity"], stated[2]) == stated[2], row


def refused(refusal: ArcuateError, for_reason: str) -> bool:
    """A table that cannot be split must be refused for that reason and no other."""
    assert re.search(for_reason, str(refusal)), refusal
    return False


def check_method(method: str, made, ratio, seed: int) -> bool:
    frame, options = made
    table = read_samples(frame, **options)
    extra = {"time_limit": 0.2, "tolerance": 0.5} if method == "optimal" else {}
    try:
        split = method_of(method, ratio, seed, **extra).split(table)
    except NotPossible as refusal:
        return refused(refusal, r"part '|ratio|[Nn]o split")
    assert split.frame["sample"].to_list() == table.rows()["sample"].to_list()
    assert all(split.counts[name] > 0 for name in split.parts)
    assert len(split.parts) == len(ratio)
    if method in LEAK_FREE:
        assert_no_leak(split.frame, table)
    else:
        assert split.counts["dropped"] == 0
    return True


FAST = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
SLOW = settings(max_examples=10_000, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("method", LEAK_FREE)
@FAST
@given(made=sample_tables(), ratio=st.sampled_from(RATIOS), seed=st.integers(0, 99))
def test_no_subject_or_text_is_on_two_sides(method, made, ratio, seed):
    check_method(method, made, ratio, seed)


@pytest.mark.slow
@pytest.mark.parametrize("method", LEAK_FREE)
@SLOW
@given(made=sample_tables(), ratio=st.sampled_from(RATIOS), seed=st.integers(0, 99))
def test_no_subject_or_text_is_on_two_sides_on_ten_thousand_tables(method, made, ratio, seed):
    check_method(method, made, ratio, seed)


@pytest.mark.parametrize("method", sorted(set(METHODS) - set(LEAK_FREE)))
@settings(FAST, max_examples=30)
@given(made=sample_tables(), ratio=st.sampled_from(RATIOS), seed=st.integers(0, 99))
def test_published_methods_place_every_sample(method, made, ratio, seed):
    frame, options = made
    if method in "bde" and "story" not in frame.columns:
        made = frame.with_columns(story=pl.lit("only") + (pl.int_range(pl.len()) % 3).cast(pl.String)), options
    check_method(method, made, ratio, seed)


def folded(made, scheme: str, k: int, seed: int) -> bool:
    frame, options = made
    table = read_samples(frame, **options)
    try:
        split = CrossFolds(folds=k, scheme=scheme, seed=seed).split(table)
    except ArcuateError as refusal:
        return refused(refusal, r"is empty|There are \d+")
    tested = np.zeros(len(table), int)
    for number in split.folds:
        one = split.fold(number)
        assert_no_leak(one.frame, table)
        tested += (one.frame["part"] == "test").to_numpy()
    assert tested.max() <= 1
    if scheme == "grid":
        assert (tested == 1).all(), "every sample is tested exactly once"
    return True


@pytest.mark.parametrize("scheme", SCHEMES)
@settings(FAST, max_examples=75)
@given(made=sample_tables(), k=st.integers(2, 3), seed=st.integers(0, 99))
def test_no_fold_leaks(scheme, made, k, seed):
    folded(made, scheme, k, seed)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
@settings(SLOW, max_examples=5000)
@given(made=sample_tables(), k=st.integers(2, 3), seed=st.integers(0, 99))
def test_no_fold_leaks_on_ten_thousand_tables(scheme, made, k, seed):
    folded(made, scheme, k, seed)


@pytest.mark.parametrize("splitter", [
    CrossSubjectTextKFold(2), CrossSubjectTextGridFold(2), CrossSubjectTextSplit(test_size=0.3, method="f"),
    CrossSubjectTextSplit(test_size=0.3, tolerance=0.5, time_limit=0.2),
], ids=["kfold", "grid", "f", "optimal"])
@settings(FAST, max_examples=40)
@given(made=sample_tables())
def test_no_scikit_learn_splitter_leaks(splitter, made):
    frame, options = made
    groups = read_samples(frame, **options).groups
    try:
        folds = list(splitter.split(groups, groups=groups))
    except ArcuateError as refusal:
        refused(refusal, r"empty|There are \d+|[Nn]o split")
        return
    for train, test in folds:
        assert len(train)
        assert len(test)
        for column in (0, 1):
            assert not set(groups[train, column]) & set(groups[test, column])


def test_most_crossed_tables_are_split_so_the_tests_above_are_not_empty():
    frame = pl.DataFrame({"subject": [f"s{i}" for i in range(8) for _ in range(8)],
                          "text": [spelled(t, i % 4) for i in range(8) for t in range(8)]})
    made = (frame, {"near_duplicates": 0.8})
    assert all(check_method(method, made, (2, 1, 1), 1) for method in LEAK_FREE)
    assert all(folded(made, scheme, 2, 1) for scheme in SCHEMES)
    assert len(set(clusters(frame).values())) == 8
