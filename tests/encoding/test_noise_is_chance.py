"""Independent noise in, chance out: every score × match × similarity × selection × kind of stimuli.

The fast test runs 24 simulated datasets a setting, the slow one the 200 of the requirement. A mean is
compared with its own permutation chance; p-values are compared with the uniform distribution, on
autocorrelated scans too, with and without drift.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import kstest

from arcuate.datasets.responses import BrainResponses, TimedWords
from arcuate.encoding.evaluate import evaluate
from arcuate.encoding.features.record import Features
from arcuate.encoding.select import RULES, Selection
from arcuate.encoding.settings import EncodingSettings

HONEST = [rule for rule in RULES if rule != "top500_test"]
CASES = [(kind, rule) for kind in ("isolated", "continuous", "stationary") for rule in HONEST]
STIMULI, SCANS, VOXELS, CHOSEN, REPETITIONS = 16, 126, 24, 8, 3


def autocorrelated(rng, rows, columns, rho):
    """AR(1) noise, as slow as BOLD; rho = 0 is white."""
    noise = rng.normal(size=(rows + 50, columns))
    for i in range(1, len(noise)):
        noise[i] += rho * noise[i - 1]
    return noise[50:]


def isolated(rng):
    repetitions = rng.normal(size=(STIMULI, REPETITIONS, VOXELS))
    return BrainResponses(
        dataset="noise", subject="1", kind="isolated", responses=repetitions.mean(axis=1),
        stimuli=tuple(f"word{i}" for i in range(STIMULI)), repetitions=repetitions,
        coordinates=rng.uniform(0, 6, size=(VOXELS, 3)), rois={"here": np.arange(5, 15)},
    ), Features("noise", rng.normal(size=(STIMULI, 5)), "noise")


def continuous(rng):
    """With an offset and a drift of their own in every voxel, as scans have."""
    repetitions = np.stack([autocorrelated(rng, SCANS, VOXELS, 0.7) for _ in range(REPETITIONS)], axis=1)
    repetitions += 100 + rng.normal(0, 2, size=VOXELS) * np.linspace(-1, 1, SCANS)[:, None, None]
    words = TimedWords(("word",), np.zeros(1), np.ones(1))
    return BrainResponses(
        dataset="noise", subject="1", kind="continuous", responses=repetitions.mean(axis=1), stimuli=words, tr=2.0,
        repetitions=repetitions, coordinates=rng.uniform(0, 6, size=(VOXELS, 3)), rois={"here": np.arange(5, 15)},
    ), Features("noise", autocorrelated(rng, SCANS, 5, 0.7), "noise", rows="scans")


def stationary(rng):
    """Scans without drift, of which none is taken out."""
    data, features = continuous(rng)
    return replace(data, responses=autocorrelated(rng, SCANS, VOXELS, 0.7)), features


KINDS = {"isolated": isolated, "continuous": continuous, "stationary": stationary}


def simulate(kind, rule, n_datasets, n_orders, alpha=10.0, folds="leave-two-out"):
    """Observed minus chance, and randomised p-values, datasets × cells."""
    gaps, p_values = [], []
    scores = ("pairwise", "voxelwise", "rsa") if rule == "none" else ("pairwise",)
    settings = EncodingSettings(
        folds=folds if kind == "isolated" else 3, alpha=alpha, scores=scores, gap=5, partners=100, top=CHOSEN,
        drift=-1 if kind == "stationary" else 1, voxelwise_folds=4, permutations=n_orders, seed=3,
        select=Selection(rule, CHOSEN, roi="here", radius=2.0),
    )
    for seed in range(n_datasets):
        rng = np.random.default_rng([seed, len(kind)])
        one = evaluate([KINDS[kind](rng)], settings).evaluated[0]
        observed = np.array([measured.value for measured in one.cells.values()])
        gaps.append(observed - one.null.mean(axis=0))
        above, same = (one.null > observed + 1e-12).sum(axis=0), (np.abs(one.null - observed) <= 1e-12).sum(axis=0)
        # Ties with the null are broken at random: exactly uniform if the observed order is one of many.
        p_values.append((above + rng.uniform(size=len(observed)) * (same + 1)) / (len(one.null) + 1))
    honest = [k for k, cell in enumerate(one.cells) if "circular" not in cell.voxels]
    return [list(one.cells)[k] for k in honest], np.array(gaps)[:, honest], np.array(p_values)[:, honest]


def check(kind, rule, n_datasets, n_orders, *, least_p, most_errors=3.0, **settings):
    cells, gaps, p_values = simulate(kind, rule, n_datasets, n_orders, **settings)
    errors = np.abs(gaps.mean(axis=0)) / (gaps.std(axis=0, ddof=1) / np.sqrt(n_datasets))
    uniform = np.array([kstest(column, "uniform").pvalue for column in p_values.T])
    worst, least = int(errors.argmax()), int(uniform.argmin())
    print(f"{kind} {rule}: {len(cells)} cells, at most {errors[worst]:.2f} SE, KS p at least {uniform[least]:.3f}")
    assert errors[worst] < most_errors, f"{cells[worst]}: mean {gaps.mean(axis=0)[worst]:.4f} off its chance"
    assert uniform[least] > least_p, f"{cells[least]}: p-values are not uniform"
    # The tail, to which KS is blind. The cells of a rule rise and fall together: three errors of one share.
    assert (p_values <= 0.05).mean() < 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_datasets)


@pytest.mark.parametrize(("kind", "rule"), CASES)
def test_noise_scores_chance(kind, rule):
    check(kind, rule, n_datasets=24, n_orders=19, least_p=1e-3, most_errors=4.0)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "rule"), CASES)
def test_noise_scores_chance_over_200_datasets(kind, rule):
    check(kind, rule, n_datasets=200, n_orders=39, least_p=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_noise_scores_chance_with_one_alpha_a_voxel(kind):
    check(kind, "none", n_datasets=60, n_orders=19, least_p=1e-3, alpha="cv", folds=4)


def test_circular_selection_is_far_above_chance():
    rng = np.random.default_rng(0)
    settings = EncodingSettings(scores=("pairwise",), select=Selection("top500_test", CHOSEN), permutations=0)
    scores = [evaluate([isolated(rng)], settings).scores[0] for _ in range(5)]
    assert np.mean([score.value for score in scores]) > 0.8
    assert {score.voxels for score in scores} == {f"top500_test:{CHOSEN} (circular)"}
