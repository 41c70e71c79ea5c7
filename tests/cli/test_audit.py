"""`arcuate audit` and `arcuate reproduce leakage` as people run them."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from arcuate.cli import main

TABLE = """sample,subject,story,text
1,sub-01,A,The quick brown fox jumps over the lazy dog today.
2,sub-02,A,The quick brown fox jumps over the lazy dog today!
3,sub-02,B,A bird in the hand is worth two in the bush.
4,sub-03,B,Nothing here is like the others at all.
5,sub-04,C,Another sentence for the sake of it.
6,sub-05,C,Another sentence for the sake of it.
"""


@dataclass(frozen=True)
class Done:
    """What a run of the command line left."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def here(tmp_path, monkeypatch, capsys):
    """Run the command line in this process: a fresh one a case would take most of the time."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> Done:
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Done(int(stop.value.code or 0), out, err)

    return run


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "samples.csv"
    path.write_text(TABLE)
    (tmp_path / "leaking.csv").write_text("sample,part\n1,train\n2,test\n3,train\n4,val\n5,test\n6,train\n")
    (tmp_path / "clean.csv").write_text("sample,part\n1,train\n2,train\n3,train\n4,val\n5,test\n6,test\n")
    return path


def test_a_leak_is_exit_1_and_the_last_line_is_the_verdict(arcuate, table):
    done = arcuate("audit", table, "leaking.csv")
    assert done.returncode == 1, done.stderr
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1].startswith("LEAK leaking.csv: 2 findings")
    assert "sub-02: 1 in test, 1 in train" in done.stdout
    assert "not checked: identical-signals" in done.stdout


def test_clean_is_exit_0_and_strict_makes_warnings_fail(here, table):
    done = here("audit", table, "clean.csv")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("CLEAN clean.csv: no leak was found, 1 warning")
    assert here("audit", table, "clean.csv", "--strict").returncode == 1


def test_json_is_one_object_and_nothing_else(here, table):
    done = here("audit", table, "leaking.csv", "--json", "--over", "test")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert found["verdict"] == "leak"
    assert found["rates"]["over"] == "test"
    assert found["rates"]["bslr"] == {"test_train": 50.0, "val_train": 0.0, "test_val": 0.0}
    assert found["rates"]["tslr"] == {"test_train": 100.0, "val_train": 0.0, "test_val": 0.0}
    assert [one["check"] for one in found["findings"] if one["severity"] == "leak"] == [
        "subject-overlap", "text-overlap"]


def test_several_splits_stand_side_by_side(here, table, tmp_path):
    done = here("audit", table, "leaking.csv", "clean.csv", "--html", "both.html")
    assert done.returncode == 1
    assert [line.split()[0] for line in done.stdout.splitlines()[-2:]] == ["LEAK", "CLEAN"]
    assert "1 of 2 splits leak" in (tmp_path / "both.html").read_text(encoding="utf-8")
    both = json.loads(here("audit", table, "clean.csv", "clean.csv", "--json").stdout)
    assert (both["verdict"], len(both["splits"])) == ("clean", 2)


def test_text_from_the_table_cannot_drive_the_terminal(here, tmp_path):
    (tmp_path / "evil.csv").write_text(
        "subject,text,part\n\x1b[2J[red]a,x,train\n\x1b[2J[red]a,y,test\n", encoding="utf-8")
    done = here("audit", "evil.csv")
    assert done.returncode == 1, done.stderr
    assert "\x1b" not in done.stdout
    assert "[red]a: 1 in test" in done.stdout


def test_parts_in_the_table_and_files_of_ids(here, table, tmp_path):
    lines = TABLE.splitlines()
    parts = ["part", "train", "test", "train", "val", "test", "train"]
    joined = "".join(f"{line},{part}\n" for line, part in zip(lines, parts, strict=True))
    (tmp_path / "with.csv").write_text(joined)
    inside = json.loads(here("audit", "with.csv", "--json").stdout)
    for part, ids in {"train": "1\n3\n6\n", "val": "4\n", "test": "2\n5\n"}.items():
        (tmp_path / f"{part}.txt").write_text(ids)
    files = json.loads(here("audit", table, "train.txt", "val.txt", "test.txt", "--json").stdout)
    assert inside["rates"] == files["rates"]
    assert inside["findings"] == files["findings"]


def test_a_saved_split_brings_its_window_and_filter(here, tmp_path):
    (tmp_path / "runs.csv").write_text(
        "subject,story,n_trs,use\n" + "".join(f"s{k},{story},20,yes\n" for k in range(10) for story in "xyz")
        + "bad,x,3,no\n")
    made = here("split", "runs.csv", "--window", 5, "--where", "use=yes", "--method", "c", "--out", "c.csv")
    assert made.returncode == 0, made.stderr
    done = here("audit", "runs.csv", "c.csv", "--html", "page.html")
    assert done.returncode == 1, done.stderr
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "--window 5 --where use=yes" in page


@pytest.mark.parametrize(("arguments", "said"), [
    (["samples.csv", "absent.csv"], "absent.csv is not there"),
    (["absent.csv", "clean.csv"], "absent.csv does not exist"),
    (["samples.csv"], "no column 'part'"),
    (["samples.csv", "clean.csv", "--over", "some"], "'some' is not known"),
    (["samples.csv", "clean.csv", "--check", "some"], "Check 'some' is not known"),
    (["samples.csv", "clean.csv", "--near-duplicates", "much"], "--near-duplicates is 'much'"),
    (["samples.csv", "clean.csv", "--ratio", "8:0"], "ratio is"),
    (["samples.csv", "clean.csv", "--signals", "nowhere"], "not a signal store"),
    (["samples.csv", "clean.csv", "--html", "."], "is a folder"),
    ([], "Missing argument"),
])
def test_bad_input_is_exit_2_and_one_line(here, table, arguments, said):
    done = here("audit", *arguments)
    assert done.returncode == 2, done.stdout
    assert said in done.stderr
    assert len(done.stderr.splitlines()) <= 2
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_the_leakage_table_is_written_in_every_form(here, shared_data, tmp_path):
    done = here("reproduce", "leakage", "--data", shared_data, "--out", tmp_path / "out", "--seeds", 1)
    assert done.returncode == 0, done.stderr
    assert "shares 6 texts between train and test, 13 between train and val, 2 between val and test" in done.stdout
    whole = json.loads((tmp_path / "out" / "leakage.json").read_text(encoding="utf-8"))
    assert whole["eeg2text"]["texts_shared"] == {"test_train": 6, "val_train": 13, "test_val": 2}
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "leakage.csv", "leakage_runs.csv", "leakage.json", "leakage.html"}
    page = (tmp_path / "out" / "leakage.html").read_text(encoding="utf-8")
    assert "mean over all" in page


def test_data_that_is_not_there_is_exit_2(here, tmp_path):
    done = here("reproduce", "leakage", "--data", tmp_path, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert "runs.csv is not there" in done.stderr
