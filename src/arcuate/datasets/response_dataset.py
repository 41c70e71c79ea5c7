"""What a dataset of brain responses is: one frozen record a dataset, made in that dataset's file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from arcuate.datasets.responses import BrainResponses, Kind


@dataclass(frozen=True)
class Subjects:
    """The subjects found on disk, and those left out with the reason; nobody vanishes silently.

    Examples
    --------
    >>> Subjects(("s18", "s22"), ("s33: every value is 0",)).names
    ('s18', 's22')
    """

    names: tuple[str, ...]
    excluded: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ResponseDataset:
    """A dataset: what it is, where it comes from, and how its files are read, a subject at a time.

    Parameters
    ----------
    name : str, as in `arcuate encode --dataset NAME`
    title : str, the people and the stimuli in one line
    kind : {"isolated", "continuous"}
    licence, source, citation : str, as far as they are known
    files : str, what must lie under the root
    marker : glob pattern of a file that shows that the dataset is there
    subjects : root -> Subjects
    read : (root, subject) -> BrainResponses
    paper_name : str, its name in the tables of Beinborn et al. 2019; empty if it is not there
    space : {"mni", "voxel", ""}
        What coordinates mean: millimetres in MNI space, indices in the subject's own grid, or none.

    Examples
    --------
    >>> from arcuate.datasets.response_readers import RESPONSE_READERS
    >>> RESPONSE_READERS["alice"].kind
    'continuous'
    """

    name: str
    title: str
    kind: Kind
    licence: str
    source: str
    citation: str
    files: str
    marker: str
    subjects: Callable[[Path], Subjects]
    read: Callable[[Path, str], BrainResponses]
    paper_name: str = ""
    space: str = ""

    def is_under(self, root: Path) -> bool:
        """Whether at least one file of the dataset lies somewhere under `root`."""
        return next(iter(Path(root).rglob(self.marker)), None) is not None
