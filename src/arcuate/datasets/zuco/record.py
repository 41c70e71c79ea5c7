"""What ZuCo is and where it comes from: version 1.0, version 2.0, or both together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from arcuate.datasets.signal_dataset import SignalDataset
from arcuate.datasets.zuco.dataset import ZucoOptions, plan_zuco
from arcuate.datasets.zuco.files import NAME, VERSION_OF_LETTER
from arcuate.datasets.zuco.materials import LISTED, ORIGINALS

OSF = {"1.0": "https://osf.io/q3zws/", "2.0": "https://osf.io/2urht/"}
PAPERS = {"1.0": "Hollenstein et al. 2018, Scientific Data 5:180291", "2.0": "Hollenstein et al. 2020, LREC"}


def find_zuco(root: Path, versions: Sequence[str] = ("1.0", "2.0")) -> str:
    """What of ZuCo lies in `root`, in a few words.

    Examples
    --------
    >>> find_zuco(Path("nowhere"))
    ''
    """
    counts: Counter[str] = Counter()
    for path in root.rglob("results*_*.mat") if root.is_dir() else ():
        match = NAME.fullmatch(path.name)
        version = VERSION_OF_LETTER.get(match[1][0]) if match else None
        if match and version in versions:
            counts[f"{match[2]} of {version}"] += 1 if path.exists() else 0
    found = [f"{n} subjects {task}" for task, n in sorted(counts.items()) if n]
    if "1.0" in versions:
        lists = [name for name, _ in ORIGINALS.values() if any(root.rglob(name))]
        if lists:
            found.append(f"{len(lists)} sentence lists")
        elif (root / LISTED).is_file():
            found.append(LISTED)
    return ", ".join(found)


def _record(name: str, versions: tuple[str, ...], title: str, size: str) -> SignalDataset:
    return SignalDataset(
        name=name, title=title, modality="eeg", size=size,
        licence="CC BY 4.0 (not verified: read it at the source)",
        source=" and ".join(OSF[version] for version in versions),
        citation="; ".join(PAPERS[version] for version in versions),
        obtain=tuple(f"osf -p {OSF[version].split('/')[3]} clone   # the 'Matlab files' folders are needed"
                     for version in versions),
        files="results{SUBJECT}_{SR|NR|TSR}.mat anywhere below; without them, the task materials' CSV files",
        options=ZucoOptions, plan=partial(plan_zuco, versions=versions), find=partial(find_zuco, versions=versions),
    )


ZUCO = {
    "zuco": _record("zuco", ("1.0", "2.0"), "ZuCo 1.0 and 2.0 together: 30 people read sentences",
                    "over 50 GB and about 70 GB"),
    "zuco1": _record("zuco1", ("1.0",), "ZuCo 1.0: 12 people read 1,107 English sentences, EEG and eye tracking",
                     "over 50 GB of .mat files"),
    "zuco2": _record("zuco2", ("2.0",), "ZuCo 2.0: 18 people read 739 English sentences, EEG and eye tracking",
                     "about 70 GB"),
}
