"""The evaluation: responses and features in, scores with nulls, intervals and a signature out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace

import numpy as np

from arcuate.datasets.responses import BrainResponses, TimedWords
from arcuate.encoding.check import check_rows, usable
from arcuate.encoding.features.record import Features
from arcuate.encoding.fold_scores import FoldScores, check_selection, lonely_scans
from arcuate.encoding.leave_two_out import Pairs
from arcuate.encoding.nulls import p_value, same_stimuli_order, scan_orders, stimulus_orders
from arcuate.encoding.result import EncodingResult, Evaluated, Score
from arcuate.encoding.scorers import Fits, LeaveTwoOut, PairByPair, Rsa, Scorer, every_pair, folds_of
from arcuate.encoding.settings import EncodingSettings
from arcuate.encoding.summary import ceilings, differences, summarise
from arcuate.errors import ArcuateError
from arcuate.metrics.fdr import benjamini_hochberg
from arcuate.metrics.signature import fingerprint, signature
from arcuate.progress import track


def evaluate(
    designs: Iterable[tuple[BrainResponses, Features]], settings: EncodingSettings | None = None
) -> EncodingResult:
    """Score every subject and set of features; subjects may come one at a time, and are not kept.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> data = BrainResponses(dataset="toy", subject="1", kind="isolated", stimuli=tuple("abcdefgh"),
    ...                       responses=rng.normal(size=(8, 5)))
    >>> features = Features("toy", rng.normal(size=(8, 2)), "toy")
    >>> result = evaluate([(data, features)], EncodingSettings(scores=("pairwise",), permutations=9))
    >>> len(result.scores), result.summary[0].n_subjects
    (9, 1)
    """
    settings = settings or EncodingSettings()
    gathered = _Gathered(settings)
    for data, features in designs:
        gathered.add(data, features)
    return gathered.result()


BATCH = 100  # permutations handed on together
KEPT_BYTES = 64 * 2**20  # responses up to this size are kept for ceilings


@dataclass(eq=False)
class _Gathered:
    """What is known so far; holds scores of all subjects but the responses of none."""

    settings: EncodingSettings
    evaluated: list[Evaluated] = field(default_factory=list)
    notes: dict[str, dict[str, None]] = field(default_factory=dict)  # note -> subjects, in order
    hashes: dict[str, str] = field(default_factory=dict)
    fits: dict[str, tuple[str, Fits, Pairs | None]] = field(default_factory=dict)
    for_ceiling: dict[str, BrainResponses] = field(default_factory=dict)
    dataset: str = ""
    feature_lines: dict[str, None] = field(default_factory=dict)

    def add(self, data: BrainResponses, features: Features) -> None:
        if self.dataset not in ("", data.dataset):
            raise ArcuateError(f"Subjects of {self.dataset!r} and {data.dataset!r} came together. Evaluate one.")
        self.dataset = data.dataset
        data = usable(data, drop_voxels=self.settings.drop_voxels)
        check_rows(data, features)
        check_selection(self.settings.select, data)
        self._note(data, features)
        scorer = self._scorer(data, features)
        orders = _orders(data, self.settings)
        if len(orders) < self.settings.permutations:
            self._say(data, f"{len(orders)} circular shifts of {data.n_rows} scans exist: all of them make the null")
        self.evaluated.append(_evaluated(data, features, scorer, orders))
        if len(orders) and not all(map(scorer.has_null, self.evaluated[-1].cells)):
            self._say(data, "R² of scans has no null: it pays for drift that is unknown in any order")

    def _say(self, data: BrainResponses, note: str) -> None:
        self.notes.setdefault(note, {})[data.name] = None

    def _note(self, data: BrainResponses, features: Features) -> None:
        for note in (*data.excluded, *features.notes):
            self._say(data, note)
        values = np.ascontiguousarray(data.responses)
        self.hashes[data.subject] = fingerprint([str(values.shape).encode(), values.data])  # type: ignore[list-item]
        self.feature_lines[features.signature] = None
        if (data.rois or data.repetitions is not None) and data.responses.nbytes < KEPT_BYTES:
            self.for_ceiling.setdefault(data.subject, data)

    def _scorer(self, data: BrainResponses, features: Features) -> Scorer:
        settings = self.settings
        pairwise, voxelwise = "pairwise" in settings.scores, "voxelwise" in settings.scores
        apart = pairwise and settings.folds == "leave-two-out" and data.kind == "isolated"
        closed = apart and settings.alpha != "cv" and not settings.zscores("isolated")[0]
        wanted = (*(("pairwise",) if pairwise and not apart else ()), *(("voxelwise",) if voxelwise else ()))
        fits, pairs = self._shared(data, features, closed)
        folds = FoldScores(data, fits, settings, wanted) if wanted else None
        leave_two_out: LeaveTwoOut | PairByPair | None = None
        if pairs is not None:
            leave_two_out = LeaveTwoOut(data, pairs, settings)
        elif apart:
            pair_fits = replace(fits, folds=tuple(every_pair(data.n_rows)))
            leave_two_out = PairByPair(FoldScores(data, pair_fits, settings, ("pairwise",)))
        if folds is not None and pairwise and data.kind == "continuous" and settings.leave_out_lonely:
            lonely = lonely_scans(fits(), settings.distance)
            if lonely:
                self._say(data, f"{lonely} scans without a partner {settings.distance} steps away")
        return Scorer(leave_two_out, folds, Rsa(data, features, settings) if "rsa" in settings.scores else None)

    def _shared(self, data: BrainResponses, features: Features, closed: bool) -> tuple[Fits, Pairs | None]:
        """Fits of these features, shared with the last subject if its rows were the same."""
        values = np.ascontiguousarray(features.values, dtype=np.float64)
        many = str(data.n_voxels > self.settings.top).encode()  # training scores are fitted only then
        key = fingerprint([values.tobytes(), np.ascontiguousarray(data.runs).tobytes(), many])
        if self.fits.get(features.name, ("",))[0] != key:
            training = FoldScores(data, tuple, self.settings, self.settings.scores).needs_training()
            folds = tuple(folds_of(data, self.settings)) if self._needs_folds(closed) else ()
            fits = Fits(features, data.runs, data.kind, folds, self.settings, training)
            pairs = Pairs.of(values, float(self.settings.alpha)) if closed else None
            self.fits[features.name] = (key, fits, pairs)
        return self.fits[features.name][1:]

    def _needs_folds(self, closed: bool) -> bool:
        return "voxelwise" in self.settings.scores or ("pairwise" in self.settings.scores and not closed)

    def result(self) -> EncodingResult:
        if not self.evaluated:
            raise ArcuateError("There is no subject to evaluate.")
        scores = tuple(score for one in self.evaluated for score in _scores(one))
        settings = asdict(self.settings)
        return EncodingResult(
            scores,
            tuple(summarise(self.evaluated, self.settings.seed)),
            tuple(differences(scores, self.settings.seed)),
            tuple(ceilings(list(self.for_ceiling.values()))),
            tuple(f"{_who(list(names))}: {note}" for note, names in self.notes.items()),
            settings,
            self._signature(),
            {name: values for one in self.evaluated for name, values in one.maps.items()},
            tuple(self.evaluated),
        )

    def _signature(self) -> str:
        s = self.settings
        data = fingerprint(self.hashes[subject].encode() for subject in sorted(self.hashes))[:12]
        return signature(
            dataset=self.dataset, data=data, subjects=len(self.hashes),
            features=" ; ".join(line.replace("|", ",") for line in self.feature_lines),
            alpha=s.alpha, bands=s.bands or None, folds=s.folds, gap=s.gap, select=s.select.label, top=s.top,
            standardise=s.standardise, drift=s.drift, voxelwise_folds=s.voxelwise_folds, partners=s.partners,
            distance=s.distance, permutations=s.permutations, null=f"{s.null}({s.null_length})", seed=s.seed,
            device=None if s.device == "cpu" else s.device,
        )


def _who(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def _orders(data: BrainResponses, settings: EncodingSettings) -> np.ndarray:
    if isinstance(data.stimuli, TimedWords):
        if not settings.permutations:
            return np.empty((0, data.n_rows), dtype=np.int64)
        return scan_orders(data.n_rows, settings.permutations, settings.seed, settings.null, settings.null_length)
    orders = stimulus_orders(data.n_rows, settings.permutations, settings.seed)
    return np.stack([same_stimuli_order(order, data.stimuli) for order in orders]) if len(orders) else orders


def _evaluated(data: BrainResponses, features: Features, scorer: Scorer, orders: np.ndarray) -> Evaluated:
    cells, by_voxel = scorer.score([None])[0]
    null = np.empty((len(orders), len(cells)))
    above = np.zeros(data.n_voxels)
    batches = [range(start, min(start + BATCH, len(orders))) for start in range(0, len(orders), BATCH)]
    for batch in track(batches, f"{data.name} {features.name}: permutations by {BATCH}"):
        for k, (permuted, of_voxel) in zip(batch, scorer.score(list(orders[batch])), strict=True):
            null[k] = [permuted[cell].value if scorer.has_null(cell) else np.nan for cell in cells]
            if by_voxel is not None and of_voxel is not None:
                above += of_voxel >= by_voxel
    maps = {}
    if by_voxel is not None:
        name = f"{data.subject}/{features.name}"
        maps[f"{name}/r"] = by_voxel
        if len(orders):
            p = np.where(np.isnan(by_voxel), np.nan, (1 + above) / (1 + len(orders)))
            maps |= {f"{name}/p": p, f"{name}/q": benjamini_hochberg(p)}
    return Evaluated(data.subject, features.name, cells, null, maps)


def _scores(one: Evaluated) -> list[Score]:
    found = []
    for k, (cell, measured) in enumerate(one.cells.items()):
        null = one.null[:, k]
        found.append(Score(
            one.subject, one.features, *cell, measured.value, measured.n, measured.ties, measured.undefined,
            float(null.mean()) if len(null) else float("nan"), p_value(measured.value, null),
        ))
    return found
