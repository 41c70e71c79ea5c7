"""Signs in the outputs themselves: a decoder that always says the same, or that was shown the answer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arcuate.metrics.rouge import rouge1_statistics, rouge_words

# An output said this often, or so few outputs for the texts there are, carries next to nothing.
MOST_COMMON_SHARE = 0.5
EFFECTIVE_SHARE = 0.05
NEAR_CONSTANT_SIMILARITY = 0.8
_PAIRS = 1000
_ROWS_LOOKED_AT = 2000


@dataclass(frozen=True)
class Collapse:
    """How much the outputs vary.

    `effective_outputs` is exp(entropy): 1 for a constant, the number of outputs when all are as frequent.
    `similarity` is the mean ROUGE-1 F (0-1) of outputs for different texts, `target_similarity` that of
    the texts themselves.
    """

    distinct_outputs: int
    most_common: str
    most_common_share: float
    effective_outputs: float
    similarity: float
    target_similarity: float
    collapsed: bool


def collapse(targets: Sequence[str], predicted: Sequence[str]) -> Collapse:
    """Measure whether the outputs are near-constant.

    Examples
    --------
    >>> found = collapse(["a b", "c d", "e f"], ["the film", "the film", "the film"])
    >>> found.collapsed, found.distinct_outputs, found.effective_outputs
    (True, 1, 1.0)
    """
    counts = Counter(output.strip() for output in predicted)
    most_common, times = counts.most_common(1)[0]
    effective = _effective(counts)
    effective_texts = _effective(Counter(target.strip() for target in targets))
    similarity, target_similarity = _similarity(targets, predicted)
    collapsed = effective_texts > 1 and (
        times / len(predicted) >= MOST_COMMON_SHARE
        or effective < max(1.5, EFFECTIVE_SHARE * effective_texts)
        or (similarity >= NEAR_CONSTANT_SIMILARITY and target_similarity < NEAR_CONSTANT_SIMILARITY / 2)
    )
    return Collapse(
        len(counts), most_common, times / len(predicted), effective, similarity, target_similarity, collapsed
    )


def looks_teacher_forced(targets: Sequence[str], predicted: Sequence[str]) -> bool:
    """Whether outputs are token-aligned with their targets, as when each word is given the true ones before.

    Then an output is as long as its target, and a word that both hold stands at the same place, far more
    often than against another sample's target (texts of one pattern are aligned with one another, too).
    Outputs equal to their targets prove nothing and are left out.

    Examples
    --------
    >>> words = [f"w{n}" for n in range(40)]
    >>> targets = [" ".join(words[n : n + 5 + n % 9]) for n in range(25)]
    >>> forced = [target.replace("1", "x") for target in targets]
    >>> looks_teacher_forced(targets, forced), looks_teacher_forced(targets, forced[1:] + forced[:1])
    (True, False)
    """
    some = slice(None, None, max(1, len(targets) // _ROWS_LOOKED_AT))
    texts = zip(targets[some], predicted[some], strict=True)
    rows = [(rouge_words(target), rouge_words(output)) for target, output in texts if target.strip() != output.strip()]
    pairs = [(target, output) for target, output in rows if target and output]
    if len(pairs) < 10:
        return False
    lengths = np.array([(len(target), len(output)) for target, output in pairs], float)
    if min(lengths.std(axis=0)) > 0:
        same_length = float(np.corrcoef(lengths.T)[0, 1]) > 0.7
    else:  # targets of one length: their outputs must have it too
        same_length = float(np.mean(np.abs(lengths[:, 1] / lengths[:, 0] - 1) < 0.2)) > 0.9
    step = len(pairs) // 2
    others = [(pairs[(row + step) % len(pairs)][0], output) for row, (_, output) in enumerate(pairs)]
    own = _aligned(pairs)
    return same_length and own > 0.6 and own - _aligned(others) > 0.3


def _aligned(pairs: Sequence[tuple[list[str], list[str]]]) -> float:
    """The share of shared words that stand at the same place."""
    shifts = np.array([shift for target, output in pairs for shift in _shifts(target, output)])
    return float(np.mean(shifts < 0.1)) if len(shifts) else 0.0


def _shifts(target: list[str], output: list[str]) -> list[float]:
    """How far apart, as a share of the sentence, the words stand that occur once in both."""
    once_in_output = {word for word, times in Counter(output).items() if times == 1}
    shared = [word for word, times in Counter(target).items() if times == 1 and word in once_in_output]
    place = [((target.index(word) + 0.5) / len(target), (output.index(word) + 0.5) / len(output)) for word in shared]
    return [abs(there - here) for there, here in place]


def _effective(counts: Counter[str]) -> float:
    total = sum(counts.values())
    return math.exp(-sum(n / total * math.log(n / total) for n in counts.values()))


def _similarity(targets: Sequence[str], predicted: Sequence[str]) -> tuple[float, float]:
    """Mean likeness of random pairs of outputs, and of targets, whose texts differ."""
    generator = np.random.default_rng(0)
    left, right = generator.integers(0, len(targets), (2, _PAIRS))
    pairs = [(a, b) for a, b in zip(left, right, strict=True) if targets[a] != targets[b]]
    if not pairs:
        return 0.0, 0.0
    of_outputs = rouge1_statistics([predicted[a] for a, _ in pairs], [predicted[b] for _, b in pairs])
    of_targets = rouge1_statistics([targets[a] for a, _ in pairs], [targets[b] for _, b in pairs])
    silent = np.array([not predicted[a].strip() and not predicted[b].strip() for a, b in pairs])
    return float(np.where(silent, 1.0, of_outputs[:, 2]).mean()), float(of_targets[:, 2].mean())
