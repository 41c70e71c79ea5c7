"""A cell of a grid: one piece of work whose result is one file, named by all that determines it.

The name is a hash of the cell's settings, of the data it reads, of the cells it builds on and of the code
that runs it. So a re-run finds what is done, does only what is missing, and can never pick up a result of
other settings, other data or other code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from arcuate.atomic import write_text
from arcuate.errors import ArcuateError
from arcuate.metrics.signature import fingerprint

# What a runner gets: the cell, the grid's folder, and the results of the cells it needs, in order.
Runner = Callable[["Cell", Path, tuple[Mapping[str, Any], ...]], Mapping[str, Any]]


@dataclass(frozen=True)
class Cell:
    """One piece of work.

    Parameters
    ----------
    runner
        "module:function" that does it; see `Runner`.
    settings
        All that decides the result, as JSON text with sorted keys (`Cell.of` writes it).
    data
        Fingerprints of the data it reads.
    code
        Packages of arcuate whose source decides the result.
    needs
        Cells whose results it builds on.
    seconds
        A guess of how long it takes, until like cells have been timed.
    """

    runner: str
    settings: str
    data: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    needs: tuple[Cell, ...] = ()
    seconds: float = 10.0

    @classmethod
    def of(cls, runner: str, settings: Mapping[str, Any], **more: Any) -> Cell:
        """A cell with its settings written out.

        Examples
        --------
        >>> one = Cell.of("m:f", {"b": 1, "a": 2})
        >>> one.settings, one.key == Cell.of("m:f", {"a": 2, "b": 1}).key, one.key == Cell.of("m:f", {"a": 3}).key
        ('{"a": 2, "b": 1}', True, False)
        """
        return cls(runner, json.dumps(settings, sort_keys=True), **more)

    @property
    def values(self) -> dict[str, Any]:
        """The settings as a mapping."""
        return dict(json.loads(self.settings))

    @property
    def key(self) -> str:
        """The name of its result: 24 hexadecimal digits."""
        return _key(self)

    @property
    def label(self) -> str:
        """Its settings in a few words.

        Examples
        --------
        >>> Cell.of("m:f", {"model": "unicorn", "seed": 1, "setup": {"width": 9}}).label
        'unicorn 1'
        """
        return " ".join(str(value) for value in self.values.values() if isinstance(value, (str, int, float)))

    @property
    def root(self) -> str:
        """Cells that build on one another share it: they run one after the other in one process."""
        return self.needs[0].root if self.needs else self.key

    def result_file(self, folder: Path) -> Path:
        """Where the result is, or will be."""
        return folder / "cells" / f"{self.key}.json"

    def result(self, folder: Path) -> dict[str, Any] | None:
        """The result if it is there and whole."""
        path = self.result_file(folder)
        if not path.is_file():
            return None
        try:
            found = json.loads(path.read_text("utf-8"))
        except ValueError as error:
            raise ArcuateError(f"{path} is damaged: {error}. Remove it; the cell will run again.") from error
        if found.get("settings") != self.values:
            raise ArcuateError(f"{path} holds other settings than its name says. Remove it.")
        return dict(found)

    def run(self, folder: Path) -> dict[str, Any]:
        """Do the work and write the result, whole or not at all; what is done already is only read."""
        import time

        done = self.result(folder)
        if done is not None:
            return done
        needed = tuple(cell.run(folder) for cell in self.needs)
        module, name = self.runner.split(":")
        start = time.perf_counter()
        made = getattr(import_module(module), name)(self, folder, needed)
        record = {"settings": self.values, "runner": self.runner, "data": list(self.data),
                  "code": source_hash(self.code), "needs": [cell.key for cell in self.needs],
                  "seconds": round(time.perf_counter() - start, 3), **made}
        write_text(self.result_file(folder), json.dumps(record, ensure_ascii=False))
        return record


@lru_cache(maxsize=65536)
def _key(cell: Cell) -> str:
    pieces = [cell.runner, cell.settings, *cell.data, source_hash(cell.code), *(need.key for need in cell.needs)]
    return fingerprint(piece.encode() for piece in pieces)[:24]


@lru_cache
def source_hash(packages: tuple[str, ...]) -> str:
    """A short hash of the source of `packages` of arcuate: folders whole, but for those named with a minus.

    Examples
    --------
    >>> source_hash(("errors",)) == source_hash(("errors",)) != source_hash(("atomic",))
    True
    """
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    left_out = [root / package[1:] for package in packages if package.startswith("-")]
    for package in packages:
        if package.startswith("-"):
            continue
        path = root / package
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]:
            if any(file.is_relative_to(folder) for folder in left_out):
                continue
            digest.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def with_needs(cells: Iterable[Cell]) -> list[Cell]:
    """The cells and all they build on, each once, what is needed first.

    Examples
    --------
    >>> first = Cell.of("m:f", {"n": 1})
    >>> second = Cell.of("m:f", {"n": 2}, needs=(first,))
    >>> [cell.values["n"] for cell in with_needs([second, first])]
    [1, 2]
    """
    ordered: dict[str, Cell] = {}

    def add(cell: Cell) -> None:
        for need in cell.needs:
            add(need)
        ordered.setdefault(cell.key, cell)

    for cell in cells:
        add(cell)
    return list(ordered.values())
