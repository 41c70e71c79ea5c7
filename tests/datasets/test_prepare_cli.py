"""`arcuate datasets` and `arcuate prepare` as a user meets them; bad input leaves nothing behind."""

from __future__ import annotations

import json
import os
import shutil

import numpy as np
import pytest
from tests.datasets.miniatures import narratives as mini
from tests.datasets.miniatures.matlab import Structs, write_mat5
from tests.datasets.miniatures.zuco import write_results

from arcuate.datasets.listing import list_datasets
from arcuate.datasets.registry import DATASETS
from arcuate.datasets.response_readers import RESPONSE_READERS


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    root = mini.write_bids(tmp_path_factory.mktemp("ds"))
    mini.write_transcripts(root)
    return root


@pytest.fixture
def copy(tree, tmp_path):
    """A tree to break."""
    return shutil.copytree(tree, tmp_path / "ds", symlinks=True)


ALIGN = "stimuli/gentle/pieman/align.csv"
BOLD = "sub-001/func/sub-001_task-pieman_run-1_bold"


def cut(path, keep=0.5):
    path.write_bytes(path.read_bytes()[:int(path.stat().st_size * keep)])


def as_folder(path):
    path.unlink()
    path.mkdir()


def four_d(root, shape):
    mini.write_nifti(root / f"{BOLD}.nii.gz", np.ones(shape, np.int16))


DAMAGE = {
    "truncated NIfTI": (lambda r: cut(r / f"{BOLD}.nii.gz"), f"{BOLD}.nii.gz", "Fetch it again"),
    "cut in the header": (lambda r: cut(r / f"{BOLD}.nii.gz", 0.02), f"{BOLD}.nii.gz", "Fetch it again"),
    "no gzip at all": (lambda r: (r / f"{BOLD}.nii.gz").write_text("hello"), f"{BOLD}.nii.gz", "Fetch it again"),
    "folder as image": (lambda r: as_folder(r / f"{BOLD}.nii.gz"), f"{BOLD}.nii.gz", "is a folder"),
    "three dimensions": (lambda r: four_d(r, (4, 4, 3)), f"{BOLD}.nii.gz", "expected x, y, z and time"),
    "too few volumes": (lambda r: four_d(r, (4, 4, 3, 10)), f"{BOLD}.nii.gz", "--exclude-scan"),
    "events missing": (lambda r: (r / f"{BOLD[:-4]}events.tsv").unlink(), "events.tsv", "is missing"),
    "events folder": (lambda r: as_folder(r / f"{BOLD[:-4]}events.tsv"), "events.tsv", "is a folder"),
    "sidecar missing": (lambda r: (r / f"{BOLD}.json").unlink(), f"{BOLD}.json", "is missing"),
    "sidecar cut": (lambda r: cut(r / f"{BOLD}.json"), f"{BOLD}.json", "not JSON"),
    "no TR": (lambda r: (r / f"{BOLD}.json").write_text("{}"), f"{BOLD}.json", "RepetitionTime is None"),
    "mixed encodings": (lambda r: (r / ALIGN).write_bytes(b"ok,ok,8,9\r\ncaf\xe9,x,9,10\r\n"),
                        "align.csv, line 2", "Save it as UTF-8"),
    "participants": (lambda r: (r / "participants.tsv").write_text("task\n"), "participants.tsv", "no column"),
}


@pytest.mark.parametrize("damage", DAMAGE, ids=str)
def test_damaged_narratives(check_refused, copy, damage):
    break_it, named, remedy = DAMAGE[damage]
    break_it(copy)
    check_refused(named, remedy, "narratives", "--root", copy, "--window", 5, "--shape", "4x4x3")


@pytest.fixture
def check_refused(tmp_path, monkeypatch, capsys):
    """Run the command line in this process: exit code 2, one clear message, nothing left behind."""
    from arcuate.cli import main

    monkeypatch.chdir(tmp_path)

    def check(named, remedy, *arguments):
        before = sorted(os.listdir(tmp_path))
        with pytest.raises(SystemExit) as stop:
            main(["prepare", *map(str, arguments), "--out", str(tmp_path / "out")])
        said = capsys.readouterr()
        assert stop.value.code == 2, said
        assert named in said.err
        assert remedy in said.err
        assert len(said.err.splitlines()) == 1
        assert said.out == ""
        assert sorted(os.listdir(tmp_path)) == before

    return check


