"""Baseline: the true text. What the scoring gives at best; anything below 100 is the scoring's doing."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from arcuate.decoding.data import DecodingData
from arcuate.decoding.models.baseline import Baseline
from arcuate.decoding.plan import Rows


class Oracle(Baseline):
    """Knows the answer, cut to the number of words that a decoder may generate."""

    name = "oracle"

    def fit(self, data: DecodingData, rows: Rows, seed: int) -> None:
        self.state = {"seed": seed, "max_words": self.spec.max_tokens}

    def answer(self, features: torch.Tensor | None, targets: Sequence[str], rows: Rows) -> list[str]:
        most = self.fitted("max_words")
        return [" ".join(target.split()[:most]) for target in targets]
