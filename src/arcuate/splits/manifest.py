"""The manifest of a split: what made it, from which table, and what it keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from arcuate._version import __version__
from arcuate.metrics.signature import fingerprint, signature
from arcuate.splits.parts import DROPPED, in_order

if TYPE_CHECKING:
    from arcuate.samples.table import SampleTable

# Shares are rounded, so that the last bit of a float sum cannot differ between machines.
DIGITS = 10


def split_hash(frame: pl.DataFrame) -> str:
    """SHA-256 of which sample is in which part (of which fold): the same for CSV and Parquet.

    Examples
    --------
    >>> one = pl.DataFrame({"sample": ["a", "b"], "part": ["train", "test"]})
    >>> split_hash(one) == split_hash(one.reverse())
    False
    """
    columns = [name for name in ("fold", "sample", "part") if name in frame.columns]
    pieces = (frame[name].cast(pl.String).str.join("\n").item().encode() for name in columns)
    return fingerprint([",".join(columns).encode(), *pieces])


def measured(
    frame: pl.DataFrame, weight: npt.ArrayLike | None = None, text: Sequence[str] | pl.Series | None = None,
) -> dict[str, Any]:
    """What a split keeps: retained share, achieved ratios by samples, subjects and texts, counts.

    Ratios are each part's share of what is kept: of the retained weight, of the subjects and of the
    texts that have a sample in some part. With folds, all of it is the mean over folds.

    Examples
    --------
    >>> frame = pl.DataFrame({"sample": ["1", "2", "3"], "subject": ["a", "b", "b"],
    ...                       "text_id": ["x", "y", "x"], "part": ["train", "test", "dropped"]})
    >>> found = measured(frame)
    >>> found["retained"], found["ratios"]["samples"]
    (0.6666666667, [0.5, 0.5])
    """
    names = in_order(frame["part"].unique().to_list())
    folds = frame["fold"].n_unique() if "fold" in frame.columns else 1
    work = frame.select(
        part=pl.col("part"), fold=pl.col("fold") if "fold" in frame.columns else pl.lit(0),
        subject=pl.col("subject") if "subject" in frame.columns else pl.lit(None, pl.String),
        text=_text_column(frame, text),
        weight=pl.lit(1.0) if weight is None else pl.Series(np.tile(np.asarray(weight, float), folds)),
    )
    kept = work.filter(pl.col("part") != DROPPED)
    total = float(work["weight"].sum())
    sums = {name: float(kept.filter(pl.col("part") == name)["weight"].sum()) for name in names}
    counts = dict(work["part"].value_counts().iter_rows())
    subjects, texts = _distinct(kept, "subject", names), _distinct(kept, "text", names)
    return {
        "retained": round(sum(sums.values()) / total, DIGITS) if total else 0.0,
        "ratios": {
            "samples": _shares([sums[name] for name in names]),
            "subjects": _shares(subjects),
            "texts": _shares(texts),
        },
        "parts": list(names),
        "counts": {name: counts.get(name, 0) for name in (*names, DROPPED)},
        "subjects": dict(zip(names, subjects, strict=True)),
        "texts": dict(zip(names, texts, strict=True)),
    }


def _text_column(frame: pl.DataFrame, text: Sequence[str] | pl.Series | None) -> Any:
    """The text node of each row: given (variants of a story may be one node), or what the frame names."""
    if text is not None:
        folds = frame["fold"].n_unique() if "fold" in frame.columns else 1
        return pl.concat([pl.Series("text", text, pl.String)] * folds)
    named = next((name for name in ("text_id", "story") if name in frame.columns), None)
    return pl.col(named) if named else pl.lit(None, pl.String)


def _distinct(kept: pl.DataFrame, column: str, names: Sequence[str]) -> list[int]:
    known = kept.select("fold", "part", column).drop_nulls().unique()
    counts = dict(known["part"].value_counts().iter_rows())
    return [counts.get(name, 0) for name in names]


def _shares(sizes: Sequence[float]) -> list[float]:
    total = sum(sizes)
    return [round(size / total, DIGITS) if total else 0.0 for size in sizes]


def build_manifest(
    frame: pl.DataFrame, table: SampleTable | None, rows: pl.DataFrame | None, *, method: str, seed: int | None,
    options: Mapping[str, Any], found: Mapping[str, Any] | None = None, seconds: float | None = None,
) -> dict[str, Any]:
    """Everything a reader needs to trust a split or make it again; all but `seconds` is reproducible.

    `found` holds what a solver proved: `bound` (a share no split can exceed), `gap` and `proved`.

    Examples
    --------
    >>> frame = pl.DataFrame({"sample": ["1", "2"], "part": ["train", "test"]})
    >>> build_manifest(frame, None, None, method="given", seed=None, options={})["counts"]
    {'train': 1, 'test': 1, 'dropped': 0}
    """
    if table is None or rows is None:
        sizes, about = measured(frame), None
    else:
        sizes, about = measured(frame, rows["weight"].to_numpy(), rows["text_node"]), _about(table)
    proof = {"bound": None, "gap": None, "proved": False, **(found or {})}
    split_sha256 = split_hash(frame)
    line = signature(
        split=method, seed=seed, **{k: _one_word(v) for k, v in options.items()},
        table=about and about["sha256"][:12], sha256=split_sha256[:12],
    )
    return {
        "method": method, "options": dict(options), "seed": seed, "arcuate": __version__,
        "table": about, "split_sha256": split_sha256, **sizes, **proof, "signature": line, "seconds": seconds,
    }


def _about(table: SampleTable) -> dict[str, Any]:
    graph = table.graph
    return {
        "sha256": table.identity_hash, "unit": table.unit, "window": table.window,
        "samples": int(graph.samples.sum()), "subjects": len(graph.subjects), "texts": len(graph.texts),
    }


def _one_word(value: object) -> str | None:
    return None if value is None or value == [] else str(value).replace("|", "/").replace("\n", " ")
