"""Encoding against scikit-learn and himalaya, in one run: `python -m benchmarks.encoding [PART ...]`.

Parts: leave-two-out, voxelwise, memory, null-orders; all by default. The machine may be shared, so peers take
turns and the fastest turn of each counts. On a crowded machine, `OMP_NUM_THREADS=1 ... --cpu-time`
measures seconds of the processor instead, which the crowd does not change.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from arcuate.encoding.folds import Fold
from benchmarks.measure import in_fresh_process

STIMULI, FEATURES, VOXELS, PAIRS_TIMED = 60, 768, 20_000, 6
ROWS, MANY_VOXELS, FOLDS, TURNS = 1_000, 40_000, 5, 3
ALPHAS = tuple(10.0**k for k in range(-1, 9))
SCANS, SUBJECTS = 1_351, 8
CPU_TIME = "--cpu-time"


class ContiguousFolds:
    """scikit-learn's KFold, for machines that do not have it: himalaya calls no more than this."""

    def split(self, *_: object) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        every = np.arange(ROWS)
        for test in np.array_split(every, FOLDS):
            yield np.setdiff1d(every, test), test

    def get_n_splits(self, *_: object) -> int:
        return FOLDS


def timed(work: Callable[[], object]) -> tuple[float, object]:
    clock = time.process_time if CPU_TIME in sys.argv else time.perf_counter
    start = clock()
    found = work()
    return clock() - start, found


def leave_two_out() -> None:
    """All pairs of 60 stimuli, all nine cells, against one scikit-learn fit a pair."""
    from sklearn.linear_model import Ridge

    from arcuate.encoding.folds import all_pairs
    from arcuate.encoding.leave_two_out import Pairs, SelectedPairs, gram, score_gram
    from arcuate.encoding.select import Selection
    from arcuate.metrics.pairwise import MATCHES, SIMILARITIES, pairwise_accuracy

    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(STIMULI, FEATURES)), rng.normal(size=(STIMULI, VOXELS))
    pairs = all_pairs(STIMULI)

    def refit(pair: np.ndarray) -> None:
        train = np.delete(np.arange(STIMULI), pair)
        predicted = Ridge(10.0).fit(x[train], y[train]).predict(x[pair])
        for similarity in SIMILARITIES:
            for match in MATCHES:
                pairwise_accuracy(y[pair], predicted, similarity, match)

    each = min(timed(lambda pair=pair: refit(pair))[0] for pair in pairs[:PAIRS_TIMED])  # type: ignore[misc]
    ours = min(timed(lambda: score_gram(Pairs.of(x, 10.0), *gram(y)))[0] for _ in range(5))
    chosen, _ = timed(lambda: SelectedPairs.of(Pairs.of(x, 10.0), y, Selection("ev", 500)).score())
    refits = each * len(pairs)
    print(f"leave-two-out, {STIMULI} x {FEATURES} features x {VOXELS} voxels, nine cells, {len(pairs)} pairs")
    print(f"  scikit-learn, a fit a pair (fastest of {PAIRS_TIMED}, extrapolated)  {refits:9.1f} s")
    print(f"  arcuate                                                    {ours:9.3f} s  {refits / ours:9.0f}x faster")
    print(f"  arcuate, 500 voxels a pair selected by training EV  {chosen:9.3f} s  {refits / chosen:9.0f}x faster")


