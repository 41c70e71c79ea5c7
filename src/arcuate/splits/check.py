"""Does a saved split still fit its table, and is it still what was saved?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcuate.errors import ArcuateError
from arcuate.splits.manifest import build_manifest, split_hash
from arcuate.splits.record import find_manifest, read_split

if TYPE_CHECKING:
    from arcuate.samples.table import SampleTable

MEASURED = ("retained", "ratios", "counts")


@dataclass(frozen=True)
class Fit:
    """What was checked, and what does not fit; an empty list means that all of it does."""

    checked: tuple[str, ...]
    problems: tuple[str, ...]

    @property
    def fits(self) -> bool:
        return not self.problems


def _by_samples(value: Any) -> Any:
    """Without the ratio by texts: it hangs on which texts were merged, not on the table."""
    return {k: v for k, v in value.items() if k != "texts"} if isinstance(value, dict) else value


def check_split(path: str | Path, table: SampleTable) -> Fit:
    """Compare a split file and its manifest with each other and with the table.

    Examples
    --------
    >>> import polars as pl, tempfile
    >>> from arcuate.samples.read import read_samples
    >>> from arcuate.splits.methods import split
    >>> from arcuate.splits.record import write_split
    >>> frame = pl.DataFrame({"subject": ["a", "a", "b", "b"], "text": ["x", "y", "x", "y"]})
    >>> saved = write_split(split(frame, "f", (1, 1)), Path(tempfile.mkdtemp()) / "s.csv")
    >>> check_split(saved, read_samples(frame)).fits
    True
    >>> check_split(saved, read_samples(frame.reverse())).fits
    False
    """
    path = Path(path)
    manifest = find_manifest(path)
    if manifest is None:
        raise ArcuateError(f"{path} has no manifest beside it ({path.name}.manifest.json). Split again to get one.")
    problems = []
    known = manifest.get("table") or {}
    if known.get("sha256") != table.identity_hash:
        problems.append(
            f"the table is not the one that was split: its identifying columns have SHA-256 "
            f"{table.identity_hash[:12]}, the manifest says {str(known.get('sha256'))[:12]}"
        )
    stored = read_split(path)
    if split_hash(stored.frame) != manifest["split_sha256"]:
        problems.append("the split file was changed after its manifest was written: its SHA-256 differs")
    try:
        laid = read_split(path, table)
    except ArcuateError as error:
        problems.append(str(error))
        return Fit(("table", "split", "samples"), tuple(problems))
    again = build_manifest(
        laid.frame, table, table.rows(), method=manifest["method"], seed=manifest["seed"],
        options=manifest["options"],
    )
    for name in MEASURED:
        one, two = _by_samples(manifest.get(name)), _by_samples(again[name])
        if one != two:
            problems.append(f"{name} is {two}, the manifest says {one}")
    return Fit(("table", "split", "samples", *MEASURED), tuple(problems))
