"""NIfTI with timed words, through nilearn, on a small tree with two runs."""

from __future__ import annotations

import nibabel
import numpy as np
import pytest

from arcuate.datasets import nifti_events
from arcuate.errors import ArcuateError

AFFINE = np.diag([3.0, 3.0, 3.0, 1.0])
EVENTS = "onset\tduration\tword\n0.2\t0.3\tnull\n1.7\t0.2\tAlice\n"


def write_tree(root, n_scans=(6, 5), tr=1.5, shape=(3, 2, 2)):
    func = root / "sub-01" / "func"
    func.mkdir(parents=True)
    rng = np.random.default_rng(0)
    signals = []
    for run, n in enumerate(n_scans, start=1):
        data = rng.normal(size=(*shape, n)).astype(np.float32)
        image = nibabel.Nifti1Image(data, AFFINE)
        image.header.set_zooms((3, 3, 3, tr))
        stem = f"sub-01_task-pieman_run-{run}"
        nibabel.save(image, func / f"{stem}_space-MNI152NLin2009cAsym_desc-preproc_bold.nii.gz")
        (func / f"{stem}_events.tsv").write_text(EVENTS)
        signals.append(data)
    mask = np.ones(shape, dtype=np.uint8)
    mask[0, 0, 0] = 0
    nibabel.save(nibabel.Nifti1Image(mask, AFFINE), root / "mask.nii.gz")
    return signals, mask.astype(bool)


def test_runs_are_joined_on_one_clock(tmp_path):
    signals, mask = write_tree(tmp_path)
    one = nifti_events.read(tmp_path, "01")
    assert np.allclose(one.responses, np.concatenate([s[mask].T for s in signals]))
    assert one.tr == 1.5
    assert one.runs.tolist() == [0] * 6 + [1] * 5
    second = 6 * 1.5 + nifti_events.BETWEEN_RUNS_S
    assert one.times_s[6] == second
    assert one.stimuli.words == ("null", "Alice", "null", "Alice")
    assert one.stimuli.onsets[2] == pytest.approx(second + 0.2)
    assert one.coordinates[0].tolist() == [0, 0, 3]  # millimetres of the first voxel in the mask
    assert one.mask_image == tmp_path / "mask.nii.gz"


def test_what_does_not_fit_is_refused(tmp_path):
    write_tree(tmp_path)
    nibabel.save(nibabel.Nifti1Image(np.ones((3, 2, 3), dtype=np.uint8), AFFINE), tmp_path / "mask.nii.gz")
    with pytest.raises(ArcuateError, match="Resample the mask"):
        nifti_events.read(tmp_path, "01")
    events = tmp_path / "sub-01" / "func" / "sub-01_task-pieman_run-1_events.tsv"
    events.write_text("onset\tduration\n0\t1\n")
    with pytest.raises(ArcuateError, match=r"has the columns onset, duration\. onset, duration and word"):
        nifti_events.read_events(events)
    events.write_text(EVENTS + "n/a\t0.2\tcat\n")
    with pytest.raises(ArcuateError, match="line 4: onset 'n/a'"):
        nifti_events.read_events(events)
    events.unlink()
    with pytest.raises(ArcuateError, match=r"has no sub-01_task-pieman_run-1_events\.tsv beside it"):
        nifti_events.subjects(tmp_path)


def test_a_link_that_is_not_fetched_is_said_so(tmp_path):
    write_tree(tmp_path)
    (tmp_path / "sub-01" / "func" / "sub-02_task-pieman_bold.nii.gz").symlink_to("../annex/none")
    with pytest.raises(ArcuateError, match="is a link to a file that is not fetched"):
        nifti_events.subjects(tmp_path)
