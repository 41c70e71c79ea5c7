"""The tables of Beinborn et al. 2019 again: each evaluation is kept, so that a stopped run goes on where it was."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from arcuate._version import __version__
from arcuate.atomic import replacing, write_text
from arcuate.datasets.response_readers import response_dataset
from arcuate.datasets.responses import TimedWords
from arcuate.encoding.features.make import make_features, read_layers
from arcuate.encoding.request import FINISHED, EncodeRequest, run, write_result
from arcuate.errors import ArcuateError
from arcuate.experiments.encoding_plan import Plan, PlannedRun, make_plan
from arcuate.experiments.published_encoding import TITLES, PublishedFigure, published_figures
from arcuate.metrics.rsa import dissimilarity
from arcuate.metrics.signature import fingerprint, signature


@dataclass(frozen=True)
class ReproducedRow:
    """One published figure beside one of ours; `ours` is None where the data are missing."""

    table: str
    dataset: str
    data: str
    metric: str
    match: str | None
    aggregate: str | None
    voxels: str | None
    select: str | None
    published: float
    published_random: float | None
    features: str
    ours: float | None
    low: float | None
    high: float | None
    n_subjects: int
    null_mean: float | None
    p: float | None


@dataclass(frozen=True, eq=False)
class Rdms:
    """Cosine distances between the words of Words: of the brain (mean over subjects) and of each feature."""

    stimuli: tuple[str, ...]
    matrices: dict[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class Reproduction:
    """All rows, the results they come from (as JSON, by run), and what could not be made."""

    plan: Plan
    rows: tuple[ReproducedRow, ...]
    results: dict[str, dict[str, Any]]
    excluded: tuple[str, ...]
    signature: str
    rdms: Rdms | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON of the whole: tables, sources, missing data, results."""
        return {
            "tables": {name: [asdict(r) for r in self.rows if r.table == name] for name in TITLES},
            "sources": [asdict(source) for source in self.plan.sources],
            "missing": list(self.plan.missing),
            "excluded": list(self.excluded),
            "results": self.results,
            "signature": self.signature,
        }


def reproduce_encoding(
    data: Path, out: Path, *, announce: Callable[[str], None] = lambda _: None, **options: Any
) -> Reproduction:
    """Make every table that the data allow; write CSV and JSON under `out`. Options are those of `make_plan`.

    Examples
    --------
    >>> reproduce_encoding(Path("nowhere"), Path("out"))
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: nowhere is not a folder. Give the folder with the datasets (--data DIR).
    """
    plan = make_plan(data, **options)
    for line in plan.missing:
        announce(f"missing: {line}")
    results = {}
    for number, planned in enumerate(plan.runs, start=1):
        folder = Path(out) / "runs" / planned.name
        kept = _kept(folder, planned.request)
        state = "kept from before" if kept is not None else "running"
        announce(f"{number}/{len(plan.runs)} {planned.name} ({planned.request.dataset}): {planned.what}, {state}")
        results[planned.name] = kept if kept is not None else _carry_out(planned, plan, folder)
    rows = tuple(_rows(plan, results))
    rdms = _rdms(plan, Path(out))
    excluded = tuple(
        f"{source.role}: {line}"
        for source in plan.sources
        for line in response_dataset(source.dataset).subjects(Path(data)).excluded
    )
    lines = [results[name]["signature"] for name in results]
    line = signature(
        reproduce="encoding", runs=len(lines), results=fingerprint(line.encode() for line in lines)[:12]
    )
    made = Reproduction(plan, rows, results, excluded, line, rdms)
    _write(made, Path(out))
    return made


def _carry_out(planned: PlannedRun, plan: Plan, folder: Path) -> dict[str, Any]:
    """Language models run once for all layers that any evaluation of this dataset needs."""
    request = planned.request
    specs = [spec for other in plan.runs if other.request.dataset == request.dataset for spec in other.request.features]
    specs = [spec for spec in specs if spec != "autocorrelation"]
    first = response_dataset(request.dataset).read(request.root, request.subjects[0])
    read_layers(specs, first, request.feature_options())
    result = run(request, finished=folder / FINISHED)
    write_result(result, folder)
    write_text(folder / "request.json", json.dumps(_settings(request), indent=1) + "\n")
    # Read back, so that a fresh run and one that goes on give the same bytes.
    return _read_result(folder)


