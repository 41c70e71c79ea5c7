"""What counts as the same word: case and the punctuation around it do not, all of its letters do."""

from __future__ import annotations

import string

# Typographic quotes and dashes beside ASCII punctuation.
_AROUND = string.punctuation + "‘’“”«»–—…"


def word_key(token: str) -> str:
    """The word without case and outer punctuation; empty if nothing is left.

    Examples
    --------
    >>> word_key("“Alice’s,"), word_key("rabbit-hole"), word_key("--")
    ("alice's", 'rabbit-hole', '')
    """
    return token.replace("’", "'").strip(_AROUND + string.whitespace).casefold()


def words_of(text: str) -> list[str]:
    """The words of a stimulus, be it a word, a sentence or a story.

    Examples
    --------
    >>> words_of("Down the rabbit-hole -- down!")
    ['down', 'the', 'rabbit-hole', 'down']
    """
    return [key for key in map(word_key, text.split()) if key]
