"""Bring a table and a split together: counts in one streaming pass, and what else the checks need."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from arcuate.errors import ArcuateError
from arcuate.leakage.signal_digests import signal_digests
from arcuate.leakage.tally import COVARIATES, TIMES, Tally, Unit
from arcuate.samples.count import names_of
from arcuate.samples.validate import collect
from arcuate.splits.forms import listing
from arcuate.splits.lay import laid_against
from arcuate.splits.parts import DROPPED
from arcuate.splits.record import Split, find_manifest

if TYPE_CHECKING:
    from arcuate.samples.table import SampleTable
    from arcuate.signals.store import SignalStore

KEY = "__key__"
STRETCH = ("run", "start", "n_frames")
"""Columns that say which frames of which stored run a sample's signal is, as `prepare` writes them."""


@dataclass(frozen=True, eq=False)
class Gathered:
    """The counts of one split (or of one of its folds), and the rows that only some checks need."""

    tally: Tally
    windows: pl.DataFrame | None = None
    signals: pl.DataFrame | None = None
    manifest: Mapping[str, Any] | None = None
    split_sha256: str | None = None
    fold: int | None = None


def gather(table: SampleTable, split: Any, store: SignalStore | None = None) -> Iterator[Gathered]:
    """Yield the counts of a split, fold by fold where it has folds.

    `split` is None for a `part` column of the table itself: then the samples are counted where they
    are, in one streaming pass, and never brought into memory.

    Examples
    --------
    >>> from arcuate.samples.read import read_samples
    >>> rows = pl.DataFrame({"subject": ["a", "b"], "text_id": ["x", "y"], "part": ["train", "test"]})
    >>> [found] = gather(read_samples(rows), None)
    >>> found.tally.totals
    {'train': 1, 'test': 1, 'dropped': 0}
    """
    if split is None and table.kind == "samples" and store is None and not _has_stretches(table):
        yield Gathered(_streamed(table))
        return
    rows = _rows(table)
    record = _laid(table, rows, split)
    if not record.folds:
        yield _of_rows(table, rows, record, store)
        return
    for fold in record.folds:
        yield _of_rows(table, rows, record.fold(fold), store, fold)


def _streamed(table: SampleTable) -> Tally:
    if "part" not in table.columns.others:
        raise ArcuateError(
            f"{table.source} has no column 'part', but {', '.join((*table.columns.names, *table.columns.others))}. "
            "Give a split file, or add the column."
        )
    named = [name for name in ("subject", "story", "text", "text_id") if table.columns.has(name)]
    others = [name for name in ("segment", "n_segments") if table.columns.has(name)] + _extras(table)
    groups = _coded_counts(table, named, others) if table.ordered else _counts(table, named, others)
    return Tally.from_groups(table.with_nodes(groups), _unit(table), table.window)


def _counts(table: SampleTable, named: list[str], others: list[str]) -> pl.DataFrame:
    """Group where the frame lives: Dask, DuckDB or PySpark."""
    import narwhals as nw

    return collect(table.frame.group_by(*named, "part", *others).agg(nw.len().alias("samples")))


def _coded_counts(table: SampleTable, named: list[str], others: list[str]) -> pl.DataFrame:
    """Group by one whole number instead of several names, which the table knows already."""
    known = {name: names_of(table.tally[name]) for name in named}
    known["part"] = collect(table.frame.select("part").unique())["part"].cast(pl.String).sort()
    if known["part"].null_count() or math.prod(len(names) for names in known.values()) >= 2**63:
        return _counts(table, named, others)
    key = pl.lit(0, pl.Int64)
    for name, names in known.items():
        key = key * len(names) + pl.col(name).cast(pl.String).cast(pl.Enum(names)).to_physical().cast(pl.Int64)
    lazy = table.frame.to_native().select(key.alias(KEY), *others)
    counts = lazy.group_by(KEY, *others).agg(samples=pl.len()).collect(engine="streaming")
    rest = counts[KEY]
    for name, names in reversed(known.items()):
        code = (rest % len(names)).cast(pl.UInt32)
        counts = counts.with_columns(code.cat.to(pl.Enum(names)).cast(pl.String).alias(name))
        rest = rest // len(names)
    return counts.drop(KEY)


