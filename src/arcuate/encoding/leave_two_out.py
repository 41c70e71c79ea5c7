"""Leave-two-out over all pairs of isolated stimuli, exact, from one factorisation.

The residuals of a left-out pair S are e = (M_SS)⁻¹ r_S (see `arcuate.encoding.ridge`). Every similarity
needs only inner products of responses and predictions, that is of Y and r = MY: all of them follow
from the Gram matrix YYᵀ, whatever the number of voxels, and a permutation of the stimuli permutes
the rows and columns of that matrix.

Selection by pair stays exact too. The training residuals of the pair's model are t = r − M_:S e (the
rows of S vanish), so that, voxel by voxel,

    Σ t²  = Σ r² − 2 e·(Mr)_S + eᵀ(M²)_SS e       Σ y·t = Σ y·r − e·r_S
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from arcuate.encoding.folds import all_pairs
from arcuate.encoding.ridge import decompose, residual_maker
from arcuate.encoding.select import (
    CIRCULAR,
    Selection,
    best,
    repetition_moments,
    score_of_moments,
    stability_of_moments,
)
from arcuate.metrics.pairwise import MATCHES, SIMILARITIES, Pairwise, match_pairs, similarity_of_products

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Cells = dict[tuple[str, str], Pairwise]

# Numbers held at once by a batch of pairs; larger batches fall out of the processor's cache.
BATCH = 400_000


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of stimuli and the inverse of M on each: made once for some features and alpha."""

    maker: np.ndarray
    pairs: np.ndarray
    inverse: np.ndarray

    @classmethod
    def of(cls, features: np.ndarray, alpha: float) -> Pairs:
        maker = residual_maker(decompose(features), alpha)
        pairs = all_pairs(len(features))
        i, j = pairs.T
        a, b, c = maker[i, i], maker[i, j], maker[j, j]
        inverse = np.stack([np.stack([c, -b], axis=1), np.stack([-b, a], axis=1)], axis=1)
        return cls(maker, pairs, inverse / (a * c - b * b)[:, None, None])


