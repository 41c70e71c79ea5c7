"""The text nodes of a table: classes of equal texts or stories, with variants merged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from arcuate.errors import ArcuateError
from arcuate.samples.columns import Columns
from arcuate.samples.count import names_of
from arcuate.samples.near_duplicates import Shingles, link, near_pairs_of_shingles
from arcuate.samples.text_identity import text_key, text_name

if TYPE_CHECKING:
    import numpy.typing as npt
    import polars as pl


@dataclass(frozen=True, eq=False)
class TextNodes:
    """Which node each distinct text (or story) of a table belongs to.

    `keys` are the columns that name a text in the table; `mapping` has one row for each distinct
    combination of them, with `name` (the class of equal texts) and `text_node` (after merging).
    """

    keys: tuple[str, ...]
    mapping: pl.DataFrame = field(repr=False)
    story_texts: dict[str, tuple[str, ...]] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, tally: pl.DataFrame, unit: str, columns: Columns, frame: Any, source: str) -> TextNodes:
        """Name the classes of equal texts, or take the stories as they are."""
        import polars as pl

        if unit == "story":
            mapping = pl.DataFrame({"story": names_of(tally["story"])})
            mapping = mapping.with_columns(name=pl.col("story"), text_node=pl.col("story"))
            texts = _texts_by_story(frame) if columns.has("text") else None
            return cls(("story",), mapping, texts)
        keys = tuple(name for name in ("text", "text_id") if columns.has(name))
        if len(keys) == 1:
            mapping = pl.DataFrame({keys[0]: names_of(tally[keys[0]])})
        else:
            mapping = tally.select(keys).unique().cast(pl.String).sort(keys)
        names = _class_names(mapping, keys, source)
        return cls(keys, mapping.with_columns(name=pl.Series(names, dtype=pl.String)).with_columns(text_node="name"))

    def numbered(self, tally: pl.DataFrame) -> tuple[npt.NDArray[np.str_], npt.NDArray[np.int64]]:
        """The sorted names of all nodes, and which of them each row of a tally belongs to."""
        import polars as pl

        names = self.mapping["text_node"].unique().sort()
        place = self.mapping["text_node"].cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int64)
        if len(self.keys) == 1:  # the mapping has the order of the categories
            node = place[tally[self.keys[0]].to_physical().to_numpy()]
        else:
            numbered = self.mapping.select(self.keys).with_columns(place=pl.Series(place))
            rows = tally.select(pl.col(self.keys).cast(pl.String))
            node = rows.join(numbered, on=self.keys, how="left", maintain_order="left")["place"].to_numpy()
        return names.to_numpy().astype(str), node

    def join(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Add `text_node` to a frame that has the key columns."""
        if len(self.keys) == 1:  # the common case, and much cheaper than a join
            import polars as pl

            old, new = self.mapping[self.keys[0]], self.mapping["text_node"]
            return frame.with_columns(text_node=pl.col(self.keys[0]).replace_strict(old, new, return_dtype=pl.String))
        return frame.join(self.mapping.select(*self.keys, "text_node"), on=self.keys, how="left", maintain_order="left")

    def merged(self, same_text: Iterable[str], near_duplicates: float | None) -> TextNodes:
        """Join declared variants and near-duplicates, by single linkage; the first name stays."""
        import polars as pl

        names = self.mapping["name"].unique().sort().to_list()
        pairs = [self._declared(entry, names) for entry in same_text]
        if near_duplicates is not None:
            pairs += [(pair.first, pair.second) for pair in self._near(names, near_duplicates)]
        if not pairs:
            return self
        group = link(len(names), pairs)
        first = {number: name for name, number in reversed(list(zip(names, group.tolist(), strict=True)))}
        node = {name: first[number] for name, number in zip(names, group.tolist(), strict=True)}
        merged = pl.col("name").replace_strict(node, return_dtype=pl.String)
        return replace(self, mapping=self.mapping.with_columns(text_node=merged))

    def labels(self) -> dict[str, str]:
        """A text to show a person for each node: its first wording, or the story's name."""
        shown = self.keys[0]
        firsts = self.mapping.group_by("text_node", maintain_order=True).first()
        return dict(zip(firsts["text_node"].to_list(), firsts[shown].to_list(), strict=True))

    def wordings(self) -> dict[str, tuple[str, ...]]:
        """The texts themselves by name of their class; empty where the table holds ids alone."""
        if self.story_texts is not None:
            return self.story_texts
        if "text" not in self.keys:
            return {}
        grouped = self.mapping.group_by("name", maintain_order=True).agg("text")
        return {name: tuple(texts) for name, texts in grouped.iter_rows()}

    def _near(self, names: Sequence[str], threshold: float) -> list[Any]:
        wordings = self.wordings()
        if not wordings:
            return []
        # One wording stands for a class of equal texts; a story is all of its windows together.
        texts = [wordings[name] if self.story_texts is not None else wordings[name][:1] for name in names]
        owner = np.repeat(np.arange(len(names)), [len(entry) for entry in texts])
        shingles = Shingles.of_texts([text for entry in texts for text in entry])
        return near_pairs_of_shingles(Shingles.union(shingles, owner, len(names)), threshold)

    def _declared(self, entry: str, names: Sequence[str]) -> tuple[int, int]:
        one, equals, other = entry.partition("=")
        if not equals or not one.strip() or not other.strip():
            raise ArcuateError(f"same-text is {entry!r}. Write it as A=B, with two names from the table.")
        return self._position(one.strip(), names), self._position(other.strip(), names)

    def _position(self, asked: str, names: Sequence[str]) -> int:
        for key in self.keys:
            hit = self.mapping.filter(self.mapping[key] == asked)
            if len(hit):
                return names.index(hit["name"][0])
        if asked in names:
            return names.index(asked)
        what = " or ".join(self.keys)
        raise ArcuateError(f"same-text names {asked!r}, but no {what} is called so. Seen: {', '.join(names[:5])} ...")


def _class_names(mapping: pl.DataFrame, keys: tuple[str, ...], source: str) -> list[str]:
    """One name a class of equal texts: its smallest id where there are ids, else made from its key."""
    if "text" not in keys:
        return mapping["text_id"].to_list()
    classes = [text_key(text) for text in mapping["text"].to_list()]
    for text, key in zip(mapping["text"].to_list(), classes, strict=True):
        if not key:
            raise ArcuateError(
                f"{source}: the text {text[:40]!r} has no letter and no digit. Remove such rows, "
                "or name texts by a column 'text_id' instead of 'text'."
            )
    if "text_id" not in keys:
        return [text_name(key) for key in classes]
    key_of_id: dict[str, str] = {}
    for name, key in zip(mapping["text_id"].to_list(), classes, strict=True):
        if key_of_id.setdefault(name, key) != key:
            raise ArcuateError(
                f"{source}: text_id {name!r} stands for two different texts. Give each text its own id, "
                "or leave the column 'text_id' out."
            )
    smallest: dict[str, str] = {}
    for name, key in key_of_id.items():
        smallest[key] = min(name, smallest.get(key, name))
    return [smallest[key] for key in classes]


def _texts_by_story(frame: Any) -> dict[str, tuple[str, ...]]:
    from arcuate.samples.validate import collect

    pairs = collect(frame.select("story", "text").unique()).sort("story", "text")
    grouped = pairs.group_by("story", maintain_order=True).agg("text")
    return {story: tuple(texts) for story, texts in grouped.iter_rows()}
