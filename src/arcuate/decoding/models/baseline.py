"""What baselines that learn without gradients share: fitted once on the training part, then they answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from arcuate.decoding.data import DecodingData
from arcuate.decoding.models.base import Decoder, ModelSpec
from arcuate.decoding.plan import Rows
from arcuate.errors import ArcuateError


class Baseline(Decoder):
    """Answers with texts, not with token ids; its state is a JSON-able dict and a few buffers.

    `words` is a generator seeded by the run's seed and the sample, so that the batch does not matter.
    """

    uses_language = False
    state: dict[str, Any]

    def __init__(self, spec: ModelSpec, language: Any = None):
        super().__init__(spec, None)
        self.state = {}

    def fit(self, data: DecodingData, rows: Rows, seed: int) -> None:
        """Learn from the training rows."""
        raise NotImplementedError

    def answer(self, features: torch.Tensor | None, targets: Sequence[str], rows: Rows) -> list[str]:
        """One text a sample. Only the oracle looks at `targets`; only retrieval looks at `features`."""
        raise NotImplementedError

    def generator(self, row: int) -> np.random.Generator:
        """The random numbers of one sample."""
        return np.random.default_rng([int(self.state.get("seed", 0)), row])

    def fitted(self, key: str) -> Any:
        """A value of the state, or an error that says what to do."""
        if key not in self.state:
            raise ArcuateError(f"The baseline {self.name!r} has not been fitted. Train it first.")
        return self.state[key]
