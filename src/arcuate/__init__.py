"""arcuate tells whether a model linking brain signals and language really works.

Names are loaded when first used, so that ``import arcuate`` and ``arcuate --help`` stay light.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from arcuate._version import __version__
from arcuate.errors import ArcuateError

# Public name -> the module that defines it.
_EXPORTS: dict[str, str] = {
    "read_samples": "arcuate.samples.read",
    "SampleTable": "arcuate.samples.table",
    "Graph": "arcuate.samples.graph",
    "load": "arcuate.datasets.registry",
    "prepare": "arcuate.datasets.registry",
    "audit": "arcuate.leakage.audit",
    "split": "arcuate.splits.methods",
    "judge": "arcuate.decoding.verdict.judge",
    "read_predictions": "arcuate.decoding.verdict.predictions",
    "text_scores": "arcuate.metrics.text",
    "Split": "arcuate.splits.record",
    "read_split": "arcuate.splits.record",
    "write_split": "arcuate.splits.record",
    "CrossSubjectTextSplit": "arcuate.splits.cross_validation",
    "CrossSubjectTextKFold": "arcuate.splits.cross_validation",
    "CrossSubjectTextGridFold": "arcuate.splits.cross_validation",
}

__all__ = ["ArcuateError", "__version__", *_EXPORTS]


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'arcuate' has no attribute {name!r}")
    return getattr(import_module(_EXPORTS[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
