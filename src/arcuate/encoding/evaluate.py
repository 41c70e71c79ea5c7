"""The evaluation: responses and features in, scores with nulls, intervals and a signature out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path

import numpy as np

from arcuate._version import __version__
from arcuate.datasets.responses import BrainResponses, TimedWords
from arcuate.encoding.against_null import Candidate, against_null
from arcuate.encoding.check import check_rows, usable
from arcuate.encoding.features.record import Features
from arcuate.encoding.finished import read_finished, write_finished
from arcuate.encoding.fold_scores import FoldScores, check_selection, lonely_scans
from arcuate.encoding.leave_two_out import Pairs
from arcuate.encoding.nulls import p_value, same_stimuli_order, scan_orders, stimulus_orders
from arcuate.encoding.result import EncodingResult, Evaluated, Score
from arcuate.encoding.scorers import Fits, LeaveTwoOut, PairByPair, Rsa, Scorer, every_pair, folds_of
from arcuate.encoding.settings import EncodingSettings
from arcuate.encoding.summary import ceilings, differences, summarise
from arcuate.errors import ArcuateError
from arcuate.metrics.signature import fingerprint, signature


def evaluate(
    designs: Iterable[tuple[BrainResponses, Features]], settings: EncodingSettings | None = None,
    finished: Path | None = None,
) -> EncodingResult:
    """Score every subject and set of features; subjects may come one at a time, and are not kept.

    What is done is written to the folder `finished`, if there is one, and not done again after a kill.

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
    gathered = _Gathered(settings, finished)
    for data, features in designs:
        gathered.add(data, features)
    return gathered.result()


KEPT_BYTES = 64 * 2**20  # responses up to this size are kept for ceilings, or to go through orders together


