"""Every way to split, by its name, and the one function that users call."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any

from arcuate.errors import ArcuateError, UnknownName
from arcuate.samples.read import read_samples
from arcuate.samples.table import SampleTable
from arcuate.splits.assemble import Method
from arcuate.splits.greedy import GreedyPicks
from arcuate.splits.optimum import Optimal
from arcuate.splits.parts import Ratio
from arcuate.splits.published import ByPositionInStory, BySample, BySampleInStory, ByStory, BySubject
from arcuate.splits.record import Split
from arcuate.splits.together import NGRAM, kept_together

METHODS: dict[str, Callable[..., Method]] = {
    "a": BySubject,
    "b": ByStory,
    "c": BySample,
    "d": BySampleInStory,
    "e": ByPositionInStory,
    "f": GreedyPicks,
    "optimal": Optimal,
}
LEAK_FREE = ("f", "optimal")


def method_of(name: str, ratio: Ratio | str | Iterable[float] = (8, 1, 1), seed: int = 1, **options: Any) -> Method:
    """A method as a value; options that it does not have are refused.

    Examples
    --------
    >>> method_of("f", "9:1", seed=3).seed
    3
    """
    if name not in METHODS:
        raise UnknownName("method", name, METHODS)
    own = {field.name for field in fields(METHODS[name])} - {"ratio", "seed"}  # type: ignore[arg-type]
    strange = sorted(set(options) - own)
    if strange:
        known = f"it has {', '.join(sorted(own))}" if own else "it has none"
        raise ArcuateError(f"Method {name} has no option {', '.join(strange)}; {known}.")
    return METHODS[name](ratio=Ratio.of(ratio), seed=seed, **options)


def split(
    table: SampleTable | Any, method: str = "optimal", ratio: Ratio | str | Iterable[float] = (8, 1, 1),
    seed: int = 1, near_duplicates: float | None = 0.8, ngram: int | None = NGRAM, **options: Any,
) -> Split:
    """Split a table.

    Parameters
    ----------
    table : SampleTable, or a path or frame that `read_samples` takes
    method : a to f, the published methods, or 'optimal'
    ratio : (8, 1, 1), '8:1:1' or any other, of two parts (train, test), three (train, val, test) or more
    seed : the same table, options and seed give the same split
    near_duplicates, ngram : texts with this Jaccard similarity of word 3-shingles or more, or with so many
        words in a row in common, stay together in the leak-free methods; None turns it off
    options : of the method; 'optimal' has tolerance, ratio_of, min_subjects, min_texts, pins,
        time_limit and stratify, 'f' has smaller

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"subject": ["a", "a", "b", "b"], "text": ["x", "y", "x", "y"]})
    >>> split(frame, method="f", ratio=(1, 1)).counts
    {'train': 1, 'test': 1, 'dropped': 2}
    """
    if not isinstance(table, SampleTable):
        table = read_samples(table)
    if method in LEAK_FREE:
        table = kept_together(table, near_duplicates, ngram)
    return method_of(method, ratio, seed, **options).split(table)
