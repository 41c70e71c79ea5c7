"""Every figure of the tables of Beinborn, Abnar & Choenni 2019, as records that our scores are laid beside."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

DATASETS = ("words", "stories", "alice", "harry")
# Their names of voxel sets and selections -> ours.
VOXELS = {"whole_brain": "all", "top500_train": "top500_train", "top500_test": "top500_test (circular)"}
SELECTIONS = {"none": "none", "stable": "stable", "by_ev": "ev", "by_r": "r", "random": "random"}
TITLES = {
    "voxel_selection": "Table 2: voxel selection and pairwise accuracy on Words",
    "pairwise": "Table 3: pairwise accuracy",
    "voxelwise_mean": "Table 4: voxelwise results, mean over voxels",
    "voxelwise_sum": "Table 5: voxelwise results, sum over voxels",
    "rsa": "Table 6: representational similarity",
}


@dataclass(frozen=True)
class PublishedFigure:
    """One cell of one table: `value` with ELMo, `random` with the random language model (None in table 2)."""

    table: str
    dataset: str
    score: str
    metric: str
    match: str | None
    aggregate: str | None
    voxels: str | None
    select: str | None
    value: float
    random: float | None


@cache
def published_figures() -> tuple[PublishedFigure, ...]:
    """All figures of tables 2 to 6, in the order of the paper.

    Examples
    --------
    >>> figures = published_figures()
    >>> len(figures), figures[0].dataset, figures[0].value
    (113, 'words', 0.57)
    """
    return (*_selection(), *_pairwise(), *_voxelwise("mean"), *_voxelwise("sum"), *_rsa())


def _rows(name: str) -> list[dict[str, str]]:
    text = (files("arcuate.experiments") / "published" / f"encoding_{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def _selection() -> Iterator[PublishedFigure]:
    for row in _rows("voxel_selection"):
        for theirs, ours in SELECTIONS.items():
            yield PublishedFigure("voxel_selection", "words", "pairwise", row["metric"], "sum", None, None, ours,
                                  float(row[theirs]), None)  # fmt: skip


def _pairwise() -> Iterator[PublishedFigure]:
    for row in _rows("pairwise"):
        for dataset in DATASETS:
            yield PublishedFigure("pairwise", dataset, "pairwise", row["metric"], row["match"], None, None, None,
                                  float(row[dataset]), float(row[f"{dataset}_random"]))  # fmt: skip


def _voxelwise(aggregate: str) -> Iterator[PublishedFigure]:
    table = f"voxelwise_{aggregate}"
    for row in _rows(table):
        for metric in ("ev", "r2", "r2_simple"):
            yield PublishedFigure(table, row["dataset"], "voxelwise", metric, None, aggregate, VOXELS[row["voxels"]],
                                  None, float(row[metric]), float(row[f"{metric}_random"]))  # fmt: skip


def _rsa() -> Iterator[PublishedFigure]:
    for row in _rows("rsa"):
        for dataset in DATASETS:
            yield PublishedFigure("rsa", dataset, "rsa", row["metric"], None, None, "all", None,
                                  float(row[dataset]), float(row[f"{dataset}_random"]))  # fmt: skip
