"""Build a decoder: for a dataset before training, or again from its spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from arcuate.decoding.data import DecodingData
from arcuate.decoding.language import is_new, language_model, source_tokenizer
from arcuate.decoding.models import MODELS, Decoder, ModelSpec
from arcuate.decoding.tokens import word_tokenizer
from arcuate.errors import ArcuateError, UnknownName

# Fields of a Hugging Face config that say where and how it was loaded, not what the network is.
NOT_CONFIG = ("model_type", "transformers_version", "_name_or_path", "architectures", "dtype", "torch_dtype",
              "quantization_config")


def build_model(
    name: str, data: DecodingData, texts: Sequence[str], language: str | Mapping[str, Any],
    options: Mapping[str, Any], max_tokens: int, seed: int,
) -> tuple[Decoder, Any]:
    """A model for `data` with fresh (or pretrained) weights, and its tokenizer.

    A new language model takes its vocabulary from `texts`, the training part's.
    """
    if name not in MODELS:
        raise UnknownName("Model", name, MODELS)
    kind = MODELS[name]
    torch.manual_seed(seed)
    spec = ModelSpec(
        model=name, modality=data.modality, frame_shape=data.frame_shape, options=dict(options),
        max_tokens=max_tokens,
    )
    if not kind.uses_language:
        return kind(spec, None), word_tokenizer(texts)
    tokenizer = word_tokenizer(texts) if is_new(language) else source_tokenizer(str(language))
    made = language_model(language, tokenizer)
    config = {k: v for k, v in made.network.config.to_dict().items() if k not in NOT_CONFIG}
    spec = ModelSpec(**{
        **vars(spec), "language": {"type": made.network.config.model_type, **config}, "special": made.special
    })
    return kind(spec, made), tokenizer


def rebuild_model(values: Mapping[str, Any], tokenizer: Any) -> Decoder:
    """The model of a saved spec, with weights still to be loaded."""
    values = dict(values)
    if values.get("model") not in MODELS:
        raise UnknownName("Model", str(values.get("model")), MODELS)
    try:
        spec = ModelSpec(**{**values, "frame_shape": tuple(values["frame_shape"])})
    except (TypeError, KeyError) as error:
        raise ArcuateError(f"The checkpoint's spec is damaged: {error}.") from error
    kind = MODELS[spec.model]
    if not kind.uses_language:
        return kind(spec, None)
    if spec.language is None or spec.special is None:
        raise ArcuateError("The checkpoint's spec names no language model.")
    language = language_model(dict(spec.language), tokenizer)
    language.special = dict(spec.special)
    return kind(spec, language)
