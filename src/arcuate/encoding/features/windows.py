"""The windows of words that a language model reads, and which tokens make up which word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from arcuate.errors import ArcuateError


@dataclass(frozen=True)
class Window:
    """Words [first, last) are shown; the states of words [read_from, last) are taken.

    Examples
    --------
    >>> Window(first=0, read_from=2, last=4).text(["a", "bc", "d", "e"])
    ('a bc d e', [(0, 1), (2, 4), (5, 6), (7, 8)])
    """

    first: int
    read_from: int
    last: int

    def text(self, words: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
        """The shown text, and where each of its words begins and ends."""
        spans, position = [], 0
        for word in words[self.first : self.last]:
            spans.append((position, position + len(word)))
            position += len(word) + 1
        return " ".join(words[self.first : self.last]), spans


def windows(n_words: int, context: int, stride: int) -> list[Window]:
    """Windows that read every word once, each with at least `context` words before it where there are any.

    Examples
    --------
    >>> windows(5, context=2, stride=2)
    [Window(first=0, read_from=0, last=2), Window(first=0, read_from=2, last=4), Window(first=2, read_from=4, last=5)]
    """
    return [Window(max(0, start - context), start, min(n_words, start + stride)) for start in range(0, n_words, stride)]


def tokens_of_words(text: str, spans: Sequence[tuple[int, int]], offsets: Sequence[tuple[int, int]]) -> list[list[int]]:
    """For each word the positions of its tokens; special tokens and bare blanks belong to none.

    A token may carry the blank before its word, so its last character decides.

    Examples
    --------
    >>> tokens_of_words("a bc", [(0, 1), (2, 4)], [(0, 0), (0, 1), (1, 3), (3, 4)])
    [[1], [2, 3]]
    """
    owned: list[list[int]] = [[] for _ in spans]
    word = 0
    for position, (start, end) in enumerate(offsets):
        if end <= start or not text[start:end].strip():
            continue
        last_character = start + len(text[start:end].rstrip()) - 1
        while word < len(spans) and last_character >= spans[word][1]:
            word += 1
        if word == len(spans):
            break
        owned[word].append(position)
    for (start, end), tokens in zip(spans, owned, strict=True):
        if not tokens:
            raise ArcuateError(
                f"The tokenizer gives no token for {text[start:end]!r}. Leave that word out, or use "
                "another model."
            )
    return owned


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, cut after '.', '!' or '?' and a blank.

    Examples
    --------
    >>> sentences_of("I fell. Why? 3.5 feet!")
    ['I fell.', 'Why?', '3.5 feet!']
    """
    return [sentence for sentence in re.split(r"(?<=[.!?])[\"'”’)]*\s+", text.strip()) if sentence]