def gram(responses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """YYᵀ, and the same of rows centred over voxels (for Pearson's r).

    Examples
    --------
    >>> [part.shape for part in gram(np.ones((4, 9)))]
    [(4, 4), (4, 4)]
    """
    responses = np.asarray(responses, dtype=np.float64)
    centred = responses - responses.mean(axis=1, keepdims=True)
    return responses @ responses.T, centred @ centred.T


def score_gram(pairs: Pairs, plain: np.ndarray, centred: np.ndarray) -> Cells:
    """All nine cells of similarity × match over all pairs, from the two matrices of `gram`.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(size=(12, 3))
    >>> cells = score_gram(Pairs.of(x, 0.1), *gram(x @ np.ones((3, 50)) + x.sum(1)[:, None]))
    >>> cells["cosine", "sum"].n
    66
    """
    square = {name: _products(pairs, matrix) for name, matrix in (("plain", plain), ("centred", centred))}
    return _score(square)


def _products(pairs: Pairs, matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """<y_b, p_a> as pairs × a × b, <y, y> and <p, p> as pairs × 2."""
    left = pairs.maker @ matrix
    rows, columns = pairs.pairs[:, :, None], pairs.pairs[:, None, :]
    of_y, of_r, of_rr = matrix[rows, columns], left[rows, columns], (left @ pairs.maker)[rows, columns]
    error = pairs.inverse @ of_r
    error_square = ((pairs.inverse @ of_rr) * pairs.inverse).sum(axis=2)
    target_square = np.einsum("paa->pa", of_y)
    prediction_square = target_square - 2 * np.einsum("paa->pa", error) + error_square
    return of_y - error, target_square, np.maximum(prediction_square, 0)


def _score(square: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]) -> Cells:
    cells = {}
    for similarity in SIMILARITIES:
        product, targets, predictions = square["centred" if similarity == "pearson" else "plain"]
        f = similarity_of_products(product, targets[:, None, :], predictions[:, :, None], similarity)
        for match in MATCHES:
            points, tied = match_pairs(f[:, 0, 0], f[:, 1, 0], f[:, 0, 1], f[:, 1, 1], match)
            undefined = tied & np.isnan(f).any(axis=(1, 2))
            cells[similarity, match] = Pairwise(
                float(points.mean()), len(points), int(tied.sum()), int(undefined.sum())
            )
    return cells


@dataclass(frozen=True, eq=False)
class ClosedForm:
    """Residuals of pairs without a refit. `responses` are centred by voxel, which changes no residual."""

    pairs: Pairs
    responses: np.ndarray
    _fit: dict[str, np.ndarray] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        maker = self.pairs.maker
        r = maker @ self.responses
        self._fit.update(
            r=r, q=maker @ r, square=maker @ maker,
            rr=np.einsum("ij,ij->j", r, r), yr=np.einsum("ij,ij->j", self.responses, r),
        )

    def residuals(self, batch: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """e (pairs × 2 × voxels), Σ y·t and Σ t² (pairs × voxels)."""
        test, fit = self.pairs.pairs[batch], self._fit
        r = fit["r"][test]
        e = self.pairs.inverse[batch] @ r
        square = fit["square"][test[:, :, None], test[:, None, :]]
        rest = square @ e
        rest -= 2 * fit["q"][test]
        return e, fit["yr"] - np.einsum("pav,pav->pv", e, r), fit["rr"] + np.einsum("pav,pav->pv", e, rest)


@dataclass(frozen=True, eq=False)
class SelectedPairs:
    """Pairwise scores with voxels selected, and responses z-scored if asked, on each pair's training part."""

    model: ClosedForm
    mean: np.ndarray
    selection: Selection
    repetitions: np.ndarray | None = None
    spheres: csr_matrix | None = None
    standardise: bool = False

    @classmethod
    def of(
        cls, pairs: Pairs, responses: np.ndarray, selection: Selection, repetitions: np.ndarray | None = None,
        spheres: csr_matrix | None = None, *, standardise: bool = False,
    ) -> SelectedPairs:
        mean = responses.mean(axis=0)
        return cls(ClosedForm(pairs, responses - mean), mean, selection, repetitions, spheres, standardise)

    @property
    def pairs(self) -> np.ndarray:
        return self.model.pairs.pairs

    @property
    def responses(self) -> np.ndarray:
        return self.model.responses

    def score(self) -> Cells:
        """All nine cells over all pairs."""
        parts = [self._batch(batch) for batch in self._batches()]
        joined = {
            name: tuple(np.concatenate([part[name][k] for part in parts]) for k in range(3))
            for name in ("plain", "centred")
        }
        return _score(joined)  # type: ignore[arg-type]

    def _batches(self) -> Iterator[np.ndarray]:
        size = max(1, BATCH // (2 * self.responses.shape[1]))
        for start in range(0, len(self.pairs), size):
            yield np.arange(start, min(start + size, len(self.pairs)))

    @cached_property
    def _totals(self) -> tuple[np.ndarray, np.ndarray]:
        return self.responses.sum(axis=0), np.einsum("ij,ij->j", self.responses, self.responses)

    @cached_property
    def _moments(self) -> tuple[np.ndarray, np.ndarray]:
        assert self.repetitions is not None
        return repetition_moments(self.repetitions)

    def _batch(self, batch: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
        y = self.responses[self.pairs[batch]]
        e, residual_product, residual = self.model.residuals(batch)
        n_train = len(self.responses) - 2
        sums = self._totals[0] - y.sum(axis=1)
        total = self._totals[1] - np.einsum("pav,pav->pv", y, y) - sums**2 / n_train
        columns = self._columns(batch, y, e, total, residual_product, residual)
        if columns is not None:
            wide = columns[:, None, :]
            y, e = np.take_along_axis(y, wide, axis=2), np.take_along_axis(e, wide, axis=2)
            sums, total = np.take_along_axis(sums, columns, 1), np.take_along_axis(total, columns, 1)
        if self.standardise:
            spread = np.sqrt(np.maximum(total / n_train, 0))[:, None, :]
            used = spread > 0
            y = np.divide(y - sums[:, None, :] / n_train, spread, out=np.zeros(y.shape), where=used)
            e = np.divide(e, spread, out=np.zeros(e.shape), where=used)
        else:
            y = y + (self.mean if columns is None else self.mean[columns][:, None, :])
        return {"plain": _direct(y, y - e), "centred": _direct(_centred(y), _centred(y - e))}

    def _columns(
        self, batch: np.ndarray, y: np.ndarray, e: np.ndarray,
        total: np.ndarray, residual_product: np.ndarray, residual: np.ndarray,
    ) -> np.ndarray | None:
        rule = self.selection.rule
        if rule in ("ev", "r"):
            scores = score_of_moments(rule, total, residual_product, residual)
        elif rule == "searchlight":
            assert self.spheres is not None
            scores = (self.spheres @ score_of_moments("ev", total, residual_product, residual).T).T
        elif rule == "stable":
            scores = self._stability(batch)
        elif rule == CIRCULAR:
            true = (y[:, 0] - y[:, 1]) ** 2
            scores = -((e[:, 0] - e[:, 1]) ** 2) / np.where(true > 0, true, np.nan)
            scores = np.where(np.isnan(scores), -np.inf, scores)
        else:  # a fixed rule: the caller has already taken its columns
            return None
        return best(scores, self.selection.number)

    def _stability(self, batch: np.ndarray) -> np.ndarray:
        assert self.repetitions is not None
        sums, products = self._moments
        scores = []
        for pair in self.pairs[batch]:
            x = self.repetitions[pair]
            scores.append(stability_of_moments(
                sums - x.sum(axis=0), products - np.einsum("nav,nbv->abv", x, x), len(self.repetitions) - 2
            ))
        return np.stack(scores)


def _centred(values: np.ndarray) -> np.ndarray:
    return values - values.mean(axis=2, keepdims=True)


def _direct(y: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return p @ y.swapaxes(1, 2), np.einsum("pav,pav->pa", y, y), np.einsum("pav,pav->pa", p, p)
