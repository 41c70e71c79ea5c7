"""Pairwise accuracy: is a prediction more like its own response than like another's?

Equations 1–3 of Beinborn, Abnar & Choenni (2019): similarity f in {cosine, euclidean, pearson},
match in {sum, single, strict}, for a pair of samples (1, 2) with responses s and predictions p.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arcuate.errors import ArcuateError, UnknownName

SIMILARITIES = ("cosine", "euclidean", "pearson")
MATCHES = ("sum", "single", "strict")

# Two similarities that agree to this share are a tie: the last digits depend on the order of summation.
TIE = 1e-12


@dataclass(frozen=True)
class Pairwise:
    """Accuracy over `n` comparisons; `ties` of them count ½, `undefined` ties had a vector of norm 0."""

    value: float
    n: int
    ties: int
    undefined: int


def similarity_of_products(
    product: np.ndarray, target_square: np.ndarray, prediction_square: np.ndarray, similarity: str
) -> np.ndarray:
    """f(s, p) from <s, p>, <s, s> and <p, p>; for Pearson's r give products of vectors centred over voxels.

    Euclidean similarity is the negative distance. NaN where a norm of 0 leaves the angle undefined.

    Examples
    --------
    >>> similarity_of_products(np.array(2.0), np.array(1.0), np.array(4.0), "cosine").item()
    1.0
    """
    if similarity == "euclidean":
        return -np.sqrt(np.maximum(target_square + prediction_square - 2 * product, 0))
    if similarity not in SIMILARITIES:
        raise UnknownName("Similarity", similarity, SIMILARITIES)
    norm = np.sqrt(target_square * prediction_square)
    return np.divide(product, norm, out=np.full(np.shape(norm), np.nan), where=norm > 0)


def similarity_matrix(targets: np.ndarray, predictions: np.ndarray, similarity: str) -> np.ndarray:
    """F[i, j] = f(target i, prediction j) for rows over voxels; leading axes may hold a batch.

    Examples
    --------
    >>> similarity_matrix(np.eye(2), np.eye(2), "cosine")
    array([[1., 0.],
           [0., 1.]])
    """
    if np.shape(targets) != np.shape(predictions):
        raise ArcuateError(
            f"Targets have shape {np.shape(targets)}, predictions {np.shape(predictions)}. Make them agree."
        )
    if similarity == "pearson":
        targets = targets - targets.mean(axis=-1, keepdims=True)
        predictions = predictions - predictions.mean(axis=-1, keepdims=True)
    return similarity_of_products(
        targets @ predictions.swapaxes(-1, -2),
        np.einsum("...ij,...ij->...i", targets, targets)[..., :, None],
        np.einsum("...ij,...ij->...i", predictions, predictions)[..., None, :],
        similarity,
    )


def wins(right: np.ndarray, wrong: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """1 where `right` is larger, ½ where they tie or are undefined, else 0; and where they tie.

    Examples
    --------
    >>> won, tied = wins(np.array([1.0, 1.0, np.nan]), np.array([0.0, 1.0, 0.0]))
    >>> won.tolist(), tied.tolist()
    ([1.0, 0.5, 0.5], [False, True, True])
    """
    difference = right - wrong
    tied = ~(np.abs(difference) > TIE * np.maximum(np.abs(right), np.abs(wrong)))
    return np.where(tied, 0.5, difference > 0), tied


def match_pairs(
    f11: np.ndarray, f12: np.ndarray, f21: np.ndarray, f22: np.ndarray, match: str
) -> tuple[np.ndarray, np.ndarray]:
    """Points (0 to 1) and ties of pairs, from fab = f(response a, prediction b).

    `single` looks at the first sample only, as published. `strict` multiplies the points of both
    samples, so that a pair of ties counts ¼, which is what two independent guesses win.

    Examples
    --------
    >>> one, zero = np.array([1.0]), np.array([0.0])
    >>> [match_pairs(one, zero, zero, zero, match)[0].item() for match in MATCHES]
    [1.0, 1.0, 0.5]
    """
    if match == "sum":
        return wins(f11 + f22, f12 + f21)
    if match not in MATCHES:
        raise UnknownName("Match", match, MATCHES)
    first, first_tied = wins(f11, f12)
    if match == "single":
        return first, first_tied
    second, second_tied = wins(f22, f21)
    return first * second, first_tied | second_tied


def partners(
    positions: np.ndarray, number: int, distance: int, seed: int | np.random.Generator, *,
    allow_none: bool = False,
) -> np.ndarray:
    """How often each sample (row) is compared with each other (column): `number` random partners a sample.

    Partners lie at least `distance` steps away, since responses to near stimuli overlap. A sample
    without any such partner is an error, unless `allow_none`: then its row is 0 and the caller reports it.

    Examples
    --------
    >>> counts = partners(np.arange(50), number=1000, distance=20, seed=1)
    >>> counts.sum(axis=1).tolist() == [1000] * 50, int(counts[0, :20].sum())
    (True, 0)
    """
    if number < 1:
        raise ArcuateError(f"{number} partners a sample were asked for. Give at least 1.")
    positions = np.asarray(positions)
    eligible = np.abs(positions[:, None] - positions[None, :]) >= max(distance, 1)
    n_eligible = eligible.sum(axis=1)
    if not n_eligible.all() and not allow_none:
        raise ArcuateError(
            f"{int((n_eligible == 0).sum())} of the {len(positions)} samples of a test fold have no partner "
            f"at least {distance} steps away. Use fewer folds or a smaller distance, or leave them out."
        )
    rng = np.random.default_rng(seed)
    counts = np.zeros(eligible.shape, dtype=np.int64)
    for i in np.flatnonzero(n_eligible):
        drawn = rng.integers(n_eligible[i], size=number)
        counts[i, eligible[i]] = np.bincount(drawn, minlength=n_eligible[i])
    return counts


def accuracy_over(similarities: np.ndarray, match: str, counts: np.ndarray) -> list[Pairwise]:
    """Accuracy over the pairs (i, j) counted in `counts`, from batch × F[i, j] = f(target i, prediction j).

    Examples
    --------
    >>> accuracy_over(np.eye(2)[None], "strict", np.triu(np.ones((2, 2), int), 1))
    [Pairwise(value=1.0, n=1, ties=0, undefined=0)]
    """
    i, j = np.nonzero(counts)
    weights = counts[i, j].astype(np.float64)
    n = int(counts.sum())
    if n == 0:
        raise ArcuateError("No pair of samples is left to compare. Use larger folds or a smaller distance.")
    own = np.einsum("bii->bi", similarities)
    cross, back = similarities[:, i, j], similarities[:, j, i]
    points, tied = match_pairs(own[:, i], cross, back, own[:, j], match)
    undefined = np.zeros(tied.shape, dtype=bool)
    if tied.any():
        undefined = tied & np.isnan(own[:, i] + own[:, j] + cross + back)
    return [
        Pairwise(float(value) / n, n, int(ties), int(lost))
        for value, ties, lost in zip(points @ weights, tied @ weights, undefined @ weights, strict=True)
    ]


def pairwise_accuracy(
    targets: np.ndarray, predictions: np.ndarray, similarity: str = "cosine", match: str = "sum",
    counts: np.ndarray | None = None,
) -> Pairwise:
    """Accuracy of `predictions` over all pairs i < j, or over those of `partners`; higher is better.

    Chance is ½ for sum and single only if nothing was learned from the data that are compared, and ¼ for
    strict only if its two comparisons are independent: compare with a permutation null.

    Examples
    --------
    >>> pairwise_accuracy(np.eye(3), np.eye(3), "cosine", "sum")
    Pairwise(value=1.0, n=3, ties=0, undefined=0)
    """
    similarities = similarity_matrix(targets, predictions, similarity)
    if counts is None:
        counts = np.triu(np.ones(similarities.shape, dtype=np.int64), 1)
    return accuracy_over(similarities[None], match, counts)[0]
