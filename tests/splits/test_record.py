"""The split as a file: bytes, manifest, every form that it may come in, every way to be wrong."""

from __future__ import annotations

import hashlib
import json

import polars as pl
import pytest

from arcuate.errors import ArcuateError
from arcuate.samples.read import read_samples
from arcuate.splits.check import check_split
from arcuate.splits.folds import CrossFolds
from arcuate.splits.methods import METHODS, split
from arcuate.splits.record import Split, manifest_path, read_split, write_split

ROWS = [(f"s{i}", f"t{j}") for i in range(6) for j in range(6)]
FRAME = pl.DataFrame(ROWS, schema=["subject", "text_id"], orient="row")


@pytest.fixture
def table():
    return read_samples(FRAME)


@pytest.fixture
def made(table) -> Split:
    return split(table, "f", (2, 1, 1), seed=1)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_split_comes_back_as_it_was_written(made, table, tmp_path, suffix):
    path = write_split(made, tmp_path / f"split{suffix}")
    back = read_split(path, table)
    assert back.frame.equals(made.frame)
    assert back.hash == made.hash
    assert back.manifest == made.manifest
    assert read_split(path).counts == made.counts


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_the_same_seed_gives_the_same_bytes(table, tmp_path, suffix):
    digests, manifests = set(), set()
    for run in ("one", "two"):
        path = write_split(split(table, "f", (2, 1, 1), seed=1), tmp_path / f"{run}{suffix}")
        digests.add(hashlib.sha256(path.read_bytes()).hexdigest())
        lines = manifest_path(path).read_text().splitlines()
        manifests.add("\n".join(line for line in lines if not line.startswith('  "seconds"')))
    assert len(digests) == 1
    assert len(manifests) == 1, "all but seconds is reproducible"


def test_the_manifest_says_what_product_md_asks(made):
    needed = {"method", "options", "seed", "arcuate", "table", "split_sha256", "retained", "ratios", "bound", "gap",
              "proved", "counts", "seconds", "signature"}
    assert needed <= set(made.manifest)
    assert set(made.manifest["ratios"]) == {"samples", "subjects", "texts"}
    assert made.manifest["table"]["sha256"]
    json.dumps(made.manifest)


def test_measures_count_weight_and_what_is_kept():
    frame = pl.DataFrame({"subject": ["a", "a", "b", "b"], "text_id": ["x", "y", "x", "y"], "weight": [6, 1, 1, 2]})
    made = split(frame, "f", (1, 1))
    assert made.manifest["retained"] in (0.8, 0.2)
    assert sorted(made.manifest["ratios"]["subjects"]) == [0.5, 0.5]
    sizes = {0.8: [0.25, 0.75], 0.2: [0.5, 0.5]}
    assert sorted(made.manifest["ratios"]["samples"]) == sizes[made.manifest["retained"]]


def forms(made: Split, folder):
    """The same split in every form that product.md names."""
    ids = {part: made.frame.filter(pl.col("part") == part)["sample"].to_list() for part in (*made.parts, "dropped")}
    kept = {part: ids[part] for part in made.parts}
    yield "csv", write_split(made, folder / "split.csv")
    yield "parquet", write_split(made, folder / "split.parquet")
    made.frame.select("sample", "part").write_csv(folder / "bare.tsv", separator="\t")
    yield "tsv", folder / "bare.tsv"
    (folder / "all.json").write_text(json.dumps(ids))
    yield "json", folder / "all.json"
    (folder / "numbers.json").write_text(json.dumps({part: list(map(int, some)) for part, some in kept.items()}))
    yield "json of numbers without the dropped", folder / "numbers.json"
    yield "mapping", kept
    lists = folder / "lists"
    lists.mkdir()
    for part, some in kept.items():
        (lists / f"{part}_ids.txt").write_text("\n".join(some) + "\n")
    yield "folder", lists
    yield "three files", [lists / f"{part}_ids.txt" for part in kept]
    yield "mapping of files", {part: lists / f"{part}_ids.txt" for part in kept}
    yield "frame", made.frame.reverse()


def test_every_form_gives_the_same_split(made, table, tmp_path):
    for name, source in forms(made, tmp_path):
        back = read_split(source, table)
        assert back.hash == made.hash, name
        assert back.manifest["retained"] == made.manifest["retained"], name
        assert back.reasons()["samples"].sum() == made.counts["dropped"], name


def test_a_part_column_inside_the_table(made):
    inside = read_samples(FRAME.with_columns(part=made.frame["part"]))
    assert read_split(inside, inside).hash == made.hash
    assert read_split(None, inside).hash == made.hash


def test_a_table_without_parts_is_no_split(table):
    with pytest.raises(ArcuateError, match=r"has no column 'part'; its columns are subject, text_id"):
        read_split(table, table)


def rows(*given: tuple[str, str]) -> pl.DataFrame:
    return pl.DataFrame(given, schema=["sample", "part"], orient="row")


WHOLE = [(str(k), "train" if k % 2 else "test") for k in range(36)]


