"""The verdict as one page: the answer, the evidence, and the outputs side by side to judge by eye."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from arcuate.atomic import write_text
from arcuate.decoding.verdict.predictions import Predictions
from arcuate.decoding.verdict.record import NO_EVIDENCE, READS, Difference, Verdict
from arcuate.decoding.verdict.words import metric_words, shown_p
from arcuate.metrics.rouge import rouge1_statistics
from arcuate.report import blocks
from arcuate.report.blocks import Bullets, Column, Facts, Figures, Paragraph, Section, Table, Tag
from arcuate.report.intervals import interval_picture
from arcuate.report.page import render_page

# Enough to read and to search; a page of all 100,000 would not open.
OUTPUTS_SHOWN = 400


def write_verdict_page(
    found: Verdict, real: Predictions, controls: Sequence[Predictions], path: str | Path,
) -> Path:
    """Write the page of a verdict on `real` against `controls`."""
    return write_text(path, verdict_page(found, real, controls))


def verdict_page(found: Verdict, real: Predictions, controls: Sequence[Predictions]) -> str:
    """The page as one string of HTML."""
    tone: blocks.Tone = "good" if found.verdict == READS else "caution" if found.verdict == NO_EVIDENCE else "bad"
    answer = blocks.Verdict(found.verdict.capitalize(), found.sentence, tone, found.warnings)
    sections = [_evidence(found), _scores(found), _variety(found), _outputs(found, real, controls), _method(found)]
    return render_page(
        f"Verdict on {found.real.name}", answer, sections,
        subtitle=f"{found.samples:,} samples, {found.distinct_targets:,} distinct texts, "
                 f"{len(found.controls)} control{'s' if len(found.controls) > 1 else ''}",
        signature=found.signature,
    )


def _evidence(found: Verdict) -> Section:
    deciding = [of for of in found.differences if of.metric == found.metric]
    labelled = [(f"over {of.control}", of) for of in deciding]
    labelled += [(f"over {of.control}, on own texts", of) for of in found.specific]
    hard = found.difference()
    figures = Figures((
        (f"{hard.value:+.2f}", f"points of {metric_words(found.metric)} over the hardest control", "neutral"),
        (shown_p(hard.p).removeprefix("= "), "p, labels swapped within texts", "good" if hard.p <= 0.05 else "caution"),
        (f"{found.detectable:.2f}", "points: the smallest gain found four times in five", "neutral"),
    ))
    picture = interval_picture(
        [(label, of.value, of.low, of.high) for label, of in labelled],
        f"Gain in {metric_words(found.metric)} with 95% intervals; left of the line the control is better.",
    )
    own = "The gain 'on own texts' leaves out what the outputs would also gain on other samples' texts."
    return Section("evidence", "Is there a gain over what cannot read the brain?",
                   (figures, picture, _gain_table([of for _, of in labelled], [label for label, _ in labelled])), own)


def _gain_table(rows: Sequence[Difference], labels: Sequence[str]) -> Table:
    return Table(
        "Gain of the real signal, in points", (
            "over", Column("gain", True), Column("low", True), Column("high", True), Column("p", True, 4),
            Column("p, Holm", True, 4, "corrected over all controls and scores"), Column("detectable", True),
            "beaten",
        ),
        [(label, of.value, of.low, of.high, of.p, of.p_holm, of.detectable,
          Tag("yes", "good") if of.p <= 0.05 else Tag("no", "caution"))
         for label, of in zip(labels, rows, strict=True)],
    )


def _scores(found: Verdict) -> Section:
    names = sorted(found.real.scores, key=lambda name: name != found.metric)
    parts = [(found.real, "real"), *((c, "control") for c in found.controls),
             *((b, "baseline") for b in found.baselines)]
    table = Table(
        "Scores in percent", ("predictions", "what", *(Column(metric_words(name), True) for name in names)),
        [(part.name, what, *(part.scores[name].value for name in names)) for part, what in parts],
        note="WER and CER: lower is better. Retrieval rank: 50 is chance.",
    )
    differences = Table(
        "Gain in every score",
        ("over", "score", Column("gain", True), Column("low", True), Column("high", True), Column("p", True, 4),
         Column("p, Holm", True, 4)),
        [(of.control, metric_words(of.metric), of.value, of.low, of.high, of.p, of.p_holm)
         for of in found.differences],
        search=True, note="Error rates are turned round, so that more is better everywhere.",
    )
    return Section("scores", "All scores", (table, differences))


def _variety(found: Verdict) -> Section:
    parts = [part for part in (found.real, *found.controls) if part.collapse is not None]
    rows = []
    for part in parts:
        of = part.collapse
        assert of is not None
        rows.append((
            part.name, of.distinct_outputs, of.effective_outputs, 100 * of.most_common_share, 100 * of.similarity,
            Tag("near-constant", "bad") if of.collapsed else Tag("varied", "good"),
            Tag("yes", "bad") if part.teacher_forced else Tag("no", "good"), of.most_common,
        ))
    table = Table(
        "What the decoders say", (
            "predictions", Column("distinct outputs", True, 0), Column("effective", True, 0, "exp of the entropy"),
            Column("commonest, %", True, 1), Column("alike, %", True, 1, "ROUGE-1 F of outputs for different texts"),
            "variety", "token-aligned with targets", "commonest output",
        ), rows,
    )
    ranks = found.retrieval
    told = Facts({
        "True text ranks above": f"{ranks.rank.value:.1f}% of the others, 95% interval {ranks.rank.low:.1f} to "
                                 f"{ranks.rank.high:.1f}; chance is 50%",
        "First of all texts": f"{ranks.top1:.2f}% of the time; chance is {ranks.chance_top1:.2f}%",
        "Among the first five": f"{ranks.top5:.2f}%; chance is {ranks.chance_top5:.2f}%",
        "p": shown_p(ranks.p).removeprefix("= "),
    })
    return Section("variety", "Do the outputs depend on the sample?", (table, told),
                   "A decoder that says the same to everyone reads nothing; one that reads singles out its text.")


def _outputs(found: Verdict, real: Predictions, controls: Sequence[Predictions]) -> Section:
    chosen = _chosen(len(real.targets))
    sets = [real, *controls]
    names = [found.real.name, *(control.name for control in found.controls)]
    overlap = [
        100 * rouge1_statistics([one.targets[row] for row in chosen], [one.predicted[row] for row in chosen])[:, 2]
        for one in (real, controls[0])
    ]
    gain = overlap[0] - overlap[1]
    rows = [
        (row + 1, real.targets[row], *(one.predicted[row] for one in sets), overlap[0][n], gain[n])
        for n, row in enumerate(chosen)
    ]
    cut = f"{len(chosen)} of {len(real.targets):,} samples, evenly spaced. " if len(chosen) < len(real.targets) else ""
    table = Table(
        "Outputs side by side",
        (Column("row", True, 0), "target", *names, Column("ROUGE-1 F", True, 1), Column("gain", True, 1)),
        rows, search=True,
        note=f"{cut}ROUGE-1 F of {names[0]}, and its gain over {names[1]}.",
    )
    return Section("outputs", "What was read, and what was said", (table,))


def _chosen(samples: int) -> list[int]:
    if samples <= OUTPUTS_SHOWN:
        return list(range(samples))
    return np.unique(np.linspace(0, samples - 1, OUTPUTS_SHOWN).astype(int)).tolist()


def _method(found: Verdict) -> Section:
    people = f" crossed with {found.subjects} subjects" if found.subjects > 1 else ""
    return Section("method", "How this was decided", (
        Paragraph(f"{metric_words(found.metric)} decides. Every control must be beaten at the 5% level, one-sided, in "
                  "the whole gain and in the gain on own texts."),
        Bullets((
            f"Intervals: bootstrap over the {found.distinct_targets:,} texts{people}, widened for the number of "
            "clusters. Samples of one text or one person are not independent.",
            "p: the labels 'real' and 'control' are swapped for whole texts.",
            "Baselines: the best constant sentence among the targets, and a word-bigram model of the other half of "
            "the texts. Both know the test texts' wording and no signal.",
            "Near-constant outputs are never said to read the brain.",
        )),
    ))
