"""`arcuate split` as a user runs it."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass

import polars as pl
import pytest

from arcuate.cli import main

ROWS = [(f"s{i:02}", f"t{j}", f"story{j % 2}", "fm"[i % 2]) for i in range(8) for j in range(8)]


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run the command line in this process, which is much faster than a new one each time."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Done:
        with pytest.raises(SystemExit) as end:
            main(["split", *map(str, arguments)])
        return Done(int(end.value.code or 0), *capsys.readouterr())

    return call


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "samples.csv"
    pl.DataFrame(ROWS, schema=["subject", "text_id", "story", "sex"], orient="row").write_csv(path)
    return path


@pytest.fixture
def runs(tmp_path):
    path = tmp_path / "runs.csv"
    rows = [(f"s{i:02}", f"story{(i + j) % 5}", 60 + j) for i in range(15) for j in range(2)]
    pl.DataFrame(rows, schema=["subject", "story", "n_trs"], orient="row").write_csv(path)
    return path


@pytest.mark.parametrize("method", ["a", "c", "d", "e", "f", "optimal"])
def test_every_method_writes_a_split_and_prints_one_json_object(run, table, tmp_path, method):
    done = run(table, "--method", method, "--ratio", "2:1:1", "--out", "out.csv", "--json",
                   *(["--tolerance", "0.3"] if method == "optimal" else []))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["method"] == method
    assert set(found["ratios"]) == {"samples", "subjects", "texts"}
    assert {"retained", "bound", "gap", "proved", "counts", "seconds", "signature"} <= set(found)
    assert list(found["counts"]) == ["train", "val", "test", "dropped"]
    frame = pl.read_csv(tmp_path / "out.csv")
    assert frame.columns == ["sample", "subject", "text_id", "part", "reason"]
    assert dict(frame["part"].value_counts().iter_rows()).items() <= found["counts"].items()
    assert json.loads((tmp_path / "out.csv.manifest.json").read_text())["split_sha256"] == found["split_sha256"]


def test_people_get_a_table(arcuate, runs):
    done = arcuate("split", runs, "--window", "10", "--ratio", "3:1:1", "--tolerance", "0.4", "--out", "s.parquet")
    assert done.returncode == 0, done.stderr
    for word in ("train", "val", "test", "dropped", "retained", "ratio by subjects", "written to s.parquet"):
        assert word in done.stdout


def test_a_runs_tables_samples_are_named_by_row_and_segment(run, runs, tmp_path):
    assert run(runs, "--window", "10", "--method", "c", "--out", "s.csv").returncode == 0
    frame = pl.read_csv(tmp_path / "s.csv")
    assert frame.columns == ["sample", "subject", "story", "segment", "part", "reason"]
    assert frame["sample"][:2].to_list() == ["0:0", "0:1"]
    assert len(frame) == 15 * (51 + 52)


@pytest.mark.parametrize(("options", "code", "message"), [
    (["--method", "g"], 2, "method 'g' is not known"),
    (["--ratio", "8:0"], 2, "Every number must be above 0"),
    (["--method", "b"], 1, "leaves part 'val' empty"),
    (["--method", "a", "--tolerance", "0.1"], 2, "Method a has no option tolerance"),
    (["--out", "split.txt"], 2, "Write a split to .csv or .parquet"),
    (["--near-duplicates", "much"], 2, "0.8, or off"),
    (["--method", "f", "--smaller", "none"], 2, "Use 'fewer', 'subjects' or 'texts'"),
    (["--smaller", "texts"], 2, "Method optimal has no option smaller"),
    (["--frontier", "--method", "f"], 2, "--frontier takes no --method"),
    (["--frontier", "--folds", "3"], 2, "Ask one at a time"),
    (["--scheme", "grid"], 2, "no use for --scheme"),
    (["--folds", "3", "--test-shares", "0.1"], 2, "--folds takes no --test-shares"),
    (["--ngram", "2"], 2, "Use 4 words or more"),
    (["--where", "sex"], 2, "Write it as COLUMN=VALUE"),
    (["--pin", "nobody=test"], 2, "no subject and no text is named 'nobody'"),
    (["--folds", "9"], 2, "8 subjects but 9 folds"),
    (["--folds", "2", "--method", "f"], 2, "takes no --method"),
    (["--stratify", "height"], 2, "no column 'height'"),
    (["--ratio", "999:1", "--tolerance", "0", "--time-limit", "0.2"], 1, "split"),
])
def test_errors_are_short_and_have_their_exit_code(run, table, options, code, message):
    done = run(table, *options)
    assert done.returncode == code, (done.stdout, done.stderr)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 2


@pytest.mark.parametrize("scheme", ["diagonal", "grid"])
def test_folds(run, table, tmp_path, scheme):
    done = run(table, "--folds", "2", "--scheme", scheme, "--repeats", "2", "--out", "f.csv", "--json",
                   "--indices", "rows.json")
    assert done.returncode == 0, done.stderr
    n_folds = {"diagonal": 4, "grid": 8}[scheme]
    frame = pl.read_csv(tmp_path / "f.csv")
    assert frame.columns == ["fold", "sample", "subject", "text_id", "part", "reason"]
    assert frame["fold"].n_unique() == len(json.loads(done.stdout)["folds"]) == n_folds
    assert list(json.loads((tmp_path / "rows.json").read_text())) == [str(k) for k in range(n_folds)]


def test_check_tells_whether_the_manifest_still_fits(run, table):
    assert run(table, "--method", "f", "--where", "sex=f", "--ratio", "1:1", "--out", "s.csv"
                   ).returncode == 0
    done = run(table, "--check", "s.csv")  # reads the table as the manifest says it was read
    assert (done.returncode, "s.csv fits" in done.stdout) == (0, True), done.stderr
    table.write_text(table.read_text().replace("s00", "s99"))
    done = run(table, "--check", "s.csv", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["fits"] is False


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.csv"
    pl.DataFrame({"subject": list("abcdef"), "text_id": list("uvwxyz")}).write_csv(path)
    return path


@pytest.mark.parametrize("suffix", ["html", "csv"])
def test_frontier(run, small, tmp_path, suffix):
    done = run(small, "--frontier", "--ratio", "5:1", "--test-shares", "0.17,0.34", "--json", "--out", f"f.{suffix}")
    assert done.returncode == 0, done.stderr
    points = json.loads(done.stdout)["points"]
    assert [point["feasible"] for point in points] == [True, True]
    assert (tmp_path / f"f.{suffix}").stat().st_size > 150


def test_frontier_for_people(run, small):
    done = run(small, "--ratio", "4:1", "--frontier", "--time-limit", "2", "--test-shares", "0.02,0.17")
    assert "train kept" in done.stdout
    assert "possible" in done.stdout
    assert run(small, "--frontier", "--test-shares", "lots").returncode == 2


def digests(folder, arguments, threads: int) -> str:
    command = [sys.executable, "-m", "arcuate", "split", *map(str, arguments)]
    if sys.platform == "linux":
        command = ["taskset", "-c", ",".join(str(core) for core in sorted(os.sched_getaffinity(0))[:threads]), *command]
    environment = {**os.environ, "POLARS_MAX_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    out = folder / arguments[arguments.index("--out") + 1]
    manifest = json.loads(out.with_name(out.name + ".manifest.json").read_text())
    manifest.pop("seconds")
    return hashlib.sha256(out.read_bytes() + json.dumps(manifest).encode()).hexdigest()


@pytest.mark.parametrize("options", [
    ["--method", "f", "--out", "s.csv"],
    ["--method", "optimal", "--out", "s.parquet"], ["--folds", "3", "--out", "s.csv"],
], ids=lambda options: "-".join(options).strip("-"))
def test_the_same_bytes_on_one_core_and_on_two(shared_data, tmp_path, options):
    source = shared_data / "narratives" / "runs.csv"
    arguments = [source, "--window", "10", "--where", "shape=64x64x27", "--where", "excluded=0", *options]
    assert digests(tmp_path, arguments, 1) == digests(tmp_path, arguments, 2)
