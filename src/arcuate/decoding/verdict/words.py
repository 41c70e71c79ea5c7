"""The verdict in one plain sentence, and what a reader must be warned of."""

from __future__ import annotations

from collections.abc import Sequence

from arcuate.decoding.verdict.predictions import Predictions
from arcuate.decoding.verdict.record import READS, WORSE, Difference, Retrieval, ScoredSet
from arcuate.metrics.uncertainty import Clusters

_SHOWN = {"rouge1_p": "ROUGE-1 P", "rouge1_r": "ROUGE-1 R", "rouge1_f": "ROUGE-1 F", "wer": "WER", "cer": "CER",
          "retrieval_rank": "retrieval rank", "retrieval_top1": "retrieval top-1", "retrieval_top5": "retrieval top-5"}


def metric_words(name: str) -> str:
    """A metric's name as people write it.

    Examples
    --------
    >>> metric_words("rouge1_f"), metric_words("bleu2")
    ('ROUGE-1 F', 'BLEU-2')
    """
    return _SHOWN.get(name, name.replace("bleu", "BLEU-"))


def sentence(
    word: str, hardest: Difference, specific: Sequence[Difference], scored: Sequence[ScoredSet], clusters: Clusters,
) -> str:
    """One sentence (two where there is more to say) that a non-statistician can quote."""
    real, metric = scored[0], hardest.metric
    control = next(one for one in scored[1:] if one.name == hardest.control)
    among = "" if len(scored) == 2 else f", the hardest of {len(scored) - 1} controls to beat"
    numbers = (
        f"{metric_words(metric)} is {real.scores[metric].value:.2f} with the real signal and "
        f"{control.scores[metric].value:.2f} with '{hardest.control}'{among}: a gain of {hardest.value:+.2f} "
        f"points, 95% interval {hardest.low:+.2f} to {hardest.high:+.2f}, p {shown_p(hardest.p)}."
    )
    assert real.collapse is not None
    if word == READS:
        return f"This decoder reads the brain: {numbers}"
    if word == WORSE:
        return f"This decoder does worse than a control that cannot read the brain: {numbers}"
    if real.collapse.collapsed:
        return (
            f"No evidence that this decoder reads the brain: its outputs are near-constant "
            f"({real.collapse.distinct_outputs} different ones for {clusters.n_texts} texts, the commonest "
            f"{100 * real.collapse.most_common_share:.0f}% of the time). {numbers}"
        )
    general = max(specific, key=lambda of: of.p)
    if hardest.p <= 0.05 < general.p:
        return (
            f"No evidence that this decoder reads the brain: {numbers} But its outputs score as much better on "
            f"texts they were not made from; the gain on their own texts alone is {general.value:+.2f} points, "
            f"95% interval {general.low:+.2f} to {general.high:+.2f}, p {shown_p(general.p)}."
        )
    detectable = max(hardest.detectable, general.detectable)
    return (
        f"No evidence that this decoder reads the brain: {numbers} With these {clusters.n_texts} texts an effect "
        f"below about {detectable:.2f} points would be missed more often than once in five."
    )


def warnings_about(
    word: str, real: Predictions, scored: Sequence[ScoredSet], retrieval: Retrieval, clusters: Clusters,
) -> tuple[str, ...]:
    """What a reader must know before quoting the verdict."""
    told = []
    forced = [one.name for one in scored if one.teacher_forced]
    if real.generation == "teacher-forced":
        told.append("Teacher-forced outputs: the decoder was given the true words before each word. "
                    "Such scores say nothing about reading the brain; judge free-running outputs.")
    elif forced:
        told.append(f"The outputs of {', '.join(forced)} are token-aligned with their targets: they look "
                    "teacher-forced. If so, the scores say nothing about reading the brain.")
    if clusters.subject is None:
        told.append("Subjects are not known (no column 'subject' with two or more of them): the interval holds "
                    "for new texts read by the same people, not for new people.")
    if scored[0].collapse and scored[0].collapse.collapsed:
        told.append("The outputs are near-constant; a constant says nothing about the signal, whatever it scores.")
    if word == READS and retrieval.p > 0.05:
        told.append("The outputs do not single out their own texts (retrieval is at chance): the gain may come from "
                    "a better guess at texts in general, as when the control's input is unlike any in training.")
    if clusters.n_texts < 20:
        told.append(f"Only {clusters.n_texts} distinct texts: intervals and p are rough.")
    return tuple(told)


def shown_p(p: float) -> str:
    """A p value for people.

    Examples
    --------
    >>> shown_p(0.0342), shown_p(0.00009)
    ('= 0.034', '< 0.001')
    """
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"
