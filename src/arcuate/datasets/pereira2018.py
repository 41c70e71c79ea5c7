"""Pereira et al. 2018: 180 concepts in three presentations, and 384 and 243 sentences in passages.

Two generations of files lie under the same folder names (`SUBJ/examples_*.mat`, `SUBJ/data_*.mat`); both are
read. Experiments go by their count of sentences, since their numbers differ between papers and code.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from arcuate.datasets.response_dataset import ResponseDataset, Subjects
from arcuate.datasets.response_files import (
    check_finite,
    existing_folder,
    file_of,
    load_mat,
    member,
    structs,
    text,
    vector,
)
from arcuate.datasets.responses import BrainResponses
from arcuate.errors import ArcuateError

NAME = "pereira2018"
EXPERIMENTS = (
    "180concepts_sentences", "180concepts_pictures", "180concepts_wordclouds", "384sentences", "243sentences",
)  # fmt: skip


def subjects(root: Path, experiment: str) -> Subjects:
    """The subjects (folder names) that took part in an experiment.

    Examples
    --------
    >>> subjects(Path("nowhere"), "384sentences")
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: pereira2018: nowhere is not a folder. Give the folder that holds its files.
    """
    return Subjects(tuple(_files(root, experiment)))


def read(
    root: Path, subject: str, *, experiment: str = "384sentences", unit: str = "sentences"
) -> BrainResponses:
    """One subject's images of one experiment.

    Parameters
    ----------
    experiment : one of `EXPERIMENTS`
    unit : {"sentences", "passages"}
        Passages: the image of a whole passage where the newer files have one, else the mean of its sentences.

    Examples
    --------
    >>> read(Path("nowhere"), "P01")
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: pereira2018: nowhere is not a folder. Give the folder that holds its files.
    """
    path = file_of(subject, _files(root, experiment), NAME)
    content = load_mat(path, ("meta",))
    if experiment.startswith("180concepts"):
        stimuli, responses, notes = _concepts(content, path)
    elif unit == "sentences":
        stimuli, responses, notes = _sentences(content, path)
    else:
        stimuli, responses, notes = _passages(content, path)
    check_finite(responses, str(path))
    meta = structs(content["meta"])[0]
    return BrainResponses(
        dataset=f"{NAME}-{experiment}", subject=subject, kind="isolated", responses=responses,
        stimuli=stimuli, coordinates=_coordinates(meta, responses.shape[1], path),
        rois=_regions(meta, responses.shape[1], path), excluded=notes,
    )  # fmt: skip


_Rows = tuple[tuple[str, ...], np.ndarray, tuple[str, ...]]


def _files(root: Path, experiment: str) -> dict[str, Path]:
    if experiment not in EXPERIMENTS:
        raise ArcuateError(f"{NAME}: experiment is {experiment!r}. Use one of {', '.join(EXPERIMENTS)}.")
    found: dict[str, Path] = {}
    for generation in ("data", "examples"):
        for path in sorted(existing_folder(root, NAME).rglob(f"{generation}_{experiment}.mat")):
            # The newer file wins where a folder holds both; two folders of one subject are refused.
            if path.parent.name in found and found[path.parent.name].parent != path.parent:
                raise ArcuateError(
                    f"{NAME}: subject {path.parent.name} has two files, {found[path.parent.name]} and "
                    f"{path}. "
                    "Give a folder that holds one copy of the dataset."
                )
            found.setdefault(path.parent.name, path)
    if not found:
        raise ArcuateError(
            f"{NAME}: no SUBJECT/data_{experiment}.mat (or examples_{experiment}.mat) under {root}."
        )
    return dict(sorted(found.items()))


def _images(content: dict[str, Any], names: tuple[str, ...], path: Path) -> np.ndarray:
    for name in names:
        if name in content:
            return np.asarray(content[name], dtype=np.float64)
    seen = ", ".join(key for key in content if not key.startswith("__"))
    raise ArcuateError(f"{path} lacks {' and '.join(names)}; it holds {seen}. Is it the published file?")


def _keys(content: dict[str, Any], name: str, path: Path) -> list[str]:
    if name not in content:
        seen = ", ".join(key for key in content if not key.startswith("__"))
        raise ArcuateError(f"{path} lacks the variable {name!r}; it holds {seen}. Is it the published file?")
    return [text(key) for key in structs(content[name])]


def _labels(content: dict[str, Any], name: str, n_rows: int, n_keys: int, path: Path) -> np.ndarray:
    """Labels counted from 0; row or column, and from 1, in the file."""
    labels = vector(content.get(name, np.array([]))).astype(np.int64)
    if len(labels) != n_rows or labels.min() < 1 or labels.max() > n_keys:
        span = f"{labels.min()} to {labels.max()}" if labels.size else "nothing"
        raise ArcuateError(
            f"{path}: {name} has {len(labels)} labels ({span}), but there are {n_rows} images and "
            f"{n_keys} keys. "
            "Download it again."
        )
    return labels - 1


def _concepts(content: dict[str, Any], path: Path) -> _Rows:
    images = _images(content, ("examples",), path)
    keys = _keys(content, "keyConcept", path)
    labels = _labels(content, "labelsConcept", len(images), len(keys), path)
    return tuple(keys[label] for label in labels), images, ()


def _sentences(content: dict[str, Any], path: Path) -> _Rows:
    images = _images(content, ("examples_passagesentences", "examples"), path)
    sentences = _keys(content, "keySentences", path)
    if len(sentences) != len(images):
        raise ArcuateError(f"{path}: {len(sentences)} sentences but {len(images)} images. Download it again.")
    return tuple(sentences), images, ()


def _passages(content: dict[str, Any], path: Path) -> _Rows:
    sentences, images, _ = _sentences(content, path)
    names = _keys(content, "keyPassages", path)
    labels = _labels(content, "labelsPassageForEachSentence", len(images), len(names), path)
    empty = [names[p] for p in range(len(names)) if not (labels == p).any()]
    if empty:
        raise ArcuateError(f"{path}: passage {empty[0]!r} has no sentence. Download it again.")
    members = [np.flatnonzero(labels == p) for p in range(len(names))]
    texts = tuple(" ".join(sentences[i] for i in rows) for rows in members)
    if "examples_passages" in content:
        whole = np.asarray(content["examples_passages"], dtype=np.float64)
        if whole.shape != (len(names), images.shape[1]):
            raise ArcuateError(
                f"{path}: examples_passages has shape {whole.shape}, ({len(names)}, "
                f"{images.shape[1]}) expected."
            )
        return texts, whole, ()
    means = np.stack([images[rows].mean(axis=0) for rows in members])
    return texts, means, ("older file: a passage's image is the mean of its sentences' images",)


def _coordinates(meta: Any, n_voxels: int, path: Path) -> np.ndarray:
    coordinates = np.asarray(member(meta, "colToCoord", f"{path}: meta"), dtype=np.float64)
    if coordinates.shape != (n_voxels, 3):
        raise ArcuateError(
            f"{path}: meta.colToCoord has shape {coordinates.shape}, ({n_voxels}, 3) expected. "
            "Download it again."
        )
    return coordinates - 1


def _regions(meta: Any, n_voxels: int, path: Path) -> dict[str, np.ndarray]:
    """'atlas/region' -> columns counted from 0, of either generation."""
    if hasattr(meta, "atlases"):
        atlases = [text(atlas) for atlas in structs(meta.atlases)]
        names, columns = structs(meta.rois), structs(meta.roiColumns)
    else:
        atlases = [atlas for atlas in ("AAL", "Gordon") if hasattr(meta, f"rois{atlas}")]
        names = [getattr(meta, f"rois{atlas}") for atlas in atlases]
        columns = [getattr(meta, f"roiColumns{atlas}") for atlas in atlases]
    regions = {}
    for atlas, region_names, region_columns in zip(atlases, names, columns, strict=True):
        for name, of_region in zip(structs(region_names), structs(region_columns), strict=True):
            indices = vector(of_region).astype(np.int64)
            if indices.size and not (indices.min() >= 1 and indices.max() <= n_voxels):
                raise ArcuateError(
                    f"{path}: region {text(name)!r} of {atlas} names columns {indices.min()} to "
                    f"{indices.max()}, "
                    f"but there are {n_voxels}. Download it again."
                )
            regions[f"{atlas}/{text(name)}"] = indices - 1
    return regions


def _dataset(experiment: str, unit: str, name: str) -> ResponseDataset:
    return ResponseDataset(
        name=name,
        title=f"Pereira 2018: {experiment.replace('_', ', ')}"
              + (", one image a passage" if unit == "passages" else "") + ", up to 16 subjects",
        kind="isolated", licence="none stated",
        source="MIT EvLab page of the paper (one archive a subject)",
        citation="Pereira et al. 2018, Nature Communications 9:963",
        files=f"SUBJECT/data_{experiment}.mat or SUBJECT/examples_{experiment}.mat",
        marker=f"*_{experiment}.mat",
        subjects=partial(subjects, experiment=experiment),
        read=partial(read, experiment=experiment, unit=unit),
        space="voxel",
    )  # fmt: skip


PEREIRA2018 = {
    dataset.name: dataset
    for dataset in (
        *(_dataset(name, "sentences", f"{NAME}-{name.replace('_', '-')}") for name in EXPERIMENTS),
        _dataset("384sentences", "passages", f"{NAME}-96passages"),
        _dataset("243sentences", "passages", f"{NAME}-72passages"),
    )
}
