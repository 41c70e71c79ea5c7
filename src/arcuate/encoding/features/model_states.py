"""States and surprisal of a language model by word or by text, kept on disk by the hash of all that made them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from arcuate.atomic import replacing
from arcuate.encoding.features.language_model import LanguageModel, Location, Run, load, locate, run_texts
from arcuate.encoding.features.options import FeatureOptions
from arcuate.encoding.features.windows import sentences_of, tokens_of_words, windows
from arcuate.errors import ArcuateError
from arcuate.metrics.signature import fingerprint

# Raise it whenever the same inputs would give other numbers, so that old cache entries are not used.
VERSION = "2"
SURPRISAL = "surprisal"

Array = np.ndarray


@lru_cache(maxsize=32)
def n_layers(name: str) -> int:
    """How many layers a model has after its embedding (layer 0).

    Examples
    --------
    >>> n_layers("/no/such/model")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    ArcuateError: The model '/no/such/model' is no folder ...
    """
    from transformers import AutoConfig

    location = locate(name)
    extra = {"gguf_file": location.gguf_file} if location.gguf_file else {}
    return int(AutoConfig.from_pretrained(location.source, **extra).num_hidden_layers)


def word_states(
    words: Sequence[str], name: str, layers: Sequence[int | str], options: FeatureOptions
) -> dict[int | str, Array]:
    """For each layer (or "surprisal", in bits) an array of one row a word, each word read in its context.

    Examples
    --------
    >>> word_states([], "smollm2", [0], FeatureOptions())
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: There are no words to read.
    """
    if not words:
        raise ArcuateError("There are no words to read.")
    settings = f"words|context:{options.context}|stride:{options.stride}|pooling:{options.pooling}"
    return _cached(
        words, name, layers, options, settings, lambda model, missing: _read_words(words, model, missing, options)
    )


def text_states(
    texts: Sequence[str], name: str, layers: Sequence[int | str], options: FeatureOptions
) -> dict[int | str, Array]:
    """For each layer (or "surprisal", the mean bits a token) an array of one row a text.

    Examples
    --------
    >>> text_states(["  "], "smollm2", [0], FeatureOptions())
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: Stimulus 0 is empty. Leave it out.
    """
    for index, text in enumerate(texts):
        if not text.strip():
            raise ArcuateError(f"Stimulus {index} is empty. Leave it out.")
    settings = f"texts|pooling:{options.pooling}"
    return _cached(
        texts, name, layers, options, settings, lambda model, missing: _read_texts(texts, model, missing, options)
    )


def _cached(
    items: Sequence[str], name: str, layers: Sequence[int | str], options: FeatureOptions, settings: str,
    compute: Callable[[LanguageModel, list[int | str]], dict[int | str, Array]],
) -> dict[int | str, Array]:  # fmt: skip
    location = locate(name)
    folder = _folder(items, location, settings, options.cache)
    found = {layer: _read_kept(folder, layer, len(items)) for layer in layers}
    missing = [layer for layer, kept in found.items() if kept is None]
    if missing:
        model = load(location, options.device)
        _check_layers(model, missing, name)
        for layer, values in compute(model, missing).items():
            found[layer] = values
            if folder is not None:
                with replacing(folder / f"{layer}.npy") as temporary:
                    np.save(temporary, values, allow_pickle=False)
    return {layer: values for layer, values in found.items() if values is not None}


def _folder(items: Sequence[str], location: Location, settings: str, cache: Path | None) -> Path | None:
    if cache is None:
        return None
    pieces = [VERSION, location.content, location.gguf_file or "", settings, *items]
    return Path(cache) / fingerprint(piece.encode() for piece in pieces)


def _read_kept(folder: Path | None, layer: int | str, n_rows: int) -> Array | None:
    if folder is None or not (folder / f"{layer}.npy").is_file():
        return None
    try:
        values: Array = np.load(folder / f"{layer}.npy", allow_pickle=False)
    except (OSError, ValueError):
        return None  # a damaged entry is made again
    return values if len(values) == n_rows and np.isfinite(values).all() else None


def _check_layers(model: LanguageModel, layers: Sequence[int | str], name: str) -> None:
    for layer in layers:
        if isinstance(layer, int) and not 0 <= layer <= model.n_layers:
            raise ArcuateError(f"{name!r} has no layer {layer}. Use 0 (embedding) to {model.n_layers}.")


def _read_words(
    words: Sequence[str], model: LanguageModel, layers: list[int | str], options: FeatureOptions
) -> dict[int | str, Array]:
    if not model.causal and options.stride > 1:
        raise ArcuateError(
            f"stride is {options.stride}, but this model reads in both directions and would see later words. "
            "Use stride=1."
        )
    if options.pooling == "sentences":
        raise ArcuateError("pooling='sentences' is for isolated texts. Use 'last' or 'mean' for timed words.")
    plan = windows(len(words), options.context, options.stride)
    shown = [window.text(words) for window in plan]
    runs = _runs(model, [text for text, _ in shown], layers, options)
    rows: dict[int | str, list[Array]] = {layer: [] for layer in layers}
    for window, (text, spans), run in zip(plan, shown, runs, strict=True):
        tokens = tokens_of_words(text, spans, run.offsets)
        for of_word in tokens[window.read_from - window.first :]:
            _append(rows, run, of_word, options.pooling)
    return _stacked(rows)


def _read_texts(
    texts: Sequence[str], model: LanguageModel, layers: list[int | str], options: FeatureOptions
) -> dict[int | str, Array]:
    pieces = [sentences_of(text) if options.pooling == "sentences" else [text] for text in texts]
    runs = _runs(model, [piece for of_text in pieces for piece in of_text], layers, options)
    rows: dict[int | str, list[Array]] = {layer: [] for layer in layers}
    for of_text in pieces:
        parts: dict[int | str, list[Array]] = {layer: [] for layer in layers}
        for piece in of_text:
            run = next(runs)
            own = [i for i, (start, end) in enumerate(run.offsets) if piece[start:end].strip()]
            _append(parts, run, own, "mean" if options.pooling == "mean" else "last", mean_bits=True)
        for layer, values in parts.items():
            rows[layer].append(np.mean(values, axis=0))
    return _stacked(rows)


def _runs(
    model: LanguageModel, texts: list[str], layers: list[int | str], options: FeatureOptions
) -> Iterator[Run]:
    numbers = [layer for layer in layers if isinstance(layer, int)]
    return run_texts(model, texts, numbers, surprisal=SURPRISAL in layers, batch_size=options.batch_size)


def _append(
    rows: dict[int | str, list[Array]], run: Run, tokens: list[int], pooling: str, mean_bits: bool = False
) -> None:
    for layer, values in rows.items():
        if isinstance(layer, int):
            states = run.states[layer][tokens]
            values.append(states[-1] if pooling == "last" else states.mean(axis=0))
        else:
            assert run.log_probabilities is not None
            bits = -run.log_probabilities[tokens] / np.log(2)
            values.append(np.array([bits.mean() if mean_bits else bits.sum()]))


def _stacked(rows: dict[int | str, list[Array]]) -> dict[int | str, Array]:
    return {layer: np.array(values, dtype=np.float32) for layer, values in rows.items()}
