"""The decoders: one file each, and one line here."""

from __future__ import annotations

from arcuate.decoding.models.base import Decoder, ModelSpec
from arcuate.decoding.models.constant import Constant
from arcuate.decoding.models.eeg2text import EEG2Text
from arcuate.decoding.models.language_alone import LanguageAlone
from arcuate.decoding.models.oracle import Oracle
from arcuate.decoding.models.prefix import Prefix
from arcuate.decoding.models.retrieval import Retrieval
from arcuate.decoding.models.unicorn import UniCoRN
from arcuate.decoding.models.unigram import Unigram

__all__ = ["MODELS", "Decoder", "ModelSpec"]

MODELS: dict[str, type[Decoder]] = {
    model.name: model
    for model in (EEG2Text, UniCoRN, Prefix, LanguageAlone, Constant, Unigram, Retrieval, Oracle)
}
