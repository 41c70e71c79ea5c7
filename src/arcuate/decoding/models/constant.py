"""Baseline: the same sentence for every signal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import torch

from arcuate.decoding.data import DecodingData
from arcuate.decoding.models.baseline import Baseline
from arcuate.decoding.plan import Rows

CANDIDATES = 400


class Constant(Baseline):
    """The training text that shares the most words with the others (the medoid by unigram F1)."""

    name = "constant"

    def fit(self, data: DecodingData, rows: Rows, seed: int) -> None:
        texts = sorted({data.text[row] for row in rows})
        if len(texts) > CANDIDATES:
            chosen = np.random.default_rng(seed).permutation(len(texts))[:CANDIDATES]
            texts = [texts[i] for i in sorted(chosen)]
        bags = [Counter(text.lower().split()) for text in texts]
        sizes = [sum(bag.values()) for bag in bags]
        worth = [
            sum(2 * (bag & other).total() / (size + length) for other, length in zip(bags, sizes, strict=True))
            for bag, size in zip(bags, sizes, strict=True)
        ]
        self.state = {"seed": seed, "text": texts[int(np.argmax(worth))]}

    def answer(self, features: torch.Tensor | None, targets: Sequence[str], rows: Rows) -> list[str]:
        return [self.fitted("text")] * len(rows)
