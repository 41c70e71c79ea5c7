"""Ids that are probably one and the same: `sub-1` and `sub-01`, stray spaces, case."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator

import polars as pl

from arcuate.leakage.evidence import Evidence, count
from arcuate.leakage.findings import Finding

NAME = "ambiguous-ids"
_ZEROS = re.compile(r"(?<![0-9])0+(?=[0-9])")
_APART = re.compile(r"[\s_\-]+")


def canonical(name: str) -> str:
    """What is left of an id when spelling is ignored.

    Examples
    --------
    >>> canonical("Sub_001 "), canonical("sub-1"), canonical("sub-10")
    ('sub1', 'sub1', 'sub10')
    """
    folded = unicodedata.normalize("NFKC", name).casefold()
    return _ZEROS.sub("", _APART.sub("", folded))


def ambiguous_ids(evidence: Evidence) -> Iterator[Finding]:
    """Yield a warning where two spellings of a subject or a story may be one.

    Examples
    --------
    >>> from arcuate.leakage.tally import Tally
    >>> rows = pl.DataFrame({"subject": ["sub-1", "sub-01"], "text_id": ["x", "y"], "part": ["train", "test"]})
    >>> [found] = ambiguous_ids(Evidence(tally=Tally.of(rows, "text")))
    >>> found.examples
    ("subject 'sub-01' (test) and 'sub-1' (train)",)
    """
    for column in ("subject", "story"):
        if evidence.tally.has(column):
            yield from _in_column(evidence, column)


def _in_column(evidence: Evidence, column: str) -> Iterator[Finding]:
    named = evidence.tally.groups.filter(pl.col(column).is_not_null())
    parts = dict(
        named.group_by(pl.col(column).cast(pl.String)).agg(pl.col("part").unique().sort()).iter_rows()
    )
    spellings: dict[str, list[str]] = defaultdict(list)
    for name in sorted(parts):
        spellings[canonical(name)].append(name)
    doubtful = [names for names in spellings.values() if len(names) > 1]
    if not doubtful:
        return
    every = [name for names in doubtful for name in names]
    touched = named.filter(pl.col(column).cast(pl.String).is_in(every))
    across = sum(len({part for name in names for part in parts[name]} - {"dropped"}) > 1 for names in doubtful)
    yield evidence.finding(
        NAME, "warning", tuple(p for p in evidence.tally.parts if p in touched["part"].unique().to_list()),
        samples=touched["samples"].sum(), culprits=len(doubtful), kind="L3.2", of=int(named["samples"].sum()),
        examples=[
            f"{column} " + " and ".join(f"{name!r} ({', '.join(parts[name])})" for name in names)
            for names in doubtful[:10]
        ],
        message=f"{count(len(doubtful), column, {'subject': 'subjects', 'story': 'stories'}[column])} spelled in "
                f"two ways may be one; {across:,} of them on two sides",
    )
