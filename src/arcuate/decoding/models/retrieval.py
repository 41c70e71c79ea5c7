"""Baseline: the text of the training sample whose signal is nearest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from arcuate.decoding.data import DecodingData
from arcuate.decoding.models.base import ModelSpec
from arcuate.decoding.models.baseline import Baseline
from arcuate.decoding.plan import Rows
from arcuate.errors import ArcuateError

DIRECTIONS = 1024  # volumes are projected to so many random directions first


class Retrieval(Baseline):
    """Nearest by correlation of the mean frame, each value z-scored over the training samples."""

    name = "retrieval"

    mean: torch.Tensor
    spread: torch.Tensor
    bank: torch.Tensor

    def __init__(self, spec: ModelSpec, language: object = None):
        super().__init__(spec, None)
        size = int(np.prod(spec.frame_shape))
        self.directions = None if size <= DIRECTIONS else _directions(size)
        width = min(size, DIRECTIONS)
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("spread", torch.ones(width))
        self.register_buffer("bank", torch.zeros(0, width))

    def features(self, windows: Sequence[np.ndarray]) -> torch.Tensor:
        """The mean frame of each window, projected when it is large."""
        means = torch.from_numpy(np.stack([
            np.asarray(window, dtype=np.float32).mean(axis=0).ravel() for window in windows
        ]))
        return means if self.directions is None else means @ self.directions

    def fit(self, data: DecodingData, rows: Rows, seed: int) -> None:
        runs = data.store.runs
        features = self.features([
            data.store.window(runs[data.run[row]], int(data.start[row]), int(data.n_frames[row])) for row in rows
        ])
        if not bool(torch.isfinite(features).all()):
            raise ArcuateError(f"{data.store.folder}: the training signal holds NaN. Leave out those samples.")
        self.mean, spread = features.mean(0), features.std(0, correction=0)
        self.spread = torch.where(spread == 0, torch.ones_like(spread), spread)
        self.bank = self._unit(features)
        self.state = {"seed": seed, "texts": [data.text[row] for row in rows]}

    def answer(self, features: torch.Tensor | None, targets: Sequence[str], rows: Rows) -> list[str]:
        texts = self.fitted("texts")
        if features is None:
            raise ArcuateError("Retrieval needs the signal's features.")
        nearest = (self._unit(features.to(self.mean.device)) @ self.bank.T).argmax(1)
        return [texts[i] for i in nearest.tolist()]

    def _unit(self, features: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.normalize((features - self.mean) / self.spread, dim=1)


def _directions(size: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(size, DIRECTIONS, generator=generator) / size**0.5
