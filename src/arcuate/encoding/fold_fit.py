"""One fold, fitted: all that depends on the features is made once, responses are then put through it.

Whatever is learned from the responses (mean, drift, spread, alphas, training scores) is learned from
the training rows of the fold, here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arcuate.encoding.folds import Fold, block_folds, shuffled_folds
from arcuate.encoding.ridge import decompose, residual_maker, weights_of_new_rows
from arcuate.encoding.ridge_cv import ONE, AlphaSearch, choose_alphas, search_of, voxel_blocks
from arcuate.encoding.select import score_of_moments
from arcuate.encoding.settings import EncodingSettings
from arcuate.errors import ArcuateError


@dataclass(frozen=True, eq=False)
class Drift:
    """A polynomial of time by run, fitted to training rows: `of_train` @ Y are its coefficients."""

    of_train: np.ndarray  # coefficients × train rows
    at_train: np.ndarray  # train rows × coefficients
    at_test: np.ndarray  # test rows × coefficients


@dataclass(frozen=True, eq=False)
class FoldFit:
    """Weights of a fold, by candidate: alpha, or band scale and alpha.

    `trainers` give the training residuals, where a score of them is asked for.
    """

    fold: Fold
    weights: tuple[np.ndarray, ...]
    trainers: tuple[np.ndarray, ...]
    search: AlphaSearch | None
    drift: Drift | None
    standardise: bool
    device: str = "cpu"  # of the search for alphas and of the products with responses


@dataclass(frozen=True, eq=False)
class Predicted:
    """Test responses as the fold sees them, their predictions, and training scores by rule."""

    targets: np.ndarray
    predictions: np.ndarray
    training: dict[str, np.ndarray]
    alphas: np.ndarray  # index of the alpha of every voxel
    constant: int  # voxels that do not vary in the training rows


def fit_fold(
    features: np.ndarray, fold: Fold, runs: np.ndarray, settings: EncodingSettings, kind: str, *,
    training: bool, scales: Sequence[np.ndarray] = (ONE,), search: bool = True,
) -> FoldFit:
    """Factorise the features for a fold, once for each scale of their bands.

    Without `search`, nothing is made for the choice of alphas: for voxels whose alphas are known.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(size=(8, 2))
    >>> fold = shuffled_folds(8, 2, seed=1)[0]
    >>> fit_fold(x, fold, np.zeros(8), EncodingSettings(), "isolated", training=False).weights[0].shape
    (4, 4)
    """
    z_features, z_responses = settings.zscores(kind)
    x = zscored(features, fold.train) if z_features else features
    train, test = x[fold.train], x[fold.test]
    alphas = settings.alphas if settings.alpha == "cv" else (float(settings.alpha),)
    decompositions = [decompose(train * scale) for scale in scales]
    weights, trainers = [], []
    for scale, decomposition in zip(scales, decompositions, strict=True):
        weights += weights_of_new_rows(decomposition, train * scale, test * scale, alphas)
        if training:
            trainers += [residual_maker(decomposition, alpha) for alpha in alphas]
    by_search = settings.alpha == "cv" and search
    found = search_of(decompositions, _inner_folds(runs[fold.train], settings, kind), alphas) if by_search else None
    drift = _drift(runs, fold, settings.drift) if kind == "continuous" and settings.drift > 0 else None
    return FoldFit(fold, tuple(weights), tuple(trainers), found, drift, z_responses, settings.device)


def _inner_folds(runs: np.ndarray, settings: EncodingSettings, kind: str) -> list[Fold]:
    if kind == "continuous":
        return block_folds(runs, settings.inner_folds, settings.gap)
    return shuffled_folds(len(runs), settings.inner_folds, settings.seed)


def drift_basis(runs: np.ndarray, degree: int) -> np.ndarray:
    """Polynomials of time up to `degree`, for each run apart; rows × (runs · (degree + 1)).

    Examples
    --------
    >>> drift_basis(np.array([0, 0, 0, 1, 1, 1]), degree=1).shape
    (6, 4)
    """
    bases = []
    for run in np.unique(runs):
        rows = np.flatnonzero(runs == run)
        basis = np.zeros((len(runs), degree + 1))
        basis[rows] = np.polynomial.legendre.legvander(np.linspace(-1, 1, len(rows)), degree)
        bases.append(basis)
    return np.hstack(bases)


def _drift(runs: np.ndarray, fold: Fold, degree: int) -> Drift:
    """Of a run that is not in training no drift is known: its rows are taken against the training mean."""
    design = drift_basis(runs, degree)
    inverse = np.linalg.pinv(design[fold.train], rcond=1e-8)
    unknown = ~np.isin(runs[fold.test], runs[fold.train])
    at_test = np.where(unknown[:, None], 0.0, design[fold.test])
    mean = np.full((1, len(fold.train)), 1 / len(fold.train))
    return Drift(
        np.concatenate([inverse, mean]),
        np.hstack([design[fold.train], np.zeros((len(fold.train), 1))]),
        np.hstack([at_test, unknown[:, None]]),
    )


def zscored(values: np.ndarray, train: np.ndarray) -> np.ndarray:
    """All rows less the training mean, over the training spread; columns constant in training become 0.

    Examples
    --------
    >>> zscored(np.array([[0.0], [2.0], [9.0]]), np.array([0, 1])).ravel().tolist()
    [-1.0, 1.0, 8.0]
    """
    mean, spread = values[train].mean(axis=0), values[train].std(axis=0)
    varies = spread > 1e-12 * np.abs(values[train]).max(axis=0)
    return np.divide(values - mean, spread, out=np.zeros(values.shape), where=varies)


def prepared(fit: FoldFit, responses: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Training and test responses without drift and z-scored, by the training rows alone; who varies.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(size=(8, 2))
    >>> fold = Fold(np.arange(6), np.arange(6, 8))
    >>> z = EncodingSettings(standardise="responses")
    >>> fit = fit_fold(x, fold, np.zeros(8), z, "isolated", training=False)
    >>> train, test, varies = prepared(fit, x)
    >>> abs(train.mean()) < 1e-12, abs(test.mean()) < 1e-12, varies.tolist()
    (np.True_, np.False_, [True, True])
    """
    train, test = responses[fit.fold.train], responses[fit.fold.test]
    if fit.drift is not None:
        # Both from the same training responses, so the test rows never see themselves.
        coefficients = fit.drift.of_train @ train
        train, test = train - fit.drift.at_train @ coefficients, test - fit.drift.at_test @ coefficients
    spread = train.std(axis=0)
    varies = spread > 1e-12 * np.abs(train).max(axis=0)
    if fit.standardise:
        mean, scale = train.mean(axis=0), np.where(varies, spread, 1)
        train, test = (train - mean) / scale, (test - mean) / scale
    return train, test, varies


