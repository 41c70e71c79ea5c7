"""Encoders of single frames and the mirrors that reconstruct them."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from arcuate.errors import ArcuateError


def halved(size: Sequence[int]) -> tuple[int, ...]:
    """The size after a convolution of stride 2, kernel 3, padding 1.

    Examples
    --------
    >>> halved((64, 64, 27))
    (32, 32, 14)
    """
    return tuple(-(-length // 2) for length in size)


def norm(channels: int) -> nn.GroupNorm:
    """Groups of eight channels or all: no statistics over the batch, so padding and company do not matter."""
    return nn.GroupNorm(max(1, channels // 8), channels)


class VolumeEncoder(nn.Module):
    """3D convolutions of stride 2 over a volume, then a linear map to one vector a frame."""

    def __init__(self, shape: Sequence[int], channels: Sequence[int], width: int):
        super().__init__()
        if len(shape) != 3:
            raise ArcuateError(f"A 3D-CNN needs frames of three dimensions, these have {tuple(shape)}.")
        layers: list[nn.Module] = []
        sizes, before = [tuple(shape)], 1
        for after in channels:
            layers += [nn.Conv3d(before, after, 3, stride=2, padding=1), norm(after), nn.GELU()]
            sizes.append(halved(sizes[-1]))
            before = after
        self.sizes = tuple(sizes)
        self.convolutions = nn.Sequential(*layers)
        self.project = nn.Linear(before * int(torch.tensor(sizes[-1]).prod()), width)

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        volume = frames.unsqueeze(1)
        if volume.is_cuda:
            volume = volume.contiguous(memory_format=torch.channels_last_3d)
        return self.project(self.convolutions(volume).flatten(1))


class VolumeDecoder(nn.Module):
    """The mirror of `VolumeEncoder`: a linear map, then transposed convolutions up to the frame's shape."""

    def __init__(self, encoder: VolumeEncoder, channels: Sequence[int], width: int):
        super().__init__()
        self.first = (channels[-1], *encoder.sizes[-1])
        self.expand = nn.Linear(width, int(torch.tensor(self.first).prod()))
        layers: list[nn.Module] = []
        outward = [*reversed(channels[:-1]), 1]
        for before, after, small, large in zip(
            reversed(channels), outward, reversed(encoder.sizes[1:]), reversed(encoder.sizes[:-1]), strict=True
        ):
            # An even length lost nothing when halved; an odd one must not grow by the extra element.
            x, y, z = (wide - (2 * narrow - 1) for wide, narrow in zip(large, small, strict=True))
            layers.append(nn.ConvTranspose3d(before, after, 3, stride=2, padding=1, output_padding=(x, y, z)))
            if after != 1:
                layers += [norm(after), nn.GELU()]
        self.convolutions = nn.Sequential(*layers)

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        volume = self.expand(vectors).unflatten(1, self.first)
        if volume.is_cuda:
            volume = volume.contiguous(memory_format=torch.channels_last_3d)
        return self.convolutions(volume).squeeze(1)


class VectorEncoder(nn.Module):
    """Word features (840 values of EEG) to one vector: a hidden layer with GELU."""

    def __init__(self, shape: Sequence[int], hidden: int, width: int):
        super().__init__()
        size = int(torch.tensor(tuple(shape)).prod())
        self.layers = nn.Sequential(nn.Linear(size, hidden), nn.GELU(), nn.Linear(hidden, width))

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        return self.layers(frames.flatten(1))


class VectorDecoder(nn.Module):
    """The mirror of `VectorEncoder`."""

    def __init__(self, shape: Sequence[int], hidden: int, width: int):
        super().__init__()
        self.shape = tuple(shape)
        size = int(torch.tensor(self.shape).prod())
        self.layers = nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, size))

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        return self.layers(vectors).unflatten(1, self.shape)
