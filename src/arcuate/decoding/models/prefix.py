"""A prefix to a frozen causal language model: only what reads the signal is trained."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import nn

from arcuate.decoding.batches import Batch
from arcuate.decoding.config import Stage
from arcuate.decoding.language import LanguageModel
from arcuate.decoding.models.base import Decoder, ModelSpec, SignalScaling, positions, transformer
from arcuate.decoding.models.frames import VectorEncoder, VolumeEncoder
from arcuate.decoding.tokens import IGNORED
from arcuate.errors import ArcuateError


class Prefix(Decoder):
    """One embedding a frame, put before the text of a causal language model that is held fixed.

    A new language model (random weights) has to learn language first: the stage "language" trains it on
    the training texts alone, without any signal. Each text follows another one, which every second time
    is the same text: as any model trained on documents, it learns to take up what was said before, and
    that is what a prefix works through. A pretrained one skips that stage.
    """

    name = "prefix"
    options: ClassVar[Mapping[str, Any]] = {
        "channels": (32, 64, 128, 256), "hidden": 1024, "width": 512, "layers": 4, "heads": 8,
        "feedforward": 2048, "dropout": 0.1, "scaling": "auto",
    }
    stages = (
        Stage(name="language", epochs=10, batch_size=64, lr=3e-4),
        Stage(name="prefix", epochs=20, batch_size=64, lr=3e-4, schedule="exponential", lr_end=3e-6),
    )

    def __init__(self, spec: ModelSpec, language: LanguageModel | None):
        super().__init__(spec, language)
        if not self.language.causal:
            raise ArcuateError("The prefix decoder needs a causal language model (GPT-2, Llama, ...).")
        width, shape = self.option("width"), spec.frame_shape
        scaling = self.option("scaling")
        if scaling == "auto":
            scaling = "training" if spec.modality == "fmri" else "frame"
        self.scaling = SignalScaling(shape, scaling)
        self.frame_encoder: nn.Module
        if len(shape) == 3:
            self.frame_encoder = VolumeEncoder(shape, self.option("channels"), width)
        else:
            self.frame_encoder = VectorEncoder(shape, self.option("hidden"), width)
        self.encoder = transformer(
            width, self.option("layers"), self.option("heads"), self.option("feedforward"), self.option("dropout")
        )
        self.project = nn.Linear(width, self.language.width)

    def trained(self, stage: str) -> list[str]:
        of_language = stage == "language"
        return [name for name, _ in self.named_parameters() if name.startswith("language.") == of_language]

    def loss_sum(self, batch: Batch, stage: str) -> torch.Tensor:
        if stage != "language":
            return super().loss_sum(batch, stage)
        rows = torch.arange(len(batch.labels), device=batch.labels.device)
        before = batch.labels[torch.where(rows % 2 == 0, rows, rows.roll(-1))]
        context = self.language.network.get_input_embeddings()(before.clamp_min(0))
        return self.language.loss_sum(context, before != IGNORED, batch.labels)

    def encode(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        encoded = self.frame_encoder(self.scaling(batch.frames))
        windows = encoded[batch.index] + positions(batch.index.shape[1], encoded.shape[1], encoded.device)
        return self.project(self.encoder(windows, src_key_padding_mask=~batch.mask)), batch.mask
