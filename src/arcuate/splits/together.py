"""Texts that belong together: near-duplicates, and texts that share a passage. To part them is a leak."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from arcuate.errors import ArcuateError
from arcuate.samples.near_duplicates import link
from arcuate.samples.text_identity import words

if TYPE_CHECKING:
    from arcuate.samples.table import SampleTable

NGRAM = 8
SHORTEST = 4  # a whole sentence of so many words, found inside another text, counts as a passage too


def kept_together(table: SampleTable, near_duplicates: float | None, ngram: int | None) -> SampleTable:
    """The table with near-duplicates, and texts that share a passage, as one node; None turns either off.

    Examples
    --------
    >>> from arcuate.samples.read import read_samples
    >>> table = read_samples(pl.DataFrame({"subject": ["a", "b"], "text": ["one", "two"]}))
    >>> kept_together(table, 0.8, 8) is table
    True
    """
    if near_duplicates is not None:
        table = near_merged(table, near_duplicates)
    return table if ngram is None else passages_merged(table, ngram)


def near_merged(table: SampleTable, threshold: float) -> SampleTable:
    """The table with near-duplicate texts as one node, unless texts were merged already.

    Examples
    --------
    >>> from arcuate.samples.read import read_samples
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


def shared_passages(texts: Sequence[Sequence[str]], ngram: int = NGRAM) -> list[tuple[int, int]]:
    """Pairs of texts (as lists of words) that link all which share `ngram` words in a row.

    A text shorter than that is looked for whole in the others. Not all pairs are listed, but enough of
    them to connect every text with all that share a passage with it.

    Examples
    --------
    >>> shared_passages([list("abcdefghij"), list("xbcdefghi"), list("cdef"), list("zzzz")], ngram=8)
    [(0, 1), (0, 2), (1, 2)]
    """
    first: dict[tuple[str, ...], int] = {}
    pairs = set()
    for number, text in enumerate(texts):
        for start in range(len(text) - ngram + 1):
            owner = first.setdefault(tuple(text[start:start + ngram]), number)
            if owner != number:
                pairs.add((owner, number))
    whole: dict[int, dict[tuple[str, ...], int]] = {}
    for number, text in enumerate(texts):
        if SHORTEST <= len(text) < ngram:
            whole.setdefault(len(text), {}).setdefault(tuple(text), number)
    for size, sentences in whole.items():
        for number, text in enumerate(texts):
            for start in range(len(text) - size + 1):
                inside = sentences.get(tuple(text[start:start + size]), number)
                if inside != number:
                    pairs.add((min(inside, number), max(inside, number)))
    return sorted(pairs)


def passages_merged(table: SampleTable, ngram: int = NGRAM) -> SampleTable:
    """The table with texts that share a passage as one node, on top of what is merged already.

    Stories are left as they are: two long stories share eight common words by chance.

    Examples
    --------
    >>> from arcuate.samples.read import read_samples
    >>> texts = ["a b c d e f g h and more", "so a b c d e f g h", "another"]
    >>> table = read_samples(pl.DataFrame({"subject": list("abc"), "text": texts}))
    >>> len(table.graph.texts), len(passages_merged(table).graph.texts)
    (3, 2)
    """
    if ngram < SHORTEST:
        raise ArcuateError(f"ngram is {ngram}. Use {SHORTEST} words or more, or turn it off.")
    wordings = table.nodes.wordings() if table.unit == "text" else {}
    if not wordings:
        return table
    mapping = table.nodes.mapping
    node_of = dict(mapping.select("name", "text_node").iter_rows())
    nodes = sorted(set(node_of.values()))
    place = {node: number for number, node in enumerate(nodes)}
    owner = [place[node_of[name]] for name in sorted(wordings) for _ in wordings[name]]
    texts = [words(text) for name in sorted(wordings) for text in wordings[name]]
    pairs = [(owner[one], owner[two]) for one, two in shared_passages(texts, ngram)]
    group = link(len(nodes), pairs)
    if len(set(group.tolist())) == len(nodes):
        return table
    leader = {number: node for node, number in reversed(list(zip(nodes, group.tolist(), strict=True)))}
    merged = {node: leader[number] for node, number in zip(nodes, group.tolist(), strict=True)}
    column = pl.col("text_node").replace_strict(merged, return_dtype=pl.String)
    return replace(table, nodes=replace(table.nodes, mapping=mapping.with_columns(column)))
