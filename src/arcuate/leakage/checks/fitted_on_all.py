"""Statistics (normalisation, PCA, voxel selection) that were fitted before the split, or on another one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from arcuate.leakage.evidence import Evidence, NotChecked
from arcuate.leakage.findings import Finding

NAME = "fitted-on-all"
TRAINING = ["train"]
QUESTION = (
    "no statistics were given (--statistics FILE). Ask yourself: were normalisation, PCA or voxel "
    "selection computed on training samples only?"
)


def fitted_on_all(evidence: Evidence) -> Iterator[Finding]:
    """Yield a leak for each record of fitted statistics that saw more than this split's training part.

    Examples
    --------
    >>> import polars as pl
    >>> from arcuate.leakage.tally import Tally
    >>> rows = pl.DataFrame({"subject": ["a", "b"], "text_id": ["x", "y"], "part": ["train", "test"]})
    >>> about = {"name": "zscore.npz", "fitted_on": ["train", "test"], "split_sha256": "ab"}
    >>> [found] = fitted_on_all(Evidence(tally=Tally.of(rows, "text"), statistics=(about,), split_sha256="ab"))
    >>> found.message
    'zscore.npz was fitted on train, test, not on train alone'
    """
    if not evidence.statistics:
        raise NotChecked(QUESTION)
    held_out = tuple(part for part in evidence.tally.parts if part != "train")
    samples = sum(evidence.tally.totals[part] for part in held_out)
    for about in evidence.statistics:
        fault = _fault(about, evidence.split_sha256)
        if fault:
            name = str(about.get("name", "the statistics"))
            yield evidence.finding(
                NAME, "leak", held_out, culprits=1, examples=[name], samples=samples, of=samples,
                message=f"{name} {fault}", kind="L1.2",
            )


def _fault(about: Mapping[str, Any], split_sha256: str | None) -> str | None:
    fitted_on = about.get("fitted_on")
    if fitted_on is None:
        return "does not say what it was fitted on"
    seen = [fitted_on] if isinstance(fitted_on, str) else list(fitted_on)
    if seen != TRAINING:
        return f"was fitted on {', '.join(map(str, seen)) or 'nothing'}, not on train alone"
    if split_sha256 is None or about.get("split_sha256") != split_sha256:
        theirs = str(about.get("split_sha256"))[:12]
        return f"was fitted on the training part of another split ({theirs}), which may hold test samples of this one"
    return None
