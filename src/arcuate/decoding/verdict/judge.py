"""Judge predictions made from real signals against predictions made without: does it read the brain?

One metric decides (ROUGE-1 F unless told otherwise), so that no correction over metrics weakens the test;
the others are reported, Holm-corrected. Every control must be beaten at the 5% level, one-sided, and the
gain must be about the samples' own texts (see `specific`): a claim that needs all of several tests needs no
correction (intersection-union). 'Worse than control' needs one of several, so there Holm's correction
applies. Near-constant outputs hold nothing of the signal, whatever they score: they never read the brain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from arcuate.decoding.verdict.alignment import align
from arcuate.decoding.verdict.baselines import constant_sentence, language_model_alone
from arcuate.decoding.verdict.collapse import collapse, looks_teacher_forced
from arcuate.decoding.verdict.predictions import Predictions
from arcuate.decoding.verdict.record import (
    NO_EVIDENCE,
    READS,
    WORSE,
    Difference,
    Interval,
    Retrieval,
    ScoredSet,
    Verdict,
    Word,
)
from arcuate.decoding.verdict.scoring import Scorer, score_sets
from arcuate.decoding.verdict.specific import specific_merit, with_other_texts
from arcuate.decoding.verdict.words import sentence, warnings_about
from arcuate.errors import ArcuateError, UnknownName
from arcuate.metrics.signature import signature
from arcuate.metrics.text import METRICS, text_scores
from arcuate.metrics.uncertainty import DRAWS, Clusters, Estimates, bootstrap, holm, swap_test
from arcuate.samples.text_identity import text_key

Array = npt.NDArray[np.float64]

LEVEL = 0.05
# The whole gain and the gain on own texts must both be found. They go together closely: so much power
# for each gives 80% for both.
EACH_POWER = 0.825
DECIDES = "rouge1_f"
_BASELINE_ROWS = 20_000


def judge(
    real: Predictions, controls: Sequence[Predictions], *, metric: str = DECIDES,
    metrics: Sequence[str] | None = None, draws: int = DRAWS, seed: int = 0, baselines: bool = True,
) -> Verdict:
    """Compare `real` with every control and say whether it reads the brain.

    Parameters
    ----------
    real, controls
        Predictions for the same samples, from real signals and from shuffled, noise or no signals.
    metric
        The one that decides.
    metrics
        Those reported; all by default.
    draws
        Bootstrap and permutation draws.
    baselines
        Also score a constant sentence and a language model without signal, made from the targets.

    Examples
    --------
    >>> texts = tuple(f"word{n} then word{n + 1} and word{n * 7}" for n in range(30))
    >>> real = Predictions("real", texts, texts)
    >>> noise = Predictions("noise", texts, texts[5:] + texts[:5])
    >>> judge(real, [noise], draws=500).verdict
    'reads the brain'
    >>> judge(noise, [noise], draws=500).verdict
    'no evidence'
    """
    names = _metric_names(metric, metrics)
    if not controls:
        raise ArcuateError("There is no control to compare with. Give at least one (--control FILE).")
    controls = _distinctly_named(real, [align(real, control) for control in controls])
    subjects = real.subjects or next((c.subjects for c in controls if c.subjects), None)
    texts = [text_key(target) or target for target in real.targets]
    clusters = Clusters.of(texts, subjects)
    sets = [real, *controls]
    scorer, table = score_sets(sets, names)
    estimates = bootstrap(table, partial(scorer.of_all, n_sets=len(sets)), clusters, draws=draws, seed=seed)
    differences = _differences(scorer, table, clusters, estimates, controls, draws, seed)
    scored = tuple(_scored(one, scorer, estimates, place) for place, one in enumerate(sets))
    deciding = [of for of in differences if of.metric == metric]
    specific = _specific(sets, scorer, table, clusters, metric, draws, seed)
    assert scored[0].collapse is not None
    word = _word(deciding, specific, scored[0].collapse.collapsed)
    hardest = max(deciding, key=lambda of: (of.p, -of.value))
    retrieval = _retrieval(table, scorer, clusters, draws, seed)
    return Verdict(
        verdict=word, sentence=sentence(word, hardest, specific, scored, clusters), metric=metric,
        generation=real.generation, samples=len(texts), distinct_targets=clusters.n_texts,
        subjects=clusters.n_subjects, real=scored[0], controls=scored[1:],
        baselines=_baselines(real, names, seed) if baselines else (), differences=tuple(differences),
        specific=specific, hardest=hardest.control, retrieval=retrieval,
        warnings=warnings_about(word, real, scored, retrieval, clusters),
        signature=_signature(sets, clusters, metric, draws, seed),
    )


def _metric_names(metric: str, metrics: Sequence[str] | None) -> list[str]:
    names = list(METRICS) if metrics is None else list(dict.fromkeys([*metrics, metric, "retrieval_rank"]))
    for name in (metric, *names):
        if name not in METRICS:
            raise UnknownName("Text metric", name, METRICS)
    return names


def _distinctly_named(real: Predictions, controls: list[Predictions]) -> list[Predictions]:
    """Files of one name in several folders must still be told apart."""
    taken = {real.name}
    named = []
    for control in controls:
        name, number = control.name, 2
        while name in taken:
            name, number = f"{control.name} ({number})", number + 1
        taken.add(name)
        named.append(replace(control, name=name))
    return named


def _differences(
    scorer: Scorer, table: Array, clusters: Clusters, estimates: Estimates,
    controls: Sequence[Predictions], draws: int, seed: int,
) -> list[Difference]:
    n_metrics, width = len(scorer.metrics), scorer.width
    found = []
    for place, control in enumerate(controls, start=1):
        at = slice((len(controls) + place) * n_metrics, (len(controls) + place + 1) * n_metrics)
        of = Estimates(*(getattr(estimates, name)[at] for name in Estimates.__dataclass_fields__))
        above, below = swap_test(
            table[:, :width], table[:, place * width : (place + 1) * width], scorer.merits, clusters, of,
            draws=draws, seed=seed + 1,
        )
        numbers = np.stack([of.value, of.low, of.high, above, below, above, of.detectable(LEVEL, EACH_POWER)], axis=1)
        found += [Difference(control.name, m, *row) for m, row in zip(scorer.metrics, numbers.tolist(), strict=True)]
    return _corrected(found)


def _corrected(found: Sequence[Difference]) -> list[Difference]:
    adjusted = holm([of.p for of in found]).tolist()
    return [replace(of, p_holm=p) for of, p in zip(found, adjusted, strict=True)]


def _specific(
    sets: Sequence[Predictions], scorer: Scorer, table: Array, clusters: Clusters, metric: str, draws: int, seed: int,
) -> tuple[Difference, ...]:
    """The gain over each control that is about the samples' own texts."""
    own = scorer.columns[METRICS[metric].family]
    tables = [
        with_other_texts(one, table[:, place * scorer.width :][:, own], clusters.text, metric, seed)
        for place, one in enumerate(sets)
    ]
    width = tables[0].shape[1]
    merit = partial(specific_merit, metric=metric)

    def gain(sums: Array) -> Array:
        return merit(sums[..., :width]) - merit(sums[..., width:])

    found = []
    for control, rows in zip(sets[1:], tables[1:], strict=True):
        of = bootstrap(np.hstack([tables[0], rows]), gain, clusters, draws=draws, seed=seed + 4)
        above, below = swap_test(tables[0], rows, merit, clusters, of, draws=draws, seed=seed + 5)
        numbers = np.concatenate([of.value, of.low, of.high, above, below, above, of.detectable(LEVEL, EACH_POWER)])
        found.append(Difference(control.name, metric, *numbers.tolist()))
    return tuple(_corrected(found))


