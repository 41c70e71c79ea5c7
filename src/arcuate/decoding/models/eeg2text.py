"""EEG2Text (Wang & Ji 2022): word-level EEG through a Transformer into BART, as its public code builds it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import nn

from arcuate.decoding.batches import Batch
from arcuate.decoding.config import Stage
from arcuate.decoding.language import LanguageModel
from arcuate.decoding.models.base import Decoder, ModelSpec, SignalScaling, transformer

# What step 1 leaves free of the language model: its embeddings, its positions, its first encoder layer.
FREE_IN_STEP_1 = ("shared", "embed_tokens", "embed_positions", "encoder.layers.0.", "encoder.block.0.")


class EEG2Text(Decoder):
    """Six encoder layers without positions, a linear map with ReLU, and a language model.

    The defaults are the published sizes: 840 values a word (105 channels x 8 bands), 8 heads, 2048
    feed-forward units, 1024 for BART-large. The public code also registers an unused template layer;
    it takes no part in the computation and is left out here.
    """

    name = "eeg2text"
    options: ClassVar[Mapping[str, Any]] = {
        "layers": 6, "heads": 8, "feedforward": 2048, "dropout": 0.1, "scaling": "frame",
    }
    stages = (
        Stage(name="step1", epochs=20, batch_size=32, lr=5e-5, optimiser="sgd", schedule="step", step_size=20),
        Stage(name="step2", epochs=30, batch_size=32, lr=5e-7, optimiser="sgd", schedule="step", step_size=30),
    )

    def __init__(self, spec: ModelSpec, language: LanguageModel | None):
        super().__init__(spec, language)
        size = int(torch.tensor(spec.frame_shape).prod())
        self.scaling = SignalScaling(spec.frame_shape, self.option("scaling"))
        self.encoder = transformer(
            size, self.option("layers"), self.option("heads"), self.option("feedforward"), self.option("dropout")
        )
        self.project = nn.Linear(size, self.language.width)

    def embed(self, words: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Scaled word vectors, (batch, words, 840), to embeddings of the language model."""
        return F.relu(self.project(self.encoder(words, src_key_padding_mask=~mask)))

    def forward(self, words: torch.Tensor, mask: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """The published forward pass: word vectors already scaled, padded (to 56), with their mask.

        Returns the scores of the vocabulary at every target position.
        """
        return self.language.logits(self.embed(words, mask.bool()), mask, labels)

    def encode(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        scaled = self.scaling(batch.frames).flatten(1)
        words = scaled[batch.index] * batch.mask[..., None]
        return self.embed(words, batch.mask), batch.mask

    def trained(self, stage: str) -> list[str]:
        names = [name for name, _ in self.named_parameters()]
        if stage != "step1":
            return names
        return [
            name for name in names
            if not name.startswith("language.") or any(part in name for part in FREE_IN_STEP_1)
        ]
