"""Is the verdict's 5% really 5%? Error rate, coverage and power on simulated prediction pairs.

Texts repeat over subjects, subjects are crossed with texts, clusters are unequal, and both texts and
subjects shift the difference between the two decoders by chance. Beside ours: the same bootstrap over
samples as if they were independent (iid), which most papers use, and over texts alone.

    python -m benchmarks.verdict_calibration [--pairs 1000] [--powers 500] [--draws 1000] [--workers 1]
"""

from __future__ import annotations

import argparse
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np

from arcuate.decoding.verdict.judge import judge
from arcuate.decoding.verdict.predictions import Predictions
from arcuate.metrics.rouge import rouge1_statistics
from arcuate.metrics.uncertainty import Clusters, bootstrap

VOCABULARY = 3000


@dataclass(frozen=True)
class World:
    """How the simulated decoders behave; shares of words are 0-1.

    `hits` is the chance that an output word is one of its own text's, whatever the signal: 0 for outputs
    that have nothing to do with their text. `by_text`, `by_subject`, `by_pair` are standard deviations of
    what shifts that chance at random, separately for the real and the control decoder.
    """

    name: str
    texts: int = 80
    subjects: int = 10
    hits: float = 0.3
    by_text: float = 0.05
    by_subject: float = 0.02
    by_pair: float = 0.05


WORLDS = (
    World("texts and subjects vary"),
    World("few subjects", texts=120, subjects=6),
    World("subjects vary most", by_text=0.02, by_subject=0.05, subjects=14),
    World("outputs unrelated to texts", hits=0.0, by_text=0.0, by_subject=0.0, by_pair=0.0),
)


