"""Progress of long work: a bar on a terminal, plain lines elsewhere, always on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sized
from typing import TypeVar

T = TypeVar("T")

SECONDS_BETWEEN_LINES = 10.0


def track(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """Yield `items`, telling how far the work is; stdout stays clean for `--json`.

    Examples
    --------
    >>> list(track([1, 2], "counting"))
    [1, 2]
    """
    if total is None and isinstance(items, Sized):
        total = len(items)
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import track as rich_track

        yield from rich_track(items, what, total=total, console=Console(stderr=True), transient=True)
        return
    last = time.monotonic()
    for done, item in enumerate(items):
        if time.monotonic() - last > SECONDS_BETWEEN_LINES:
            of = "" if total is None else f" of {total}"
            print(f"{what}: {done}{of}", file=sys.stderr, flush=True)
            last = time.monotonic()
        yield item
