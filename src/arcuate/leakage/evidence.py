"""What the checks look at: the counts, and what else the user could give."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from arcuate.leakage.findings import Finding, Severity
from arcuate.leakage.tally import Tally

MOST_EXAMPLES = 10


class NotChecked(Exception):
    """Raised by a check that lacks what it needs; the report says so instead of showing it as clean."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Thresholds of the checks; they stand in the signature.

    `near_duplicates` is the Jaccard similarity of word 3-shingles from which two texts are near-duplicates;
    `ngram` the words of a long n-gram; sentences shorter than that, down to `shortest`, are looked for
    whole; `response_s` is the haemodynamic response; `ratio` is what the parts were meant to be.
    """

    near_duplicates: float | None = 0.8
    ngram: int = 8
    shortest: int = 4
    response_s: float = 10.0
    ratio: tuple[float, ...] | None = None
    tolerance: float = 0.1


@dataclass(frozen=True, kw_only=True, eq=False)
class Evidence:
    """All that is known of one split.

    `windows` are stretches of recorded runs (`run`, `start`, `length`, `part`, `samples`, optional
    `tr_s`); `signals` has a row a sample (`sample`, `subject`, `part`, `digest`, `nan`, `constant`);
    `statistics` are the provenance records of normalisers that the user names.
    """

    tally: Tally
    settings: Settings = field(default_factory=Settings)
    windows: pl.DataFrame | None = None
    signals: pl.DataFrame | None = None
    statistics: tuple[Mapping[str, Any], ...] = ()
    split_sha256: str | None = None

    def finding(
        self, check: str, severity: Severity, parts: tuple[str, ...], *,
        samples: Any, examples: list[str], message: str, kind: str, culprits: int, of: int | None = None,
    ) -> Finding:
        """A finding whose share is of the first part's samples, or of the number given."""
        total = self.tally.totals.get(parts[0], 0) if of is None else of
        return Finding(
            check=check, severity=severity, parts=parts, samples=int(samples),
            share=int(samples) / total if total else 0.0, culprits=culprits,
            examples=tuple(examples[:MOST_EXAMPLES]), message=message, kind=kind,
        )


Check = Callable[[Evidence], Iterator[Finding]]


def clipped(text: object, longest: int = 80) -> str:
    """A text short enough to stand in a line.

    Examples
    --------
    >>> clipped("a  b\\n c"), clipped("abcdef", longest=3)
    ('a b c', 'abc…')
    """
    line = " ".join(str(text)[: longest * 4].split())
    return line if len(line) <= longest else f"{line[:longest]}…"


def count(n: int, one: str, many: str | None = None) -> str:
    """A number with its noun.

    Examples
    --------
    >>> count(1, "subject"), count(1200, "story", "stories")
    ('1 subject', '1,200 stories')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"
