"""A verdict on 100,000 predictions against 4 controls with 10,000 draws: how long, and against rescoring?

The peer is what papers do: score every resample again with the reference packages. One such draw is timed
(sacrebleu's corpus BLEU and rouge-score on a tenth of one set) and multiplied.

    python -m benchmarks.verdict_speed [--rows 100000] [--controls 4] [--draws 10000]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from arcuate.decoding.verdict.judge import judge
from arcuate.decoding.verdict.predictions import Predictions


def predictions(name: str, rows: int, seed: int) -> Predictions:
    """Outputs that all differ, 20 words each; 2,000 texts read by 50 subjects."""
    texts = np.random.default_rng(0).zipf(1.3, (2000, 20)) % 20_000
    text = np.arange(rows) % len(texts)
    generator = np.random.default_rng(seed)
    said = generator.zipf(1.3, (rows, 20)) % 20_000
    targets = [" ".join(f"w{word}" for word in words) for words in texts]
    return Predictions(
        name, tuple(targets[place] for place in text), tuple(" ".join(f"w{w}" for w in row) for row in said),
        tuple(f"s{row // len(texts) % 50}" for row in range(rows)),
    )


def rescoring(one: Predictions, share: int = 10) -> float:
    """Seconds that the reference packages need for one resample of one set."""
    from rouge_score.rouge_scorer import RougeScorer
    from sacrebleu.metrics import BLEU

    rows = len(one.targets) // share
    start = time.perf_counter()
    BLEU(smooth_method="none").corpus_score(list(one.predicted[:rows]), [list(one.targets[:rows])])
    scorer = RougeScorer(["rouge1"], use_stemmer=False)
    for target, output in zip(one.targets[:rows], one.predicted[:rows], strict=True):
        scorer.score(target, output)
    return share * (time.perf_counter() - start)


def main() -> None:
    """Print seconds and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--controls", type=int, default=4)
    parser.add_argument("--draws", type=int, default=10_000)
    asked = parser.parse_args()
    real, *controls = (predictions(f"set {seed}", asked.rows, seed) for seed in range(1, asked.controls + 2))
    start = time.perf_counter()
    cpu = time.process_time()
    found = judge(real, controls, draws=asked.draws)
    seconds, busy = time.perf_counter() - start, time.process_time() - cpu
    naive = rescoring(real) * (asked.controls + 1) * asked.draws
    print(f"{asked.rows:,} rows × {asked.controls} controls × {asked.draws:,} draws: {seconds:.1f} s "
          f"({busy:.1f} s of CPU), verdict {found.verdict!r}")
    print(f"scoring every draw again (BLEU and ROUGE only): about {naive / 3600:,.0f} h, {naive / seconds:,.0f}×")


if __name__ == "__main__":
    main()
