"""Which evaluations the tables of Beinborn et al. 2019 need, on the data that are there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from arcuate.datasets.response_dataset import ResponseDataset
from arcuate.datasets.response_readers import response_dataset
from arcuate.encoding.features.make import layer_specs
from arcuate.encoding.request import EncodeRequest
from arcuate.errors import ArcuateError

# Dataset of the paper -> (the published files, what stands in for them where they are missing).
SOURCES = {
    "words": ("mitchell2008", "cognival-mitchell2008"),
    "stories": ("dehghani2017", None),
    "alice": ("alice", None),
    "harry": ("wehbe2014", "cognival-wehbe2014"),
}
STAND_IN = {
    "cognival-mitchell2008": "1000 random voxels of each subject, means over presentations (CogniVal)",
    "cognival-wehbe2014": "word types averaged over the chapter, 100 random voxels (CogniVal): isolated stimuli, "
    "not the time course of the paper",
}
# In ELMo's place. The paper takes its token layer for single words and a contextual layer for running text: of
# SmolLM2 the embedding and the middle of 30 layers.
MODELS_OF_WORDS = ("glove", "smollm2:0")
MODELS_OF_TEXT = ("glove", "smollm2:15")
BASELINES = ("random", "rate", "position", "autocorrelation")
SELECTIONS = ("none", "stable", "ev", "r", "random")
LAYER_STEP = 5
FOLDS_OF_WORD_TYPES = 10


@dataclass(frozen=True)
class Source:
    """What a dataset of the paper is read from; `stand_in` says what differs, empty for the published files."""

    role: str
    dataset: str
    stand_in: str


@dataclass(frozen=True)
class PlannedRun:
    """One evaluation: `name` is its folder, `what` its line for people, `request` all that decides it."""

    name: str
    role: str
    what: str
    request: EncodeRequest


@dataclass(frozen=True)
class Plan:
    """All evaluations, what they read, and what is missing with the files it would need."""

    sources: tuple[Source, ...]
    missing: tuple[str, ...]
    runs: tuple[PlannedRun, ...]


def make_plan(data: Path, *, permutations: int = 100, models: tuple[str, ...] | None = None,
              n_subjects: int | None = None, layers: bool = True, seed: int = 1) -> Plan:  # fmt: skip
    """Look under `data` and plan every table that can be made.

    Examples
    --------
    >>> make_plan(Path("nowhere"))
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: nowhere is not a folder. Give the folder with the datasets (--data DIR).
    """
    data = Path(data)
    if not data.is_dir():
        raise ArcuateError(f"{data} is not a folder. Give the folder with the datasets (--data DIR).")
    sources, missing = _find(data)
    if not sources:
        raise ArcuateError(f"No dataset of the paper is under {data}. " + " ".join(missing))
    base = EncodeRequest(dataset="", root=data, features=(), permutations=permutations, missing="exclude", seed=seed)
    runs: list[PlannedRun] = []
    for source in sources:
        dataset = response_dataset(source.dataset)
        subjects = dataset.subjects(data).names[:n_subjects]
        request = replace(base, dataset=source.dataset, subjects=subjects, align="offset")
        if _single_words(source.dataset):
            request = replace(request, pooling="mean")  # over the pieces of a word
        many = _has_many_voxels(dataset, data, subjects[0])
        runs += _runs_of(source, dataset, request, many, models or _models(source.dataset), layers)
    return Plan(sources, missing, tuple(runs))


def _find(data: Path) -> tuple[tuple[Source, ...], tuple[str, ...]]:
    sources, missing = [], []
    for role, (published, stand_in) in SOURCES.items():
        dataset = response_dataset(published)
        if dataset.is_under(data):
            sources.append(Source(role, published, ""))
            continue
        missing.append(f"{role} ({published}): needs {dataset.files}, from {dataset.source}.")
        if stand_in and response_dataset(stand_in).is_under(data):
            sources.append(Source(role, stand_in, STAND_IN[stand_in]))
    return tuple(sources), tuple(missing)


def _models(dataset: str) -> tuple[str, ...]:
    return MODELS_OF_WORDS if _single_words(dataset) else MODELS_OF_TEXT


def _single_words(dataset: str) -> bool:
    return dataset in ("mitchell2008", *STAND_IN)


def _has_many_voxels(dataset: ResponseDataset, data: Path, subject: str) -> bool:
    return dataset.read(data, subject).n_voxels > 500


def _runs_of(source: Source, dataset: ResponseDataset, request: EncodeRequest, many: bool,
             models: tuple[str, ...], layers: bool) -> list[PlannedRun]:  # fmt: skip
    role = source.role
    main = replace(request, features=(*models, "random"), select="ev" if many else "none")
    if many:
        # Selection by the responses is made anew under every permutation of every pair; the nulls come from
        # the same scores on all voxels.
        main = replace(main, permutations=0)
    if role == "stories":
        main = replace(main, pooling="sentences")
    if role == "harry":
        main = replace(main, folds="runs" if dataset.kind == "continuous" else FOLDS_OF_WORD_TYPES)
    if source.dataset == "cognival-wehbe2014":
        # Over a thousand stimuli: a permutation costs as much as ten of the others.
        main = replace(main, permutations=min(main.permutations, 20))
    runs = [PlannedRun(f"{role}-tables", role, "tables 3 to 6", main)]
    if many:
        nulls = replace(main, select="none", permutations=request.permutations)
        runs.append(PlannedRun(f"{role}-nulls", role, "all voxels, against permuted stimuli", nulls))
    if role == "words":
        runs += _selections(main, dataset, models)
    if dataset.kind == "continuous":
        baselines = replace(main, features=(*models, *BASELINES), align="fir", alpha="cv")
        runs.append(PlannedRun(f"{role}-baselines", role, "against baselines, FIR delays, alpha by voxel", baselines))
    if layers and role in ("words", "alice"):
        curve = replace(main, features=layer_specs("smollm2", LAYER_STEP), permutations=0, scores=("pairwise",))
        if dataset.kind == "continuous":
            curve = replace(curve, align="fir", alpha="cv", scores=("pairwise", "voxelwise"))
        runs.append(PlannedRun(f"{role}-layers", role, "layer by layer", curve))
    return runs


def _selections(main: EncodeRequest, dataset: ResponseDataset, models: tuple[str, ...]) -> list[PlannedRun]:
    runs = []
    for rule in SELECTIONS:
        if rule == "stable" and dataset.name != "mitchell2008":
            continue  # the stand-in has no repetitions
        request = replace(main, features=models, select=rule, scores=("pairwise",), permutations=0)
        runs.append(PlannedRun(f"words-select-{rule}", "words", f"table 2, selection {rule}", request))
    return runs