@pytest.mark.parametrize(("source", "message"), [
    (rows(*WHOLE[:5], ("5", "trian"), *WHOLE[6:]), r"row 6: part is 'trian'. Use train, val, test or dropped"),
    (rows(*WHOLE[:35], ("35", None)), r"row 36: part is None"),
    (rows(*WHOLE, ("7", "test")), r"Sample '7' stands twice: .*row 8 \(train\) and .*row 37 \(test\)"),
    (rows(*WHOLE, ("99", "test")), r"row 37: sample '99' is not in the table"),
    (rows(*WHOLE[:30]), r"does not name 6 of the table's 36 samples, such as '30'"),
    (rows(*[(name, "dropped") for name, _ in WHOLE]), r"puts no sample in any part"),
    (rows(*WHOLE).drop("part"), r"no column 'part'"),
    (rows(*WHOLE).rename({"sample": "id"}), r"no column 'sample'; it has \['id', 'part'\]"),
    (rows(*WHOLE).with_columns(subject=pl.lit("s0")), r"row 7: sample '6' has subject 's0', but 's1' in the table"),
    (rows(*WHOLE).with_columns(fold=pl.lit("x")), r"row 1: fold is 'x'"),
    ({"train": ["1"], "dev": ["2"]}, r"part 'dev' is not known"),
    ({"train": ["1"], "test": "nowhere.txt"}, r"nowhere.txt cannot be read"),
    ({"train": ["1"], "test": [["2"]]}, r"part 'test' is list. Give a list of sample ids"),
    ({"train": ["1", "2"], "test": ["2"]}, r"Sample '2' stands twice: .*\(train\), entry 2 .*\(test\), entry 1"),
    ({}, r"no part was found"),
    (["a/train.txt", "b/train.txt"], r"are both 'train' by name"),
    (["one.txt"], r"does not say which part"),
    ("not-there.csv", r"not-there.csv is not there"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_what_is_wrong_is_named(source, message, table):
    with pytest.raises(ArcuateError, match=message):
        read_split(source, table)


@pytest.mark.parametrize(("name", "content", "message"), [
    ("a.json", "[1, 2]", r"holds a list"),
    ("b.json", "{", r"b.json is not JSON"),
    ("c.docx", "", r"ends in '.docx'"),
    ("d.parquet", "no", r"d.parquet cannot be read as .parquet"),
    ("e.csv", "", r"e.csv cannot be read as .csv"),
])
def test_broken_files_are_refused(name, content, message, tmp_path, table):
    (tmp_path / name).write_text(content)
    with pytest.raises(ArcuateError, match=message):
        read_split(tmp_path / name, table)


def test_lists_may_be_made_to_name_every_sample(table):
    with pytest.raises(ArcuateError, match=r"does not name 34"):
        read_split({"train": ["1"], "test": ["2"]}, table, missing="refuse")


def test_only_csv_and_parquet_are_written(made, tmp_path):
    with pytest.raises(ArcuateError, match=r".csv or .parquet"):
        write_split(made, tmp_path / "split.txt")


def test_indices_are_rows_of_the_table(made):
    indices = made.indices()
    assert all(made.frame["part"][row] == part for part, some in indices.items() for row in some)
    assert sum(map(len, indices.values())) == len(ROWS) - made.counts["dropped"]


def test_torch_takes_the_indices(made):
    data = pytest.importorskip("torch.utils.data")
    subset = data.Subset(ROWS, made.indices()["test"])
    assert [subset[k] for k in range(len(subset))] == [ROWS[row] for row in made.indices()["test"]]


class FakeDataset:
    """The two things that the export needs of a Hugging Face dataset."""

    def __init__(self, columns):
        self.columns = columns

    def __len__(self):
        return len(next(iter(self.columns.values())))

    def add_column(self, name, column):
        return FakeDataset({**self.columns, name: column})


def test_hugging_face_gets_a_part_column(made):
    dataset = FakeDataset({"text": [text for _, text in ROWS]})
    assert made.to_hugging_face(dataset).columns["part"] == made.frame["part"].to_list()
    with pytest.raises(ArcuateError, match=r"The dataset has 1 rows and the split 36"):
        made.to_hugging_face(FakeDataset({"text": ["one"]}))


def test_folds_come_back_too(table, tmp_path):
    made = CrossFolds(folds=3, scheme="grid").split(table)
    path = write_split(made, tmp_path / "folds.parquet")
    back = read_split(path, table)
    assert back.frame.equals(made.frame)
    assert back.folds == list(range(9))
    with pytest.raises(ArcuateError, match=r"the split has 9 folds"):
        back.indices()
    with pytest.raises(ArcuateError, match=r"fold 9 is not there"):
        back.fold(9)


@pytest.mark.parametrize("method", METHODS)
def test_a_fresh_split_fits_its_table(method, tmp_path):
    frame = FRAME.with_columns(story=(pl.int_range(pl.len()) % 2).cast(pl.String))
    table = read_samples(frame)
    options = {"tolerance": 0.5, "time_limit": 1} if method == "optimal" else {}
    path = write_split(split(table, method, (1, 1), **options), tmp_path / "split.csv")
    assert check_split(path, table).fits


def test_a_changed_table_or_file_is_seen(made, table, tmp_path):
    path = write_split(made, tmp_path / "split.csv")
    other = read_samples(FRAME.with_columns(subject=pl.lit("z") + pl.col("subject")))
    assert any("SHA-256" in problem for problem in check_split(path, other).problems)
    lines = path.read_text().splitlines(keepends=True)
    swapped = [line.replace(",train,", ",test,") if row == 3 else line for row, line in enumerate(lines)]
    changed = "".join(swapped if swapped != lines else [line.replace(",dropped,", ",train,") for line in lines])
    path.write_text(changed)
    problems = check_split(path, table).problems
    assert any("was changed" in problem for problem in problems)
    assert any(problem.startswith("counts") for problem in problems)
    manifest_path(path).unlink()
    with pytest.raises(ArcuateError, match="no manifest beside it"):
        check_split(path, table)


def test_a_broken_manifest_is_refused(made, table, tmp_path):
    path = write_split(made, tmp_path / "split.csv")
    manifest_path(path).write_text("{}")
    with pytest.raises(ArcuateError, match="is not a split's manifest"):
        read_split(path, table)


def test_the_summary_is_for_people(made):
    assert "retained" in made.summary()
    assert "train : val : test" in made.summary()
