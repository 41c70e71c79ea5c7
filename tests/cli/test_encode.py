"""`arcuate encode` as a user runs it, on a small dataset in the CogniVal format."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import time

import numpy as np
import pytest

from arcuate.cli import main

STIMULI, VOXELS = 60, 1000  # the reader refuses files of another shape
KEYS = {"subject", "features", "score", "metric", "match", "voxels", "value"}
SUMMARY = {"features", "score", "metric", "match", "voxels", "mean", "low", "high", "n_subjects", "null_mean", "p"}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """Two subjects of noise, named and laid out as the real files are."""
    data = tmp_path_factory.mktemp("data")
    folder = data / "cognival_mitchell2008"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    for subject in (1, 2):
        lines = ["word " + " ".join(f"v{i}" for i in range(VOXELS))]
        values = rng.normal(size=(STIMULI, VOXELS))
        lines += [f"word{i} " + " ".join(f"{x:.3f}" for x in row) for i, row in enumerate(values)]
        with gzip.open(folder / f"scaled_1000_mitchell_targets_{subject}.txt.gz", "wt") as file:
            file.write("\n".join(lines) + "\n")
    return data


def common(root):
    return ["encode", "--dataset", "cognival-mitchell2008", "--root", root, "--features", "random",
            "--permutations", "5", "--subjects", "1,2"]  # fmt: skip


def test_json_has_the_promised_keys_and_nothing_else_on_stdout(arcuate, root, tmp_path):
    done = arcuate(*common(root), "--json", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert KEYS <= set(found["scores"][0])
    assert SUMMARY <= set(found["summary"][0])
    assert {s["subject"] for s in found["scores"]} == {"1", "2"}
    assert found["signature"].startswith("dataset:cognival-mitchell2008|")
    assert "GiB of memory" in done.stderr
    assert json.loads((tmp_path / "out" / "result.json").read_text()) == found
    assert "1/random/r" in np.load(tmp_path / "out" / "maps.npz")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["maps.npz", "result.json"]


def test_a_killed_command_goes_on_where_it_was(root, tmp_path):
    """Killed between two subjects, as by the system: the whole result has the same bytes."""
    options = ["--permutations", "40", "--scores", "voxelwise", "--json"]
    command = [sys.executable, "-m", "arcuate", *map(str, common(root)), *options]
    whole = subprocess.run([*command, "--out", tmp_path / "whole"], capture_output=True, text=True, check=True)
    out = tmp_path / "out"
    killed = subprocess.Popen([*command, "--out", out], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while killed.poll() is None and not list(out.glob("finished/[0-9a-f]*.npz")):
        time.sleep(0.01)
    killed.kill()
    killed.wait()
    if (out / "result.json").exists():
        pytest.skip("the machine stood still, and the run was not killed in time")
    assert list(out.glob("finished/*.npz"))
    again = subprocess.run([*command, "--out", out], capture_output=True, text=True, check=True)
    assert again.stdout == whole.stdout
    assert (out / "maps.npz").read_bytes() == (tmp_path / "whole" / "maps.npz").read_bytes()


def test_a_yaml_file_with_the_same_names_gives_the_same(arcuate, root, tmp_path):
    file = tmp_path / "run.yaml"
    file.write_text(
        f"dataset: cognival-mitchell2008\nroot: {root}\nfeatures: [random]\npermutations: 5\nsubjects: ['1', '2']\n"
    )
    by_file = arcuate("encode", file, "--json")
    assert by_file.returncode == 0, by_file.stderr
    assert by_file.stdout == arcuate(*common(root), "--json").stdout


def test_people_see_a_table(arcuate, root):
    done = arcuate(*common(root), "--scores", "pairwise", "--select", "ev", "--voxels", "5")
    assert done.returncode == 0, done.stderr
    assert "cosine" in done.stdout
    assert "ev:5" in done.stdout


@pytest.mark.parametrize(("extra", "message"), [
    (["--select", "best"], "Voxel selection 'best' is not known"),
    (["--select", "ev", "--voxels", "5000"], "asks for 5000 voxels"),
    (["--alpha", "some"], "alpha is 'some'"),
    (["--folds", "many"], "folds are 'many'"),
    (["--subjects", "7"], "Subject '7' is not in"),
    (["--scores", "bleu"], "scores are 'bleu'"),
])  # fmt: skip
def test_bad_usage_is_one_line_and_exit_code_2(capsys, root, extra, message):
    with pytest.raises(SystemExit) as stop:
        main([str(part) for part in (*common(root), *extra)])
    error = capsys.readouterr().err
    assert stop.value.code == 2
    assert message in error
    assert len(error.strip().splitlines()) <= 3


def test_an_unknown_name_in_yaml_is_refused(capsys, tmp_path):
    file = tmp_path / "run.yaml"
    file.write_text("dataset: alice\nalfa: 3\n")
    with pytest.raises(SystemExit) as stop:
        main(["encode", str(file)])
    assert stop.value.code == 2
    assert "alfa is no option" in capsys.readouterr().err
