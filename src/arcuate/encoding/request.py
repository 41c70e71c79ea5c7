"""What `arcuate encode` is asked, by options or by a YAML file with the same names, and carrying it out."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from arcuate.atomic import replacing, write_text
from arcuate.datasets.response_dataset import ResponseDataset
from arcuate.datasets.response_readers import response_dataset
from arcuate.datasets.responses import BrainResponses
from arcuate.encoding.align import Alignment
from arcuate.encoding.estimate import Estimate, estimate
from arcuate.encoding.evaluate import evaluate
from arcuate.encoding.features.make import make_features, read_layers
from arcuate.encoding.features.options import FeatureOptions
from arcuate.encoding.features.record import Features
from arcuate.encoding.nulls import autocorrelation_features
from arcuate.encoding.result import EncodingResult
from arcuate.encoding.select import Selection
from arcuate.encoding.settings import EncodingSettings
from arcuate.errors import ArcuateError
from arcuate.metrics.signature import signature

AUTOCORRELATION = "autocorrelation"
FINISHED = "finished"  # beside a result that is not there yet: what is done of it
BLOCKS = 6  # folds of one continuous run, as published for Alice


@dataclass(frozen=True, kw_only=True)
class EncodeRequest:
    """One evaluation as a user asks for it; None leaves the choice to the dataset's kind.

    Examples
    --------
    >>> EncodeRequest(dataset="alice", root=Path("."), features=("glove",)).settings("continuous").folds
    6
    """

    dataset: str
    root: Path
    features: tuple[str, ...]
    alpha: float | str = 10.0
    bands: int = 0
    folds: int | str | None = None
    gap: int = 10
    scores: tuple[str, ...] = ("pairwise", "voxelwise", "rsa")
    select: str = "none"
    voxels: int = 500
    roi: str | None = None
    radius: float = 6.0
    subjects: tuple[str, ...] = ()
    standardise: str = "auto"
    drift: int = 1
    permutations: int = 100
    map_permutations: int = 0
    null: str = "shift"
    partners: int = 1000
    distance: int = 20
    leave_out_lonely: bool = False
    drop_voxels: bool = False
    missing: str = "error"
    align: str = "fir"
    offset: float = 4.0
    delays: tuple[int, ...] = (1, 2, 3, 4)
    context: int = 40
    pooling: str = "last"
    device: str = "cpu"
    seed: int = 1

    def settings(self, kind: str) -> EncodingSettings:
        """The settings of `evaluate`, for data of this kind."""
        folds = self.folds
        if folds is None:
            folds = "leave-two-out" if kind == "isolated" else BLOCKS
        return EncodingSettings(
            alpha=_alpha(self.alpha), bands=self.bands, folds=_folds(folds), gap=self.gap, scores=self.scores,
            select=Selection(self.select, self.voxels, self.seed, self.roi, self.radius),
            standardise=self.standardise, drift=self.drift, permutations=self.permutations,
            map_permutations=self.map_permutations, null=self.null,
            partners=self.partners, distance=self.distance, leave_out_lonely=self.leave_out_lonely,
            drop_voxels=self.drop_voxels, device=self.device, seed=self.seed,
        )

    def feature_options(self) -> FeatureOptions:
        """The settings of `make_features`."""
        alignment = Alignment(method=self.align, offset_s=self.offset, delays=self.delays)  # type: ignore[arg-type]
        return FeatureOptions(
            seed=self.seed, missing=self.missing, context=self.context, pooling=self.pooling,  # type: ignore[arg-type]
            device=self.device, alignment=alignment,
        )


def _alpha(value: float | str) -> Any:
    if value == "cv":
        return "cv"
    try:
        return float(value)
    except ValueError:
        raise ArcuateError(f"alpha is {value!r}. Give a positive number or 'cv'.") from None


def _folds(value: int | str) -> int | str:
    return int(value) if isinstance(value, str) and value.isdigit() else value


def request_from(options: Mapping[str, Any], file: Path | None = None) -> EncodeRequest:
    """A request from options, and from a YAML file for what the options leave open (None).

    Examples
    --------
    >>> request_from({"dataset": "alice", "root": Path("."), "features": ["glove,rate"], "alpha": None}).features
    ('glove', 'rate')
    """
    known = {one.name for one in fields(EncodeRequest)}
    given = {**(_from_yaml(file, known) if file else {}), **{k: v for k, v in options.items() if v is not None}}
    for name in ("dataset", "root", "features"):
        if not given.get(name):
            raise ArcuateError(f"--{name} is missing. Give it as an option or in the YAML file.")
    given["root"] = Path(given["root"])
    for name in ("features", "scores", "subjects", "delays"):
        if name in given:
            given[name] = _many(given[name], int if name == "delays" else str)
    return EncodeRequest(**given)


def _many(value: Any, kind: Callable[[Any], Any]) -> tuple[Any, ...]:
    items = value if isinstance(value, list | tuple) else [value]
    try:
        return tuple(kind(part.strip()) for item in items for part in str(item).split(",") if part.strip())
    except ValueError:
        raise ArcuateError(f"{value!r} does not hold whole numbers.") from None


def _from_yaml(file: Path, known: set[str]) -> dict[str, Any]:
    import yaml

    try:
        found = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ArcuateError(f"{file} cannot be read as YAML: {str(error).splitlines()[0]}.") from error
    if not isinstance(found, dict):
        raise ArcuateError(f"{file} holds no 'name: value' lines. Write the options' names with their values.")
    named = {str(name).replace("-", "_"): value for name, value in found.items()}
    unknown = sorted(set(named) - known)
    if unknown:
        raise ArcuateError(f"{file}: {', '.join(unknown)} is no option. Known: {', '.join(sorted(known))}.")
    return named


def run(
    request: EncodeRequest, announce: Callable[[Estimate], None] | None = None, finished: Path | None = None
) -> EncodingResult:
    """Read, make features, evaluate; `announce` gets the estimate before the work starts.

    With a folder for what is `finished`, a killed run goes on from there.
    """
    dataset = response_dataset(request.dataset)
    settings = request.settings(dataset.kind)
    subjects, left_out = chosen_subjects(dataset, request)
    first = dataset.read(request.root, subjects[0])
    if announce is not None:
        announce(estimate(first, settings, n_subjects=len(subjects), n_features=len(request.features)))
    specs = [spec for spec in request.features if spec != AUTOCORRELATION]
    read_layers(specs, first, request.feature_options())
    result = evaluate(_designs(dataset, subjects, first, request), settings, finished)
    return replace(result, notes=(*(f"left out: {line}" for line in left_out), *result.notes))


def chosen_subjects(dataset: ResponseDataset, request: EncodeRequest) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The subjects asked for, or all that are there with those left out; an unknown one is refused."""
    found = dataset.subjects(request.root)
    unknown = [name for name in request.subjects if name not in found.names]
    if unknown:
        left_out = f" Left out: {'; '.join(found.excluded)}." if found.excluded else ""
        raise ArcuateError(
            f"Subject {unknown[0]!r} is not in {request.dataset}. There are {', '.join(found.names)}.{left_out}"
        )
    return (request.subjects, ()) if request.subjects else (found.names, found.excluded)


