"""CogniVal text files: a row without a word, words that look like missing values, and the real files whole."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from arcuate.datasets.cognival import COGNIVAL, read_table
from arcuate.datasets.response_readers import response_dataset
from arcuate.errors import ArcuateError

TABLE = "word v0 v1\nharry 0.5 1.0\n 0.25 1.0\nnan -1e-3 1.0\n"


def write(tmp_path, text=TABLE, name="toy.txt"):
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


@pytest.mark.parametrize("name", ["toy.txt", "toy.txt.gz"])
def test_the_row_without_a_word_is_dropped_only_when_asked(tmp_path, name):
    path = write(tmp_path, name=name)
    with pytest.raises(ArcuateError, match=r"line 3: the word is empty. Read with empty_word='drop'"):
        read_table(path)
    words, values, notes = read_table(path, empty_word="drop")
    assert words == ("harry", "nan")
    assert values.tolist() == [[0.5, 1.0], [-0.001, 1.0]]
    assert notes == ("line 3: the row with an empty word is left out",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TABLE[:-1], "the last line has no end, so the file is cut off"),
        ("word v0 v1\nharry 0.5\n", "line 2: 1 values, 2 expected"),
        ("word v0 v1\nharry  0.5 1\n", "line 2: 3 values, 2 expected"),
        ("word v0\nharry x\n", "could not convert"),
        ("word v0\nharry inf\n", "holds inf at row 0, column 0"),
        ("word v0\nharry 1\nharry 2\n", "the word 'harry' has two rows"),
        ("voxel v0\nharry 1\n", "is not 'word v0 v1 ...'"),
        ("word v0\n", "has no rows"),
    ],
)
def test_odd_tables_are_refused(tmp_path, text, message):
    with pytest.raises(ArcuateError, match=message):
        read_table(write(tmp_path, text))


def test_a_truncated_gzip_is_refused(tmp_path):
    path = write(tmp_path, name="toy.txt.gz")
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(ArcuateError, match=r"toy\.txt\.gz cannot be read"):
        read_table(path)


def test_a_file_of_another_shape_is_refused(tmp_path):
    write(tmp_path, "word e1\nbored 0.5\n", name="ucl_scaled.txt")
    with pytest.raises(ArcuateError, match="has 1 rows × 1 columns, 711 × 34 expected"):
        COGNIVAL["cognival-ucl"].read(tmp_path, "ucl")


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "n_subjects", "shape", "n_notes"),
    [
        ("cognival-mitchell2008", 9, (60, 1000), 0),
        ("cognival-wehbe2014", 8, (1294, 100), 1),
        ("cognival-n400", 1, (140, 130), 0),
        ("cognival-naturalspeech", 1, (1629, 130), 0),
        ("cognival-ucl", 1, (711, 34), 0),
    ],
)
def test_real_files_are_read_whole(shared_data, name, n_subjects, shape, n_notes):
    dataset = response_dataset(name)
    subjects = dataset.subjects(shared_data).names
    assert len(subjects) == n_subjects
    for subject in subjects:
        one = dataset.read(shared_data, subject)
        assert one.responses.shape == shape
        assert len(set(one.stimuli)) == shape[0]
        assert "" not in one.stimuli
        assert len(one.excluded) == n_notes
    if name == "cognival-wehbe2014":
        assert np.allclose(one.responses.max(axis=1), 1)  # each row was divided by its maximum
