"""Text to token ids and back: a pretrained tokenizer, or a word-level one built from training texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from arcuate.errors import ArcuateError

SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")  # ids 0..3, as BART numbers them
IGNORED = -100  # the label that the loss leaves out


def word_tokenizer(texts: Iterable[str], min_count: int = 1) -> Any:
    """A tokenizer whose tokens are the blank-separated words of `texts`, the most frequent first.

    It loses nothing but the width of blanks, so scores of its output are scores of words.

    Examples
    --------
    >>> tokenizer = word_tokenizer(["the cat saw the dog"])
    >>> tokenizer("the dog ran").input_ids, tokenizer.decode([4, 5, 2], skip_special_tokens=True)
    ([4, 6, 3, 2], 'the cat')
    """
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    counts = Counter(word for text in texts for word in text.split())
    words = sorted((word for word, n in counts.items() if n >= min_count), key=lambda w: (-counts[w], w))
    words = [word for word in words if word not in SPECIAL]
    if not words:
        raise ArcuateError("There is no word to build a vocabulary from. Check the texts of the training part.")
    vocabulary = {word: index for index, word in enumerate([*SPECIAL, *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 2)])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", pad_token="<pad>", eos_token="</s>", unk_token="<unk>",
        clean_up_tokenization_spaces=False,
    )


def load_tokenizer(path: str | Path) -> Any:
    """The tokenizer of a checkpoint folder or a Hugging Face name."""
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    if (Path(path) / "tokenizer.json").is_file():
        return PreTrainedTokenizerFast.from_pretrained(str(path), clean_up_tokenization_spaces=False)
    try:
        return AutoTokenizer.from_pretrained(str(path))
    except (OSError, ValueError) as error:
        raise ArcuateError(f"No tokenizer could be loaded from {path}: {str(error).splitlines()[0]}") from error


def encode_targets(
    tokenizer: Any, texts: Sequence[str], max_tokens: int, causal: bool
) -> tuple[list[np.ndarray], int]:
    """Token ids of each text, ended by the end token, at most `max_tokens`; and how many texts were cut.

    Examples
    --------
    >>> ids, cut = encode_targets(word_tokenizer(["a b c"]), ["a b", "a b c"], max_tokens=3, causal=False)
    >>> [i.tolist() for i in ids], cut
    ([[4, 5, 2], [4, 5, 2]], 1)
    """
    end = tokenizer.eos_token_id
    encoded = tokenizer(list(texts), add_special_tokens=not causal).input_ids
    result, cut = [], 0
    for ids in encoded:
        if not ids or ids[-1] != end:
            ids = [*ids, end]
        if len(ids) > max_tokens:
            ids, cut = [*ids[: max_tokens - 1], end], cut + 1
        result.append(np.asarray(ids, dtype=np.int64))
    return result, cut


def decode_ids(tokenizer: Any, ids: Sequence[Sequence[int]]) -> list[str]:
    """Text up to the first end token, without special tokens.

    Examples
    --------
    >>> decode_ids(word_tokenizer(["a b"]), [[0, 4, 5, 2, 4], [2]])
    ['a b', '']
    """
    texts = []
    special = set(tokenizer.all_special_ids)  # a property that is built anew at every use
    for row in ids:
        kept = [int(i) for i in row if i >= 0]
        # BART starts its output with the end token: only one after a real token ends the text.
        body = next((k for k, i in enumerate(kept) if i not in special), len(kept))
        if tokenizer.eos_token_id in kept[body:]:
            kept = kept[: kept.index(tokenizer.eos_token_id, body)]
        texts.append(" ".join(tokenizer.decode(kept, skip_special_tokens=True).split()))
    return texts
