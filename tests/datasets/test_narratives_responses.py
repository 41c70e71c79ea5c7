"""Narratives for encoding, on the miniature tree: stories as runs, words on the clock of the scans."""

from __future__ import annotations

import numpy as np
import pytest
from tests.datasets.miniatures import narratives as mini

from arcuate.datasets.response_readers import response_dataset
from arcuate.encoding.align import bin_words
from arcuate.errors import ArcuateError

SPACE = "MNI152NLin2009cAsym"


@pytest.fixture
def tree(tmp_path):
    root = mini.write_bids(tmp_path / "narratives")
    mini.write_transcripts(root)
    mini.write_exclusions(root, "sub-001_task-pieman_run-2")
    for subject, task, run, shape, _ in mini.SCANS:
        stem = mini.stem_of(subject, task, run)
        folder = root / "derivatives" / "fmriprep" / subject / "func"
        data = mini.signal_of(stem, shape).astype(np.float32)
        data[0, 0, 0] = 0  # outside the brain
        if shape == mini.SHAPE:
            mini.write_nifti(folder / f"{stem}_space-{SPACE}_res-native_desc-preproc_bold.nii.gz", data)
        frames = data.reshape(-1, data.shape[-1]).T
        frames[:, 5] = np.nan  # the medial wall
        for side in "LR":
            mini.write_gifti(folder / f"{stem}_space-fsaverage6_hemi-{side}.func.gii", frames)
    return root


def test_stories_of_a_subject_are_runs_with_their_words(tree):
    dataset = response_dataset("narratives-mni")
    found = dataset.subjects(tree)
    assert found.names == ("sub-001", "sub-002")
    assert any("sub-001_task-pieman_run-2: excluded by the dataset's authors" in line for line in found.excluded)
    one = dataset.read(tree, "sub-001")
    # pieman run 1 (20 volumes), and the two stories of slumlordreach (12 and 14).
    assert np.bincount(one.runs).tolist() == [20, 12, 14]
    signal = mini.signal_of("sub-001_task-pieman_run-1").reshape(-1, mini.N_VOLUMES)[1:, 5:25].T
    assert np.allclose(one.responses[:20], signal)
    assert one.excluded == ("1 of 48 voxels are NaN or constant: outside the brain",)
    assert len(one.coordinates) == one.n_voxels
    # The story begins 7.5 s into the scan and "So," 7.6 s into the audio, which begins with the scan.
    assert one.stimuli.words[:2] == ("So,", "I’m")
    assert one.stimuli.onsets[0] == pytest.approx(0.1)
    _, notes = bin_words(np.ones((len(one.stimuli), 1)), one)
    assert notes == ()  # every word that was kept has its scan


def test_surfaces_are_read_without_the_medial_wall(tree):
    one = response_dataset("narratives-fsaverage6").read(tree, "sub-001")
    assert one.responses.shape[1] == 2 * 48 - 4  # on each side one vertex is constant and one NaN
    assert one.coordinates is None


def test_a_tree_without_derivatives_says_so(tmp_path):
    root = mini.write_bids(tmp_path / "narratives")
    mini.write_transcripts(root)
    with pytest.raises(ArcuateError, match=r"no story under .* has fsaverage6 images and a transcript \(.*are missing"):
        response_dataset("narratives-fsaverage6").subjects(root)
