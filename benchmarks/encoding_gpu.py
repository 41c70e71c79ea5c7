"""One alpha a voxel on a GPU: arcuate's plain torch against himalaya's torch_cuda backend, in one run.

Then a whole evaluation of scans with `device="cuda"` against the same with the processor.

`python -m benchmarks.encoding_gpu [DEVICE]`. Where himalaya is not installed, put its package folder (and a stub of
the scikit-learn base classes that it imports) on PYTHONPATH; only numpy and torch are needed otherwise.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from arcuate.encoding.folds import Fold
from arcuate.encoding.ridge_torch import fit_on_device
from benchmarks.encoding import (
    ALPHAS,
    FEATURES,
    FOLDS,
    MANY_VOXELS,
    ROWS,
    ContiguousFolds,
    agreement,
    simulated_voxels,
)

TURNS = 5


def timed(work: Callable[[], Any], device: str) -> tuple[float, Any]:
    """Seconds from arrays on the host to results on the host."""
    if device == "cuda":
        torch.cuda.synchronize()
    start = time.perf_counter()
    found = work()
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - start, found


def main(device: str) -> None:
    from himalaya.backend import set_backend
    from himalaya.kernel_ridge import KernelRidgeCV

    backend = set_backend("torch_cuda" if device == "cuda" else "torch")
    x, y = simulated_voxels(responsive=0.5)
    folds = [Fold(train, test) for train, test in ContiguousFolds().split()]

    def ours() -> np.ndarray:
        return fit_on_device(x, y, folds, ALPHAS, device).chosen

    def theirs() -> np.ndarray:
        model = KernelRidgeCV(alphas=ALPHAS, cv=ContiguousFolds(), fit_intercept=True, warn=False)
        model.fit(backend.asarray(x), backend.asarray(y))
        backend.to_numpy(model.dual_coef_)
        best = np.log10(backend.to_numpy(model.best_alphas_))
        return np.abs(best[None, :] - np.log10(ALPHAS)[:, None]).argmin(axis=0)

    turns = [(timed(ours, device), timed(theirs, device)) for _ in range(1 + TURNS)][1:]  # the first warms up
    our_time, their_time = (float(np.median([turn[k][0] for turn in turns])) for k in (0, 1))
    same, regret = agreement(x, y, folds, turns[0][0][1], turns[0][1][1])
    name = torch.cuda.get_device_name() if device == "cuda" else "CPU"
    size = f"{ROWS} x {FEATURES} features x {MANY_VOXELS} voxels, 10 alphas, {FOLDS} folds"
    print(f"{name}: {size}, host to host, median of {TURNS} turns")
    print(f"  himalaya KernelRidgeCV ({backend.name})  {their_time * 1e3:8.1f} ms")
    print(f"  arcuate (torch)                     {our_time * 1e3:8.1f} ms  {their_time / our_time:.2f}x")
    print(f"  same alpha for {same:.3%} of the voxels; elsewhere the two losses differ by {regret:.1e} of them at most")


def whole(device: str, scans: int = 1_351, voxels: int = 20_000) -> None:
    """`evaluate`, voxelwise scores of one subject with one alpha a voxel."""
    from dataclasses import replace

    from arcuate.datasets.responses import BrainResponses, TimedWords
    from arcuate.encoding.evaluate import evaluate
    from arcuate.encoding.features.record import Features
    from arcuate.encoding.settings import EncodingSettings

    rng = np.random.default_rng(1)
    x = rng.normal(size=(scans, 200))
    y = (x @ rng.normal(size=(200, voxels)) * 0.05 + rng.normal(100, 1, size=(scans, voxels))).astype(np.float32)
    data = BrainResponses(dataset="simulated", subject="1", kind="continuous", responses=y, tr=2.0,
                          stimuli=TimedWords(("word",), np.zeros(1), np.ones(1)))  # fmt: skip
    features = Features("simulated", x, "simulated", rows="scans")
    settings = EncodingSettings(folds=5, alpha="cv", alphas=ALPHAS, scores=("voxelwise",), permutations=0)
    found = {}
    for name in (device, "cpu"):
        chosen = replace(settings, device=name)
        seconds, result = timed(lambda chosen=chosen: evaluate([(data, features)], chosen), device)
        found[name] = seconds, result.maps["1/simulated/r"]
    (ours, r), (cpu, reference) = found[device], found["cpu"]
    print(f"whole evaluation, {scans} scans x {voxels} voxels, cv: "
          f"{device} {ours:.1f} s, cpu {cpu:.1f} s, {cpu / ours:.2f}x; r differs by "
          f"{np.abs(r - reference).max():.1e} at most, {np.abs(r - reference).mean():.1e} in the mean")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "cuda")
    whole(sys.argv[1] if len(sys.argv) > 1 else "cuda")
