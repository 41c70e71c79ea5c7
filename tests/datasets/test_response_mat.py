"""Readers of MATLAB 5 files, on miniatures with the quirks of the published files."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from arcuate.datasets import mitchell2008, wehbe2014
from arcuate.datasets.pereira2018 import PEREIRA2018
from arcuate.datasets.pereira2018 import read as read_pereira
from arcuate.errors import ArcuateError


def struct_array(rows: list[dict], shape: tuple[int, int] | None = None) -> np.ndarray:
    """A MATLAB struct array: fields in the order of the first row."""
    out = np.empty(shape or (1, len(rows)), dtype=[(name, object) for name in rows[0]])
    for place, row in zip(np.ndindex(out.shape), rows, strict=True):
        for name, value in row.items():
            out[place][name] = value
    return out


def cell(values: list, column: bool = True) -> np.ndarray:
    out = np.empty((len(values), 1) if column else (1, len(values)), dtype=object)
    for place, value in zip(np.ndindex(out.shape), values, strict=True):
        out[place] = value
    return out


# --- Mitchell 2008 -------------------------------------------------------------------------------------


def mitchell_trials() -> list[tuple[str, int, str, int, int]]:
    words = [("tool", 11, "hammer", 2), ("tool", 11, "saw", 1), ("tool", 11, "axe", 3),
             ("animal", 1, "cat", 1), ("animal", 1, "dog", 2), ("animal", 1, "cow", 3)]  # fmt: skip
    trials = [(*word, epoch) for epoch in range(1, 7) for word in words]
    order = np.random.default_rng(0).permutation(len(trials))  # position in the file means nothing
    return [trials[i] for i in order]


def write_mitchell(folder: Path, name: str = "data-science-P1.mat", drop_field: str = "", trials=None) -> Path:
    trials = mitchell_trials() if trials is None else trials
    box = list(itertools.product(range(1, 4), range(1, 3), range(1, 3)))
    to_column = np.zeros((3, 2, 3))  # a plane of holes: 0 is no voxel
    for column, (x, y, z) in enumerate(box, start=1):
        to_column[x - 1, y - 1, z - 1] = column
    info = [
        {"cond": c, "cond_number": np.array([[float(n)]]), "word": w, "word_number": np.array([[float(k)]]),
         "epoch": np.array([[float(e)]])}
        for c, n, w, k, e in trials
    ]  # fmt: skip
    info = [{key: value for key, value in row.items() if key != drop_field} for row in info]
    data = [np.array([[hash_value(w, e, v) for v in range(12)]]) for _, _, w, _, e in trials]
    meta = [{"study": "science", "subject": "P1", "ntrials": 36.0, "nvoxels": 12.0, "dimx": 3.0, "dimy": 2.0,
             "dimz": 3.0, "colToCoord": np.array(box, dtype=float), "coordToCol": to_column}]  # fmt: skip
    path = folder / name
    savemat(path, {"meta": struct_array(meta), "info": struct_array(info), "data": cell(data)})
    return path


def hash_value(word: str, epoch: int, voxel: int) -> float:
    return len(word) * 100 + ord(word[0]) + epoch / 10 + voxel / 1000


def test_mitchell_trials_are_found_by_info_and_not_by_position(tmp_path):
    write_mitchell(tmp_path)
    one = mitchell2008.read(tmp_path, "P1")
    assert one.stimuli == ("cat", "dog", "cow", "saw", "hammer", "axe")  # by category, then word number
    assert one.repetitions.shape == (6, 6, 12)
    for row, word in enumerate(one.stimuli):
        for epoch in range(6):
            assert one.repetitions[row, epoch, 7] == pytest.approx(hash_value(word, epoch + 1, 7))
    assert np.allclose(one.responses, one.repetitions.mean(axis=1))
    assert one.coordinates.min(axis=0).tolist() == [0, 0, 0]  # from 0, the file counts from 1
    assert one.coordinates.max(axis=0).tolist() == [2, 1, 1]


def test_mitchell_lists_its_subjects_in_number_order(tmp_path):
    for number in (10, 2, 1):
        write_mitchell(tmp_path, f"data-science-P{number}.mat")
    assert mitchell2008.subjects(tmp_path).names == ("P1", "P2", "P10")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"drop_field": "epoch"}, r"info\(1\) lacks the field 'epoch'; it has cond, cond_number"),
        ({"trials": mitchell_trials()[:-1]}, "has 5. Each word needs the same epochs"),
        ({"trials": [*mitchell_trials(), mitchell_trials()[0]]}, "occurs twice in epoch"),
    ],
)
def test_mitchell_refuses_odd_files(tmp_path, change, message):
    write_mitchell(tmp_path, **change)
    with pytest.raises(ArcuateError, match=message):
        mitchell2008.read(tmp_path, "P1")


def test_a_truncated_file_is_refused_by_name(tmp_path):
    path = write_mitchell(tmp_path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(ArcuateError, match=r"data-science-P1\.mat (is not a whole MATLAB file|lacks)"):
        mitchell2008.read(tmp_path, "P1")


def test_one_subject_in_two_folders_is_refused(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        write_mitchell(tmp_path / folder)
    with pytest.raises(ArcuateError, match="subject P1 has two files"):
        mitchell2008.subjects(tmp_path)


# --- Wehbe 2014 ----------------------------------------------------------------------------------------


def write_wehbe(folder: Path, n_scans: int = 12, time: np.ndarray | None = None, voxels: int = 4) -> Path:
    tokens = ["Harry", "had", "@never@", "+", "believed", "he", "…", "would"]
    if time is None:
        time = np.column_stack([2.0 * np.arange(n_scans), np.repeat([1, 2], n_scans // 2)])
    words = [{"text": cell([token]), "start": np.array([[0.5 * i + 1]]), "length": np.array([[0.5]])}
             for i, token in enumerate(tokens)]  # fmt: skip
    coordinates = np.array([[x, 1, 1] for x in range(1, voxels + 1)], dtype=float)
    matrix = np.array([[3.0, 0, 0, -90], [0, 3, 0, -126], [0, 0, 3, -72], [0, 0, 0, 1]])
    meta = {"subject": "1", "nTRs": float(n_scans), "nvoxels": 99.0,  # wrong on purpose: the columns count
            "dimx": 5.0, "dimy": 1.0, "dimz": 1.0, "colToCoord": coordinates,
            "coordToCol": np.zeros((5, 1, 1)), "colToROInum": np.array([[1.0, 2.0, 0.0, 2.0]])[:, :voxels],
            "coordToROInum": np.zeros((5, 1, 1)),
            "ROInumToName": cell(["Precentral_L", "Precentral_R", "Not_labelled"], column=False),
            "voxel_size": np.array([[3.0, 3.0, 3.0]]), "matrix": matrix}  # fmt: skip
    data = np.random.default_rng(1).normal(size=(n_scans, voxels)).astype(np.float32)
    path = folder / "subject_1.mat"
    savemat(path, {"data": data, "time": time, "words": struct_array(words), "meta": struct_array([meta])})
    return path


def test_wehbe_reads_runs_words_regions_and_millimetres(tmp_path):
    write_wehbe(tmp_path)
    one = wehbe2014.read(tmp_path, "1")
    assert one.responses.shape == (12, 4)
    assert one.runs.tolist() == [1] * 6 + [2] * 6
    assert one.times_s.tolist() == list(range(0, 24, 2))
    # '+' is no word, '@' is no letter; the ellipsis is a token the reader keeps.
    assert one.stimuli.words == ("Harry", "had", "never", "believed", "he", "…", "would")
    assert one.stimuli.onsets[3] == 3.0
    assert one.excluded == ("1 of 8 tokens are break marks ('+') or empty and no words",)
    assert one.rois["Precentral_R"].tolist() == [1, 3]
    assert one.rois["Not_labelled"].tolist() == [2]  # number 0 is the last name
    assert one.coordinates[0].tolist() == [-87, -123, -69]  # the matrix takes indices from 1


def test_wehbe_refuses_times_that_do_not_fit_the_scans(tmp_path):
    write_wehbe(tmp_path, time=np.column_stack([2.0 * np.arange(11), np.ones(11)]))
    with pytest.raises(ArcuateError, match=r"time has shape \(11, 2\) but data 12 scans"):
        wehbe2014.read(tmp_path, "1")
    write_wehbe(tmp_path, time=np.column_stack([1.5 * np.arange(12), np.ones(12)]))
    with pytest.raises(ArcuateError, match=r"1\.5 to 1\.5 s apart, 2 s expected"):
        wehbe2014.read(tmp_path, "1")


# --- Pereira 2018 --------------------------------------------------------------------------------------

SENTENCES = ["A cat sat.", "It slept.", "A ship left.", "It sank.", "It was old."]
PASSAGES = [1, 1, 2, 2, 2]


def write_pereira(root: Path, generation: str, labels_as_row: bool) -> None:
    """Two generations under the same folder names; label and key vectors are rows or columns."""
    folder = root / "P01"
    folder.mkdir(parents=True, exist_ok=True)
    images = np.arange(15, dtype=np.float32).reshape(5, 3)
    labels = np.array([PASSAGES], dtype=np.uint8) if labels_as_row else np.array([PASSAGES], dtype=np.uint8).T
    common = {"dimx": 2.0, "dimy": 2.0, "dimz": 1.0, "dimensions": np.array([[2.0, 2, 1]]),
              "indicesIn3D": np.array([[1.0], [2], [3]]), "colToCoord": np.array([[1.0, 1, 1], [2, 1, 1], [1, 2, 1]]),
              "coordToCol": np.zeros((2, 2, 1)), "voxelsToNeighbours": np.zeros((3, 2)),
              "numberOfNeighbours": np.zeros((3, 1))}  # fmt: skip
    keys = {"keySentences": cell(SENTENCES, column=not labels_as_row), "keyPassages": cell(["cat", "ship"]),
            "labelsPassageForEachSentence": labels}  # fmt: skip
    columns = cell([np.array([[1], [3]]), np.array([[2]])])
    if generation == "older":
        meta = {**common, "roiMultimaskAAL": np.zeros((3, 1)), "roiMultimaskGordon": np.zeros((3, 1)),
                "roisAAL": cell(["IFG", "STG"]), "roisGordon": cell(["g1", "g2"]), "roiColumnsAAL": columns,
                "roiColumnsGordon": columns}  # fmt: skip
        savemat(folder / "examples_243sentences.mat", {"examples": images, "meta": struct_array([meta]), **keys})
    else:
        meta = {**common, "atlases": cell(["languageLH", "aal"], column=False),
                "roiMultimask": cell([np.zeros((3, 1))] * 2, column=False),
                "roiColumns": cell([columns, columns], column=False),
                "rois": cell([cell(["IFG", "STG"])] * 2, column=False)}  # fmt: skip
        savemat(folder / "data_243sentences.mat",
                {"examples_passagesentences": images, "examples_passages": images[:2] + 100,
                 "meta": struct_array([meta]), **keys})  # fmt: skip
        concepts = {"keyConcept": cell(["apple", "bird", "car"]),
                    "labelsConcept": np.array([[3, 1, 2]], dtype=np.uint8)}
        savemat(folder / "data_180concepts_pictures.mat",
                {"examples": images[:3], "meta": struct_array([meta]), **concepts})  # fmt: skip


@pytest.mark.parametrize("labels_as_row", [True, False])
@pytest.mark.parametrize(("generation", "roi"), [("older", "AAL/IFG"), ("newer", "languageLH/IFG")])
def test_both_generations_of_pereira_are_read(tmp_path, generation, roi, labels_as_row):
    write_pereira(tmp_path, generation, labels_as_row)
    dataset = PEREIRA2018["pereira2018-243sentences"]
    assert dataset.subjects(tmp_path).names == ("P01",)
    one = dataset.read(tmp_path, "P01")
    assert one.stimuli == tuple(SENTENCES)
    assert one.responses[4].tolist() == [12, 13, 14]
    assert one.coordinates[1].tolist() == [1, 0, 0]
    assert one.rois[roi].tolist() == [0, 2]  # columns count from 0 here, from 1 in the file
    passages = PEREIRA2018["pereira2018-72passages"].read(tmp_path, "P01")
    assert passages.stimuli == ("A cat sat. It slept.", "A ship left. It sank. It was old.")
    if generation == "newer":
        assert passages.responses[1].tolist() == [103, 104, 105]
    else:
        assert passages.responses[1].tolist() == [9, 10, 11]
        assert "mean of its sentences" in passages.excluded[0]


def test_pereira_concepts_follow_their_labels(tmp_path):
    write_pereira(tmp_path, "newer", labels_as_row=True)
    one = read_pereira(tmp_path, "P01", experiment="180concepts_pictures")
    assert one.stimuli == ("car", "apple", "bird")


def test_pereira_prefers_the_newer_file_and_refuses_unknown_experiments(tmp_path):
    write_pereira(tmp_path, "older", labels_as_row=True)
    write_pereira(tmp_path, "newer", labels_as_row=True)
    assert "languageLH/IFG" in read_pereira(tmp_path, "P01", experiment="243sentences").rois
    with pytest.raises(ArcuateError, match=r"experiment is '2'\. Use one of 180concepts_sentences"):
        read_pereira(tmp_path, "P01", experiment="2")


def test_pereira_refuses_labels_that_do_not_fit(tmp_path):
    write_pereira(tmp_path, "newer", labels_as_row=False)
    path = tmp_path / "P01" / "data_243sentences.mat"
    from scipy.io import loadmat

    content = {k: v for k, v in loadmat(path).items() if not k.startswith("__")}
    content["labelsPassageForEachSentence"] = np.array([[1], [1], [3], [2], [2]])
    savemat(path, content)
    with pytest.raises(ArcuateError, match=r"5 labels \(1 to 3\), but there are 5 images and 2 keys"):
        PEREIRA2018["pereira2018-72passages"].read(tmp_path, "P01")


def test_matlab_73_files_are_refused_with_the_remedy(tmp_path):
    import h5py

    with h5py.File(tmp_path / "data-science-P1.mat", "w") as file:
        file["data"] = np.zeros(3)
    with pytest.raises(ArcuateError, match=r"MATLAB 7\.3 file, but this dataset is published as MATLAB 5"):
        mitchell2008.read(tmp_path, "P1")
