"""Responses that cannot be scored are refused, or left out and counted if the user asks for it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arcuate.datasets.responses import BrainResponses
from arcuate.encoding.features.record import Features
from arcuate.encoding.ridge_cv import voxel_blocks
from arcuate.errors import ArcuateError


def unusable_voxels(responses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Columns that hold NaN or infinity, and other columns that are constant.

    Examples
    --------
    >>> nan, constant = unusable_voxels(np.array([[1.0, np.nan, 2.0], [1.0, 0.0, 3.0]]))
    >>> nan.tolist(), constant.tolist()
    ([1], [0])
    """
    infinite, constant = [], []
    for block in voxel_blocks(responses.shape[1]):
        values = np.asarray(responses[:, block])
        bad = ~np.isfinite(values).all(axis=0)
        same = ~bad & (values == values[:1]).all(axis=0)
        infinite.append(block.start + np.flatnonzero(bad))
        constant.append(block.start + np.flatnonzero(same))
    return np.concatenate(infinite), np.concatenate(constant)


def usable(data: BrainResponses, *, drop_voxels: bool = False) -> BrainResponses:
    """The data if every voxel can be scored; else an error, or with `drop_voxels` the rest and a note.

    Examples
    --------
    >>> data = BrainResponses(dataset="toy", subject="1", kind="isolated", stimuli=("a", "b"),
    ...                       responses=np.array([[1.0, 5.0], [2.0, 5.0]]))
    >>> usable(data, drop_voxels=True).excluded
    ('1 of 2 voxels left out: 0 with NaN or infinity, 1 constant',)
    """
    infinite, constant = unusable_voxels(data.responses)
    bad = np.union1d(infinite, constant)
    if not len(bad):
        return data
    counts = f"{len(infinite)} with NaN or infinity, {len(constant)} constant"
    if len(bad) == data.n_voxels:
        raise ArcuateError(
            f"{data.name}: none of the {data.n_voxels} voxels can be scored ({counts}). Leave this subject out."
        )
    if not drop_voxels:
        raise ArcuateError(
            f"{data.name}: {len(bad)} of {data.n_voxels} voxels cannot be scored ({counts}; the first is "
            f"column {bad[0]}). Leave them out with --drop-voxels."
        )
    return _without(data, bad, f"{len(bad)} of {data.n_voxels} voxels left out: {counts}")


def _without(data: BrainResponses, bad: np.ndarray, note: str) -> BrainResponses:
    kept = np.setdiff1d(np.arange(data.n_voxels), bad, assume_unique=True)
    new_column = np.full(data.n_voxels, -1)
    new_column[kept] = np.arange(len(kept))
    rois = {name: new_column[columns][new_column[columns] >= 0] for name, columns in data.rois.items()}
    return replace(
        data,
        responses=np.asarray(data.responses)[:, kept],
        repetitions=None if data.repetitions is None else data.repetitions[:, :, kept],
        coordinates=None if data.coordinates is None else data.coordinates[kept],
        mask_image=None,  # its voxels are no longer the columns
        rois={name: columns for name, columns in rois.items() if len(columns)},
        excluded=(*data.excluded, note),
    )


def check_rows(data: BrainResponses, features: Features) -> None:
    """Refuse features that do not have one row a stimulus or scan.

    Examples
    --------
    >>> data = BrainResponses(dataset="toy", subject="1", kind="isolated", stimuli=("a", "b"),
    ...                       responses=np.eye(2))
    >>> check_rows(data, Features("toy", np.ones((3, 1)), "toy"))
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: toy/1 has 2 rows of responses, features 'toy' have 3. ...
    """
    if len(features.values) != data.n_rows:
        raise ArcuateError(
            f"{data.name} has {data.n_rows} rows of responses, features {features.name!r} have "
            f"{len(features.values)}. Align them first: one row a stimulus or scan."
        )
