"""The verdict as a record: what was compared, how sure, and in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from arcuate.decoding.verdict.collapse import Collapse

Word = Literal["reads the brain", "no evidence", "worse than control"]
READS: Word = "reads the brain"
NO_EVIDENCE: Word = "no evidence"
WORSE: Word = "worse than control"


@dataclass(frozen=True)
class Interval:
    """A score in percent and its 95% interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Difference:
    """Real minus control in one metric; for error rates control minus real, so that more is better.

    `p` is one-sided: how often swapped labels do as well. `p_worse` is the other side, `p_holm` is `p`
    corrected over all controls and metrics shown, `detectable` the smallest effect found with 80% power.
    """

    control: str
    metric: str
    value: float
    low: float
    high: float
    p: float
    p_worse: float
    p_holm: float
    detectable: float


@dataclass(frozen=True)
class ScoredSet:
    """One prediction set with its scores."""

    name: str
    scores: Mapping[str, Interval]
    collapse: Collapse | None = None
    teacher_forced: bool = False


@dataclass(frozen=True)
class Retrieval:
    """How often the true text is found by the output, in percent, against chance."""

    rank: Interval
    top1: float
    top5: float
    chance_top1: float
    chance_top5: float
    p: float


@dataclass(frozen=True)
class Verdict:
    """Does it read the brain? The word, the sentence and all that stands behind them."""

    verdict: Word
    sentence: str
    metric: str
    generation: str
    samples: int
    distinct_targets: int
    subjects: int
    real: ScoredSet
    controls: tuple[ScoredSet, ...]
    baselines: tuple[ScoredSet, ...]
    differences: tuple[Difference, ...]
    specific: tuple[Difference, ...]
    hardest: str
    retrieval: Retrieval
    warnings: tuple[str, ...]
    signature: str

    @property
    def detectable(self) -> float:
        """The smallest true gain in the deciding metric that is found with 80% power, all tests together."""
        of_metric = [of.detectable for of in self.differences if of.metric == self.metric]
        return max([*of_metric, *(of.detectable for of in self.specific)])

    def difference(self, metric: str | None = None, control: str | None = None) -> Difference:
        """The difference in `metric` (default: the deciding one) against `control` (default: the hardest)."""
        wanted = (control or self.hardest, metric or self.metric)
        return next(d for d in self.differences if (d.control, d.metric) == wanted)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for `--json`; the keys that scripts may rely on come first."""
        assert self.real.collapse is not None
        metrics = list(self.real.scores)
        return {
            "verdict": self.verdict,
            "collapsed": self.real.collapse.collapsed,
            "distinct_outputs": self.real.collapse.distinct_outputs,
            "samples": self.samples,
            "distinct_targets": self.distinct_targets,
            "scores": {
                "real": {name: of.value for name, of in self.real.scores.items()},
                "controls": [{"name": c.name} | {n: of.value for n, of in c.scores.items()} for c in self.controls],
                "baselines": [{"name": b.name} | {n: of.value for n, of in b.scores.items()} for b in self.baselines],
            },
            "difference": {metric: asdict(self.difference(metric)) for metric in metrics},
            "differences": [asdict(of) for of in self.differences],
            "intervals": {
                part.name: {name: [of.low, of.high] for name, of in part.scores.items()}
                for part in (self.real, *self.controls)
            },
            "specific": [asdict(of) for of in self.specific],
            "detectable": self.detectable,
            "sentence": self.sentence,
            "metric": self.metric,
            "hardest_control": self.hardest,
            "generation": self.generation,
            "teacher_forced": {part.name: part.teacher_forced for part in (self.real, *self.controls)},
            "subjects": self.subjects,
            "collapse": {part.name: asdict(part.collapse) for part in (self.real, *self.controls) if part.collapse},
            "retrieval": asdict(self.retrieval),
            "warnings": list(self.warnings),
            "signature": self.signature,
        }

