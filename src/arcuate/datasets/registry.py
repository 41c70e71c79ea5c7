"""The registry of datasets of signals and texts: a dataset is one file and one line here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from arcuate.datasets.folder import FOLDER
from arcuate.datasets.narratives.record import NARRATIVES
from arcuate.datasets.prepared import Prepared, gather, write_prepared
from arcuate.datasets.signal_dataset import SignalDataset
from arcuate.datasets.zuco.record import ZUCO
from arcuate.errors import UnknownName

if TYPE_CHECKING:
    from arcuate.samples.table import SampleTable

DATASETS: dict[str, SignalDataset] = {
    NARRATIVES.name: NARRATIVES,
    **ZUCO,
    FOLDER.name: FOLDER,
}


def dataset(name: str) -> SignalDataset:
    """The dataset called `name`.

    Examples
    --------
    >>> dataset("zuco1").modality
    'eeg'
    >>> dataset("zuko")
    Traceback (most recent call last):
    arcuate.errors.UnknownName: dataset 'zuko' is not known. Known: folder, narratives, zuco, zuco1, zuco2.
    """
    if name not in DATASETS:
        raise UnknownName("dataset", name, DATASETS)
    return DATASETS[name]


def load(
    name: str, root: str | Path, *, same_text: tuple[str, ...] = (), near_duplicates: float | None = None,
    **options: Any,
) -> SampleTable:
    """Read a dataset's samples (or, where only metadata is on disk, its runs) as a validated table.

    Parameters
    ----------
    name
        One of `arcuate datasets`.
    root
        The folder that holds its files.
    same_text, near_duplicates
        Which texts count as one; see `read_samples`.
    **options
        The dataset's own, such as window=10 or shape='any' for Narratives, measure='TRT' for ZuCo.

    Examples
    --------
    >>> import tempfile
    >>> root = Path(tempfile.mkdtemp())
    >>> _ = (root / "samples.csv").write_text("subject,text\\ns1,Hello.\\ns2,hello\\n")
    >>> load("folder", root).describe()
    '2 samples of 2 subjects and 1 text'
    """
    from arcuate.samples.table import SampleTable

    plan = dataset(name).plan_for(root, options)
    return SampleTable.from_frame(
        gather(plan), source=f"{name} in {root}", window=plan.window if plan.kind == "runs" else None,
        same_text=same_text, near_duplicates=near_duplicates,
    )


def prepare(
    name: str, root: str | Path, out: str | Path, *, dtype: Literal["float16", "float32"] = "float32", **options: Any
) -> Prepared:
    """Write a dataset as a folder: a table, a signal store where there are signals, and dataset.json.

    Examples
    --------
    >>> import tempfile
    >>> root = Path(tempfile.mkdtemp())
    >>> _ = (root / "samples.csv").write_text("subject,text\\ns1,Hello.\\ns2,hello\\n")
    >>> done = prepare("folder", root, root / "out")
    >>> done.rows, done.has_signals
    (2, False)
    """
    return write_prepared(dataset(name).plan_for(root, options), out, dtype=dtype)
