"""The demo: one simulated dataset, split as most papers did and leak-free, audited, decoded and judged."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from arcuate.atomic import replacing, write_text
from arcuate.datasets.simulate import simulate
from arcuate.decoding.verdict.judge import judge
from arcuate.decoding.verdict.predictions import Predictions
from arcuate.decoding.verdict.record import Verdict
from arcuate.experiments.recital import Reciter
from arcuate.leakage.audit import audit
from arcuate.leakage.findings import Findings
from arcuate.samples.read import read_samples
from arcuate.signals.store import SignalStore
from arcuate.splits.methods import split
from arcuate.splits.record import Split, write_split

if TYPE_CHECKING:
    from arcuate.samples.table import SampleTable

# The methods shown: what most papers did, and the one that cannot leak.
METHODS = {"c": "by sample, as published", "optimal": "leak-free, most data kept"}
SIZE: dict[str, Any] = {"layout": "zuco", "subjects": 24, "stories": 3, "sentences": 50}
DATASETS = {"brain": 0.5, "noise": 0.0}
"""Signal-to-noise ratio of the two simulated datasets: one to be read, one that holds nothing."""
DRAWS = 2000


@dataclass(frozen=True)
class Shown:
    """One split of the demo with all that was found out about it."""

    method: str
    split: Split
    findings: Findings
    verdicts: dict[str, Verdict]
    examples: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Demo:
    """What the demo found; `report.demo_page` draws it."""

    folder: Path
    table: SampleTable
    shown: tuple[Shown, ...]


def run_demo(folder: Path, say: Callable[[str], None] = lambda line: None) -> Demo:
    """Simulate, split, audit, decode and judge; everything that is made stays in `folder`."""
    for name, snr in DATASETS.items():
        size = f"{SIZE['subjects']} readers of {SIZE['stories'] * SIZE['sentences']} sentences"
        say(f"Simulating {size}, signal-to-noise ratio {snr:g} ...")
        simulate(folder / name, snr=snr, **SIZE)
    table = read_samples(folder / "brain" / "samples.parquet", near_duplicates=0.8)
    shown = []
    for method, words in METHODS.items():
        say(f"Splitting by method {method} ({words}), auditing, decoding ...")
        shown.append(_show(folder, table, method))
    return Demo(folder, table, tuple(shown))


def _show(folder: Path, table: SampleTable, method: str) -> Shown:
    made = split(table, method=method, seed=1)
    write_split(made, folder / f"split-{method}.csv")
    findings = audit(table, made, signals=folder / "brain" / "signals", name=f"split-{method}.csv")
    write_text(folder / f"audit-{method}.json", json.dumps(findings.to_dict(), indent=2, ensure_ascii=False) + "\n")
    verdicts: dict[str, Verdict] = {}
    examples: tuple[tuple[str, str, str], ...] = ()
    for name in DATASETS:
        real, shuffled = _decode(folder / name, made)
        for kind, predictions in (("real", real), ("shuffled", shuffled)):
            _write(predictions, folder / f"predictions-{name}-{method}-{kind}.csv")
        verdicts[name] = judge(real, [shuffled], draws=DRAWS)
        if name == "brain":
            examples = tuple(zip(real.targets, real.predicted, shuffled.predicted, strict=True))
    return Shown(method, made, findings, verdicts, examples)


def _decode(folder: Path, made: Split) -> tuple[Predictions, Predictions]:
    """What the reciter answers on the test part, from real and from shuffled signals."""
    signals, rows = _signals(folder)
    part = dict(zip(made.frame["sample"].to_list(), made.frame["part"].to_list(), strict=True))
    parts = np.array([part[row["sample"]] for row in rows])
    texts = np.array([row["text"] for row in rows], dtype=object)
    model = Reciter.learn(signals[parts == "train"], texts[parts == "train"].tolist())
    test = np.flatnonzero(parts == "test")
    order = np.random.default_rng(1).permutation(test)
    targets, subjects = tuple(texts[test]), tuple(rows[at]["subject"] for at in test)
    samples = tuple(rows[at]["sample"] for at in test)
    return tuple(  # type: ignore[return-value]
        Predictions(name, targets, tuple(model.answer(signals[at])), subjects, samples, "free")
        for name, at in (("real", test), ("shuffled", order))
    )


def _signals(folder: Path) -> tuple[np.ndarray, list[dict[str, Any]]]:
    import pyarrow.parquet as pq

    rows = pq.read_table(folder / "samples.parquet").to_pylist()
    store = SignalStore.open(folder / "signals")
    means = [store.window(row["run"], row["start"], row["n_frames"]).mean(axis=0, dtype=float) for row in rows]
    return np.stack(means), rows


def _write(predictions: Predictions, path: Path) -> None:
    columns = {"sample": predictions.samples, "subject": predictions.subjects,
               "target": predictions.targets, "predicted_free": predictions.predicted}
    with replacing(path) as temporary, open(temporary, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(columns)
        out.writerows(zip(*columns.values(), strict=True))  # type: ignore[arg-type]