def _laid(table: SampleTable, rows: pl.DataFrame, split: Any) -> Split:
    """The split with its rows in the table's order, checked against it."""
    if isinstance(split, Split):
        found, manifest = listing(split.frame), split.manifest
    else:
        found = listing(table.rows("part") if split is None else split)
        manifest = (find_manifest(split) if isinstance(split, str | Path) else None) or {}
    return Split(laid_against(found, table, rows, "refuse" if found.lists_all else DROPPED), manifest)


def _rows(table: SampleTable) -> pl.DataFrame:
    names = [*_extras(table), *(["text"] if table.columns.has("text") else [])]
    if _has_stretches(table):
        names += [*STRETCH, *(name for name in TIMES if name in table.columns.others)]
    rows = table.rows(*names)
    if table.kind == "runs":  # each row of a runs table is a run of its own, and samples are named by it
        return rows.with_columns(run="row " + pl.col("sample").str.split(":").list.first())
    return rows


def _of_rows(
    table: SampleTable, rows: pl.DataFrame, split: Split, store: SignalStore | None, fold: int | None = None
) -> Gathered:
    placed = rows.with_columns(part=split.frame["part"])
    windows = None
    if _has_stretches(table):
        times = [name for name in TIMES if name in placed.columns][:1]
        windows = placed.group_by("run", "start", "n_frames", "part", *times).agg(samples=pl.len()).select(
            "run", pl.col("start").cast(pl.Int64), pl.col("n_frames").cast(pl.Int64).alias("length"), "part",
            pl.col("samples").cast(pl.Int64),
            *(pl.col(name).cast(pl.Float64, strict=False).alias("tr_s") for name in times),
        )
    if store is not None and not _has_stretches(table):
        raise ArcuateError(
            f"{table.source} does not say which frames a sample is: it needs the columns {', '.join(STRETCH)}. "
            "Give the samples.parquet that prepare wrote beside the signals."
        )
    return Gathered(
        tally=Tally.of(placed.drop("text_id", strict=False), _unit(table), table.window), windows=windows,
        signals=None if store is None else signal_digests(store, placed),
        manifest=split.manifest, split_sha256=split.hash, fold=fold,
    )


def _unit(table: SampleTable) -> Unit:
    """Windows need segments; a table of stories without them is judged story by story, as texts are."""
    windows = table.unit == "story" and (table.kind == "runs" or table.columns.has("segment"))
    return "story" if windows else "text"


def _extras(table: SampleTable) -> list[str]:
    wanted = [*COVARIATES, *([*TIMES, "run"] if table.unit == "story" and not _has_stretches(table) else [])]
    return [name for name in wanted if name in table.columns.others]


def _has_stretches(table: SampleTable) -> bool:
    return all(name in table.columns.others for name in STRETCH)


def read_statistics(paths: Sequence[str | Path | Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """Provenance of fitted statistics: from arcuate's own `.npz` files, JSON files, or mappings.

    Examples
    --------
    >>> read_statistics([{"fitted_on": ["train"]}])
    ({'fitted_on': ['train']},)
    """
    import json

    found: list[Mapping[str, Any]] = []
    for source in paths:
        if isinstance(source, Mapping):
            found.append(source)
        elif Path(source).suffix == ".npz":
            from arcuate.signals.normalise import Normaliser

            found.append({"name": Path(source).name, **Normaliser.load(source).provenance})
        else:
            try:
                content = json.loads(Path(source).read_text(encoding="utf-8"))
                found.append({"name": Path(source).name, **content})
            except (OSError, ValueError, TypeError) as error:
                raise ArcuateError(f"{source} cannot be read as statistics: {error}") from error
    return tuple(found)
