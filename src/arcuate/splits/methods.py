"""Every way to split, by its name, and the one function that users call."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields, replace
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


def near_merged(table: SampleTable, threshold: float) -> SampleTable:
    """The table with near-duplicate texts as one node, unless texts were merged already.

    Examples
    --------
    >>> import polars as pl
    >>> texts = ["a b c d e f g h i j k l", "a b c d e f g h i j k m", "w x y z"]
    >>> table = read_samples(pl.DataFrame({"subject": list("abc"), "text": texts}))
    >>> len(table.graph.texts), len(near_merged(table, 0.8).graph.texts)
    (3, 2)
    """
    mapping = table.nodes.mapping
    if (mapping["name"] != mapping["text_node"]).any():
        return table
    nodes = table.nodes.merged((), threshold)
    return table if nodes is table.nodes else replace(table, nodes=nodes)


def split(
    table: SampleTable | Any, method: str = "optimal", ratio: Ratio | str | Iterable[float] = (8, 1, 1),
    seed: int = 1, near_duplicates: float | None = 0.8, **options: Any,
) -> Split:
    """Split a table.

    Parameters
    ----------
    table : SampleTable, or a path or frame that `read_samples` takes
    method : a to f, the published methods, or 'optimal'
    ratio : (8, 1, 1), '8:1:1' or any other, of two parts (train, test), three (train, val, test) or more
    seed : the same table, options and seed give the same split
    near_duplicates : texts with this Jaccard similarity of word 3-shingles or more stay together in the
        leak-free methods; None turns it off. A table whose texts were merged when it was read stays as it is
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
    if method in LEAK_FREE and near_duplicates is not None:
        table = near_merged(table, near_duplicates)
    return method_of(method, ratio, seed, **options).split(table)
