"""Cut or altered files of every format: refused with a clear error or read, never a crash or a traceback."""

from __future__ import annotations

import random

import numpy as np
import pytest
from tests.datasets.miniatures import narratives as mini
from tests.datasets.miniatures.matlab import write_mat5
from tests.datasets.miniatures.zuco import write_results

from arcuate.datasets.mat5_check import check_mat5
from arcuate.datasets.narratives.images import Images, read_frames
from arcuate.datasets.zuco.dataset import ZucoOptions, read_run
from arcuate.datasets.zuco.files import ResultsFile
from arcuate.errors import ArcuateError

TRIALS = {"MATLAB 7.3": 8}  # the rest 40


def zuco(path):
    run = read_run(ResultsFile(path, "ZAB", "NR", "1.0"), ZucoOptions())
    return run.frames() if run.n_rows else None


FORMATS = {
    "MATLAB 5": (lambda r: write_results(r, "ZAB", "NR", "5")[0], zuco),
    "MATLAB 7.3": (lambda r: write_results(r, "ZAB", "NR", "7.3")[0], zuco),
    "NIfTI": (lambda r: _written(mini.write_nifti, r / "a.nii.gz", mini.signal_of("a")),
              lambda path: read_frames(Images((path,)), 0, 20)),
    "GIFTI": (lambda r: _written(mini.write_gifti, r / "a.func.gii", np.random.default_rng(0).normal(size=(20, 30))),
              lambda path: read_frames(Images((path, path)), 0, 20)),
}
# Formats whose content is covered by a checksum: one altered byte of it is always seen.
CHECKED = {"MATLAB 5": 200, "NIfTI": 60}


def _written(write, path, data):
    write(path, data)
    return path


@pytest.fixture(params=FORMATS)
def file(request, tmp_path):
    write, read = FORMATS[request.param]
    return request.param, write(tmp_path), read


def test_whole_files_are_read(file):
    _, path, read = file
    assert np.isfinite(read(path)).all()


def test_a_file_cut_anywhere_is_refused(file):
    name, path, read = file
    data, rng = path.read_bytes(), random.Random(1)
    for keep in [0, 1, len(data) - 1, *(rng.randrange(len(data)) for _ in range(TRIALS.get(name, 40)))]:
        path.write_bytes(data[:keep])
        with pytest.raises(ArcuateError, match="again"):
            read(path)


@pytest.mark.filterwarnings("ignore")
def test_an_altered_file_is_refused_or_read(file):
    name, path, read = file
    data, rng = path.read_bytes(), random.Random(2)
    for _ in range(TRIALS.get(name, 40)):
        altered = bytearray(data)
        place = rng.randrange(CHECKED.get(name, 0), len(data))
        altered[place] ^= 1 << rng.randrange(8)
        path.write_bytes(altered)
        try:
            read(path)
        except ArcuateError:
            continue
        assert name not in CHECKED, f"byte {place} of {len(data)} was altered unseen"


def test_uncompressed_and_big_endian_files_pass_the_check(tmp_path):
    from scipy.io import savemat

    savemat(tmp_path / "plain.mat", {"a": np.arange(5.0)}, do_compression=False)
    check_mat5(tmp_path / "plain.mat")
    write_mat5(tmp_path / "packed.mat", a=1.0, b="text")
    check_mat5(tmp_path / "packed.mat")
    (tmp_path / "empty.mat").write_bytes((tmp_path / "packed.mat").read_bytes()[:128])
    with pytest.raises(ArcuateError, match="no variables"):
        check_mat5(tmp_path / "empty.mat")
