"""The registry of features: a kind is one entry here; any other name is a Hugging Face model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from arcuate.encoding.align import WithinScan
from arcuate.encoding.features import word_properties
from arcuate.encoding.features.glove import glove_vectors
from arcuate.encoding.features.language_model import SMOLLM2
from arcuate.encoding.features.model_states import SURPRISAL, n_layers, text_states, word_states
from arcuate.encoding.features.options import FeatureOptions
from arcuate.encoding.features.random_words import random_vectors
from arcuate.encoding.features.words import word_key
from arcuate.errors import ArcuateError

# (words, what follows the colon, options) -> (one row a word, which words are known)
OfWords = Callable[[Sequence[str], str, FeatureOptions], tuple[np.ndarray, np.ndarray]]
# (texts, what follows the colon, options) -> one row a text
OfTexts = Callable[[Sequence[str], str, FeatureOptions], np.ndarray]


@dataclass(frozen=True, kw_only=True)
class FeatureKind:
    """One kind of feature.

    Parameters
    ----------
    about : str, one line for users
    of_words : values of single words
    of_texts : values of whole texts; the mean over words where there is none
    over_words : {"mean", "sum"}, how words make up a text where there is no `of_texts`
    within_scan : {"last", "mean", "sum"}, how words make up a scan unless the user says otherwise
    settings : names of the options that change the values

    Examples
    --------
    >>> FEATURES["rate"].within_scan
    'sum'
    """

    about: str
    of_words: OfWords
    of_texts: OfTexts | None = None
    over_words: str = "mean"
    within_scan: WithinScan = "mean"
    settings: tuple[str, ...] = ()


def parse_layer(name: str, argument: str) -> int:
    """The layer that follows the colon; the middle one by default.

    Examples
    --------
    >>> parse_layer("gpt2", "7")
    7
    >>> parse_layer("gpt2", "last")
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: 'gpt2:last': give a layer as a number, 0 for the embedding.
    """
    if not argument:
        return n_layers(name) // 2
    if not argument.isdigit():
        raise ArcuateError(f"'{name}:{argument}': give a layer as a number, 0 for the embedding.")
    return int(argument)


def model_kind(name: str) -> FeatureKind:
    """The hidden states of a language model, `NAME:LAYER`.

    Examples
    --------
    >>> model_kind("gpt2").within_scan
    'last'
    """

    def of_words(words: Sequence[str], layer: str, options: FeatureOptions) -> tuple[np.ndarray, np.ndarray]:
        chosen = parse_layer(name, layer)
        return _all_known(_scaled(word_states(words, name, [chosen], options)[chosen], options))

    def of_texts(texts: Sequence[str], layer: str, options: FeatureOptions) -> np.ndarray:
        chosen = parse_layer(name, layer)
        return _scaled(text_states(texts, name, [chosen], options)[chosen], options)

    return FeatureKind(
        about=f"hidden states of {name}", of_words=of_words, of_texts=of_texts, within_scan="last",
        settings=("context", "stride", "pooling", "scale"),
    )  # fmt: skip


def _scaled(states: np.ndarray, options: FeatureOptions) -> np.ndarray:
    if options.scale == "none":
        return states
    return states / np.sqrt(np.mean(np.square(states, dtype=np.float64), axis=1, keepdims=True))


def _all_known(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return values, np.ones(len(values), dtype=bool)


def _random(words: Sequence[str], _: str, options: FeatureOptions) -> tuple[np.ndarray, np.ndarray]:
    return _all_known(random_vectors([word_key(word) for word in words], options.dimensions, options.seed))


def _glove(words: Sequence[str], _: str, options: FeatureOptions) -> tuple[np.ndarray, np.ndarray]:
    return glove_vectors([word_key(word) for word in words])


def _rate(words: Sequence[str], _: str, options: FeatureOptions) -> tuple[np.ndarray, np.ndarray]:
    return _all_known(np.ones((len(words), 1)))


def _length(words: Sequence[str], _: str, options: FeatureOptions) -> tuple[np.ndarray, np.ndarray]:
    return _all_known(word_properties.lengths(words))


def _frequency(words: Sequence[str], _: str, options: FeatureOptions) -> tuple[np.ndarray, np.ndarray]:
    return word_properties.frequencies(words)


def _surprisal(words: Sequence[str], name: str, options: FeatureOptions) -> tuple[np.ndarray, np.ndarray]:
    return _all_known(word_states(words, name or SMOLLM2, [SURPRISAL], options)[SURPRISAL])


def _surprisal_of_texts(texts: Sequence[str], name: str, options: FeatureOptions) -> np.ndarray:
    return text_states(texts, name or SMOLLM2, [SURPRISAL], options)[SURPRISAL]


FEATURES: dict[str, FeatureKind] = {
    "random": FeatureKind(
        about="a random but fixed vector a word", of_words=_random, settings=("seed", "dimensions")
    ),
    "glove": FeatureKind(about="GloVe 6B, 50 dimensions", of_words=_glove, settings=("missing",)),
    SMOLLM2: model_kind(SMOLLM2),
    "rate": FeatureKind(about="number of words", of_words=_rate, over_words="sum", within_scan="sum"),
    "length": FeatureKind(about="letters a word", of_words=_length, within_scan="sum"),
    "frequency": FeatureKind(
        about="log frequency by rank in GloVe", of_words=_frequency, within_scan="sum", settings=("missing",)
    ),
    "surprisal": FeatureKind(
        about="surprisal in bits, of smollm2 or of the model after the colon",
        of_words=_surprisal, of_texts=_surprisal_of_texts, within_scan="sum", settings=("context", "stride"),
    ),
}  # fmt: skip

# Made from the times of scans, not from words.
POSITION = "position"


def feature_kind(name: str) -> FeatureKind:
    """The kind called `name`; any other name is taken for a Hugging Face model, by name or path.

    Examples
    --------
    >>> feature_kind("glove").about, feature_kind("gpt2").about
    ('GloVe 6B, 50 dimensions', 'hidden states of gpt2')
    """
    return FEATURES.get(name) or model_kind(name)
