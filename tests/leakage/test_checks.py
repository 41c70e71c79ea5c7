"""Every check: a planted leak is found, named and counted; a clean split stays silent; naive counts agree."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcuate.leakage.audit import audit
from arcuate.leakage.checks import CHECKS
from arcuate.leakage.evidence import Evidence, NotChecked, Settings
from arcuate.leakage.tally import Tally
from arcuate.samples.text_identity import text_key, words

SOME = settings(max_examples=min(40, settings().max_examples))
PAIRS = (("test", "train"), ("val", "train"), ("test", "val"))


def found_by(check, frame, unit="text", **options):
    tally = Tally.of(frame, unit)
    return list(CHECKS[check].run(Evidence(tally=tally, **options)))


def counted(findings, severity="leak"):
    return {
        finding.parts: (finding.samples, finding.culprits) for finding in findings if finding.severity == severity}


def row(frame, **values):
    """`frame` with one more sample."""
    extra = pl.DataFrame({"sample": [f"new{len(frame)}"], **{name: [value] for name, value in values.items()}})
    return pl.concat([frame, extra], how="diagonal_relaxed")


# --- naive counts on worlds full of leaks ---------------------------------------------------------

def naive(rows, pairs, touches, culprit):
    """(samples, culprits) by pair: rows of `later` that touch some row of `earlier`."""
    result = {}
    for later, earlier in pairs:
        there = [one for one in rows if one["part"] == earlier]
        hits = [one for one in rows if one["part"] == later and any(touches(one, other) for other in there)]
        if hits:
            result[(later, earlier)] = (len(hits), len({culprit(one) for one in hits}))
    return result


@given(seed=st.integers(0, 10**6))
@SOME
def test_subject_and_text_overlap_count_as_a_naive_loop_does(worlds, seed):
    frame = worlds["messy_texts"](seed, 50)
    rows = frame.to_dicts()
    same_subject = naive(rows, PAIRS, lambda a, b: a["subject"] == b["subject"], lambda a: a["subject"])
    assert counted(found_by("subject-overlap", frame)) == same_subject
    same_text = naive(
        rows, PAIRS, lambda a, b: text_key(a["text"]) == text_key(b["text"]), lambda a: text_key(a["text"]))
    assert counted(found_by("text-overlap", frame)) == same_text


def share_a_run(one, other, n=8, shortest=4):
    if text_key(one) == text_key(other):
        return False
    a, b = words(one), words(other)
    runs = {tuple(b[at:at + n]) for at in range(len(b) - n + 1)}
    if any(tuple(a[at:at + n]) in runs for at in range(len(a) - n + 1)):
        return True
    return any(
        shortest <= len(small) < n and any(large[at:at + len(small)] == small for at in range(len(large)))
        for small, large in ((a, b), (b, a)))


@given(seed=st.integers(0, 10**6))
@SOME
def test_ngram_overlap_counts_as_a_naive_loop_does(worlds, seed):
    frame = worlds["messy_texts"](seed, 40)
    expected = naive(
        frame.to_dicts(), PAIRS, lambda a, b: share_a_run(a["text"], b["text"]), lambda a: a["text"])
    assert counted(found_by("ngram-overlap", frame)) == expected


@given(seed=st.integers(0, 10**6))
@SOME
def test_near_duplicates_count_as_a_naive_loop_does(worlds, seed):
    frame = worlds["messy_texts"](seed, 40)

    def shingles(text):
        said = words(text)
        return {tuple(said[at:at + 3]) for at in range(max(1, len(said) - 2))}

    def near(a, b):
        one, two = shingles(a["text"]), shingles(b["text"])
        return text_key(a["text"]) != text_key(b["text"]) and len(one & two) / len(one | two) >= 0.5

    expected = naive(frame.to_dicts(), PAIRS, near, lambda a: a["text"])
    found = found_by("near-duplicate-text", frame, settings=Settings(near_duplicates=0.5))
    assert counted(found) == expected


def overlap(a, b):
    return (a["subject"], a["story"]) == (b["subject"], b["story"]) and (
        a["segment"] < b["segment"] + b["n_segments"] and b["segment"] < a["segment"] + a["n_segments"])


def gap(a, b):
    if (a["subject"], a["story"]) != (b["subject"], b["story"]):
        return float("inf")
    apart = max(b["segment"] - a["segment"] - a["n_segments"], a["segment"] - b["segment"] - b["n_segments"])
    return max(0, apart) * a["tr_s"]


@given(seed=st.integers(0, 10**6))
@SOME
def test_windows_count_as_a_naive_loop_does(worlds, seed):
    frame = worlds["messy_windows"](seed)
    rows = frame.to_dicts()
    run = lambda a: (a["subject"], a["story"])  # noqa: E731
    assert counted(found_by("window-overlap", frame, "story")) == naive(rows, PAIRS, overlap, run)
    expected = {}
    for later, earlier in PAIRS:
        there = [one for one in rows if one["part"] == earlier]
        hits = [
            one for one in rows if one["part"] == later and there and not any(overlap(one, other) for other in there)
            and min(gap(one, other) for other in there) < 10]
        if hits:
            expected[(later, earlier)] = (len(hits), len({run(one) for one in hits}))
    assert counted(found_by("closer-than-response", frame, "story"), "warning") == expected


@given(seed=st.integers(0, 10**6))
@SOME
def test_shared_segments_count_as_a_naive_loop_does(worlds, seed):
    frame = worlds["messy_windows"](seed)
    rows = frame.to_dicts()
    told = {one.parts: one.message for one in found_by("text-overlap", frame, "story") if one.severity == "leak"}
    same_story = lambda a, b: overlap({**a, "subject": ""}, {**b, "subject": ""})  # noqa: E731
    found = found_by("text-overlap", frame, "story")
    expected = naive(rows, PAIRS, same_story, lambda a: a["story"])
    assert counted(found) == expected
    for (later, earlier), (_, stories) in expected.items():
        named = "1 story" if stories == 1 else f"{stories} stories"
        assert told[(later, earlier)] == f"segments of {named} in {later} also in {earlier}"
    for pair, (samples, culprits) in counted(found, "warning").items():
        shared = {one["story"] for one in rows if one["part"] == pair[0]} & {
            one["story"] for one in rows if one["part"] == pair[1]}
        leaking = {one["story"] for one in rows if one["part"] == pair[0] and any(
            same_story(one, other) for other in rows if other["part"] == pair[1])}
        assert culprits == len(shared - leaking) > 0
        assert samples == sum(one["part"] == pair[0] and one["story"] in shared - leaking for one in rows)


# --- clean worlds: no false alarm -----------------------------------------------------------------

def silent(frame):
    found = audit(frame)
    assert found.verdict == "clean"
    assert [one for one in found.findings if one.check != "imbalance"] == []
    assert set(found.rates.bslr.values()) | set(found.rates.tslr.values()) == {0.0}


@pytest.mark.parametrize("kind", ["clean_texts", "clean_windows"])
@given(seed=st.integers(0, 10**6))
@SOME
def test_clean_worlds_stay_silent(worlds, kind, seed):
    silent(worlds[kind](seed))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["clean_texts", "clean_windows"])
def test_a_thousand_clean_worlds_stay_silent(worlds, kind):
    for seed in range(1_000):
        silent(worlds[kind](seed))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["messy_texts", "messy_windows"])
def test_a_thousand_leaking_worlds_are_never_called_clean(worlds, kind):
    for seed in range(1_000):
        frame = worlds[kind](seed, 30)
        subjects = {part: set(frame.filter(pl.col("part") == part)["subject"]) for part in ("train", "val", "test")}
        if subjects["train"] & subjects["test"] or subjects["train"] & subjects["val"]:
            assert audit(frame).verdict == "leak"


# --- planted leaks, by name -----------------------------------------------------------------------

@pytest.fixture
def texts(worlds):
    return worlds["clean_texts"](7)


@pytest.fixture
def windows(worlds):
    return worlds["clean_windows"](7)


def leaks(frame):
    return {one.check: one for one in audit(frame).of("leak")}


def test_a_planted_subject_is_named(texts):
    planted = row(row(texts, subject="sub-0a", story="s", text="unheard", part="test"),
                  subject="sub-0a", story="s", text="unheard of", part="test")
    found = leaks(planted)["subject-overlap"]
    in_train = len(texts.filter((pl.col("subject") == "sub-0a") & (pl.col("part") == "train")))
    in_test = len(planted.filter(pl.col("part") == "test"))
    assert found.examples == (f"sub-0a: 2 in test, {in_train:,} in train",)
    assert (found.samples, found.culprits, found.parts) == (2, 1, ("test", "train"))
    assert found.share == pytest.approx(2 / in_test)
    assert found.message == f"1 of {texts.filter(pl.col('part') == 'test')['subject'].n_unique() + 1} " \
                            "subjects in test also in train"


def test_a_planted_text_is_quoted_whatever_its_punctuation(texts):
    text = texts.filter(pl.col("part") == "train")["text"].sort()[0]
    planted = row(texts, subject="sub-2a", story="s", text=f"«{text.upper()}»!", part="test")
    found = leaks(planted)["text-overlap"]
    assert (found.samples, found.culprits) == (1, 1)
    assert "“" in found.examples[0]
    assert found.examples[0].endswith("in train")
    assert audit(planted).rates.tslr["test_train"] > 0


def test_a_planted_near_duplicate_is_named_with_its_jaccard(texts):
    long = "one two three four five six seven eight nine ten eleven twelve"
    planted = row(row(texts, subject="sub-0a", story="s", text=long, part="train"),
                  subject="sub-2a", story="s", text=f"{long} thirteen", part="test")
    found = leaks(planted)
    assert found["near-duplicate-text"].examples == (
        f"Jaccard 0.91: “{long} thirteen” in test, “{long}” in train",)
    assert found["near-duplicate-text"].samples == 1
    assert "text-overlap" not in found
    far = audit(planted, settings={"near_duplicates": 0.95})
    assert "near-duplicate-text" not in {one.check for one in far.findings}


def test_a_planted_passage_and_a_planted_short_sentence_are_quoted(texts):
    passage = "it was the best of times it"
    planted = row(row(texts, subject="sub-0a", story="s", text=f"He wrote {passage} was, long ago", part="train"),
                  subject="sub-2a", story="s", text=f"Indeed, {passage} was not so", part="test")
    assert leaks(planted)["ngram-overlap"].examples == (
        f"“{passage} was” in test; train has “He wrote {passage} was, long ago”",)
    seven = row(row(texts, subject="sub-0a", story="s", text=f"He wrote {passage} ended", part="train"),
                subject="sub-2a", story="s", text=f"Indeed, {passage} began", part="test")
    assert "ngram-overlap" not in leaks(seven)
    short = row(row(texts, subject="sub-0a", story="s", text="the cat sat down", part="train"),
                subject="sub-2a", story="s", text="then the cat sat down at once", part="test")
    assert leaks(short)["ngram-overlap"].samples == 1
    tiny = row(row(texts, subject="sub-0a", story="s", text="the cat sat", part="train"),
               subject="sub-2a", story="s", text="then the cat sat down at once", part="test")
    assert "ngram-overlap" not in leaks(tiny)


def test_versions_of_a_story_are_named_but_short_windows_may_agree():
    said = [f"w{k} w{k + 1} w{k + 2}" for k in range(30)]
    frame = pl.DataFrame({
        "subject": ["a"] * 30 + ["b"] * 30, "story": ["first"] * 30 + ["second"] * 30, "segment": [*range(30)] * 2,
        "n_segments": [2] * 60, "text": [*said, *said[:28], "x y z", "z y x"], "part": ["train"] * 30 + ["test"] * 30})
    [found] = found_by("near-duplicate-text", frame, "story")
    assert found.examples == ("Jaccard 0.88: “second” in test, “first” in train",)
    assert (found.samples, found.culprits) == (30, 1)
    chance = frame.with_columns(text=pl.Series(said + [f"v{k} v{k + 1} v{k + 2}" for k in range(29)] + [said[3]]))
    assert found_by("near-duplicate-text", chance, "story") == []
    assert found_by("ngram-overlap", chance, "story") == []
    long = " ".join(f"u{k}" for k in range(8))
    quoted = frame.with_columns(text=pl.Series([long, *said[1:], f"so {long}", *(f"v{k}" for k in range(29))]))
    assert [one.samples for one in found_by("ngram-overlap", quoted, "story")] == [1]
    same = frame.with_columns(text=pl.Series([long, *said[1:], long, *(f"v{k}" for k in range(29))]))
    assert [one.samples for one in found_by("ngram-overlap", same, "story")] == [1]
    six = quoted.with_columns(pl.col("text").str.replace("u6 u7", ""))
    assert found_by("ngram-overlap", six, "story") == []


def test_a_planted_window_is_named_by_run(windows):
    base = windows.filter((pl.col("part") == "train") & (pl.col("story") == "x0")).row(0, named=True)
    end = base["segment"] + base["n_segments"]
    planted = row(windows, subject=base["subject"], story="x0", segment=end - 1, n_segments=2, tr_s=1.5, part="test")
    found = leaks(planted)
    assert found["window-overlap"].examples == (f"{base['subject']} · x0: 1 window",)
    assert found["window-overlap"].samples == 1
    assert found["text-overlap"].samples == 1


def test_one_window_overlaps_and_two_windows_overlap():
    frame = pl.DataFrame({
        "subject": ["a"] * 4, "story": ["x"] * 4, "segment": [0, 2, 3, 9], "n_segments": [5] * 4, "tr_s": [1.0] * 4,
        "part": ["train", "test", "test", "val"]})
    [overlap] = found_by("window-overlap", frame, "story")
    assert overlap.message == "2 windows of test overlap a window of the same run in train"
    assert overlap.examples == ("a · x: 2 windows",)
    assert (overlap.kind, overlap.culprits) == ("L1.4", 1)
    near = found_by("closer-than-response", frame, "story")
    assert [one.message for one in near] == [
        "1 window of val begins or ends within 10 s of a window of the same run in train",
        "2 windows of test begin or end within 10 s of a window of the same run in val"]


def test_stories_on_two_sides_are_named_the_largest_first():
    frame = pl.DataFrame({
        "subject": [*"abcde"], "story": ["y", "y", "x", "x", "x"], "segment": [0, 9, 0, 9, 10], "n_segments": [2] * 5,
        "part": ["train", "test", "train", "test", "test"]})
    [found] = found_by("text-overlap", frame, "story")
    assert found.examples == ("x: 2 in test, 1 in train", "y: 1 in test, 1 in train")
    assert found.severity == "warning"
    with pytest.raises(NotChecked, match="^no times are known: the table has no 'tr_s'"):
        found_by("closer-than-response", frame, "story")


def test_windows_of_other_runs_are_never_near_however_short_the_runs():
    frame = pl.DataFrame({
        "subject": ["a", "b", "c", "a"], "story": ["x", "x", "y", "z"], "segment": [0, 0, 1, 0], "n_segments": [1] * 4,
        "tr_s": [0.5] * 4, "part": ["train", "test", "test", "test"]})
    assert found_by("closer-than-response", frame, "story") == []
    assert found_by("window-overlap", frame, "story") == []


def test_runs_of_one_subject_and_story_are_told_apart(windows):
    frame = pl.DataFrame({
        "subject": ["a", "a"], "story": ["x", "x"], "run": ["1", "2"], "segment": [0, 0], "n_segments": [5, 5],
        "part": ["train", "test"]})
    assert found_by("window-overlap", frame, "story") == []
    same = found_by("window-overlap", frame.with_columns(run=pl.lit("1")), "story")
    assert same[0].examples == ("a · x · 1: 1 window",)


@pytest.mark.parametrize(("start", "near"), [(10, True), (16, True), (17, False), (40, False)])
def test_windows_within_the_response_are_a_warning(start, near):
    frame = pl.DataFrame({
        "subject": ["a", "a"], "story": ["x", "x"], "segment": [0, start], "n_segments": [10, 2],
        "tr_s": [1.5, 1.5], "part": ["train", "test"]})
    found = found_by("closer-than-response", frame, "story")  # 6 segments are 9 s, 7 are 10.5 s
    assert bool(found) == near
    if near:
        assert (found[0].severity, found[0].samples, found[0].examples) == ("warning", 1, ("a · x: 1 window",))
    exact = frame.with_columns(tr_s=pl.lit(10 / 6), segment=pl.Series([0, 16]))
    assert found_by("closer-than-response", exact, "story") == []  # 10 s are not closer than 10 s
