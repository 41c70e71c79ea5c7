"""What can be said without any signal, from the targets alone: the floor under every score."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from arcuate.metrics.rouge import rouge1_statistics

_CANDIDATES, _JUDGES = 150, 400
_LONGEST = 60


def constant_sentence(targets: Sequence[str], seed: int = 0) -> list[str]:
    """The one target that scores best on all others (ROUGE-1 F), said every time.

    On its own text the runner-up is said, since a text must not be its own prediction.

    Examples
    --------
    >>> constant_sentence(["the cat sat", "the cat ran", "a dog"])
    ['the cat ran', 'the cat sat', 'the cat sat']
    """
    texts = list(dict.fromkeys(targets))
    generator = np.random.default_rng(seed)
    candidates = texts if len(texts) <= _CANDIDATES else _some(texts, _CANDIDATES, generator)
    judges = texts if len(texts) <= _JUDGES else _some(texts, _JUDGES, generator)
    pairs = [(judge, candidate) for candidate in candidates for judge in judges]
    scores = rouge1_statistics([judge for judge, _ in pairs], [candidate for _, candidate in pairs])[:, 2]
    own = np.array([judge == candidate for judge, candidate in pairs])
    table = np.where(own, np.nan, scores).reshape(len(candidates), len(judges))
    merit = np.nansum(table, axis=1) / np.maximum(1, (~np.isnan(table)).sum(axis=1))
    best, *others = (candidates[place] for place in np.argsort(-merit, kind="stable")[:2])
    runner_up = others[0] if others else ""
    return [runner_up if target == best else best for target in targets]


def language_model_alone(targets: Sequence[str], seed: int = 0) -> list[str]:
    """Sentences drawn from a word-bigram model of the *other half* of the texts, one a sample.

    Examples
    --------
    >>> language_model_alone(["a b", "c d", "a b", "c d"])
    ['c d', 'a b', 'c d', 'a b']
    """
    generator = np.random.default_rng(seed)
    texts = list(dict.fromkeys(targets))
    half_of = dict(zip(texts, (generator.permutation(len(texts)) % 2).tolist(), strict=True))
    models = [_bigrams([text for text in texts if half_of[text] != half]) for half in (0, 1)]
    uniform = generator.random(len(targets) * _LONGEST)
    return [
        _say(models[half_of[target]], uniform[row * _LONGEST : (row + 1) * _LONGEST])
        for row, target in enumerate(targets)
    ]


def _some(texts: list[str], how_many: int, generator: np.random.Generator) -> list[str]:
    return [texts[place] for place in np.sort(generator.choice(len(texts), how_many, replace=False))]


def _bigrams(texts: Sequence[str]) -> dict[str, list[str]]:
    """Word -> every word that followed it, as often as it did; "" opens and closes a sentence."""
    after: dict[str, list[str]] = {}
    for text in texts:
        words = ["", *text.split(), ""]
        for word, following in pairwise(words):
            after.setdefault(word, []).append(following)
    return after


def _say(after: dict[str, list[str]], uniform: np.ndarray) -> str:
    words: list[str] = []
    word = ""
    for number in uniform.tolist():
        following = after.get(word)
        if not following:
            break
        word = following[int(number * len(following))]
        if not word:
            break
        words.append(word)
    return " ".join(words)
