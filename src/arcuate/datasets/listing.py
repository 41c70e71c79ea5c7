"""All datasets that arcuate knows, for both directions, and what of them lies under a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from arcuate.datasets.registry import DATASETS
from arcuate.datasets.response_dataset import ResponseDataset
from arcuate.datasets.response_readers import RESPONSE_READERS
from arcuate.errors import ArcuateError

# As far as they are known; what is not here is a few megabytes.
SIZES = {
    "mitchell2008": "9 × about 50 MB", "wehbe2014": "8 × several 100 MB", "dehghani2017": "about 1 GB",
    "nifti": "yours", "alice": "a few MB", "alice-6mm": "a few MB",
    **{name: "one archive a subject" for name in RESPONSE_READERS if name.startswith("pereira2018")},
}


@dataclass(frozen=True, kw_only=True)
class Listed:
    """One line of `arcuate datasets`."""

    name: str
    title: str
    used_by: str
    modality: str
    size: str
    licence: str
    source: str
    obtain: tuple[str, ...]
    files: str
    citation: str
    found: dict[str, str]


def list_datasets(root: str | Path | None = None) -> list[Listed]:
    """Every dataset; with `root`, what is found in it and in its direct subfolders.

    Examples
    --------
    >>> [entry.used_by for entry in list_datasets() if entry.name in ("narratives", "alice")]
    ['prepare', 'encode']
    """
    folders = list(_folders(Path(root))) if root is not None else []
    signals = [
        Listed(
            name=one.name, title=one.title, used_by="prepare", modality=one.modality, size=one.size,
            licence=one.licence, source=one.source, obtain=one.obtain, files=one.files, citation=one.citation,
            found=_nearest(folders, one.find),
        )
        for one in DATASETS.values()
    ]
    responses = [
        Listed(
            name=other.name, title=other.title, used_by="encode",
            modality="eeg" if other.title.startswith("EEG") else "fmri", size=SIZES.get(other.name, "small"),
            licence=other.licence, source=other.source, obtain=(other.source,), files=other.files,
            citation=other.citation,
            found=_nearest(folders, partial(_found_responses, other)),
        )
        for other in RESPONSE_READERS.values()
    ]
    return [*signals, *responses]


def _found_responses(dataset: ResponseDataset, folder: Path) -> str:
    return f"files like {dataset.marker}" if dataset.is_under(folder) else ""


def _nearest(folders: Sequence[Path], find: Callable[[Path], str]) -> dict[str, str]:
    """Where something is found; the root is not named for what lies in one of its subfolders."""
    found = {str(folder): what for folder in folders if (what := find(folder))}
    if folders and found.get(str(folders[0])) in [what for folder, what in found.items() if folder != str(folders[0])]:
        del found[str(folders[0])]
    return found


def _folders(root: Path) -> Iterator[Path]:
    if not root.is_dir():
        what = "is a file" if root.exists() else "does not exist"
        raise ArcuateError(f"--root {root} {what}. Give the folder that holds your datasets.")
    yield root
    yield from sorted(path for path in root.iterdir() if path.is_dir() and not path.name.startswith((".", "sub-")))
