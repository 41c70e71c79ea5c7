"""What a user may set about features; every field is part of the signature of what is made with it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from arcuate.encoding.align import Alignment, WithinScan
from arcuate.errors import ArcuateError


@dataclass(frozen=True, kw_only=True)
class FeatureOptions:
    """Settings of all kinds of features.

    Parameters
    ----------
    seed, dimensions : of the random vectors
    missing : {"error", "exclude"}
        What to do with a word that GloVe does not know: stop and name it, or leave it out and count it.
    context : int, words that a language model sees before the word
    stride : int
        A causal model's windows move on by so many words, so a word sees `context` to
        `context + stride - 1` words. 1 runs the model once a word.
    pooling : {"last", "mean", "sentences"}
        The state of a word or text: of its last token, the mean of its tokens, or (texts only) the mean
        over sentences of their last tokens, each read alone, as published.
    scale : {"rms", "none"}
        rms divides each state of a language model by its root mean square, as the model's next layer does;
        raw states have a few huge columns, beside which a published penalty such as 10 is none.
    batch_size : texts of 64 tokens that the language model reads together; more of shorter ones
    device : of the language model, cpu or cuda
    cache : folder for states of language models; None keeps nothing
    alignment : Alignment, for continuous stimuli
    within_scan : {"last", "mean", "sum"}, optional; each kind of feature has its default

    Examples
    --------
    >>> FeatureOptions(seed=3).seed
    3
    """

    seed: int = 1
    dimensions: int = 50
    missing: Literal["error", "exclude"] = "error"
    context: int = 40
    stride: int = 20
    pooling: Literal["last", "mean", "sentences"] = "last"
    scale: Literal["rms", "none"] = "rms"
    batch_size: int = 8
    device: str = "cpu"
    cache: Path | None = field(default_factory=lambda: default_cache())
    alignment: Alignment = field(default_factory=Alignment)
    within_scan: WithinScan | None = None

    def __post_init__(self) -> None:
        if self.missing not in ("error", "exclude"):
            raise ArcuateError(f"missing is {self.missing!r}. Use 'error' or 'exclude'.")
        if self.pooling not in ("last", "mean", "sentences"):
            raise ArcuateError(f"pooling is {self.pooling!r}. Use 'last', 'mean' or 'sentences'.")
        if self.scale not in ("rms", "none"):
            raise ArcuateError(f"scale is {self.scale!r}. Use 'rms' or 'none'.")
        for name in ("dimensions", "stride", "batch_size"):
            if getattr(self, name) < 1:
                raise ArcuateError(f"{name} is {getattr(self, name)}. Give at least 1.")
        if self.context < 0:
            raise ArcuateError(f"context is {self.context}. Give 0 or more words.")


def default_cache() -> Path:
    """`$ARCUATE_CACHE/features`, else `~/.cache/arcuate/features`.

    Examples
    --------
    >>> default_cache().name
    'features'
    """
    root = os.environ.get("ARCUATE_CACHE")
    return (Path(root) if root else Path.home() / ".cache" / "arcuate") / "features"