@pytest.mark.parametrize(("make", "named", "remedy"), [
    (lambda r: cut(write_results(r, "ZAB", "SR", "5")[0]), "resultsZAB_SR.mat", "Download it again"),
    (lambda r: cut(write_results(r, "YAC", "NR", "7.3")[0]), "resultsYAC_NR.mat", "Download it again"),
    (lambda r: as_folder(write_results(r, "ZAB", "SR", "5")[0]), "resultsZAB_SR.mat", "is a folder"),
    (lambda r: write_mat5(r / "resultsZAB_SR.mat", sentenceData=Structs([{"x": "a"}])), "resultsZAB_SR", "'content'"),
    (lambda r: (r / "note.txt").write_text("nothing"), "neither", "arcuate datasets"),
    (lambda r: (r / "sentences.csv").write_text("task,index\n"), "sentences.csv", "no column"),
], ids=["cut v5", "cut v7.3", "folder", "missing field", "nothing", "bad list"])
def test_damaged_zuco(check_refused, tmp_path, make, named, remedy):
    (tmp_path / "root").mkdir()
    make(tmp_path / "root")
    check_refused(named, remedy, "zuco", "--root", tmp_path / "root")


@pytest.mark.parametrize(("arguments", "words"), [
    (["nothing", "--root", "."], "dataset 'nothing' is not known. Known: folder, narratives"),
    (["narratives", "--root", "absent"], "root absent does not exist"),
    (["narratives", "--root", "file.txt"], "root file.txt is a file"),
    (["zuco1", "--root", ".", "--window", "3"], "zuco1 has no option 'window'"),
    (["narratives", "--root", ".", "--signals", "spm"], "'spm' is not known"),
    (["folder", "--root", ".", "--modality", "meg"], "modality is 'meg'"),
])
def test_usage(check_refused, tmp_path, arguments, words):
    (tmp_path / "file.txt").write_text("")
    check_refused(words, "", *arguments)


def test_bad_types_and_windows(check_refused, tree, tmp_path):
    untold = mini.write_bids(tmp_path / "untold")
    narratives = ["narratives", "--root", tree, "--shape", "4x4x3"]
    check_refused("'float8' is not known", "float16", *narratives, "--dtype", "float8")
    check_refused("fewer than --window 15", "Shorten", *narratives, "--window", 15)
    check_refused("window is 0", "1 or more", *narratives, "--window", 0)
    check_refused("frames of shape", "one shape a store",
                  "narratives", "--root", untold, "--shape", "any", "--window", 3)


def test_a_prepared_folder_is_not_overwritten(arcuate, tree, tmp_path):
    arguments = ["prepare", "narratives", "--root", tree, "--window", 5, "--shape", "4x4x3", "--out", tmp_path / "out"]
    assert arcuate(*arguments).returncode == 0
    before = (tmp_path / "out" / "dataset.json").read_bytes()
    again = arcuate(*arguments)
    assert again.returncode == 2
    assert "not empty" in again.stderr
    assert (tmp_path / "out" / "dataset.json").read_bytes() == before


def test_prepare_says_what_it_did_and_json_alone_on_stdout(arcuate, tree, tmp_path):
    narratives = ["prepare", "narratives", "--root", tree, "--window", 5, "--shape", "4x4x3"]
    said = arcuate(*narratives, "--out", tmp_path / "one")
    assert "samples of 2 subjects and 3 stories" in said.stdout
    assert "note: " in said.stdout
    done = json.loads(arcuate(*narratives, "--out", tmp_path / "two", "--json").stdout)
    assert done["signals"] is True
    assert done["frame_shape"] == [4, 4, 3]
    assert done["rows"] > 0


