"""Reading, validating and counting tables, of every format and from every frame library."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arcuate as arc
from arcuate.errors import ArcuateError

FRAME = pl.DataFrame(
    {
        "sample": ["a", "b", "c", "d"],
        "subject": ["s1", "s1", "s2", "s3"],
        "text": ["Hello, world.", "Bye", "hello world", "Bye!"],
        "weight": [1.0, 2.0, 3.0, 4.0],
    }
)
RUNS = pl.DataFrame({"subject": ["s1", "s1", "s2"], "story": ["x", "x", "y"], "n_trs": [12, 10, 11]})

WRITERS = {
    ".csv": lambda frame, path: frame.write_csv(path),
    ".tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    ".parquet": lambda frame, path: frame.write_parquet(path),
    ".feather": lambda frame, path: frame.write_ipc(path),
}


@pytest.mark.parametrize("suffix", WRITERS)
def test_every_format_gives_the_same_graph_and_hash(suffix, tmp_path):
    path = tmp_path / f"table{suffix}"
    WRITERS[suffix](FRAME, path)
    table = arc.read_samples(path)
    assert table.identity_hash == arc.read_samples(FRAME).identity_hash
    assert table.graph.matrix().toarray().tolist() == arc.read_samples(FRAME).graph.matrix().toarray().tolist()
    assert len(table.graph.texts) == 2
    assert table.graph.total == 10


def frames():
    yield "pandas", lambda: FRAME.to_pandas()
    yield "polars", lambda: FRAME
    yield "polars lazy", lambda: FRAME.lazy()
    yield "pyarrow", lambda: FRAME.to_arrow()
    yield "duckdb", lambda: pytest.importorskip("duckdb").from_arrow(FRAME.to_arrow())
    yield "dask", lambda: pytest.importorskip("dask.dataframe").from_pandas(FRAME.to_pandas(), npartitions=2)


@pytest.mark.parametrize("make", [make for _, make in frames()], ids=[name for name, _ in frames()])
def test_every_library_gives_the_same_table(make):
    table, expected = arc.read_samples(make()), arc.read_samples(FRAME)
    assert table.identity_hash == expected.identity_hash
    assert table.rows().equals(expected.rows())
    assert table.graph.weights.tolist() == expected.graph.weights.tolist()


def test_a_frame_without_row_order_needs_sample_ids():
    dask = pytest.importorskip("dask.dataframe")
    table = arc.read_samples(dask.from_pandas(FRAME.drop("sample").to_pandas(), npartitions=2))
    assert table.graph.total == 10
    with pytest.raises(ArcuateError, match="add a column 'sample'"):
        table.rows()


def test_runs_are_counted_without_being_expanded():
    table = arc.read_samples(RUNS, window=10)
    assert (table.kind, table.unit, len(table)) == ("runs", "story", 3 + 1 + 2)
    assert table.graph.samples.tolist() == [4, 2]
    assert table.rows()["sample"].to_list() == ["0:0", "0:1", "0:2", "1:0", "2:0", "2:1"]


@given(st.lists(st.tuples(st.sampled_from("pqr"), st.sampled_from("xyz"), st.integers(3, 9)), min_size=1, max_size=6))
def test_counted_windows_equal_expanded_ones(runs):
    subjects, stories, lengths = zip(*runs, strict=True)
    table = arc.read_samples(pl.DataFrame({"subject": subjects, "story": stories, "n_trs": lengths}), window=3)
    rows = table.rows()
    assert len(rows) == len(table) == sum(n - 2 for n in lengths)
    expanded = arc.read_samples(rows)
    assert expanded.graph.matrix().toarray().tolist() == table.graph.matrix().toarray().tolist()


def test_where_keeps_the_row_numbers_of_the_whole_table():
    table = arc.read_samples(RUNS, window=10, where=["subject=s2"])
    assert table.rows()["sample"].to_list() == ["2:0", "2:1"]


def test_windows_of_a_story_make_the_story_the_node():
    frame = pl.DataFrame({"subject": ["a", "a"], "story": ["x", "x"], "segment": [0, 1], "text": ["p q", "q r"]})
    assert arc.read_samples(frame, window=2).unit == "story"
    assert arc.read_samples(frame, window=1).unit == "text"
    assert arc.read_samples(frame, window=2, unit="text").unit == "text"


def test_declared_variants_and_near_duplicates_become_one_node():
    table = arc.read_samples(RUNS, window=10, same_text=["x=y"])
    assert table.graph.texts.tolist() == ["x"]
    text = "it was the best of times it was the worst of times in the whole wide world"
    frame = pl.DataFrame({"subject": ["a", "b", "c"], "text": [text, text + " too", "another one"]})
    assert len(arc.read_samples(frame).graph.texts) == 3
    assert len(arc.read_samples(frame, near_duplicates=0.8).graph.texts) == 2
    with pytest.raises(ArcuateError, match="no story is called so"):
        arc.read_samples(RUNS, window=10, same_text=["x=z"])


def test_story_versions_are_found_by_their_windows():
    words = [f"w{i}" for i in range(40)]
    other = [*words[:39], "changed"]
    rows = [
        {"subject": "a", "story": story, "segment": i, "text": " ".join(text[i : i + 5])}
        for story, text in (("one", words), ("two", other), ("three", words[::-1]))
        for i in range(36)
    ]
    table = arc.read_samples(pl.DataFrame(rows), window=5, near_duplicates=0.8)
    assert table.graph.texts.tolist() == ["one", "three"]


def test_equal_texts_with_two_ids_are_one_node_and_one_id_for_two_texts_is_refused():
    frame = FRAME.with_columns(text_id=pl.Series(["t1", "t2", "t3", "t2"]))
    assert arc.read_samples(frame).graph.texts.tolist() == ["t1", "t2"]
    with pytest.raises(ArcuateError, match="'t1' stands for two different texts"):
        arc.read_samples(frame.with_columns(text_id=pl.lit("t1")))


def test_ids_that_look_like_numbers_stay_as_written(tmp_path):
    (tmp_path / "a.csv").write_text("subject,text_id\n001,1.0\n1,1\n")
    table = arc.read_samples(tmp_path / "a.csv")
    assert table.graph.subjects.tolist() == ["001", "1"]
    assert table.graph.texts.tolist() == ["1", "1.0"]


def test_the_word_nan_is_a_text():
    assert len(arc.read_samples(pl.DataFrame({"subject": ["a"], "text": ["nan"]}))) == 1


def test_groups_number_subjects_and_texts():
    groups = arc.read_samples(FRAME).groups
    assert groups[:, 0].tolist() == [0, 0, 1, 2]
    assert groups[0, 1] == groups[2, 1] != groups[1, 1]


def test_real_narratives_counts(shared_data):
    runs = shared_data / "narratives" / "runs.csv"
    table = arc.read_samples(runs, window=10, where=["shape=64x64x27", "excluded=0"])
    assert (len(table.graph.subjects), len(table.graph.texts), len(table)) == (228, 15, 234_210)
    table = arc.read_samples(runs, window=10, where=["excluded=0"])
    assert (len(table.graph.subjects), len(table.graph.texts), len(table)) == (338, 29, 369_012)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"subject": ["s1", "", "s2", "s3"]}, r"'subject' at row 2 is empty"),
        ({"subject": ["s1", None, "s2", "s3"]}, r"'subject' at row 2 is empty"),
        ({"subject": ["s1", "NaN", "s2", "s3"]}, r"'subject' at row 2 is 'NaN'"),
        ({"subject": [1.0, 2.0, float("nan"), 3.0]}, r"'subject' at row 3 is nan"),
        ({"text": ["a", "b", " ", "c"]}, r"'text' at row 3 is ' '"),
        ({"text": ["a", "b", "--", "c"]}, r"no letter and no digit"),
        ({"sample": ["a", "a", "b", "c"]}, r"'sample' holds 'a' 2 times"),
        ({"segment": [0, 1, -1, 2], "story": ["x"] * 4}, r"'segment' at row 3 is -1"),
        ({"segment": ["0", "1.5", "1", "2"], "story": ["x"] * 4}, r"'segment' at row 2 is '1.5'"),
        ({"segment": [0.0, 1.0, 1.5, 2.0], "story": ["x"] * 4}, r"'segment' at row 3 is 1.5"),
        ({"n_segments": [1, 0, 1, 1]}, r"n_segments"),
        ({"weight": [1.0, -2.0, 3.0, 4.0]}, r"'weight' at row 2 is -2.0"),
        ({"weight": ["1", "heavy", "3", "4"]}, r"'weight' at row 2 is 'heavy'"),
    ],
)
def test_bad_cells_are_refused_with_column_row_and_value(change, message):
    frame = FRAME.with_columns(**{name: pl.Series(values) for name, values in change.items()})
    with pytest.raises(ArcuateError, match=message):
        arc.read_samples(frame)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: arc.read_samples(FRAME.drop("subject")), "has no column 'subject'"),
        (lambda: arc.read_samples(FRAME.drop("text")), "has no column 'text'"),
        (lambda: arc.read_samples(FRAME.clear()), "has no rows"),
        (lambda: arc.read_samples(RUNS), "needs --window"),
        (lambda: arc.read_samples(RUNS, window=12), "'n_segments_total' at row 2 is 10.*longer than that run"),
        (lambda: arc.read_samples(RUNS, window=0), "window is 0"),
        (lambda: arc.read_samples(RUNS, window=3, where=["shape=1"]), "where names 'shape'"),
        (lambda: arc.read_samples(RUNS, window=3, where=["subject"]), "COLUMN=VALUE"),
        (lambda: arc.read_samples(RUNS, window=3, where=["subject=zz"]), "no rows left"),
        (lambda: arc.read_samples({"subject": [1]}), "is no table"),
    ],
)
def test_bad_tables_are_refused(make, message):
    with pytest.raises(ArcuateError, match=message):
        make()


def test_bad_files_are_refused(tmp_path):
    parquet = tmp_path / "cut.parquet"
    FRAME.write_parquet(parquet)
    parquet.write_bytes(parquet.read_bytes()[:-40])
    (tmp_path / "latin.csv").write_bytes(b"subject,text\ns1,caf\xe9\n")
    (tmp_path / "mixed.csv").write_bytes("subject,text\ns1,café\n".encode() + b"s2,caf\xe9\n")
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "header.csv").write_text("subject,text\n")
    (tmp_path / "twice.csv").write_text("subject,text,text\na,b,c\n")
    (tmp_path / "ragged.csv").write_text("subject,text\na,b,c\n")
    (tmp_path / "table.xlsx").write_bytes(b"PK")
    for name, message in {
        "cut.parquet": "damaged or cut off",
        "latin.csv": "not all UTF-8 .first at line 2.",
        "mixed.csv": "not all UTF-8 .first at line 3.",
        "empty.csv": "empty file",
        "header.csv": "no rows",
        "twice.csv": "two columns named 'text'",
        "ragged.csv": "cannot be read as csv",
        "table.xlsx": "Tables are read from",
        "absent.csv": "does not exist",
        ".": "is a folder",
    }.items():
        with pytest.raises(ArcuateError, match=message):
            arc.read_samples(tmp_path / name)


def test_pyspark_gives_the_same_counts():
    pyspark = pytest.importorskip("pyspark.sql")
    import shutil

    if not shutil.which("java"):
        pytest.skip("PySpark needs Java, which is not here")
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spark = pyspark.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
        try:
            frame = spark.createDataFrame([tuple(row) for row in FRAME.iter_rows()], FRAME.columns)
            table = arc.read_samples(frame)
            assert np.array_equal(table.graph.weights, arc.read_samples(FRAME).graph.weights)
            assert table.identity_hash == arc.read_samples(FRAME).identity_hash
        finally:
            spark.stop()
