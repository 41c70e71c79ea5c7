"""What Narratives is and where it comes from."""

from __future__ import annotations

from pathlib import Path

from arcuate.datasets.narratives.dataset import NarrativesOptions, count_scans, plan_narratives
from arcuate.datasets.narratives.runs import FLAT
from arcuate.datasets.narratives.transcripts import find_transcripts
from arcuate.datasets.signal_dataset import SignalDataset


def find_narratives(root: Path) -> str:
    """What of Narratives lies in `root`, in a few words.

    Examples
    --------
    >>> find_narratives(Path("nowhere"))
    ''
    """
    found = [f"{n} scans {state}" for state, n in count_scans(root)]
    if not found and _is_flat(root / FLAT):
        found = [f"{FLAT} (metadata only)"]
    pipelines = sorted(path.name for path in (root / "derivatives").glob("*") if path.is_dir())
    if found and pipelines:
        found.append(f"derivatives: {', '.join(pipelines)}")
    transcripts = len(find_transcripts([root])) if found or (root / "stimuli" / "gentle").is_dir() else 0
    if transcripts:
        found.append(f"{transcripts} transcripts")
    return ", ".join(found)


def _is_flat(path: Path) -> bool:
    if not path.is_file():
        return False
    with open(path, encoding="utf-8", errors="replace") as file:
        return {"subject", "story", "n_trs", "shape"} <= set(file.readline().strip().split(","))


NARRATIVES = SignalDataset(
    name="narratives", title="Narratives: 345 people listened to 27 spoken stories in the scanner",
    modality="fmri", size="144 GB raw (ds002345 v1.1.4); derivatives several times that",
    licence="CC0; the audio only for non-commercial research", source="https://openneuro.org/datasets/ds002345",
    citation="Nastase et al. 2021, Scientific Data 8:250",
    obtain=(
        "openneuro-py download --dataset=ds002345",
        "datalad install ///labs/hasson/narratives   # with transcripts and derivatives",
    ),
    files="participants.tsv, sub-*/func/*_{bold.json,events.tsv,bold.nii.gz}; stimuli/gentle/*/align.csv; or runs.csv",
    options=NarrativesOptions, plan=plan_narratives, find=find_narratives,
)
