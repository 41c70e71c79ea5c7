"""One group-by, whatever the library: the same counts; and what a tally refuses."""

from __future__ import annotations

import polars as pl
import pytest

from arcuate.errors import ArcuateError
from arcuate.leakage.audit import audit
from arcuate.leakage.tally import Tally


def engines(frame: pl.DataFrame):
    yield "polars", frame
    yield "lazy", frame.lazy()
    yield "pandas", frame.to_pandas()
    yield "pyarrow", frame.to_arrow()


@pytest.mark.parametrize("kind", ["messy_texts", "messy_windows"])
def test_every_frame_gives_the_same_findings(worlds, kind):
    frame = worlds[kind](3, 200)
    expected = audit(frame, name="t").to_dict()
    for name, given in engines(frame):
        assert audit(given, name="t").to_dict() == expected, name


def test_duckdb_gives_the_same_findings(worlds):
    duckdb = pytest.importorskip("duckdb")
    frame = worlds["messy_texts"](3, 200)
    relation = duckdb.connect().from_arrow(frame.to_arrow())
    assert audit(relation, name="t").to_dict() == audit(frame, name="t").to_dict()
    windows = worlds["messy_windows"](3, 200)
    relation = duckdb.connect().from_arrow(windows.to_arrow())
    assert audit(relation, name="t").to_dict() == audit(windows, name="t").to_dict()


def test_dask_gives_the_same_findings(worlds):
    dask = pytest.importorskip("dask.dataframe")
    frame = worlds["messy_windows"](4, 200)
    given = dask.from_pandas(frame.to_pandas(), npartitions=3)
    assert audit(given, name="t").to_dict() == audit(frame, name="t").to_dict()


@pytest.mark.slow
def test_pyspark_gives_the_same_findings(worlds):
    spark = pytest.importorskip("pyspark.sql")
    frame = worlds["messy_texts"](5, 200)
    session = spark.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        given = session.createDataFrame(frame.to_dicts())
        assert audit(given, name="t").to_dict() == audit(frame, name="t").to_dict()
    finally:
        session.stop()


def test_counts_sizes_and_totals(worlds):
    frame = worlds["messy_texts"](1, 300)
    tally = Tally.of(frame, "text")
    counts = dict(frame["part"].value_counts().iter_rows())
    assert tally.totals == counts
    assert tally.parts == ("train", "val", "test")
    for part in counts:
        one = frame.filter(pl.col("part") == part)
        keys = {text.upper().replace("!", "") for text in one["text"]}
        assert tally.sizes[part] == {
            "samples": len(one), "subjects": one["subject"].n_unique(), "texts": len(keys)}
    subjects = tally.by("subject")
    assert subjects["subject"].to_list() == sorted(frame["subject"].unique())
    assert subjects["test"].sum() == counts["test"]


def test_the_hash_is_of_the_counts_and_not_of_the_order(worlds):
    frame = worlds["messy_windows"](2)
    one = Tally.of(frame, "story")
    assert Tally.of(frame.reverse(), "story").hash == one.hash
    other = frame.with_columns(part=pl.when(pl.col("sample") == "0").then(pl.lit("test2")).otherwise("part"))
    assert Tally.of(other, "story").hash != one.hash
    longer = frame.with_columns(pl.col("n_segments") + 1)
    assert Tally.of(longer, "story").hash != one.hash


def test_the_window_fills_in_for_missing_segments_counts():
    frame = pl.DataFrame({"subject": ["a"], "story": ["x"], "segment": [3], "part": ["train"]})
    assert Tally.of(frame, "story", window=10).groups["n_segments"].to_list() == [10]
    assert Tally.of(frame, "story").groups["n_segments"].to_list() == [1]


@pytest.mark.parametrize(("change", "match"), [
    ({"part": pl.lit("training")}, "part is 'training'. Use train, val, test or dropped"),
    ({"part": pl.lit(None, pl.String)}, "part is None"),
    ({"subject": pl.lit(None, pl.String)}, "subject is empty in 1 groups"),
    ({"n_segments": pl.lit(0)}, "n_segments is 0"),
    ({"segment": pl.lit(None, pl.Int64)}, "segment is None"),
])
def test_bad_counts_are_refused(change, match):
    frame = pl.DataFrame({"subject": ["a"], "story": ["x"], "segment": [3], "n_segments": [2], "part": ["train"]})
    with pytest.raises(ArcuateError, match=match):
        Tally.of(frame.with_columns(**change), "story")


def test_missing_columns_are_named():
    with pytest.raises(ArcuateError, match="no column 'part'"):
        Tally.of(pl.DataFrame({"subject": ["a"], "text": ["x"]}), "text")
    with pytest.raises(ArcuateError, match=r"There is no column 'text', but \['subject', 'part'\]"):
        Tally.of(pl.DataFrame({"subject": ["a"], "part": ["train"]}), "text")
    with pytest.raises(ArcuateError, match="no column 'story' and no 'segment'"):
        Tally.of(pl.DataFrame({"subject": ["a"], "text": ["x"], "part": ["train"]}), "story")
    with pytest.raises(ArcuateError, match="no column 'part'"):
        Tally.from_groups(pl.DataFrame({"subject": ["a"], "samples": [1]}), "text")


def test_equal_texts_are_one_node_and_ids_stay_ids():
    frame = pl.DataFrame({"subject": ["a", "b"], "text": ["One two.", "one TWO"], "part": ["train", "train"]})
    assert Tally.of(frame, "text").groups["node"].n_unique() == 1
    ids = frame.rename({"text": "text_id"})
    assert Tally.of(ids, "text").groups["node"].to_list() == ["One two.", "one TWO"]
