"""`arcuate encode --html` on data whose voxels lie in MNI space: the page holds brain maps and opens offline."""

from __future__ import annotations

import itertools
import json

import nibabel
import numpy as np

AFFINE = np.array([[6.0, 0, 0, -72], [0, 6, 0, -102], [0, 0, 6, -60], [0, 0, 0, 1]])


def write_dataset(root, n_scans=90, seed=0):
    """Two runs of one subject whose left hemisphere follows the word rate."""
    rng = np.random.default_rng(seed)
    shape = (25, 30, 22)
    mask = np.zeros(shape, dtype=np.uint8)
    mask[4:21:3, 4:26:3, 4:18:3] = 1
    nibabel.save(nibabel.Nifti1Image(mask, AFFINE), root / "mask.nii.gz")
    for subject, run in itertools.product(("01",), ("1", "2")):
        onsets = np.sort(rng.uniform(0, 2 * n_scans, size=200))
        rate = np.bincount((onsets // 2).astype(int), minlength=n_scans)[:n_scans]
        response = np.convolve(rate, [0, 0.2, 1, 0.6, 0.2])[:n_scans]
        signal = rng.normal(size=(*shape, n_scans)).astype(np.float32)
        signal[:12] += 2 * response.astype(np.float32)  # x below 0 mm: the left half
        image = nibabel.Nifti1Image(signal, AFFINE)
        image.header.set_zooms((6, 6, 6, 2))
        nibabel.save(image, root / f"sub-{subject}_task-x_run-{run}_bold.nii.gz")
        words = rng.choice(["cat", "dog", "house", "barn"], size=200)
        lines = [f"{onset:.3f}\t0.2\t{word}" for onset, word in zip(onsets, words, strict=True)]
        (root / f"sub-{subject}_task-x_run-{run}_events.tsv").write_text(
            "onset\tduration\tword\n" + "\n".join(lines) + "\n"
        )


def test_the_page_of_a_nifti_dataset_shows_its_brain_maps(arcuate, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    write_dataset(data)
    done = arcuate(
        "encode", "--dataset", "nifti", "--root", data, "--features", "rate", "--folds", "runs",
        "--alpha", "cv", "--permutations", 5, "--partners", 50, "--out", tmp_path / "out",
        "--html", tmp_path / "page.html", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    mean = {line["features"]: line["mean"] for line in found["summary"]
            if line["metric"] == "r2_simple" and line["aggregate"] == "mean"}  # fmt: skip
    assert mean["rate"] > 0.2
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Subject 01, rate: correlation by voxel. Glass brain" in page
    assert "On the inflated fsaverage5 surface" in page
    maps = np.load(tmp_path / "out" / "maps.npz")
    mask = nibabel.load(data / "mask.nii.gz")
    left = (np.argwhere(np.asarray(mask.dataobj) != 0)[:, 0]) < 12
    assert maps["01/rate/r"][left].mean() > 0.5
    assert abs(maps["01/rate/r"][~left].mean()) < 0.1
