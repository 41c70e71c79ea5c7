"""Cross-validation that is cross-subject and cross-text at once: diagonal and grid folds as a Split."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from arcuate.errors import ArcuateError, UnknownName
from arcuate.splits.assemble import Coded, reasons_of, text_word
from arcuate.splits.blocks import (
    Blocks,
    Codes,
    Fold,
    diagonal_blocks,
    diagonal_folds,
    grid_blocks,
    grid_folds,
)
from arcuate.splits.lay import identifying
from arcuate.splits.manifest import build_manifest, measured
from arcuate.splits.parts import DROPPED
from arcuate.splits.record import Split

if TYPE_CHECKING:
    from arcuate.samples.table import SampleTable

TRAIN_TEST = ("train", "test")


@dataclass(frozen=True)
class Scheme:
    """How blocks are made and which folds they give."""

    blocks: Callable[..., Blocks]
    folds: Callable[[Blocks, Codes, Codes], Iterator[Fold]]


SCHEMES = {
    "diagonal": Scheme(diagonal_blocks, diagonal_folds),
    "grid": Scheme(grid_blocks, grid_folds),
}


@dataclass(frozen=True, kw_only=True)
class CrossFolds:
    """K-fold over subjects and texts at once.

    'diagonal' has K folds: subjects and texts lie in K blocks each, fold i tests block i and trains
    on all samples outside its subjects and its texts. 'grid' has K x K folds, one for each pair of
    blocks, so that every sample is tested exactly once. `repeats` repeats with seeds seed, seed + 1, ...

    Examples
    --------
    >>> from arcuate.samples.read import read_samples
    >>> crossed = pl.DataFrame({"subject": list("aabb"), "text_id": list("xyxy")})
    >>> split = CrossFolds(folds=2, scheme="grid").split(read_samples(crossed))
    >>> split.folds, split.fold(0).counts
    ([0, 1, 2, 3], {'train': 1, 'test': 1, 'dropped': 2})
    """

    name: ClassVar[str] = "folds"
    folds: int = 5
    scheme: str = "diagonal"
    repeats: int = 1
    seed: int = 1

    def split(self, table: SampleTable) -> Split:
        """All folds one after another, in one Split."""
        started = time.perf_counter()
        rows = table.rows()
        subject, text = Coded.of(rows["subject"]), Coded.of(rows["text_node"])
        weight = rows["weight"].to_numpy()
        known = identifying(rows, table.unit)
        frames = [
            _frame(known, number, fold, text_word(table))
            for number, fold in enumerate(self.each(subject.codes, text.codes, weight))
        ]
        whole = pl.concat(frames)
        options = {"folds": self.folds, "scheme": self.scheme, "repeats": self.repeats}
        manifest = build_manifest(
            whole, table, rows, method=f"{self.scheme} folds", seed=self.seed, options=options,
            seconds=round(time.perf_counter() - started, 3),
        )
        manifest["folds"] = [_about(number, one, weight, rows["text_node"]) for number, one in enumerate(frames)]
        return Split(whole, manifest)

    def each(self, subject: Codes, text: Codes, weight: np.ndarray) -> Iterator[Fold]:
        """The folds of all repeats, over the two ends of each sample as numbers."""
        if self.scheme not in SCHEMES:
            raise UnknownName("scheme", self.scheme, SCHEMES)
        if self.repeats < 1:
            raise ArcuateError(f"repeats is {self.repeats}. Use at least 1.")
        scheme = SCHEMES[self.scheme]
        for repeat in range(self.repeats):
            blocks = scheme.blocks(subject, text, weight, self.folds, self.seed + repeat)
            yield from scheme.folds(blocks, subject, text)


def _frame(known: pl.DataFrame, number: int, fold: Fold, word: str) -> pl.DataFrame:
    part = np.where(fold.train, 0, np.where(fold.test, 1, 2))
    return known.select(
        pl.lit(number, pl.Int64).alias("fold"), pl.all(),
        pl.Series("part", [*TRAIN_TEST, DROPPED]).gather(part),
        reasons_of(TRAIN_TEST, fold.of_subject, fold.of_text, word).alias("reason"),
    )


def _about(number: int, frame: pl.DataFrame, weight: np.ndarray, text: pl.Series) -> dict[str, Any]:
    return {"fold": number, **measured(frame.drop("fold"), weight, text)}
