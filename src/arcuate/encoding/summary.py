"""From scores of subjects to statements about subjects: means, intervals, nulls, baselines, ceilings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from arcuate.datasets.responses import BrainResponses
from arcuate.encoding.nulls import p_value
from arcuate.encoding.result import Cell, Difference, Evaluated, Score, Summary
from arcuate.metrics.ceiling import between_repetitions, between_subjects, without_drift
from arcuate.metrics.subject_interval import interval_over_subjects

# Features without language: what they explain, language need not.
BASELINES = ("random", "rate", "position", "autocorrelation")


def is_baseline(features: str) -> bool:
    """Whether all parts of these features are baselines.

    Examples
    --------
    >>> is_baseline("rate+position"), is_baseline("rate+glove")
    (True, False)
    """
    return all(part.strip() in BASELINES for part in features.split("+"))


def summarise(evaluated: Sequence[Evaluated], seed: int) -> Iterable[Summary]:
    """Mean over subjects of every cell, its interval, and the null of that mean.

    A null of the mean moves the same stimuli of all subjects, so that what subjects share is kept.
    """
    for features in dict.fromkeys(one.features for one in evaluated):
        group = [one for one in evaluated if one.features == features]
        for cell in group[0].cells:
            having = [one for one in group if cell in one.cells]
            values = np.array([one.cells[cell].value for one in having])
            low, high = interval_over_subjects(values, seed=seed)
            n_orders = min(len(one.null) for one in having)
            null = np.mean([one.null[:n_orders, list(one.cells).index(cell)] for one in having], axis=0)
            yield Summary(
                features, *cell, float(values.mean()), low, high, len(values),
                float(null.mean()) if len(null) else float("nan"), p_value(float(values.mean()), null),
            )


def differences(scores: Sequence[Score], seed: int) -> Iterable[Difference]:
    """Every set of features against every baseline among them, subject by subject."""
    table: dict[tuple[str, Cell], dict[str, float]] = {}
    for one in scores:
        cell = Cell(one.score, one.metric, one.match, one.aggregate, one.voxels)
        table.setdefault((one.features, cell), {})[one.subject] = one.value
    names = dict.fromkeys(features for features, _ in table)
    for features in names:
        for baseline in names:
            if is_baseline(features) or not is_baseline(baseline):
                continue
            for cell in dict.fromkeys(cell for of, cell in table if of == features):
                own, other = table[features, cell], table.get((baseline, cell), {})
                gaps = np.array([own[subject] - other[subject] for subject in own if subject in other])
                if len(gaps):
                    low, high = interval_over_subjects(gaps, seed=seed)
                    yield Difference(features, baseline, *cell, float(gaps.mean()), low, high, len(gaps))


def ceilings(data: Sequence[BrainResponses]) -> Iterable[dict[str, Any]]:
    """Noise ceilings where the data allow them: between subjects with common regions, between repetitions.

    Examples
    --------
    >>> list(ceilings([]))
    []
    """
    for one in data:
        if one.repetitions is not None and one.repetitions.shape[1] > 1:
            r = between_repetitions(np.asarray(one.repetitions, dtype=np.float64))
            yield {"kind": "repetitions", "subject": one.subject, "voxels": "all", "r": float(np.nanmean(r))}
    if len(data) < 2 or not _same_regions(data):
        return
    series = [np.asarray(one.responses, dtype=np.float64) for one in data]
    if data[0].kind == "continuous":
        series = [without_drift(one) for one in series]
    r = between_subjects(series)
    for name, columns in data[0].rois.items():
        low, high = interval_over_subjects(r[:, columns].mean(axis=1))
        yield {"kind": "subjects", "voxels": name, "r": float(np.nanmean(r[:, columns])), "low": low, "high": high,
               "n_subjects": len(data)}


def _same_regions(data: Sequence[BrainResponses]) -> bool:
    """Whether columns mean the same in all subjects: every one is a named region of one column."""
    first = data[0]
    named = {name: np.asarray(columns).tolist() for name, columns in first.rois.items()}
    if sorted(column for columns in named.values() for column in columns) != list(range(first.n_voxels)):
        return False
    return all(
        one.responses.shape == first.responses.shape
        and {name: np.asarray(columns).tolist() for name, columns in one.rois.items()} == named
        for one in data
    )
