"""BERTScore, an extra: similarity of contextual embeddings; higher is better."""

from __future__ import annotations

from collections.abc import Sequence

from arcuate.errors import MissingExtra
from arcuate.metrics.text import check_pairs


def bertscore_f(targets: Sequence[str], predicted: Sequence[str], model: str = "roberta-large") -> float:
    """Mean BERTScore F in percent, without baseline rescaling; `model` is a hub name or a path.

    An empty prediction scores 0.

    Examples
    --------
    >>> bertscore_f(["a"], [])
    Traceback (most recent call last):
    ...
    arcuate.errors.ArcuateError: 1 targets but 0 predictions. Give one prediction for each target.
    """
    check_pairs(targets, predicted)
    try:
        from bert_score import BERTScorer
    except ImportError as error:
        raise MissingExtra("bert-score", "bertscore") from error
    spoken = [row for row, output in enumerate(predicted) if output.strip()]
    if not spoken:
        return 0.0
    scorer = BERTScorer(model_type=model, lang="en")
    f_measures = scorer.score([predicted[row] for row in spoken], [targets[row] for row in spoken])[2]
    return 100.0 * float(f_measures.sum()) / len(predicted)