@dataclass(eq=False)
class _Gathered:
    """What is known so far: the scores of all subjects, but the responses of a few small ones only."""

    settings: EncodingSettings
    finished: Path | None = None
    evaluated: dict[str, Evaluated | None] = field(default_factory=dict)  # by what they are made from, in order
    waiting: dict[str, list[tuple[str, Candidate]]] = field(default_factory=dict)  # by features: same rows and fits
    notes: dict[str, dict[str, None]] = field(default_factory=dict)  # note -> subjects, in order
    hashes: dict[str, str] = field(default_factory=dict)
    fits: dict[str, tuple[str, Fits, Pairs | None]] = field(default_factory=dict)
    for_ceiling: dict[str, BrainResponses] = field(default_factory=dict)
    dataset: str = ""
    null: str = ""
    feature_lines: dict[str, None] = field(default_factory=dict)

    def add(self, data: BrainResponses, features: Features) -> None:
        if self.dataset not in ("", data.dataset):
            raise ArcuateError(f"Subjects of {self.dataset!r} and {data.dataset!r} came together. Evaluate one.")
        self.dataset = data.dataset
        length = f"({self.settings.null_length})" if self.settings.null == "block" else ""
        self.null = f"{self.settings.null}{length} of features" if data.kind == "continuous" else "permuted stimuli"
        data = usable(data, drop_voxels=self.settings.drop_voxels)
        check_rows(data, features)
        check_selection(self.settings.select, data)
        self._note(data, features)
        candidate = self._candidate(data, features)
        made_from = self._made_from(data, features)
        self.evaluated[made_from] = done = read_finished(self.finished, made_from)
        if done is None:
            self.waiting.setdefault(features.name, []).append((made_from, candidate))
            # Each order of scans needs its own fits, which small subjects share; others need not wait.
            large = {one.data.subject: one.data.responses.nbytes for _, one in chain(*self.waiting.values())}
            if data.kind == "isolated" or sum(large.values()) > KEPT_BYTES:
                self._score()

    def _candidate(self, data: BrainResponses, features: Features) -> Candidate:
        """With its notes; what waits for other fits of these features is scored first."""
        fits, pairs = self._shared(data, features)
        scorer = self._scorer(data, features, fits, pairs)
        numbers = [self.settings.permutations, self.settings.map_permutations]
        if data.kind == "continuous" and features.all_of_time and any(numbers):
            self._say(data, f"{features.name} is made from time alone and has no null: others are compared with it")
            numbers = [0, 0]
        orders, map_orders = (_orders(data, self.settings, number) for number in numbers)
        if max(len(orders), len(map_orders)) < max(numbers):
            self._say(data, f"{max(len(orders), len(map_orders))} circular shifts of {data.n_rows} scans exist: "
                            "all of them make the null")  # fmt: skip
        return Candidate(data, features.name, fits, scorer, orders, map_orders)

    def _made_from(self, data: BrainResponses, features: Features) -> str:
        """All that a subject's scores depend on."""
        arrays = [features.values, data.runs, data.repetitions, data.coordinates, *data.rois.values()]
        stimuli = () if isinstance(data.stimuli, TimedWords) else data.stimuli
        names = [data.subject, features.name, self.hashes[data.subject], *stimuli, *data.rois, str(features.groups),
                 str(features.of_time), str(features.own_scale), str(asdict(self.settings)), __version__]  # fmt: skip
        return fingerprint([
            *(name.encode() for name in names),
            *(np.ascontiguousarray(one).tobytes() if one is not None else b"" for one in arrays),
        ])

    def _score(self, only: str | None = None) -> None:
        """Those who wait, or wait for some features, against their nulls."""
        for name in [only] if only else list(self.waiting):
            group = self.waiting.pop(name, [])
            if group:
                for (made_from, _), done in zip(group, against_null([one for _, one in group]), strict=True):
                    self.evaluated[made_from] = done
                    write_finished(self.finished, made_from, done)

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

    def _scorer(self, data: BrainResponses, features: Features, fits: Fits, pairs: Pairs | None) -> Scorer:
        settings = self.settings
        pairwise, voxelwise = "pairwise" in settings.scores, "voxelwise" in settings.scores
        apart = pairwise and settings.folds == "leave-two-out" and data.kind == "isolated"
        wanted = (*(("pairwise",) if pairwise and not apart else ()), *(("voxelwise",) if voxelwise else ()))
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

    def _shared(self, data: BrainResponses, features: Features) -> tuple[Fits, Pairs | None]:
        """Fits of these features, shared with the last subject if its rows were the same."""
        closed = self._is_closed(data)
        values = np.ascontiguousarray(features.values, dtype=np.float64)
        many = str(data.n_voxels > self.settings.top).encode()  # training scores are fitted only then
        key = fingerprint([values.tobytes(), np.ascontiguousarray(data.runs).tobytes(), many])
        if self.fits.get(features.name, ("",))[0] != key:
            self._score(only=features.name)
            training = FoldScores(data, lambda _: (), self.settings, self.settings.scores).needs_training()
            folds = tuple(folds_of(data, self.settings)) if self._needs_folds(closed) else ()
            fits = Fits(features, data.runs, data.kind, folds, self.settings, training)
            pairs = Pairs.of(values, float(self.settings.alpha)) if closed else None
            self.fits[features.name] = (key, fits, pairs)
        return self.fits[features.name][1:]

    def _is_closed(self, data: BrainResponses) -> bool:
        """Whether all pairs come from one factorisation."""
        s = self.settings
        apart = "pairwise" in s.scores and s.folds == "leave-two-out" and data.kind == "isolated"
        return apart and s.alpha != "cv" and not s.zscores("isolated")[0]

    def _needs_folds(self, closed: bool) -> bool:
        return "voxelwise" in self.settings.scores or ("pairwise" in self.settings.scores and not closed)

    def result(self) -> EncodingResult:
        if not self.evaluated:
            raise ArcuateError("There is no subject to evaluate.")
        self._score()
        evaluated = tuple(one for one in self.evaluated.values() if one is not None)
        scores = tuple(score for one in evaluated for score in _scores(one))
        settings = asdict(self.settings)
        return EncodingResult(
            scores,
            tuple(summarise(evaluated, self.settings.seed)),
            tuple(differences(scores, self.settings.seed)),
            tuple(ceilings(list(self.for_ceiling.values()))),
            tuple(f"{_who(list(names))}: {note}" for note, names in self.notes.items()),
            settings,
            self._signature(),
            {name: values for one in evaluated for name, values in one.maps.items()},
            evaluated,
        )

    def _signature(self) -> str:
        s = self.settings
        data = fingerprint(self.hashes[subject].encode() for subject in sorted(self.hashes))[:12]
        return signature(
            dataset=self.dataset, data=data, subjects=len(self.hashes),
            features=" ; ".join(line.replace("|", ",") for line in self.feature_lines),
            alpha=s.alpha, bands=s.bands or None, folds=s.folds, gap=s.gap, select=s.select.label, top=s.top,
            standardise=s.standardise, drift=s.drift, voxelwise_folds=s.voxelwise_folds, partners=s.partners,
            distance=s.distance, permutations=s.permutations,
            map_permutations=s.map_permutations or None, null=self.null, seed=s.seed,
            device=None if s.device == "cpu" else s.device,
        )


def _who(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def _orders(data: BrainResponses, settings: EncodingSettings, number: int) -> np.ndarray:
    if not number:
        return np.empty((0, data.n_rows), dtype=np.int64)
    if isinstance(data.stimuli, TimedWords):
        return scan_orders(data.n_rows, number, settings.seed, settings.null, settings.null_length)
    orders = stimulus_orders(data.n_rows, number, settings.seed)
    return np.stack([same_stimuli_order(order, data.stimuli) for order in orders])


def _scores(one: Evaluated) -> list[Score]:
    found = []
    for k, (cell, measured) in enumerate(one.cells.items()):
        null = one.null[:, k]
        found.append(Score(
            one.subject, one.features, *cell, measured.value, measured.n, measured.ties, measured.undefined,
            float(null.mean()) if len(null) else float("nan"), p_value(measured.value, null),
        ))
    return found
