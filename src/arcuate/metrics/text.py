"""Scores of predicted text: BLEU-1..4, ROUGE-1, WER, CER and retrieval, each a function of summed statistics.

A sentence's statistics (n-gram counts, edits) are computed once; a corpus score is a function of their
sums. Bootstrap and permutation therefore add up statistics and never score a sentence again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from arcuate.errors import ArcuateError, UnknownName
from arcuate.metrics.bleu import TOKENIZER, bleu_from_sums, bleu_statistics
from arcuate.metrics.error_rates import cer_statistics, wer_statistics
from arcuate.metrics.retrieval import MAX_CANDIDATES, retrieval_statistics
from arcuate.metrics.rouge import rouge1_statistics
from arcuate.metrics.signature import signature

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TextMetric:
    """A score in percent: which statistics it needs, how their sums become it, and its direction."""

    name: str
    family: str
    from_sums: Callable[[Array], Array]
    higher_is_better: bool
    options: tuple[tuple[str, object], ...]

    @property
    def signature(self) -> str:
        """All that is needed to compute the score again, in the manner of sacrebleu.

        Examples
        --------
        >>> METRICS["rouge1_f"].signature.rsplit("|", 1)[0]
        'metric:rouge1_f|unit:percent|average:sentences|case:lower|stem:no|better:higher'
        """
        better = "higher" if self.higher_is_better else "lower"
        return signature(metric=self.name, unit="percent", **dict(self.options), better=better)


def _ratio(sums: Array, column: int, over: int) -> Array:
    return 100.0 * sums[..., column] / sums[..., over]


def _bleu(order: int) -> TextMetric:
    options = (("average", "corpus"), ("case", "mixed"), ("tok", TOKENIZER), ("smooth", "none"))
    return TextMetric(f"bleu{order}", "bleu", partial(bleu_from_sums, order=order), True, options)


def _rouge(letter: str, column: int) -> TextMetric:
    options = (("average", "sentences"), ("case", "lower"), ("stem", "no"))
    return TextMetric(f"rouge1_{letter}", "rouge1", partial(_ratio, column=column, over=3), True, options)


def _error_rate(name: str) -> TextMetric:
    options = (("average", "pooled"), ("case", "mixed"))
    return TextMetric(name, name, partial(_ratio, column=0, over=1), False, options)


def _retrieval(name: str, column: int) -> TextMetric:
    options = (("average", "sentences"), ("by", "idf-cosine"), ("candidates", MAX_CANDIDATES))
    return TextMetric(f"retrieval_{name}", "retrieval", partial(_ratio, column=column, over=5), True, options)


# Family of statistics -> the function that computes them for all sentences at once.
STATISTICS: dict[str, Callable[[Sequence[str], Sequence[str]], Array]] = {
    "bleu": bleu_statistics,
    "rouge1": rouge1_statistics,
    "wer": wer_statistics,
    "cer": cer_statistics,
    "retrieval": retrieval_statistics,
}
METRICS: dict[str, TextMetric] = {
    metric.name: metric
    for metric in (
        _bleu(1), _bleu(2), _bleu(3), _bleu(4),
        _rouge("p", 0), _rouge("r", 1), _rouge("f", 2),
        _error_rate("wer"), _error_rate("cer"),
        _retrieval("rank", 0), _retrieval("top1", 1), _retrieval("top5", 2),
    )
}


def check_pairs(targets: Sequence[str], predicted: Sequence[str]) -> None:
    """Refuse what other tools cut or skip in silence: unequal lengths, no pairs, empty targets.

    Examples
    --------
    >>> check_pairs(["a", "b"], ["a"])
    Traceback (most recent call last):
    ...
    arcuate.errors.ArcuateError: 2 targets but 1 predictions. Give one prediction for each target.
    """
    if isinstance(targets, str) or isinstance(predicted, str):
        raise ArcuateError("Targets and predictions are lists of sentences, not one string.")
    if len(targets) != len(predicted):
        raise ArcuateError(
            f"{len(targets)} targets but {len(predicted)} predictions. Give one prediction for each target."
        )
    if len(targets) == 0:
        raise ArcuateError("There is no target to score. Give at least one pair.")
    empty = [row for row, target in enumerate(targets) if not target.strip()]
    if empty:
        raise ArcuateError(
            f"{len(empty)} targets are empty, the first at row {empty[0]} (from 0). "
            "Leave out samples without a text; only a prediction may be empty."
        )


def text_statistics(
    targets: Sequence[str], predicted: Sequence[str], metrics: Iterable[str] | None = None,
) -> dict[str, Array]:
    """Statistics of every family that `metrics` (default: all) needs, one row a sentence.

    Examples
    --------
    >>> text_statistics(["the cat sat"], ["the bat sat"], ["wer"])
    {'wer': array([[1., 3.]])}
    """
    check_pairs(targets, predicted)
    families = dict.fromkeys(_metric(name).family for name in (METRICS if metrics is None else metrics))
    return {family: STATISTICS[family](targets, predicted) for family in families}


def text_scores(
    targets: Sequence[str], predicted: Sequence[str], metrics: Iterable[str] | None = None,
) -> dict[str, float]:
    """Every score of `metrics` (default: all) in percent; an empty prediction is legal and scores 0.

    Examples
    --------
    >>> text_scores(["the cat sat"], ["the bat sat"], ["bleu1", "rouge1_f", "wer"])
    {'bleu1': 66.66666666666666, 'rouge1_f': 66.66666666666666, 'wer': 33.333333333333336}
    """
    names = list(METRICS if metrics is None else metrics)
    statistics = text_statistics(targets, predicted, names)
    sums = {family: rows.sum(axis=0) for family, rows in statistics.items()}
    return {name: float(METRICS[name].from_sums(sums[METRICS[name].family])) for name in names}


def text_score(metric: str, targets: Sequence[str], predicted: Sequence[str]) -> float:
    """One score in percent.

    Examples
    --------
    >>> text_score("wer", ["the cat sat"], ["the bat sat"])
    33.333333333333336
    """
    return text_scores(targets, predicted, [metric])[metric]


def _metric(name: str) -> TextMetric:
    if name not in METRICS:
        raise UnknownName("Text metric", name, METRICS)
    return METRICS[name]
