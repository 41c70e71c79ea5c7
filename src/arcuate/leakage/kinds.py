"""The leakage types of Kapoor & Narayanan (2023), "Leakage and the reproducibility crisis in
machine-learning-based science", Patterns 4(9), so that a report speaks the field's language."""

from __future__ import annotations

from collections.abc import Mapping

KINDS: Mapping[str, str] = {
    "L1.1": "no test set",
    "L1.2": "pre-processing on training and test set",
    "L1.3": "feature selection on training and test set",
    "L1.4": "duplicates in the data",
    "L2": "features that are not legitimate",
    "L3.1": "temporal leakage",
    "L3.2": "non-independence between training and test samples",
    "L3.3": "sampling bias in the test distribution",
}


def describe(kind: str) -> str:
    """Code and name of a leakage type.

    Examples
    --------
    >>> describe("L1.4")
    'L1.4 duplicates in the data'
    """
    return f"{kind} {KINDS[kind]}"
