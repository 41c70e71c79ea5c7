"""A split as a record: which sample is in which part, and the manifest that says what made it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from arcuate.atomic import replacing, write_text
from arcuate.errors import ArcuateError
from arcuate.splits.forms import listing
from arcuate.splits.lay import laid_against
from arcuate.splits.manifest import build_manifest, measured, split_hash
from arcuate.splits.parts import DROPPED, PARTS, in_order

if TYPE_CHECKING:
    from arcuate.samples.table import SampleTable

__all__ = ["PARTS", "Split", "manifest_path", "read_split", "write_split"]

ROWS_A_GROUP = 1 << 18  # fixed, so that a Parquet file never depends on the number of cores


@dataclass(frozen=True, eq=False)
class Split:
    """Which sample is in which part.

    `frame` has a row a sample in table order (all folds one after another): `[fold,] sample, subject`,
    then `text_id` or `story` with `segment`, then `part`, and `reason`, which says of every dropped
    sample why it was dropped.

    Examples
    --------
    >>> split = read_split({"train": ["a", "b"], "test": ["c"]})
    >>> split.counts
    {'train': 2, 'test': 1, 'dropped': 0}
    >>> split.indices()["test"]
    [2]
    """

    frame: pl.DataFrame
    manifest: dict[str, Any]

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that hold samples, without 'dropped'."""
        return in_order(self.frame["part"].unique().to_list())

    @property
    def counts(self) -> dict[str, int]:
        """Samples in each part, and the dropped ones; over all folds where there are folds."""
        found = dict(self.frame["part"].value_counts().iter_rows())
        return {name: found.get(name, 0) for name in (*self.parts, DROPPED)}

    @property
    def folds(self) -> list[int]:
        """Fold numbers in order; empty where the split has no folds."""
        return self.frame["fold"].unique().sort().to_list() if "fold" in self.frame.columns else []

    @property
    def hash(self) -> str:
        """SHA-256 of which sample is in which part."""
        return split_hash(self.frame)

    def fold(self, number: int) -> Split:
        """One fold of a split with folds, as a split of its own."""
        if number not in self.folds:
            raise ArcuateError(f"fold {number} is not there. Folds: {self.folds or 'none'}.")
        one = self.frame.filter(pl.col("fold") == number).drop("fold")
        # Sizes by weight stand in the manifest of folds that arcuate made; others count each sample as one.
        known = {entry["fold"]: entry for entry in self.manifest.get("folds", [])}
        sizes = known.get(number) or {"fold": number, **measured(one)}
        return Split(one, {**self.manifest, **sizes, "split_sha256": split_hash(one)})

    def indices(self) -> dict[str, list[int]]:
        """Row numbers of each part, for `torch.utils.data.Subset(dataset, split.indices()["train"])`."""
        self._refuse_folds("indices")
        rows = self.frame.with_row_index("row")
        return {name: rows.filter(pl.col("part") == name)["row"].to_list() for name in self.parts}

    def to_hugging_face(self, dataset: Any, column: str = "part") -> Any:
        """A Hugging Face `datasets.Dataset` with the part of each row added as a column.

        The dataset's rows must be the table's, in the same order. `datasets` itself is not imported here.
        """
        self._refuse_folds("to_hugging_face")
        if len(dataset) != len(self.frame):
            raise ArcuateError(
                f"The dataset has {len(dataset)} rows and the split {len(self.frame)}. "
                "Give the dataset whose rows are those of the split's table, in the same order."
            )
        return dataset.add_column(column, self.frame["part"].to_list())

    def reasons(self) -> pl.DataFrame:
        """Why samples were dropped: `reason`, `samples`, the most frequent first."""
        dropped = self.frame.filter(pl.col("part") == DROPPED)
        reason = pl.col("reason") if "reason" in self.frame.columns else pl.lit("not stated")
        counted = dropped.group_by(reason.alias("reason")).agg(samples=pl.len())
        return counted.sort(["samples", "reason"], descending=[True, False])

    def summary(self) -> str:
        """A few lines for people: retained, the three achieved ratios, bound and gap."""
        known = self.manifest
        lines = [f"{known['method']}: {known['retained']:.2%} retained"]
        if known.get("bound") is not None:
            proved = ", proved" if known["proved"] else ""
            lines[0] += f" (bound {known['bound']:.2%}, gap {known['gap']:.2%}{proved})"
        lines.append(f"{'parts':<9}{' : '.join(known['parts'])}")
        for kind, shares in known["ratios"].items():
            lines.append(f"{kind:<9}{' : '.join(f'{share:.1%}' for share in shares)}")
        counts = (f"{name} {count:,}" for name, count in known["counts"].items())
        lines.append(f"{'counts':<9}{', '.join(counts)}")
        return "\n".join(lines)

    def _refuse_folds(self, what: str) -> None:
        if "fold" in self.frame.columns:
            raise ArcuateError(f"{what}: the split has {len(self.folds)} folds. Take one: split.fold(n).")


