"""UniCoRN (Xi et al. 2023): an encoder that first learns to reconstruct the signal, then feeds BART.

Its code is not public. The sizes chosen here: for fMRI four 3D convolutions of stride 2 with 32, 64, 128
and 256 channels (64 x 64 x 27 becomes 4 x 4 x 2), then a vector of 512 a frame; for EEG 840 to 1024 to 512;
then four Transformer layers of width 512, 8 heads, 2048 feed-forward units, sinusoidal positions; a
linear map to the language model. The reconstruction decoder mirrors all of it and is thrown away.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import nn

from arcuate.decoding.batches import Batch
from arcuate.decoding.config import Stage
from arcuate.decoding.language import LanguageModel
from arcuate.decoding.models.base import Decoder, ModelSpec, SignalScaling, positions, transformer
from arcuate.decoding.models.frames import VectorDecoder, VectorEncoder, VolumeDecoder, VolumeEncoder

PRETRAINING = ("frame", "sequence")


class UniCoRN(Decoder):
    """Frame encoder, sequence encoder, language model; trained frame by frame, as a sequence, then on text.

    With `random_encoder` (UniCoRN* of the papers) the encoder is not pre-trained. `train_encoder` says
    whether the text stage trains the encoder on, or holds it and trains what is above.
    """

    name = "unicorn"
    options: ClassVar[Mapping[str, Any]] = {
        "channels": (32, 64, 128, 256), "hidden": 1024, "width": 512, "layers": 4, "heads": 8,
        "feedforward": 2048, "dropout": 0.1, "random_encoder": False, "train_encoder": True, "scaling": "auto",
    }
    stages = (
        Stage(name="frame", epochs=30, batch_size=320, lr=1e-4, schedule="exponential", lr_end=1e-6),
        Stage(name="sequence", epochs=30, batch_size=320, lr=1e-4, schedule="exponential", lr_end=1e-6),
        Stage(name="text", epochs=10, batch_size=90, lr=1e-4, schedule="exponential", lr_end=1e-6),
    )

    def __init__(self, spec: ModelSpec, language: LanguageModel | None):
        super().__init__(spec, language)
        width, shape = self.option("width"), spec.frame_shape
        scaling = self.option("scaling")
        if scaling == "auto":
            scaling = "training" if spec.modality == "fmri" else "frame"
        self.scaling = SignalScaling(shape, scaling)
        sizes = (self.option("heads"), self.option("feedforward"), self.option("dropout"))
        self.frame_encoder: nn.Module
        self.frame_decoder: nn.Module
        if len(shape) == 3:
            volume = VolumeEncoder(shape, self.option("channels"), width)
            self.frame_encoder = volume
            self.frame_decoder = VolumeDecoder(volume, self.option("channels"), width)
        else:
            self.frame_encoder = VectorEncoder(shape, self.option("hidden"), width)
            self.frame_decoder = VectorDecoder(shape, self.option("hidden"), width)
        self.encoder = transformer(width, self.option("layers"), *sizes)
        self.decoder: nn.Module = transformer(width, self.option("layers"), *sizes)
        self.project = nn.Linear(width, self.language.width)

    def sequence(self, batch: Batch) -> torch.Tensor:
        """Each frame is encoded once; the windows are gathered from the encodings."""
        encoded = self.frame_encoder(self.scaling(batch.frames))
        windows = encoded[batch.index] + positions(batch.index.shape[1], encoded.shape[1], encoded.device)
        return self.encoder(windows, src_key_padding_mask=~batch.mask)

    def encode(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        return self.project(self.sequence(batch)), batch.mask

    def unit(self, stage: str) -> str:
        return "frames" if stage in PRETRAINING else "tokens"

    def trained(self, stage: str) -> list[str]:
        parts = {
            "frame": ("frame_encoder.", "frame_decoder."),
            "sequence": ("frame_encoder.", "frame_decoder.", "encoder.", "decoder."),
        }.get(stage, ("language.", "project.")
              + (("frame_encoder.", "encoder.") if self.option("train_encoder") else ()))
        return [name for name, _ in self.named_parameters() if name.startswith(parts)]

    def begin(self, stage: str) -> None:
        if stage not in PRETRAINING:
            # The mirror has done its work: it is neither trained further nor saved.
            self.frame_decoder, self.decoder = nn.Identity(), nn.Identity()
        super().begin(stage)

    def loss_sum(self, batch: Batch, stage: str) -> torch.Tensor:
        if stage not in PRETRAINING:
            return super().loss_sum(batch, stage)
        scaled = self.scaling(batch.frames)
        if stage == "frame":
            rebuilt = self.frame_decoder(self.frame_encoder(scaled))
        else:
            latent = self.decoder(self.sequence(batch), src_key_padding_mask=~batch.mask)
            rebuilt = self.frame_decoder(latent.flatten(0, 1)[one_slot_a_frame(batch)])
        # Mean over a frame's values, times the slots that hold the frame: the sum over all windows' frames.
        error = F.mse_loss(rebuilt.float(), scaled, reduction="none").flatten(1).mean(1)
        held = torch.bincount(batch.index[batch.mask], minlength=len(error))
        return (error * held).sum()


def one_slot_a_frame(batch: Batch) -> torch.Tensor:
    """For each frame, one of the window slots that hold it, spread evenly over the positions.

    Overlapping windows hold a frame up to ten times, and the mirror is the dearest part: it rebuilds a
    frame once a batch, from one of its slots. The slots take turns by a low-discrepancy sequence, which
    needs no random state.
    """
    slots = torch.arange(batch.index.numel(), device=batch.index.device)
    turn = (slots.double() * 0.6180339887498949) % 1.0
    key = batch.index.flatten().double() + 0.999 * turn
    key = torch.where(batch.mask.flatten(), key, float("inf"))
    ordered = key.sort()
    frames = torch.arange(len(batch.frames), device=key.device, dtype=torch.float64)
    return ordered.indices[torch.searchsorted(ordered.values, frames)]
