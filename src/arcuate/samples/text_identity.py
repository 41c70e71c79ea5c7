"""When two texts are the same: equal after NFKC, case folding and dropping all but letters and digits."""

from __future__ import annotations

import hashlib
import re
import sys
import unicodedata
from functools import cache

_WORD = re.compile(r"[^\W_]+")
_ASCII_WORD = re.compile(r"[a-z0-9]+")


def text_key(text: str) -> str:
    """The letters and digits of `text`, in one case: equal keys mean the same text.

    Examples
    --------
    >>> text_key("Ｈello, WORLD!") == text_key("hello world")
    True
    >>> text_key("Straße"), text_key(" ... ")
    ('strasse', '')
    """
    return "".join(words(text))


def words(text: str) -> list[str]:
    """The words of `text`, normalised as in `text_key`.

    Examples
    --------
    >>> words("It's Alice_1 — again!")
    ['it', 's', 'alice', '1', 'again']
    """
    if text.isascii():  # nothing to normalise, and most texts are: five times faster
        return _ASCII_WORD.findall(text.lower())
    # Superscripts and fractions are dropped before NFKC would turn them into digits: they are
    # typography, and ZuCo spells one sentence "40 km²" in NR and, garbled, "40 km˝" in TSR.
    plain = _other_numbers().sub(" ", unicodedata.normalize("NFC", text))
    # Case folding can undo NFKC (and the other way round), hence twice, as Unicode's own
    # "compatibility caseless match" does.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", plain).casefold())
    return _WORD.findall(folded)


def text_name(key: str) -> str:
    """A short name for a text that has no id of its own, made from its key.

    Examples
    --------
    >>> text_name(text_key("Hello, world!"))
    'text-936a185caaa266bb'
    """
    return f"text-{hashlib.sha256(key.encode()).hexdigest()[:16]}"


@cache
def _other_numbers() -> re.Pattern[str]:
    """Characters that are numbers but not digits: superscripts, fractions, circled and Roman numerals."""
    numbers = (chr(code) for code in range(128, sys.maxunicode + 1))
    return re.compile("[" + "".join(c for c in numbers if unicodedata.category(c) in ("No", "Nl")) + "]")
