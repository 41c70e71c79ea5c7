"""The torch search gives what the numpy search gives; on a GPU where there is one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arcuate.datasets.responses import BrainResponses
from arcuate.encoding.evaluate import evaluate
from arcuate.encoding.features.record import Features
from arcuate.encoding.folds import block_folds, shuffled_folds
from arcuate.encoding.ridge_cv import choose_alphas, fit_dual, prepare_search, search_losses
from arcuate.encoding.ridge_torch import fit_on_device, losses_on_device, product_on_device
from arcuate.encoding.settings import EncodingSettings
from arcuate.errors import ArcuateError

torch = pytest.importorskip("torch")
DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
ALPHAS = tuple(10.0**k for k in range(-1, 6))
FOLDS = {"shuffled": shuffled_folds(50, 5, 1), "blocks with a gap": block_folds(np.zeros(50, int), 4, 3)}


def simulated(p):
    rng = np.random.default_rng(p)
    x = rng.normal(2, 1, size=(50, p))
    y = x @ rng.normal(size=(p, 30)) * rng.uniform(0, 1, size=30) ** 2 + rng.normal(7, 2, size=(50, 30))
    return x, y


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("folds", FOLDS)
@pytest.mark.parametrize("p", [10, 200])
def test_equals_the_numpy_search(device, folds, p, monkeypatch):
    monkeypatch.setattr("arcuate.encoding.ridge_torch.CHUNK_BYTES", 4 * 7 * 13 * 11)  # several chunks of voxels
    x, y = simulated(p)
    search = prepare_search(x, FOLDS[folds], ALPHAS)
    chosen = choose_alphas(search, y)
    found = fit_on_device(x, y, FOLDS[folds], ALPHAS, device)
    assert found.chosen.tolist() == chosen.tolist()
    assert found.losses == pytest.approx(search_losses(search, y)[chosen, np.arange(30)], rel=1e-4)
    assert found.dual == pytest.approx(fit_dual(search, y, chosen), rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("device", DEVICES)
def test_the_numpy_search_may_borrow_a_device(device):
    x, y = simulated(10)
    search = prepare_search(x, FOLDS["shuffled"], ALPHAS)
    assert losses_on_device(search, y, device) == pytest.approx(search_losses(search, y), rel=1e-4)
    assert choose_alphas(search, y, device=torch.device(device)).tolist() == choose_alphas(search, y).tolist()


@pytest.mark.parametrize("device", DEVICES)
def test_products_of_responses_far_from_zero_keep_their_digits(device):
    x, y = simulated(10)
    weights = np.random.default_rng(1).normal(size=(7, 50))
    assert product_on_device(weights, y + 1e6, device) == pytest.approx(weights @ (y + 1e6), rel=1e-12, abs=1e-4)


@pytest.mark.parametrize("device", ["cpu:0", *DEVICES[1:]])  # cpu:0 is torch's, cpu numpy's
def test_an_evaluation_on_a_device_is_that_of_the_processor(device):
    x, y = simulated(10)
    data = BrainResponses(dataset="toy", subject="1", kind="isolated", stimuli=tuple(map(str, range(50))), responses=y)
    settings = EncodingSettings(folds=5, alpha="cv", alphas=ALPHAS, top=10, permutations=3)
    there = evaluate([(data, Features("toy", x, "toy"))], replace(settings, device=device))
    here = evaluate([(data, Features("toy", x, "toy"))], settings)
    for one, other in zip(there.scores, here.scores, strict=True):
        assert (one.value, one.null_mean) == pytest.approx((other.value, other.null_mean), rel=1e-3, abs=1e-4)
    assert f"device:{device}" in there.signature


def test_other_rows_are_refused():
    x, y = simulated(10)
    with pytest.raises(ArcuateError, match="20 rows of responses for 50"):
        fit_on_device(x, y[:20], FOLDS["shuffled"], ALPHAS, "cpu")
