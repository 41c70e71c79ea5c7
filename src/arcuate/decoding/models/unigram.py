"""Baseline: words drawn by their frequency in the training texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import torch

from arcuate.decoding.data import DecodingData
from arcuate.decoding.models.baseline import Baseline
from arcuate.decoding.plan import Rows


class Unigram(Baseline):
    """As many words as a random training text has, each drawn on its own."""

    name = "unigram"

    def fit(self, data: DecodingData, rows: Rows, seed: int) -> None:
        texts = sorted({data.text[row] for row in rows})
        counts = Counter(word for text in texts for word in text.split())
        words = sorted(counts)
        self.state = {
            "seed": seed, "words": words, "counts": [counts[word] for word in words],
            "lengths": sorted(len(text.split()) for text in texts),
        }

    def answer(self, features: torch.Tensor | None, targets: Sequence[str], rows: Rows) -> list[str]:
        words, counts = self.fitted("words"), np.asarray(self.fitted("counts"), dtype=float)
        answers = []
        for row in rows.tolist():
            generator = self.generator(row)
            length = int(generator.choice(self.fitted("lengths")))
            answers.append(" ".join(generator.choice(words, size=length, p=counts / counts.sum())))
        return answers