def predict(
    fit: FoldFit, responses: np.ndarray, order: np.ndarray | None = None, rules: Sequence[str] = ()
) -> Predicted:
    """Put responses (in the order given) through a fold, block of voxels by block.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(size=(8, 2))
    >>> fold = shuffled_folds(8, 2, seed=1)[0]
    >>> fit = fit_fold(x, fold, np.zeros(8), EncodingSettings(alpha=1e-9), "isolated", training=True)
    >>> bool(abs(predict(fit, 3 * x).predictions - 3 * x[fold.test]).max() < 1e-6)
    True
    """
    if rules and not fit.trainers:
        raise ArcuateError("This fold was fitted without training scores; fit it with training=True.")
    n_voxels = responses.shape[1]
    targets = np.empty((len(fit.fold.test), n_voxels))
    predictions = np.empty_like(targets)
    training = {rule: np.empty(n_voxels) for rule in rules}
    chosen = np.zeros(n_voxels, dtype=np.int64)
    constant = 0
    for block in voxel_blocks(n_voxels):
        values = np.asarray(responses[:, block], dtype=np.float64)
        train, targets[:, block], varies = prepared(fit, values if order is None else values[order])
        constant += int((~varies).sum())
        if fit.search is not None:
            chosen[block] = choose_alphas(fit.search, train, device=fit.device)
        for alpha in np.unique(chosen[block]):
            columns = block.start + np.flatnonzero(chosen[block] == alpha)
            part = train[:, columns - block.start]
            predictions[:, columns] = _product(fit.weights[alpha], part, fit.device)
            if rules:
                moments = _training_moments(_product(fit.trainers[alpha], part, fit.device), part)
                for rule in rules:
                    training[rule][columns] = score_of_moments(rule, *moments)
    return Predicted(targets, predictions, training, chosen, constant)


def _product(matrix: np.ndarray, values: np.ndarray, device: str) -> np.ndarray:
    if device == "cpu":
        return matrix @ values
    from arcuate.encoding.ridge_torch import product_on_device

    return product_on_device(matrix, values, device)


def _training_moments(residual: np.ndarray, train: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    centred = train - train.mean(axis=0)
    return (
        np.einsum("ij,ij->j", centred, centred),
        np.einsum("ij,ij->j", centred, residual),
        np.einsum("ij,ij->j", residual, residual),
    )
