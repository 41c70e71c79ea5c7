"""The published table of leakage rates again, on the real Narratives and ZuCo lists.

Who heard which story, and which sentences were read, is all that the rates need: no signal is read.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

from arcuate.errors import ArcuateError, NotPossible
from arcuate.experiments.published_leakage import PUBLISHED
from arcuate.leakage.audit import audit
from arcuate.leakage.findings import Findings
from arcuate.leakage.rates import OVERS, Over, rates
from arcuate.progress import track
from arcuate.samples.read import read_samples
from arcuate.samples.table import SampleTable
from arcuate.splits.methods import METHODS, method_of

WINDOW = 10
SEEDS = (1, 2, 3, 4)
PAIR = "test_train"
ZUCO_SUBJECTS = ("ZAB", "ZDM", "ZDN", "ZGW", "ZJM", "ZJN", "ZJS", "ZKB", "ZKH", "ZKW", "ZMG", "ZPH")
CHECKS = ("subject-overlap", "text-overlap")


def narratives(data: Path) -> SampleTable:
    """Narratives as the papers used it: scans of 64×64×27 voxels that are not excluded, windows of 10 TRs."""
    path = _there(data / "narratives" / "runs.csv")
    return read_samples(path, window=WINDOW, where=["shape=64x64x27", "excluded=0"])


def zuco_rows(data: Path) -> pl.DataFrame:
    """ZuCo 1.0, every sentence of the three tasks for each of the 12 subjects."""
    path = _there(data / "zuco" / "sentences.csv")
    sentences = pl.read_csv(path, infer_schema=False).select(
        pl.col("task").alias("story"), pl.col("index").cast(pl.Int64), pl.col("sentence").alias("text"))
    subjects = pl.DataFrame({"subject": ZUCO_SUBJECTS})
    return subjects.join(sentences, how="cross", maintain_order="left_right").with_columns(
        sample=pl.concat_str("subject", "story", "index", separator=":"))


def zuco(data: Path) -> SampleTable:
    """The ZuCo list as a samples table; texts equal after normalisation are one."""
    return read_samples(zuco_rows(data).drop("index"))


DATASETS: dict[str, Callable[[Path], SampleTable]] = {"narratives": narratives, "zuco": zuco}


def _there(path: Path) -> Path:
    if not path.is_file():
        raise ArcuateError(f"{path} is not there. Give --data the folder that holds narratives/ and zuco/.")
    return path


@dataclass(frozen=True)
class LeakageRun:
    """One split of one dataset, and the rates of all pairs of parts under both averaging rules."""

    dataset: str
    method: str
    seed: int
    kept: float | None
    verdict: str
    rates: dict[Over, dict[str, dict[str, float | None]]]
    refused: str = ""

    def rate(self, name: str, over: Over = "all", pair: str = PAIR) -> float | None:
        """One rate, in percent; None where the method cannot split the dataset."""
        return self.rates[over][name.lower()].get(pair) if self.rates else None


def run_one(table: SampleTable, dataset: str, method: str, seed: int) -> LeakageRun:
    """Split and measure; a method that would leave a part empty is recorded as refused."""
    try:
        split = method_of(method, seed=seed).split(table)
    except NotPossible as error:
        return LeakageRun(dataset, method, seed, None, "refused", {}, str(error))
    found = audit(table, split, checks=CHECKS)
    measured = {over: rates(found.tallies[0], over) for over in OVERS}
    both = {over: {"bslr": dict(one.bslr), "tslr": dict(one.tslr)} for over, one in measured.items()}
    return LeakageRun(dataset, method, seed, split.manifest["retained"], found.verdict, both)


def run_all(
    data: Path, seeds: Iterable[int] = SEEDS, methods: Iterable[str] = tuple(METHODS),
    datasets: Iterable[str] = tuple(DATASETS),
) -> list[LeakageRun]:
    """Every method and seed on every dataset."""
    seeds, methods = list(seeds), list(methods)
    tables = {name: DATASETS[name](data) for name in datasets}
    grid = [(name, method, seed) for name in tables for method in methods for seed in seeds]
    return [run_one(tables[name], name, method, seed) for name, method, seed in track(grid, "splitting")]


@dataclass(frozen=True)
class Reproduced:
    """A published figure and ours, over the seeds."""

    rate: str
    method: str
    dataset: str
    published: float | None
    published_sd: float | None
    ours: dict[Over, tuple[float, float] | None]
    refused: str = ""

    @property
    def difference(self) -> float | None:
        """Ours (mean over all) minus the published mean, in percentage points."""
        ours = self.ours["all"]
        return None if ours is None or self.published is None else ours[0] - self.published


def compare(runs: list[LeakageRun]) -> Iterator[Reproduced]:
    """Ours next to the published figures, rate by rate."""
    for rate in ("BSLR", "TSLR"):
        for dataset, method in dict.fromkeys((run.dataset, run.method) for run in runs):
            own = [run for run in runs if (run.dataset, run.method) == (dataset, method)]
            published, sd = PUBLISHED.get((rate, method, dataset), (None, None))
            yield Reproduced(
                rate, method, dataset, published, sd, {over: _over_seeds(own, rate, over) for over in OVERS},
                next((run.refused for run in own if run.refused), ""),
            )


def _over_seeds(runs: list[LeakageRun], rate: str, over: Over) -> tuple[float, float] | None:
    values = [value for run in runs if (value := run.rate(rate, over)) is not None]
    if not values:
        return None
    return statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else 0.0


@dataclass(frozen=True, eq=False)
class Eeg2Text:
    """The split that EEG2Text's code makes on ZuCo, and what it shares.

    In each task the first int(0.8 N) sentences are train, the next int(0.1 N) val, the rest test, the
    same for every subject.
    """

    data: Path

    @cached_property
    def findings(self) -> Findings:
        """The audit of that split."""
        rows = zuco_rows(self.data)
        size = pl.len().over("subject", "story")
        train, val = (0.8 * size).cast(pl.Int64), (0.1 * size).cast(pl.Int64)
        part = pl.when(pl.col("index") < train).then(pl.lit("train")).when(
            pl.col("index") < train + val).then(pl.lit("val")).otherwise(pl.lit("test"))
        return audit(rows.with_columns(part=part).drop("index"), name="EEG2Text's split of ZuCo")

    def shared_texts(self) -> dict[str, int]:
        """Texts that two parts share: 'test_train', 'val_train', 'test_val'."""
        found = [one for one in self.findings.findings if one.check == "text-overlap"]
        return {"_".join(one.parts): one.culprits for one in found}

    def shared_subjects(self) -> dict[str, int]:
        """Subjects that two parts share."""
        found = [one for one in self.findings.findings if one.check == "subject-overlap"]
        return {"_".join(one.parts): one.culprits for one in found}
