"""Method optimal on tables: pins, strata, ratio kinds, refusal. (The solver itself: test_optimal_*.)"""

from __future__ import annotations

import polars as pl
import pytest

from arcuate.errors import ArcuateError, NotPossible
from arcuate.samples.read import read_samples
from arcuate.splits.methods import split
from arcuate.splits.optimum import strata


def sparse_table(**columns):
    """Twelve subjects in four sessions of three texts each; sessions overlap a little."""
    rows = [(f"s{i:02}", f"t{3 * (i % 4) + j}") for i in range(12) for j in range(3)]
    rows += [("s00", "t3"), ("s05", "t9")]
    frame = pl.DataFrame(rows, schema=["subject", "text_id"], orient="row")
    return read_samples(frame.with_columns(**columns))


def part_of(made, column: str, name: str) -> set[str]:
    return set(made.frame.filter((pl.col(column) == name) & (pl.col("part") != "dropped"))["part"])


def test_the_manifest_carries_the_proof():
    made = split(sparse_table(), ratio=(2, 1, 1), tolerance=0.1)
    known = made.manifest
    assert known["proved"]
    assert known["bound"] == known["retained"]
    assert known["gap"] == 0
    # 2 : 1 : 1 of four sessions of 9 samples: only the two strays need go
    assert known["retained"] == pytest.approx(36 / 38, abs=0.03)


def test_pins_hold_for_subjects_and_texts():
    made = split(sparse_table(), ratio=(2, 1, 1), tolerance=0.2, pins=("s03=test", "text:t0=val"))
    assert part_of(made, "subject", "s03") <= {"test"}
    assert part_of(made, "text_id", "t0") <= {"val"}


@pytest.mark.parametrize(("pin", "message"), [
    ("s03", "Write NAME=PART"), ("s03=dropped", "one of train, val, test"),
    ("nobody=test", "no subject and no text is"), ("text:s03=test", "no text is named 's03'"),
])
def test_wrong_pins_are_refused(pin, message):
    with pytest.raises(ArcuateError, match=message):
        split(sparse_table(), pins=(pin,))


def test_a_name_on_both_sides_must_say_which():
    both = read_samples(pl.DataFrame({"subject": ["x", "y"], "text_id": ["x", "z"]}))
    with pytest.raises(ArcuateError, match="Write subject:x=test"):
        split(both, ratio=(1, 1), pins=("x=test",))
    made = split(both, ratio=(1, 1), pins=("subject:x=test",))
    assert part_of(made, "subject", "x") == {"test"}


def test_pinning_to_two_parts_is_refused():
    with pytest.raises(ArcuateError, match="pinned to two parts"):
        split(sparse_table(), pins=("s03=test", "s03=val"))


@pytest.mark.parametrize("kind", ["samples", "subjects", "texts"])
def test_the_ratio_is_of_what_was_asked(kind):
    made = split(sparse_table(), ratio=(2, 1, 1), ratio_of=kind, tolerance=0.25)
    shares = made.manifest["ratios"][kind]
    assert all(abs(share / asked - 1) <= 0.25 + 1e-9 for share, asked in zip(shares, (0.5, 0.25, 0.25), strict=True))


def test_minimum_numbers_hold():
    made = split(sparse_table(), ratio=(2, 1, 1), tolerance=0.5, min_subjects=3, min_texts=3)
    assert min(made.manifest["subjects"].values()) >= 3
    assert min(made.manifest["texts"].values()) >= 3


def test_what_cannot_be_is_refused_with_the_nearest_ratio():
    two = read_samples(pl.DataFrame({"subject": ["a", "b"], "text_id": ["x", "y"]}))
    with pytest.raises(NotPossible, match=r"[Nn]earest") as refusal:
        split(two, ratio=(8, 2))
    assert refusal.value.exit_code == 1


def test_strata_are_of_subjects_or_of_texts():
    by_subject = sparse_table(sex=pl.when(pl.col("subject") < "s06").then(pl.lit("f")).otherwise(pl.lit("m")))
    assert strata(by_subject, "sex") == (["f"] * 6 + ["m"] * 6, None)
    by_text = sparse_table(task=pl.col("text_id").str.slice(1, 1))
    assert strata(by_text, "task")[1][:3] == ["0", "1", "1"]  # t0, t1, t10
    by_row = sparse_table(mood=pl.int_range(pl.len()).cast(pl.String))
    with pytest.raises(ArcuateError, match="one value neither a subject nor a text"):
        strata(by_row, "mood")
    with pytest.raises(ArcuateError, match="no column 'absent'"):
        strata(by_row, "absent")


def test_many_numbers_are_cut_into_quarters():
    ages = sparse_table(age=20 + 3 * pl.col("subject").str.slice(1).cast(pl.Int64))
    found, _ = strata(ages, "age")
    assert sorted(set(found)) == ["quarter 1", "quarter 2", "quarter 3", "quarter 4"]
    assert max(found.count(label) for label in set(found)) == 3


def test_stratifying_costs_nothing_where_subjects_are_alike():
    rows = [(f"s{i:02}", f"t{j}") for i in range(20) for j in range(10)]
    sex = pl.when(pl.col("subject") < "s10").then(pl.lit("f")).otherwise(pl.lit("m"))
    frame = pl.DataFrame(rows, schema=["subject", "text_id"], orient="row").with_columns(sex=sex)
    table = read_samples(frame)
    plain = split(table, ratio=(1, 1), tolerance=0.1, time_limit=2)
    even = split(table, ratio=(1, 1), tolerance=0.1, time_limit=2, stratify="sex")
    assert even.manifest["retained"] == plain.manifest["retained"]
    joined = even.frame.join(frame.select("subject", "sex").unique(), on="subject")
    kept = joined.filter(pl.col("part") != "dropped")
    for _, part in kept.group_by("part"):
        women, men = (part.filter(pl.col("sex") == sex)["subject"].n_unique() for sex in "fm")
        assert abs(women - men) <= 1