def manifest_path(path: str | Path) -> Path:
    """Where the manifest of the split file `path` lies.

    Examples
    --------
    >>> manifest_path("out/split.csv").name
    'split.csv.manifest.json'
    """
    path = Path(path)
    return path.with_name(f"{path.name}.manifest.json")


def check_ending(path: str | Path) -> Path:
    """The path of a split file to be written; any ending but .csv and .parquet is refused.

    Examples
    --------
    >>> check_ending("split.parquet").name
    'split.parquet'
    """
    path = Path(path)
    if path.suffix not in (".csv", ".parquet"):
        raise ArcuateError(f"{path} ends in {path.suffix!r}. Write a split to .csv or .parquet.")
    return path


def write_split(split: Split, path: str | Path) -> Path:
    """Write the split as CSV or Parquet, by the ending of `path`, and its manifest beside it.

    The same table, options and seed give the same bytes; in the manifest all but `seconds` is the same.

    Examples
    --------
    >>> import tempfile
    >>> target = write_split(read_split({"train": ["a"], "test": ["b"]}), Path(tempfile.mkdtemp()) / "s.csv")
    >>> target.read_text().splitlines()
    ['sample,part', 'a,train', 'b,test']
    """
    path = check_ending(path)
    with replacing(path) as temporary:
        if path.suffix == ".csv":
            split.frame.write_csv(temporary)
        else:
            import pyarrow.parquet as pq

            pq.write_table(split.frame.to_arrow(), temporary, row_group_size=ROWS_A_GROUP, compression="zstd")
    text = json.dumps(split.manifest, indent=2, ensure_ascii=False)
    write_text(manifest_path(path), text + "\n")
    return path


def read_split(source: Any, table: SampleTable | None = None, *, missing: str | None = None) -> Split:
    """Read a split in any form that product.md names, and lay it against its table.

    Parameters
    ----------
    source
        A CSV, TSV, Parquet or Feather file with `sample` and `part`; a JSON file or a mapping part -> ids;
        a folder or a list of files of ids whose names say the part; or the table itself, if it has a `part`.
    table
        What was split; with it every sample is checked, rows come in table order and rates can be computed.
    missing
        What to do with samples of the table that the split does not name: 'refuse', or 'dropped'.
        Files of rows refuse by default; lists of ids, which need not show what was dropped, do not.

    Examples
    --------
    >>> read_split({"train": ["1"], "test": ["2"]}).frame["part"].to_list()
    ['train', 'test']
    """
    if source is None or source is table:
        if table is None:
            raise ArcuateError("There is nothing to read: give a split, or a table with a 'part' column.")
        source = _own_parts(table)
    found = listing(source)
    rows = None if table is None else table.rows()
    frame = laid_against(found, table, rows, missing or ("refuse" if found.lists_all else DROPPED))
    manifest = find_manifest(source)
    if manifest is None or table is not None:
        known = manifest or {}
        proof: dict[str, Any] = {name: known[name] for name in ("bound", "gap", "proved", "stopped") if name in known}
        folds = {"folds": known["folds"]} if "folds" in known else {}
        manifest = folds | build_manifest(
            frame, table, rows, method=known.get("method", "given"), seed=known.get("seed"),
            options=known.get("options", {}), found=proof, seconds=known.get("seconds"),
        )
    return Split(frame, manifest)


def _own_parts(table: SampleTable) -> pl.DataFrame:
    if "part" not in table.columns.others:
        seen = ", ".join((*table.columns.names, *table.columns.others))
        raise ArcuateError(f"{table.source} has no column 'part'; its columns are {seen}. Give a split file.")
    return table.rows("part").select("sample", "part")


def find_manifest(source: Any) -> dict[str, Any] | None:
    """The manifest beside a split file, if there is one."""
    if not isinstance(source, str | Path) or not Path(source).is_file():
        return None
    path = Path(source)
    for candidate in (manifest_path(path), path.with_suffix(".manifest.json")):
        if candidate.is_file():
            return read_manifest(candidate)
    return None


def read_manifest(path: Path) -> dict[str, Any]:
    """A manifest as written by `write_split`."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ArcuateError(f"{path} cannot be read as a manifest: {error}") from error
    if not isinstance(content, Mapping) or "method" not in content or "split_sha256" not in content:
        raise ArcuateError(f"{path} is not a split's manifest. Make the split again with arcuate split.")
    return dict(content)
