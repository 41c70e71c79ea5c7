"""Baseline: the language model without any signal, trained on the same texts."""

from __future__ import annotations

import torch
from torch import nn

from arcuate.decoding.batches import Batch
from arcuate.decoding.config import Stage
from arcuate.decoding.language import LanguageModel
from arcuate.decoding.models.base import Decoder, ModelSpec


class LanguageAlone(Decoder):
    """One learned embedding, the same for all samples, stands where the signal would.

    What it scores is what fluent text scores by itself; a decoder has to beat it.
    """

    name = "language-alone"
    stages = (Stage(name="text", epochs=10, batch_size=90, lr=1e-4, schedule="exponential", lr_end=1e-6),)

    def __init__(self, spec: ModelSpec, language: LanguageModel | None):
        super().__init__(spec, language)
        self.start = nn.Parameter(torch.zeros(self.language.width))

    def encode(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        embeddings = self.start.expand(len(batch.labels), 1, -1)
        return embeddings, batch.mask.new_ones(len(batch.labels), 1)
