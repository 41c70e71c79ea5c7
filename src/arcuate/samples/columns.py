"""Which columns a table has, what they mean, and what kind of table that makes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from arcuate.errors import ArcuateError

ALIASES = {"task": "story", "n_trs": "n_segments_total"}
TEXT_COLUMNS = ("text", "text_id")
WHOLE_NUMBERS = ("segment", "n_segments", "n_segments_total")

Kind = Literal["samples", "runs"]


@dataclass(frozen=True)
class Columns:
    """The columns of a table that identify its samples, by their meaning.

    `original` names each as the file does, for error messages.
    """

    kind: Kind
    original: dict[str, str]
    others: tuple[str, ...]

    def has(self, name: str) -> bool:
        return name in self.original

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.original)


def understand(names: Sequence[str], source: str) -> Columns:
    """Tell a samples table from a runs table, or say which column is missing.

    Examples
    --------
    >>> understand(["subject", "task", "n_trs"], "runs.csv").kind
    'runs'
    >>> understand(["subject", "text", "age"], "a.csv").others
    ('age',)
    """
    original = {
        name: name
        for name in ("sample", "subject", *TEXT_COLUMNS, "story", *WHOLE_NUMBERS, "weight")
        if name in names
    }
    for alias, name in ALIASES.items():
        if alias in names and name not in original:
            original[name] = alias
    if "subject" not in original:
        raise _missing("subject", names, source, "Add it, or rename the column that says who was recorded.")
    has_text = any(name in original for name in TEXT_COLUMNS)
    kind: Kind = "samples"
    if "n_segments_total" in original and "segment" not in original and not has_text:
        kind = "runs"
        original.pop("n_segments", None)
    if kind == "runs" and "story" not in original:
        raise _missing("story", names, source, "A runs table needs subject, story and n_segments_total.")
    if kind == "samples":
        original.pop("n_segments_total", None)
        if not has_text and not {"story", "segment"} <= original.keys():
            raise _missing(
                "text", names, source,
                "Add 'text' or 'text_id', or 'story' with 'segment' for windows of a story.",
            )
    others = tuple(name for name in names if name not in original.values())
    return Columns(kind, original, others)


def _missing(column: str, names: Sequence[str], source: str, remedy: str) -> ArcuateError:
    return ArcuateError(f"{source} has no column {column!r}; its columns are {', '.join(names) or '(none)'}. {remedy}")