def _kept(folder: Path, request: EncodeRequest) -> dict[str, Any] | None:
    asked = folder / "request.json"
    if not asked.is_file() or json.loads(asked.read_text(encoding="utf-8")) != _settings(request):
        return None
    return _read_result(folder)


def _settings(request: EncodeRequest) -> dict[str, Any]:
    """All that decides the result; where the data lie does not."""
    settings = {name: value for name, value in asdict(request).items() if name != "root"}
    settings["arcuate"] = __version__
    return json.loads(json.dumps(settings, default=str))


def _read_result(folder: Path) -> dict[str, Any]:
    try:
        return json.loads((folder / "result.json").read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError) as error:
        raise ArcuateError(f"{folder / 'result.json'} cannot be read. Remove {folder} and run again.") from error


def _rdms(plan: Plan, out: Path) -> Rdms | None:
    planned = next((one for one in plan.runs if one.name == "words-tables"), None)
    if planned is None:
        return None
    request = planned.request
    dataset = response_dataset(request.dataset)
    subjects = [dataset.read(request.root, name) for name in request.subjects]
    stimuli = subjects[0].stimuli
    if isinstance(stimuli, TimedWords) or any(one.stimuli != stimuli for one in subjects):
        return None
    matrices = {"brain": np.mean([dissimilarity(one.responses) for one in subjects], axis=0)}
    for spec in request.features:
        design = make_features(spec, subjects[0], request.feature_options())
        if design.responses.n_rows == subjects[0].n_rows:
            matrices[spec] = dissimilarity(design.features.values)
    with replacing(out / "runs" / planned.name / "rdms.npz") as temporary, open(temporary, "wb") as file:
        np.savez_compressed(file, **matrices)  # type: ignore[arg-type]
    return Rdms(stimuli, matrices)


def _rows(plan: Plan, results: dict[str, dict[str, Any]]) -> Iterable[ReproducedRow]:
    sources = {source.role: source for source in plan.sources}
    for figure in published_figures():
        source = sources.get(figure.dataset)
        name = f"words-select-{figure.select}" if figure.select else f"{figure.dataset}-tables"
        found = [line for line in results.get(name, {"summary": []})["summary"] if _is(line, figure)]
        data = "missing" if source is None else ("stand-in" if source.stand_in else "published files")
        if not found:
            yield _row(figure, data, None)
        for line in found:
            yield _row(figure, data, line)


def _is(line: dict[str, Any], figure: PublishedFigure) -> bool:
    names = ("score", "metric", "match", "aggregate")
    same = all(line[name] == getattr(figure, name) for name in names)
    # Pairwise tables have one voxel set a run, named after its selection.
    return same and (figure.voxels is None or line["voxels"] == figure.voxels)


def _row(figure: PublishedFigure, data: str, line: dict[str, Any] | None) -> ReproducedRow:
    found = line or {}
    return ReproducedRow(
        table=figure.table, dataset=figure.dataset, data=data, metric=figure.metric, match=figure.match,
        aggregate=figure.aggregate, voxels=found.get("voxels", figure.voxels), select=figure.select,
        published=figure.value, published_random=figure.random, features=found.get("features", ""),
        ours=found.get("mean"), low=found.get("low"), high=found.get("high"),
        n_subjects=found.get("n_subjects", 0), null_mean=found.get("null_mean"), p=found.get("p"),
    )  # fmt: skip


def _write(made: Reproduction, out: Path) -> None:
    for name in TITLES:
        write_text(out / f"{name}.csv", _csv([row for row in made.rows if row.table == name]))
    text = json.dumps(made.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)
    write_text(out / "encoding.json", text + "\n")


def _csv(rows: list[ReproducedRow]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    names = [field.name for field in fields(ReproducedRow)]
    writer.writerow(names)
    for row in rows:
        values = [getattr(row, name) for name in names]
        writer.writerow(["" if v is None else f"{v:.4f}" if isinstance(v, float) else v for v in values])
    return buffer.getvalue()
