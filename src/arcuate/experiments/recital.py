"""A decoder that can only recite: it answers with the training text that its signal fits best.

It needs numpy alone and learns in a second, and it shows what the papers' big models show: where the
test texts are in training, reciting looks like reading.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arcuate.errors import ArcuateError
from arcuate.samples.text_identity import words

RIDGE = 1000.0
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Reciter:
    """Ridge regression from signals to the words of their texts, and the texts to choose from."""

    vocabulary: dict[str, int]
    texts: tuple[str, ...]
    bags: Floats
    mean: Floats
    scale: Floats
    weights: Floats

    @classmethod
    def learn(cls, signals: Floats, texts: Sequence[str]) -> Reciter:
        """Fit on training signals (samples × features) and their texts; all statistics come from them.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> texts = ["a cat", "the dog"] * 20
        >>> signals = np.array([[text == "a cat", text == "the dog"] for text in texts], float)
        >>> model = Reciter.learn(signals + rng.normal(0, 0.1, signals.shape), texts)
        >>> model.answer(np.array([[1.0, 0.0], [0.0, 1.0]]))
        ['a cat', 'the dog']
        """
        if len(signals) != len(texts) or not len(texts):
            raise ArcuateError(f"{len(signals)} signals and {len(texts)} texts. Give one text a signal.")
        vocabulary = {word: number for number, word in enumerate(sorted({w for text in texts for w in words(text)}))}
        mean, scale = signals.mean(axis=0), signals.std(axis=0)
        scale = np.where(scale > 0, scale, 1.0)
        features = (signals - mean) / scale
        bags = _bags(texts, vocabulary)
        gram = features.T @ features + RIDGE * np.eye(features.shape[1])
        weights = np.linalg.solve(gram, features.T @ (bags - bags.mean(axis=0)))
        known = tuple(sorted(set(texts)))
        return cls(vocabulary, known, _bags(known, vocabulary) - bags.mean(axis=0), mean, scale, weights)

    def answer(self, signals: Floats) -> list[str]:
        """The training text that fits each signal best, by cosine similarity of predicted and actual words."""
        predicted = (signals - self.mean) / self.scale @ self.weights
        lengths = np.linalg.norm(self.bags, axis=1)
        fit = predicted @ self.bags.T / np.where(lengths > 0, lengths, 1.0)
        return [self.texts[best] for best in fit.argmax(axis=1)]


def _bags(texts: Sequence[str], vocabulary: dict[str, int]) -> Floats:
    bags = np.zeros((len(texts), len(vocabulary)))
    for row, text in enumerate(texts):
        for word in words(text):
            bags[row, vocabulary[word]] += 1
    return bags
