"""Before any training: the additional test set, every split, its audit, in files that need no polars to read.

The plan is made where polars is; the runs may happen on a bare GPU machine.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from arcuate.atomic import write_text
from arcuate.errors import ArcuateError, NotPossible
from arcuate.progress import track

PLAN = "plan.json"
METHODS = ("a", "b", "c", "d", "e", "f", "optimal")
RATIO = (8, 1, 1)
# Subjects and texts of the additional set are in nobody's training data: a tenth of the samples is aimed at.
ADDITIONAL_RATIO = (9, 1)


@dataclass(frozen=True)
class PlannedSplit:
    """One split of the samples that are left when the additional set is out; `refused` says why there is none."""

    method: str
    seed: int
    file: str | None
    sha256: str | None
    audit: str | None
    counts: dict[str, int]
    refused: str | None = None


@dataclass(frozen=True)
class Plan:
    """The data and the splits of one grid; paths are relative to the grid's folder."""

    name: str
    modality: str
    simulated: bool
    dataset: str
    data_sha256: str
    additional: str
    additional_sha256: str
    additional_samples: int
    splits: tuple[PlannedSplit, ...]


def make_plan(
    dataset: str | Path, out: str | Path, *, name: str | None = None, methods: Sequence[str] = METHODS,
    seeds: Sequence[int] = (1,),
) -> Plan:
    """Carve out the additional test set, make and audit every split, and write the plan to `out`."""
    from arcuate.decoding.data import read_data, split_hashes
    from arcuate.splits.methods import split
    from arcuate.splits.record import write_split

    dataset, out = Path(dataset), Path(out)
    about = _about(dataset)
    name = name or dataset.name
    place = out / "plan" / name
    table = dataset / "samples.parquet"
    first = split(table, "optimal", ADDITIONAL_RATIO, seed=1, time_limit=20)
    rest, additional = _carve(table, first, place)
    write_split(additional, place / "additional.csv")
    planned = [
        _planned(rest, method, seed, place, out) for method, seed in track(
            [(method, seed) for seed in seeds for method in methods], f"splits of {name}")
    ]
    plan = Plan(
        name=name, modality=about["modality"], simulated=about.get("dataset", about.get("name")) == "simulated",
        dataset=os.path.relpath(dataset, out), data_sha256=read_data(dataset).sha256,
        additional=str((place / "additional.csv").relative_to(out)),
        additional_sha256=sorted(split_hashes(place / "additional.csv"))[0],
        additional_samples=additional.counts["test"], splits=tuple(planned),
    )
    write_text(place / PLAN, json.dumps(asdict(plan), indent=1))
    return plan


def read_plans(out: str | Path) -> list[Plan]:
    """Every plan under a grid's folder, by name.

    Examples
    --------
    >>> read_plans("nowhere")
    Traceback (most recent call last):
    ...
    arcuate.errors.ArcuateError: nowhere holds no plan. Make one where polars is installed: arcuate decode controls.
    """
    files = sorted(Path(out).glob(f"plan/*/{PLAN}"))
    if not files:
        raise ArcuateError(f"{out} holds no plan. Make one where polars is installed: arcuate decode controls.")
    return [_plan(json.loads(file.read_text("utf-8"))) for file in files]


def plan_for(
    dataset: str | Path, out: str | Path, *, name: str, methods: Sequence[str], seeds: Sequence[int],
) -> Plan:
    """The plan that is there if it is of this very data with all these splits; else a new one."""
    from arcuate.decoding.data import read_data

    wanted = {(method, seed) for method in methods for seed in seeds}
    file = Path(out) / "plan" / name / PLAN
    if file.is_file():
        plan = _plan(json.loads(file.read_text("utf-8")))
        if plan.data_sha256 == read_data(dataset).sha256 and wanted <= {(s.method, s.seed) for s in plan.splits}:
            return plan
    return make_plan(dataset, out, name=name, methods=methods, seeds=seeds)


def _plan(values: dict[str, Any]) -> Plan:
    return Plan(**{**values, "splits": tuple(PlannedSplit(**one) for one in values["splits"])})


def _about(dataset: Path) -> dict[str, Any]:
    path = dataset / "dataset.json"
    if not path.is_file():
        raise ArcuateError(f"{path} is missing. Name a folder that 'arcuate prepare' or 'arcuate simulate' wrote.")
    return dict(json.loads(path.read_text("utf-8")))


def _carve(table: Path, first: Any, place: Path) -> tuple[Path, Any]:
    """The rest as a table of its own, and the additional set as a split whose only part is 'test'."""
    import polars as pl

    from arcuate.atomic import replacing
    from arcuate.splits.record import read_split

    parts = dict(zip(first.frame["sample"].to_list(), first.frame["part"].to_list(), strict=True))
    rows = pl.read_parquet(table)
    part = pl.Series("part", [parts[str(sample)] for sample in rows["sample"].to_list()])
    rest = place / "rest.parquet"
    with replacing(rest) as temporary:
        rows.filter(part == "train").write_parquet(temporary)
    test = [str(sample) for sample in rows.filter(part == "test")["sample"].to_list()]
    if not test:
        raise NotPossible(f"{table}: no additional test set without a leak can be held out.")
    return rest, read_split({"test": test})


def _planned(rest: Path, method: str, seed: int, place: Path, out: Path) -> PlannedSplit:
    from arcuate.decoding.data import split_hashes
    from arcuate.leakage.audit import audit
    from arcuate.splits.methods import split
    from arcuate.splits.record import write_split

    options = {"time_limit": 20} if method == "optimal" else {}
    try:
        made = split(rest, method, RATIO, seed=seed, **options)
        if not all(made.counts.get(part) for part in ("train", "val", "test")):
            raise NotPossible("a part is empty")
    except ArcuateError as error:  # some designs cannot be split in some ways: the tables say so
        return PlannedSplit(method, seed, None, None, None, {}, str(error).splitlines()[0])
    file = write_split(made, place / f"{method}-{seed}.csv")
    verdict = audit(rest, file, settings={"near_duplicates": None}).verdict
    return PlannedSplit(
        method, seed, str(file.relative_to(out)), sorted(split_hashes(file))[0], verdict,
        {part: int(made.counts.get(part, 0)) for part in ("train", "val", "test", "dropped")},
    )
