"""Run a grid of cells: only what is missing, in local processes (one a GPU) or on a Dask cluster."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arcuate.errors import ArcuateError
from arcuate.experiments.cells import Cell, with_needs
from arcuate.progress import track


@dataclass(frozen=True)
class Outlook:
    """What a run would do: `--dry-run` prints it."""

    cells: int
    done: int
    seconds: float
    guessed: bool

    @property
    def missing(self) -> int:
        """Cells still to run."""
        return self.cells - self.done

    def words(self, workers: int) -> str:
        """One line for people.

        Examples
        --------
        >>> Outlook(10, 4, 120.0, True).words(2)
        '10 cells, 4 done, 6 to run: about 1 min with 2 workers (a guess: none like them has run yet)'
        """
        minutes = self.seconds / workers / 60
        told = f"{minutes:.0f} min" if minutes >= 1 else f"{60 * minutes:.0f} s"
        how = " (a guess: none like them has run yet)" if self.guessed and self.missing else ""
        return (f"{self.cells} cells, {self.done} done, {self.missing} to run: about {told} with "
                f"{workers} worker{'s' if workers > 1 else ''}{how}")


def outlook(cells: Iterable[Cell], folder: Path) -> Outlook:
    """How much is done, and how long the rest will take, judged by like cells that have run here."""
    every = with_needs(cells)
    timed: dict[str, list[float]] = defaultdict(list)
    missing = []
    for cell in every:
        found = cell.result(folder)
        if found is None:
            missing.append(cell)
        else:
            timed[_like(cell)].append(found["seconds"])
    known = {like: sum(times) / len(times) for like, times in timed.items()}
    seconds = sum(known.get(_like(cell), cell.seconds) for cell in missing)
    return Outlook(len(every), len(every) - len(missing), seconds, any(_like(c) not in known for c in missing))


def run_grid(
    cells: Sequence[Cell], folder: str | Path, *, workers: int = 1, gpus: int = 0, cluster: str | None = None,
) -> list[Cell]:
    """Run what is missing; a failing cell stops only what builds on it, and is told at the end.

    Parameters
    ----------
    workers
        Local processes; 1 runs in this one. With `gpus`, worker n sees GPU n mod `gpus` alone.
    cluster
        Address of a Dask scheduler; its workers must see `folder` under the same path.

    Returns
    -------
    list of Cell
        Those that were run now.
    """
    folder = Path(folder)
    missing = [cell for cell in with_needs(cells) if cell.result(folder) is None]
    chains: dict[str, list[Cell]] = defaultdict(list)
    for cell in missing:
        chains[cell.root].append(cell)
    work = list(chains.values())  # in the order given: a run cut short has done what was asked for first
    failures: list[str] = []
    for told in track(_results(work, folder, workers, gpus, cluster), "cells", total=len(work)):
        failures += told
    if failures:
        shown = "\n".join(failures[:5]) + (f"\n... and {len(failures) - 5} more" if len(failures) > 5 else "")
        raise ArcuateError(f"{len(failures)} of {len(missing)} cells failed; the others are kept:\n{shown}")
    return missing


def _results(
    work: Sequence[list[Cell]], folder: Path, workers: int, gpus: int, cluster: str | None,
) -> Iterator[list[str]]:
    if cluster is not None:
        yield from _on_cluster(work, folder, cluster)
    elif workers <= 1:
        yield from (run_chain(chain, folder) for chain in work)
    else:
        import multiprocessing

        # Spawned, not forked: CUDA does not survive a fork.
        context = multiprocessing.get_context("spawn")
        places = context.Queue()
        for number in range(workers):
            places.put(number)
        with ProcessPoolExecutor(workers, context, _take_place, (places, gpus, workers)) as pool:
            for done in as_completed([pool.submit(run_chain, chain, folder) for chain in work]):
                yield done.result()


def run_chain(chain: Sequence[Cell], folder: Path) -> list[str]:
    """Run cells that build on one another; returns what failed, as lines of text."""
    failures: list[str] = []
    failed: set[str] = set()
    for cell in chain:
        if any(need.key in failed for need in cell.needs):
            failed.add(cell.key)
            failures.append(f"{cell.key} ({cell.label}): what it builds on failed")
            continue
        try:
            cell.run(folder)
        except Exception as error:  # one cell's trouble must not lose the others' work
            if os.environ.get("ARCUATE_DEBUG"):
                raise
            failed.add(cell.key)
            failures.append(f"{cell.key} ({cell.label}): {type(error).__name__}: {error}")
            print(failures[-1], file=sys.stderr, flush=True)
    return failures


def _take_place(places: Any, gpus: int, workers: int) -> None:
    """A worker's own GPU, and its share of the cores."""
    number = places.get()
    if gpus:
        os.environ["CUDA_VISIBLE_DEVICES"] = str(number % gpus)
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // workers)))


def _on_cluster(work: Sequence[list[Cell]], folder: Path, address: str) -> Iterator[list[str]]:
    try:
        from distributed import Client
        from distributed import as_completed as completed
    except ImportError as error:
        from arcuate.errors import MissingExtra

        raise MissingExtra("distributed", "scale") from error
    with Client(address) as client:
        futures = [client.submit(run_chain, chain, folder, key=f"arcuate-{chain[-1].key}") for chain in work]
        for future in completed(futures):
            yield future.result()


def _like(cell: Cell) -> str:
    """Cells that take about as long: the same work on the same model and data."""
    values = cell.values
    return "|".join([cell.runner, *(str(values.get(name)) for name in ("dataset", "model", "length", "generation"))])
