"""Where the results files are, and what their names say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from arcuate.datasets.zuco.mat5 import read_mat5
from arcuate.datasets.zuco.mat73 import read_mat73
from arcuate.datasets.zuco.sentences import Sentence
from arcuate.errors import ArcuateError

NAME = re.compile(r"results([A-Z]{3})(?:_(SR|NR|TSR))?\.mat")
VERSION_OF_LETTER = {"Z": "1.0", "Y": "2.0"}

SUBJECTS = {
    "1.0": ("ZAB", "ZDM", "ZDN", "ZGW", "ZJM", "ZJN", "ZJS", "ZKB", "ZKH", "ZKW", "ZMG", "ZPH"),
    "2.0": ("YAC", "YAG", "YAK", "YDG", "YDR", "YFR", "YFS", "YHS", "YIS", "YLS", "YMD", "YMS", "YRH", "YRK",
            "YRP", "YSD", "YSL", "YTL"),
}
# In the folder, but left out by the authors themselves: dyslexia, incomplete.
EXCLUDED_BY_AUTHORS = ("YMH",)

ROWS = {("1.0", "SR"): 400, ("1.0", "NR"): 300, ("1.0", "TSR"): 407, ("2.0", "NR"): 349, ("2.0", "TSR"): 390}

# Rows the official loader names as not recorded, first and last. Only a check: the files tell.
UNRECORDED = {
    ("ZDN", "SR"): ((150, 249), (399, 399)), ("ZJS", "NR"): ((0, 49),), ("ZPH", "NR"): ((50, 99),),
    ("ZGW", "TSR"): ((178, 224),), ("ZKB", "TSR"): ((359, 406),), ("ZPH", "TSR"): ((270, 313), (362, 406)),
}


@dataclass(frozen=True)
class ResultsFile:
    """One subject in one task."""

    path: Path
    subject: str
    task: str
    version: str

    @property
    def story(self) -> str:
        """The task's name among both versions: the two NR tasks have different sentences."""
        return self.task if self.version == "1.0" else f"{self.task}v2"

    @property
    def name(self) -> str:
        """The name of the run."""
        return f"{self.subject}_{self.task}"


def find_results(root: Path) -> tuple[list[ResultsFile], list[str]]:
    """Results files anywhere under `root` (folder names differ between downloads), and notes.

    Examples
    --------
    >>> import tempfile
    >>> root = Path(tempfile.mkdtemp())
    >>> (root / "task1- SR" / "Matlab files").mkdir(parents=True)
    >>> (root / "task1- SR" / "Matlab files" / "resultsZAB_SR.mat").touch()
    >>> [(file.subject, file.task, file.version) for file in find_results(root)[0]]
    [('ZAB', 'SR', '1.0')]
    """
    found: dict[tuple[str, str], ResultsFile] = {}
    notes = []
    for path in sorted(root.rglob("results*.mat")):
        match = NAME.fullmatch(path.name)
        if match is None or match[1][0] == "X" or match[2] is None:
            notes.append(f"{path.name}: not a subject's task (benchmark test files hold no text); left out")
            continue
        subject, task = match[1], match[2]
        if subject[0] not in VERSION_OF_LETTER:
            raise ArcuateError(
                f"{path}: subject {subject} starts with neither Z (ZuCo 1.0) nor Y (2.0). Move the file away."
            )
        if path.is_dir():
            raise ArcuateError(f"{path} is a folder where a file is expected. Download it again.")
        if (subject, task) in found:
            raise ArcuateError(
                f"{path} and {found[subject, task].path} hold the same subject and task. Keep one of them."
            )
        found[subject, task] = ResultsFile(path, subject, task, VERSION_OF_LETTER[subject[0]])
    return sorted(found.values(), key=lambda file: (file.version, file.task, file.subject)), notes


def read_sentences(file: ResultsFile, measure: str = "GD", published: bool = False) -> Iterator[Sentence]:
    """The sentences of a file; the reader is chosen by content, not by the version its name tells.

    Examples
    --------
    >>> next(read_sentences(ResultsFile(Path("resultsZAB_SR.mat"), "ZAB", "SR", "1.0")))
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: resultsZAB_SR.mat cannot be read: No such file or directory.
    """
    import h5py

    if file.path.is_symlink() and not file.path.exists():
        raise ArcuateError(f"{file.path} is not fetched (a dangling link). Download it.")
    if file.path.exists() and h5py.is_hdf5(file.path):
        return read_mat73(file.path, measure, published)
    return read_mat5(file.path, measure)
