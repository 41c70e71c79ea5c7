"""The signature of a score: one line that names all that is needed to compute it again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from arcuate._version import __version__
from arcuate.errors import ArcuateError


def signature(**fields: object) -> str:
    """Join `fields` in the order given, in the manner of sacrebleu, and add arcuate's version.

    Examples
    --------
    >>> signature(metric="bleu", order=4, smooth="none").rsplit("|", 1)[0]
    'metric:bleu|order:4|smooth:none'
    """
    parts = []
    for name, value in fields.items():
        if value is None:
            continue
        text = f"{value:g}" if isinstance(value, float) else str(value)
        if "|" in text or "\n" in text:
            raise ArcuateError(f"The signature's {name!r} is {text!r}. It may hold no '|' and no line break.")
        parts.append(f"{name}:{text}")
    return "|".join([*parts, f"arcuate:{__version__}"])


def fingerprint(pieces: Iterable[bytes]) -> str:
    """SHA-256 over length-prefixed pieces, so that ["ab"] and ["a", "b"] differ.

    Examples
    --------
    >>> fingerprint([b"ab"]) == fingerprint([b"a", b"b"])
    False
    """
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(len(piece).to_bytes(8, "little"))
        digest.update(piece)
    return digest.hexdigest()
