"""The part of a score that is about the sample's own text.

Two decoders that know nothing of the signal may still differ, because one says likelier things. So each
output is also scored on other samples' texts: what it gains there it owes to its wording alone. The
*specific gain* over a control is (own - other texts) of the real outputs minus the same of the control's.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arcuate.decoding.verdict.predictions import Predictions
from arcuate.metrics.text import METRICS, text_statistics

Array = npt.NDArray[np.float64]

_PAIRINGS, _SCORED_AT_MOST = 20, 100_000


def with_other_texts(
    one: Predictions, own: Array, texts: npt.NDArray[np.int64], metric: str, seed: int = 0,
) -> Array:
    """Statistics of each output on its own text (`own`), and beside them their mean over other texts.

    `texts` codes each sample's text. Texts are re-paired as wholes, never with themselves, 20 times
    (fewer for very many samples, whose mean is sure enough).

    Examples
    --------
    >>> one = Predictions("real", ("a b", "c d"), ("a b", "a b"))
    >>> own = text_statistics(one.targets, one.predicted, ["wer"])["wer"]
    >>> with_other_texts(one, own, np.array([0, 1]), "wer").tolist()
    [[0.0, 2.0, 2.0, 2.0], [2.0, 2.0, 0.0, 2.0]]
    """
    family = METRICS[metric].family
    first_row = np.unique(texts, return_index=True)[1]
    n_texts = len(first_row)
    pairings = int(np.clip(_SCORED_AT_MOST // len(texts), 1, _PAIRINGS))
    generator = np.random.default_rng(seed)
    targets: list[str] = []
    for _ in range(pairings):
        cycle = generator.permutation(n_texts)
        other_of = np.empty(n_texts, np.int64)
        other_of[cycle] = np.roll(cycle, 1)
        targets += [one.targets[row] for row in first_row[other_of[texts]]]
    # One call for all pairings: each distinct sentence is tokenised once.
    others = text_statistics(targets, one.predicted * pairings, [metric])[family]
    return np.hstack([own, others.reshape(pairings, *own.shape).mean(axis=0)])


def specific_merit(sums: Array, metric: str) -> Array:
    """Score on own texts minus score on other texts, signed so that more is better; shape (..., 1)."""
    chosen = METRICS[metric]
    width = sums.shape[-1] // 2
    gap = chosen.from_sums(sums[..., :width]) - chosen.from_sums(sums[..., width:])
    return np.asarray(gap if chosen.higher_is_better else -gap)[..., None]