def _designs(
    dataset: ResponseDataset, subjects: tuple[str, ...], first: BrainResponses, request: EncodeRequest
) -> Iterator[tuple[BrainResponses, Features]]:
    options = request.feature_options()
    for index, subject in enumerate(subjects):
        data = first if index == 0 else dataset.read(request.root, subject)
        for spec in request.features:
            if spec == AUTOCORRELATION:
                yield data, _autocorrelation(data)
            else:
                design = make_features(spec, data, options)
                yield design.responses, design.features


def _autocorrelation(data: BrainResponses) -> Features:
    if data.kind != "continuous":
        raise ArcuateError(f"{data.name} has isolated stimuli, without neighbours: no autocorrelation features.")
    return Features(AUTOCORRELATION, autocorrelation_features(data.runs), signature(features=AUTOCORRELATION, width=5),
                    rows="scans", of_time=(AUTOCORRELATION,), own_scale=True)  # fmt: skip


def write_result(result: EncodingResult, folder: Path) -> None:
    """Write `result.json`, and `maps.npz` where there are maps; what was kept in case of a kill goes.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> write_result(EncodingResult((), (), (), (), (), {}, "x"), folder)
    >>> [path.name for path in folder.iterdir()]
    ['result.json']
    """
    write_text(folder / "result.json", json.dumps(result.to_dict(), indent=1, ensure_ascii=False, default=str) + "\n")
    if result.maps:
        with replacing(folder / "maps.npz") as temporary, open(temporary, "wb") as file:
            np.savez_compressed(file, **result.maps)  # type: ignore[arg-type]
    shutil.rmtree(folder / FINISHED, ignore_errors=True)
