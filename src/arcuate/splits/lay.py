"""Lay a split that was read against its table: every sample once, known, and in table order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from arcuate.errors import ArcuateError
from arcuate.splits.forms import Listing
from arcuate.splits.parts import DROPPED, is_part

if TYPE_CHECKING:
    from arcuate.samples.table import SampleTable

NOT_LISTED = "not named by the split"
IDENTIFYING = ("subject", "text_id", "story", "segment")


def identifying(rows: pl.DataFrame, unit: str) -> pl.DataFrame:
    """`sample, subject` and `text_id`, or `story` and `segment`, of a table's rows.

    A text without an id of its own goes by the name of its node.

    Examples
    --------
    >>> rows = pl.DataFrame({"sample": ["0"], "subject": ["s"], "text_node": ["t"], "weight": [1.0]})
    >>> identifying(rows, "text").columns
    ['sample', 'subject', 'text_id']
    """
    if unit == "text":
        own = "text_id" if "text_id" in rows.columns else "text_node"
        return rows.select("sample", "subject", text_id=own)
    return rows.select("sample", "subject", "story", *(["segment"] if "segment" in rows.columns else []))


def laid_against(
    found: Listing, table: SampleTable | None, rows: pl.DataFrame | None, missing: str
) -> pl.DataFrame:
    """The split's frame in table order, after checking parts, doubles, unknown and missing samples.

    Examples
    --------
    >>> from arcuate.samples.read import read_samples
    >>> from arcuate.splits.forms import listing
    >>> table = read_samples(pl.DataFrame({"subject": ["a", "b"], "text_id": ["x", "y"]}))
    >>> laid_against(listing({"test": ["1"], "train": ["0"]}), table, table.rows(), "refuse")["part"].to_list()
    ['train', 'test']
    """
    if missing not in ("refuse", DROPPED):
        raise ArcuateError(f"missing is {missing!r}. Use 'refuse' or 'dropped'.")
    _check_parts(found)
    _check_doubles(found)
    if table is None or rows is None:
        kept = ["fold", "sample", *IDENTIFYING, "part", "reason"]
        return found.frame.select(name for name in kept if name in found.frame.columns)
    known = identifying(rows, table.unit)
    own = ("subject", "story", "segment", *(("text_id",) if table.columns.has("text_id") else ()))
    _check_unknown(found, known)
    if "fold" not in found.frame.columns:
        return _joined(found, known, own, missing)
    whole = []
    for one in found.frame.partition_by("fold", maintain_order=True):
        laid = _joined(_with(found, one), known, own, missing)
        whole.append(laid.select(pl.lit(one["fold"][0], pl.Int64).alias("fold"), pl.all()))
    return pl.concat(whole)


def _with(found: Listing, frame: pl.DataFrame) -> Listing:
    return Listing(frame, f"{found.origin}, fold {frame['fold'][0]}", found.lists_all)


def _check_parts(found: Listing) -> None:
    parts = found.frame["part"]
    bad = [name for name in parts.unique().to_list() if name is None or not is_part(name)]
    if bad:
        row = int(parts.is_in(bad, nulls_equal=True).arg_true()[0])
        raise ArcuateError(
            f"{found.where(row)}: part is {parts[row]!r}. Use train, val, test or dropped."
        )
    if parts.is_empty() or parts.eq(DROPPED).all():
        raise ArcuateError(f"{found.origin} puts no sample in any part. Give at least one in train and test.")
    empty = found.frame["sample"].is_null().arg_true()
    if len(empty):
        raise ArcuateError(f"{found.where(empty[0])}: there is no sample id.")


def _check_doubles(found: Listing) -> None:
    keys = [name for name in ("fold", "sample") if name in found.frame.columns]
    twice = found.frame.select(keys).is_duplicated().arg_true()
    if len(twice):
        first = found.frame.row(twice[0], named=True)
        same = found.frame.select(pl.all_horizontal(pl.col(key) == first[key] for key in keys)).to_series()
        one, two = same.arg_true()[:2]
        raise ArcuateError(
            f"Sample {first['sample']!r} stands twice: {found.where(one)} ({found.frame['part'][one]}) and "
            f"{found.where(two)} ({found.frame['part'][two]}). Name each sample once."
        )


def _check_unknown(found: Listing, known: pl.DataFrame) -> None:
    strange = (~found.frame["sample"].is_in(known["sample"].implode())).arg_true()
    if len(strange):
        row = int(strange[0])
        raise ArcuateError(
            f"{found.where(row)}: sample {found.frame['sample'][row]!r} is not in the table "
            f"({len(strange)} such; it has {known['sample'][0]!r}, ...). Give the table that was split."
        )


def _joined(found: Listing, known: pl.DataFrame, own: Sequence[str], missing: str) -> pl.DataFrame:
    beside = [name for name in own if name in found.frame.columns and name in known.columns]
    extra = ["reason"] if "reason" in found.frame.columns else []
    right = found.frame.with_row_index("listed").select("listed", "sample", "part", *beside, *extra)
    both = known.join(right, on="sample", how="left", maintain_order="left", suffix="_listed")
    absent = both["part"].is_null().arg_true()
    if len(absent) and missing == "refuse":
        raise ArcuateError(
            f"{found.origin} does not name {len(absent)} of the table's {len(known)} samples, "
            f"such as {known['sample'][absent[0]]!r}. Name every sample, the unused ones as 'dropped'."
        )
    _check_beside(found, both, beside)
    if len(absent):
        stated = pl.col("reason") if extra else pl.lit(None, pl.String)
        both = both.with_columns(
            part=pl.col("part").fill_null(DROPPED),
            reason=pl.when(pl.col("part").is_null()).then(pl.lit(NOT_LISTED)).otherwise(stated),
        )
        extra = ["reason"]
    return both.select(*known.columns, "part", *extra)


def _check_beside(found: Listing, both: pl.DataFrame, beside: list[str]) -> None:
    """The identifying columns that a split file repeats must be the table's: else it is of another table."""
    for name in beside:
        given = both[f"{name}_listed"].cast(both[name].dtype, strict=False)
        unlike = ((given != both[name]) & both["part"].is_not_null()).arg_true()
        if len(unlike):
            row = int(unlike[0])
            raise ArcuateError(
                f"{found.where(both['listed'][row])}: sample {both['sample'][row]!r} has {name} "
                f"{both[f'{name}_listed'][row]!r}, but {both[name][row]!r} in the table. "
                "Give the table that was split."
            )
