"""Stories: the HDF5 file and the workbook, on miniatures."""

from __future__ import annotations

import h5py
import numpy as np
import openpyxl
import pytest

from arcuate.datasets import dehghani2017
from arcuate.errors import ArcuateError


def write_stories(folder, n_subjects=30, n_stories=4, n_voxels=7, sheet_rows=None):
    values = np.random.default_rng(0).normal(size=(n_subjects, n_stories, n_voxels))
    values[-1] = 0  # the last English subject
    with h5py.File(folder / "30_english_storydata_masked.hd5", "w") as file:
        file["__unnamed__"] = values
    book = openpyxl.Workbook()
    book.active.append([f"column {i}" for i in range(1, 12)])
    for number in range(n_stories if sheet_rows is None else sheet_rows):
        unused = [f"unused {i}" for i in range(7)]
        book.active.append([*unused, f" Context {number}.", f"One  {number}.", f"Two {number}. ", "Three."])
    book.save(folder / "StoryKey.xlsx")
    return values


def test_stories_and_patterns_match_and_the_zero_subject_is_named(tmp_path):
    values = write_stories(tmp_path)
    found = dehghani2017.subjects(tmp_path)
    assert len(found.names) == 29
    assert found.excluded == ("subject 30: every value is 0",)
    one = dehghani2017.read(tmp_path, "29")
    assert np.array_equal(one.responses, values[28])
    assert one.stimuli[2] == "Context 2. One 2. Two 2. Three."  # runs of blanks collapsed
    with pytest.raises(ArcuateError, match="subject 30 holds only zeros"):
        dehghani2017.read(tmp_path, "30")
    with pytest.raises(ArcuateError, match=r"no subject '31'\. Subjects are 1 to 30"):
        dehghani2017.read(tmp_path, "31")


def test_files_of_two_releases_are_refused(tmp_path):
    write_stories(tmp_path, sheet_rows=3)
    with pytest.raises(ArcuateError, match=r"has 4 stories but StoryKey\.xlsx 3"):
        dehghani2017.read(tmp_path, "1")


def test_truncated_files_are_refused(tmp_path):
    write_stories(tmp_path)
    path = tmp_path / "30_english_storydata_masked.hd5"
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ArcuateError, match="is not a whole HDF5 file"):
        dehghani2017.read(tmp_path, "1")
    with h5py.File(path, "w") as file:
        file["other"] = np.zeros(3)
    with pytest.raises(ArcuateError, match="lacks the dataset '__unnamed__'; it holds other"):
        dehghani2017.read(tmp_path, "1")
    write_stories(tmp_path)
    (tmp_path / "StoryKey.xlsx").write_bytes(b"PK")
    with pytest.raises(ArcuateError, match="cannot be read as a workbook"):
        dehghani2017.read(tmp_path, "1")