def layout(world: World, generator: np.random.Generator) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Texts as word numbers (Zipf-like, lengths 5-25), and who read what: unequal, crossed."""
    lengths = generator.integers(5, 26, world.texts)
    texts = [zipf(length, generator) for length in lengths]
    read = generator.random((world.subjects, world.texts)) < np.outer(
        generator.uniform(0.3, 1.0, world.subjects), generator.uniform(0.3, 1.0, world.texts)
    )
    read[generator.integers(0, world.subjects, world.texts), np.arange(world.texts)] = True
    subject, text = np.nonzero(read)
    return texts, subject, text


def zipf(length: int, generator: np.random.Generator) -> np.ndarray:
    """Distinct words, common ones more often."""
    words = np.unique((VOCABULARY ** generator.random(4 * length)).astype(int))
    return generator.permutation(words)[:length] if len(words) >= length else words


def outputs(world: World, texts: list, subject: np.ndarray, text: np.ndarray, effect: float,
            generator: np.random.Generator) -> tuple[str, ...]:
    """One decoder's outputs: as long as the target, a share of its words right, the others of no text.

    So ROUGE-1 F is exactly that share, and `effect` is exactly the planted gain. With `hits` 0 the other
    words are common words, which match by luck only.
    """
    chance = (
        world.hits + effect
        + world.by_text * generator.standard_normal(world.texts)[text]
        + world.by_subject * generator.standard_normal(world.subjects)[subject]
        + world.by_pair * generator.standard_normal(len(text))
    )
    said = []
    for row, place in enumerate(text):
        words = texts[place]
        right = generator.random(len(words)) < chance[row]
        wrong = zipf(len(words), generator) if world.hits == 0 else -1 - generator.integers(0, 10**6, len(words))
        wrong = np.resize(wrong, len(words))
        said.append(" ".join(f"w{w}" if w >= 0 else f"x{-w}" for w in np.where(right, words, wrong)))
    return tuple(said)


def pair(world: World, seed: int, effect: float = 0.0) -> tuple[Predictions, Predictions]:
    """A real and a control prediction set; with effect 0 they come from one distribution."""
    generator = np.random.default_rng(seed)
    texts, subject, text = layout(world, generator)
    targets = tuple(" ".join(f"w{w}" for w in texts[place]) for place in text)
    subjects = tuple(f"s{number}" for number in subject)
    real = outputs(world, texts, subject, text, effect, generator)
    control = outputs(world, texts, subject, text, 0.0, generator)
    return Predictions("real", targets, real, subjects), Predictions("control", targets, control, subjects)


def naive(real: Predictions, control: Predictions, clusters: Clusters, draws: int) -> tuple[bool, bool]:
    """What another clustering says: (claims an effect, 95% interval covers 0)."""
    rows = np.hstack([rouge1_statistics(one.targets, one.predicted)[:, 2:] for one in (real, control)])
    found = bootstrap(rows, lambda s: (s[..., :1] - s[..., 2:3]) / s[..., 1:2], clusters, draws=draws)
    claims = found.value[0] > 1.645 * found.standard_error[0]
    return bool(claims), bool(found.low[0] <= 0 <= found.high[0])


def one_null(task: tuple[World, int, int]) -> dict[str, bool]:
    """What one pair without any effect leads to."""
    world, seed, draws = task
    real, control = pair(world, seed)
    verdict = judge(real, [control], metrics=["rouge1_f"], draws=draws, seed=seed, baselines=False)
    gain = verdict.difference()
    told = {"reads": verdict.verdict == "reads the brain", "worse": verdict.verdict == "worse than control",
            "p": gain.p <= 0.05, "covers": gain.low <= 0 <= gain.high}
    rows = [str(row) for row in range(len(real.targets))]
    for name, clusters in (("iid", Clusters.of(rows)), ("text", Clusters.of(real.targets))):
        told[f"{name} claims"], told[f"{name} covers"] = naive(real, control, clusters, min(draws, 300))
    return told


def one_power(task: tuple[World, int, int, float]) -> tuple[bool, float]:
    """Whether a planted effect is found, and what the verdict prints as detectable."""
    world, seed, draws, effect = task
    real, control = pair(world, seed, effect)
    verdict = judge(real, [control], metrics=["rouge1_f"], draws=draws, seed=seed, baselines=False)
    return verdict.verdict == "reads the brain", verdict.detectable


def null(world: World, pairs: int, draws: int, pool: Executor) -> dict[str, float]:
    """Shares over `pairs` simulated pairs without any effect, in percent."""
    told = list(pool.map(one_null, [(world, seed, draws) for seed in range(pairs)], chunksize=4))
    return {name: 100 * float(np.mean([one[name] for one in told])) for name in told[0]}


def power(world: World, runs: int, draws: int, pool: Executor) -> float:
    """How often an effect is found that is exactly as large as a verdict says it can find.

    The size is the mean of what verdicts on pairs without effect print: no single run's luck decides it.
    """
    pilots = pool.map(one_power, [(world, 10_000 + seed, draws, 0.0) for seed in range(60)], chunksize=4)
    effect = float(np.mean([detectable for _, detectable in pilots])) / 100
    tasks = [(world, 20_000 + seed, draws, effect) for seed in range(runs)]
    return 100 * float(np.mean([found for found, _ in pool.map(one_power, tasks, chunksize=4)]))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--powers", type=int, default=500)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--worlds", type=int, default=len(WORLDS))
    parser.add_argument("--workers", type=int, default=1)
    asked = parser.parse_args()
    print(f"{'world':30}{'reads':>7}{'worse':>7}{'p<.05':>7}{'covers':>8} | {'iid':>6}{'covers':>8} | "
          f"{'text':>6}{'covers':>8} | {'power':>6}")
    with ProcessPoolExecutor(asked.workers) as pool:
        for world in WORLDS[: asked.worlds]:
            rates = null(world, asked.pairs, asked.draws, pool)
            found = f"{power(world, asked.powers, asked.draws, pool):6.1f}" if world.hits else "     –"
            print(f"{world.name:30}{rates['reads']:7.1f}{rates['worse']:7.1f}{rates['p']:7.1f}{rates['covers']:8.1f} | "
                  f"{rates['iid claims']:6.1f}{rates['iid covers']:8.1f} | "
                  f"{rates['text claims']:6.1f}{rates['text covers']:8.1f} | {found}", flush=True)


if __name__ == "__main__":
    main()