def simulated_voxels(responsive: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    x = rng.standard_normal((ROWS, FEATURES), dtype=np.float32)
    y = rng.standard_normal((ROWS, MANY_VOXELS), dtype=np.float32)
    n_responsive = int(responsive * MANY_VOXELS)
    weights = rng.standard_normal((FEATURES, n_responsive), dtype=np.float32)
    y[:, :n_responsive] += x @ weights * (rng.uniform(0, 2, n_responsive) / FEATURES**0.5).astype(np.float32)
    return x - x.mean(axis=0), y - y.mean(axis=0)


def voxelwise() -> None:
    """One alpha a voxel: 10 alphas, 5 folds, refit; against himalaya's KernelRidgeCV; then 1,000 permutations."""
    from himalaya.kernel_ridge import KernelRidgeCV

    from arcuate.encoding.ridge_cv import choose_alphas, fit_dual, prepare_search

    x, y = simulated_voxels()
    folds = [Fold(train, test) for train, test in ContiguousFolds().split()]

    def ours() -> np.ndarray:
        search = prepare_search(x, folds, ALPHAS, np.float32)
        chosen = choose_alphas(search, y)
        fit_dual(search, y, chosen)
        return chosen

    def theirs() -> np.ndarray:
        model = KernelRidgeCV(alphas=ALPHAS, cv=ContiguousFolds(), fit_intercept=True, warn=False)
        best = np.log10(np.asarray(model.fit(x, y).best_alphas_))
        return np.abs(best[None, :] - np.log10(ALPHAS)[:, None]).argmin(axis=0)

    turns = [(timed(ours), timed(theirs)) for _ in range(TURNS)]
    our_time, their_time = min(turn[0][0] for turn in turns), min(turn[1][0] for turn in turns)
    same, regret = agreement(x, y, folds, turns[0][0][1], turns[0][1][1])  # type: ignore[arg-type]
    print(f"one alpha a voxel, {ROWS} x {FEATURES} features x {MANY_VOXELS} voxels, 10 alphas, {FOLDS} folds, float32")
    print(f"  himalaya KernelRidgeCV  {their_time:6.1f} s")
    print(f"  arcuate                 {our_time:6.1f} s  {their_time / our_time:.2f}x")
    print(f"  same alpha for {same:.3%} of the voxels; elsewhere the two losses differ by {regret:.1e} of them at most")
    some = slice(None, None, 20)
    double = KernelRidgeCV(alphas=ALPHAS, cv=ContiguousFolds(), fit_intercept=True, warn=False)
    best = np.asarray(double.fit(x.astype(np.float64), y[:, some].astype(np.float64)).best_alphas_)
    search = prepare_search(x, folds, ALPHAS)
    equal = np.isclose(search.alphas[choose_alphas(search, y[:, some].astype(np.float64))], best)
    print(f"  in double precision (every 20th voxel): same alpha for {equal.mean():.3%}")
    permutations(our_time)


def agreement(
    x: np.ndarray, y: np.ndarray, folds: list[Fold], ours: np.ndarray, theirs: np.ndarray
) -> tuple[float, float]:
    """Share of voxels with the same alpha, and how much worse (in double precision) the other is where not."""
    from arcuate.encoding.ridge_cv import prepare_search, search_losses

    apart = np.flatnonzero(ours != theirs)
    if not len(apart):
        return 1.0, 0.0
    losses = search_losses(prepare_search(x, folds, ALPHAS), y[:, apart].astype(np.float64))
    first, second = losses[ours[apart], np.arange(len(apart))], losses[theirs[apart], np.arange(len(apart))]
    return 1 - len(apart) / y.shape[1], float(np.max(np.abs(first - second) / first))


def permutations(single_fit: float, number: int = 1_000) -> None:
    """1,000 permutations of every voxel, as a number of single fits."""
    from arcuate.encoding.fold_fit import fit_fold
    from arcuate.encoding.folds import shuffled_folds
    from arcuate.encoding.nulls import stimulus_orders
    from arcuate.encoding.settings import EncodingSettings
    from arcuate.encoding.voxel_nulls import voxel_p_values

    x, y = simulated_voxels()
    settings = EncodingSettings(alpha="cv", alphas=ALPHAS, folds=FOLDS)
    fits = [fit_fold(x.astype(np.float64), fold, np.zeros(ROWS), settings, "isolated", training=False)
            for fold in shuffled_folds(ROWS, FOLDS, 1)]  # fmt: skip
    seconds, null = timed(lambda: voxel_p_values(fits, y, stimulus_orders(ROWS, number, 1)))
    print(f"  {number} permutations, nested alphas, 10% of voxels responsive: {seconds:.0f} s = "
          f"{seconds / single_fit:.1f} single fits; {null.used.mean():.0f} permutations a voxel on average")  # type: ignore[attr-defined]


def stream(folder: str) -> list[float]:
    """Eight subjects from disk, one after the other; what the fresh process returns to `memory`."""
    from arcuate.datasets.responses import BrainResponses, TimedWords
    from arcuate.encoding.estimate import estimate
    from arcuate.encoding.evaluate import evaluate
    from arcuate.encoding.features.record import Features
    from arcuate.encoding.settings import EncodingSettings

    words = TimedWords(("word",), np.zeros(1), np.ones(1))
    runs = np.repeat([1, 2, 3, 4], [338, 338, 338, 337])
    features = Features("noise", np.random.default_rng(1).normal(size=(SCANS, 100)), "noise", rows="scans")
    settings = EncodingSettings(folds="runs", permutations=0)

    def subjects() -> Iterator[tuple[BrainResponses, Features]]:
        for path in sorted(Path(folder).glob("*.npy")):
            responses = np.load(path, mmap_mode="r")
            yield BrainResponses(dataset="noise", subject=path.stem, kind="continuous", responses=responses,
                                 stimuli=words, tr=2.0, runs=runs), features  # fmt: skip

    said = estimate(next(iter(subjects()))[0], settings, n_subjects=SUBJECTS, n_features=1)
    evaluate(subjects(), settings)
    return [said.bytes / 2**30, said.seconds]


def memory() -> None:
    """Peak memory of eight subjects × 1,351 scans × 40,000 voxels, all scores, against the estimate."""
    with tempfile.TemporaryDirectory() as folder:
        for subject in range(SUBJECTS):
            rng = np.random.default_rng(subject)
            np.save(Path(folder) / f"{subject}.npy", rng.standard_normal((SCANS, MANY_VOXELS), dtype=np.float32))
        done = in_fresh_process("benchmarks.encoding", "stream", folder)
    gib, seconds = done.result  # type: ignore[misc]
    print(f"{SUBJECTS} subjects x {SCANS} scans x {MANY_VOXELS} voxels, pairwise, voxelwise and RSA, folds by run")
    print(f"  peak {done.gib:.2f} GiB (estimated {gib:.2f}), {done.seconds:.0f} s (estimated {seconds:.0f})")


def null_orders(datasets: int = 3_000, number: int = 199) -> None:
    """How often independent slow series are significant by each order of scans; their score is the covariance."""
    from scipy.signal import lfilter

    from arcuate.encoding.nulls import scan_orders

    rng = np.random.default_rng(0)
    print(f"independent series with lag-1 correlation rho, {datasets} datasets, up to {number} orders")
    for n in (126, 362, SCANS):
        for rho in (0.7, 0.9):
            x, y = (lfilter([1.0], [1.0, -rho], rng.normal(size=(datasets, n + 100)), axis=1)[:, 100:] for _ in "xy")
            x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
            turns = scan_orders(n, n, 1)
            few = rng.permutation(len(turns))[:number]
            longer = turns[19:-19]
            kinds = {
                "turns": turns[few], "turns of 20 or more": longer[rng.permutation(len(longer))[:number]],
                "blocks": scan_orders(n, number, 1, how="block"),
            }
            for name, orders in kinds.items():
                above = sum((np.einsum("dn,dn->d", x[:, order], y) >= np.einsum("dn,dn->d", x, y)).astype(int)
                            for order in orders)  # fmt: skip
                p = (1 + above) / (1 + len(orders))
                found = ", ".join(f"p <= {level}: {(p <= level).mean():.3f}" for level in (0.01, 0.05, 0.1))
                print(f"  {n:>5} scans, rho {rho}, {name:<19} {found}")


PARTS = {"leave-two-out": leave_two_out, "voxelwise": voxelwise, "memory": memory, "null-orders": null_orders}


if __name__ == "__main__":
    for name in [part for part in sys.argv[1:] if part != CPU_TIME] or PARTS:
        PARTS[name]()
