"""Foreign text on a page: shown as it is, but never able to break the page, its order or its size."""

from __future__ import annotations

import re

LONGEST = 400
"""Characters of one value that a page shows; the rest is counted, not shown, so that pages stay small."""

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff￾￿]")


def shown(value: object, longest: int = LONGEST) -> str:
    """Turn `value` into text that is safe to put on a page (escaping is the template's work).

    Control characters and lone surrogates, which HTML and UTF-8 refuse, become U+FFFD; a long text is
    cut and says how long it was.

    Examples
    --------
    >>> shown(None), shown(3), shown("a" * 6 + "b", longest=5)
    ('–', '3', 'aaaaa… (7 characters)')
    """
    if value is None:
        return "–"
    text = str(value)
    if len(text) > longest:
        text = f"{text[:longest]}… ({len(text):,} characters)"
    return _CONTROL.sub("�", text)


def number(value: float | None, digits: int = 2) -> str:
    """Write a number for people: thousands apart, `digits` decimals unless it is whole.

    Examples
    --------
    >>> number(234210), number(12.5), number(float("nan")), number(None)
    ('234,210', '12.50', '–', '–')
    """
    if value is None or value != value:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.{digits}f}"
