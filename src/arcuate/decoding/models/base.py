"""What every decoder is: built from a spec, trained in stages (or fitted), and able to generate text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

import torch
from torch import nn

from arcuate.decoding.batches import Batch
from arcuate.decoding.config import Stage
from arcuate.decoding.language import Generation, LanguageModel
from arcuate.errors import ArcuateError, UnknownName


@dataclass(frozen=True, kw_only=True)
class ModelSpec:
    """All that is needed to build a model again, but for its weights and its tokenizer."""

    model: str
    modality: str
    frame_shape: tuple[int, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    language: Mapping[str, Any] | None = None
    special: Mapping[str, int] | None = None
    max_tokens: int = 56

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


class SignalScaling(nn.Module):
    """Raw frames to the network's scale: each frame over its own values, or by training statistics."""

    shift: torch.Tensor
    scale: torch.Tensor

    def __init__(self, frame_shape: Sequence[int], how: str):
        super().__init__()
        if how not in ("frame", "training", "none"):
            raise UnknownName("Option scaling", how, ("frame", "training", "none"))
        self.how = how
        shape = tuple(frame_shape) if how == "training" else ()
        self.register_buffer("shift", torch.zeros(shape))
        self.register_buffer("scale", torch.ones(shape))

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        frames = frames.float()
        if self.how == "frame":
            dims = tuple(range(1, frames.ndim))
            spread, mean = torch.std_mean(frames, dim=dims, keepdim=True, correction=0)
            return (frames - mean) / torch.where(spread == 0, torch.ones_like(spread), spread)
        return (frames - self.shift) / self.scale


    def typical(self) -> tuple[float, float]:
        """What `Decoder.typical_signal` tells."""
        if self.how != "training":
            return 0.0, 1.0
        return float(self.shift.mean()), float(self.scale.mean())


class Decoder(nn.Module):
    """A brain-to-text decoder.

    Subclasses set `name`, `options` (all names and their defaults), the published `stages`, and whether
    they learn by gradients. `loss_sum` is the sum over the stage's units (tokens, or frames when it
    reconstructs) so that the trainer can divide by the count over all processes.
    """

    name: ClassVar[str]
    options: ClassVar[Mapping[str, Any]] = {}
    stages: ClassVar[tuple[Stage, ...]] = ()
    uses_language: ClassVar[bool] = True

    def __init__(self, spec: ModelSpec, language: LanguageModel | None):
        super().__init__()
        self.spec = spec
        self.scaling = SignalScaling((), "none")
        for name in spec.options:
            if name not in self.options:
                raise UnknownName(f"Option of {self.name}", name, self.options)
        if self.uses_language:
            if language is None:
                raise ArcuateError(f"The model {self.name!r} needs a language model. Name one.")
            self.language = language

    def option(self, name: str) -> Any:
        """The value given, or the default."""
        return self.spec.options.get(name, self.options[name])

    def train(self, mode: bool = True) -> Decoder:
        """Training mode for what is trained; a language model that is held fixed keeps no dropout."""
        super().train(mode)
        if mode and self.uses_language and not any(p.requires_grad for p in self.language.parameters()):
            self.language.eval()
        return self

    def typical_signal(self) -> tuple[float, float]:
        """Mean and spread of the raw signal in training, for noise of the same size."""
        return self.scaling.typical()

    def unit(self, stage: str) -> str:
        """What the loss of a stage is a mean over: "tokens" or "frames"."""
        return "tokens"

    def trained(self, stage: str) -> list[str]:
        """Names of the parameters that a stage trains; all others are held."""
        return [name for name, _ in self.named_parameters()]

    def begin(self, stage: str) -> None:
        """Make ready for a stage: only what it trains takes gradients."""
        trained = set(self.trained(stage))
        for name, parameter in self.named_parameters():
            parameter.requires_grad_(name in trained)

    def loss_sum(self, batch: Batch, stage: str) -> torch.Tensor:
        """The loss summed over the units of the batch."""
        embeddings, mask = self.encode(batch)
        return self.language.loss_sum(embeddings, mask, batch.labels)

    def encode(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        """Embeddings for the language model, and which of them are real."""
        raise NotImplementedError

    @torch.no_grad()
    def generate(self, batch: Batch, how: Generation) -> torch.Tensor:
        """Token ids, free-running."""
        embeddings, mask = self.encode(batch)
        return self.language.generate(embeddings, mask, how)

    @torch.no_grad()
    def teacher_forced(self, batch: Batch) -> torch.Tensor:
        """The best token at each position with the TRUE tokens before it given: not a decoding result."""
        embeddings, mask = self.encode(batch)
        best = self.language.logits(embeddings, mask, batch.labels).argmax(-1)
        return torch.where(batch.labels >= 0, best, self.language.special["pad"])

    def repeated_layers(self) -> list[nn.Module]:
        """Layers worth compiling: each kind is compiled once and serves all its copies."""
        wanted = ("BartEncoderLayer", "BartDecoderLayer", "TransformerEncoderLayer", "T5Block", "GPT2Block",
                  "LlamaDecoderLayer")
        return [module for module in self.modules() if type(module).__name__ in wanted]


def transformer(width: int, layers: int, heads: int, feedforward: int, dropout: float) -> nn.TransformerEncoder:
    """A stack of PyTorch's encoder layers, as the published code builds it (post-norm, ReLU)."""
    if width % heads:
        raise ArcuateError(f"A width of {width} cannot be shared by {heads} heads. Use a divisor.")
    layer = nn.TransformerEncoderLayer(width, heads, feedforward, dropout=dropout, batch_first=True)
    return nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)


def positions(length: int, width: int, device: torch.device) -> torch.Tensor:
    """Sinusoidal positions: no limit on the length, nothing to learn."""
    half = torch.arange(width // 2, device=device, dtype=torch.float32)
    angle = torch.arange(length, device=device, dtype=torch.float32)[:, None] / 10000 ** (2 * half / width)
    table = torch.zeros(length, width, device=device)
    table[:, : width // 2], table[:, width // 2: 2 * (width // 2)] = angle.sin(), angle.cos()
    return table