def test_same_input_same_bytes(arcuate, tree, tmp_path):
    for name in ("one", "two"):
        out = tmp_path / name
        done = arcuate("prepare", "narratives", "--root", tree, "--window", 5, "--shape", "4x4x3", "--out", out)
        assert done.returncode == 0, done.stderr
    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file())
    assert len(files) > 4
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes(), file


class TestListing:
    def test_every_dataset_of_both_registries(self, arcuate):
        listed = json.loads(arcuate("datasets", "--json").stdout)["datasets"]
        assert {entry["name"] for entry in listed} == {*DATASETS, *RESPONSE_READERS}
        for entry in listed:
            assert entry["title"], entry
            assert entry["licence"], entry
            assert entry["obtain"], entry
            assert entry["files"], entry
            assert entry["modality"] in ("eeg", "fmri", "any")

    def test_what_is_found(self, arcuate, tree, tmp_path):
        (tmp_path / "data").mkdir()
        shutil.copytree(tree, tmp_path / "data" / "ds002345", symlinks=True)
        write_results(tmp_path / "data" / "osf", "ZAB", "SR", "5")
        listed = json.loads(arcuate("datasets", "--root", tmp_path / "data", "--json").stdout)["datasets"]
        found = {entry["name"]: list(entry["found"].values()) for entry in listed if entry["name"] in DATASETS}
        assert found["narratives"] == ["5 scans here, 1 scans not fetched, 3 transcripts"]
        assert found["zuco1"] == ["1 subjects SR of 1.0"]
        assert found["zuco2"] == []
        assert found["folder"] == []

    def test_real_data(self, shared_data):
        found = {entry.name: entry.found for entry in list_datasets(shared_data)}
        assert found["narratives"] == {str(shared_data / "narratives"): "runs.csv (metadata only), 3 transcripts"}
        assert list(found["zuco1"]) == [str(shared_data / "zuco")]
        assert list(found["alice"]) == [str(shared_data / "alice")]

    def test_one_and_none(self, arcuate, tmp_path):
        assert "openneuro.org/datasets/ds002345" in arcuate("datasets", "narratives").stdout
        unknown = arcuate("datasets", "zuko")
        assert (unknown.returncode, "not known" in unknown.stderr) == (2, True)
        absent = arcuate("datasets", "--root", tmp_path / "absent")
        assert (absent.returncode, "does not exist" in absent.stderr) == (2, True)


@pytest.mark.parametrize("name", DATASETS)
def test_every_reader_refuses_an_empty_folder_with_a_remedy(name, tmp_path):
    """The contract of the registry: a clear error, whatever the dataset."""
    from arcuate.errors import ArcuateError

    with pytest.raises(ArcuateError, match=r"[Ss]ee `arcuate datasets`|Write one|Download"):
        DATASETS[name].plan_for(tmp_path, {})
    assert DATASETS[name].find(tmp_path) == ""
    assert list(tmp_path.iterdir()) == []


def test_prepared_folders_go_on_to_split_audit_and_decoding(arcuate, tree, tmp_path):
    """What one stage writes, the next ones read."""
    from arcuate.decoding.data import read_data

    for subject in ("ZAB", "ZDM", "ZDN", "ZGW"):
        write_results(tmp_path / "osf", subject, "SR", "5")
    assert arcuate("prepare", "zuco", "--root", tmp_path / "osf", "--out", tmp_path / "eeg").returncode == 0
    samples, split = tmp_path / "eeg" / "samples.parquet", tmp_path / "split.csv"
    assert arcuate("split", samples, "--method", "a", "--ratio", "2:1:1", "--out", split).returncode == 0
    audit = json.loads(arcuate("audit", samples, split, "--json").stdout)
    assert audit["verdict"] == "leak"  # method a: every text is on all sides
    assert read_data(tmp_path / "eeg").modality == "eeg"
    arguments = ["--root", tree, "--window", 3, "--shape", "4x4x3", "--out", tmp_path / "fmri"]
    assert arcuate("prepare", "narratives", *arguments).returncode == 0
    data = read_data(tmp_path / "fmri")
    assert (data.modality, data.store.frame_shape) == ("fmri", (4, 4, 3))