def _word(deciding: Sequence[Difference], specific: Sequence[Difference], collapsed: bool) -> Word:
    if any(holm([of.p_worse for of in deciding]) <= LEVEL):
        return WORSE
    if all(of.p <= LEVEL for of in (*deciding, *specific)) and not collapsed:
        return READS
    return NO_EVIDENCE


def _scored(one: Predictions, scorer: Scorer, estimates: Estimates, place: int) -> ScoredSet:
    first = place * len(scorer.metrics)
    intervals = {
        name: Interval(*(float(part[first + n]) for part in (estimates.value, estimates.low, estimates.high)))
        for n, name in enumerate(scorer.metrics)
    }
    forced = one.generation == "teacher-forced" or looks_teacher_forced(one.targets, one.predicted)
    return ScoredSet(one.name, intervals, collapse(one.targets, one.predicted), forced)


def _retrieval(table: Array, scorer: Scorer, clusters: Clusters, draws: int, seed: int) -> Retrieval:
    """The real set's ranks against chance: half of the other texts, whatever the number of texts."""
    rows = table[:, scorer.columns["retrieval"]]
    ranks, ones = rows[:, :1], rows[:, 5:]
    chance = np.hstack([np.full_like(ranks, 0.5), ones])

    def above_chance(sums: Array) -> Array:
        return 100.0 * (sums[..., :1] / sums[..., 1:] - 0.5)

    mine = np.hstack([ranks, ones])
    found = bootstrap(mine, above_chance, clusters, draws=draws, seed=seed + 2)
    p, _ = swap_test(mine, chance, above_chance, clusters, found, draws=draws, seed=seed + 3)
    rank, top1, top5, chance1, chance5 = (100.0 * rows[:, :5].mean(axis=0)).tolist()
    interval = Interval(rank, float(50 + found.low[0]), float(50 + found.high[0]))
    return Retrieval(interval, top1, top5, chance1, chance5, float(p[0]))


def _baselines(real: Predictions, names: Sequence[str], seed: int) -> tuple[ScoredSet, ...]:
    """Scored on evenly spaced rows where there are very many: a mean of 20,000 is sure enough."""
    targets = real.targets[:: max(1, len(real.targets) // _BASELINE_ROWS)]
    said = {
        "constant sentence": constant_sentence(targets, seed),
        "language model alone": language_model_alone(targets, seed),
    }
    return tuple(
        ScoredSet(name, {m: Interval(v, v, v) for m, v in text_scores(targets, outputs, names).items()})
        for name, outputs in said.items()
    )


def _signature(sets: Sequence[Predictions], clusters: Clusters, metric: str, draws: int, seed: int) -> str:
    return signature(
        verdict="v1", real=sets[0].hash, controls=",".join(one.hash for one in sets[1:]), decides=metric,
        metric=METRICS[metric].signature.split("|", 1)[1].rsplit("|", 1)[0].replace("|", ";"),
        generation=sets[0].generation, clusters="text x subject" if clusters.subject is not None else "text",
        draws=draws, seed=seed, test="swap within text, one-sided", level=LEVEL, interval=0.95,
        controls_joined="all must be beaten", corrected="holm",
    )
