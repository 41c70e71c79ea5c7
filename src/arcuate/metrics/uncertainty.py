"""How sure is a score? Bootstrap and permutation over clusters: texts, crossed with subjects.

Samples that share a text or a subject are not independent, so whole clusters are drawn. A score is a
function of summed statistics (see `metrics.text`): a draw is a row of cluster weights times the matrix of
cluster sums, and no sentence is ever scored again.

Two crossed factors: redrawing texts gives a variance V_text, redrawing subjects V_subject, and each holds
the part V_pair of independent (subject, text) pairs, which must count once: V = V_text + V_subject - V_pair
(Cameron, Gelbach & Miller 2011). Drawing both at once (the pigeonhole bootstrap) counts it three times
and is far too wide where pairs are noisy. Quantiles are widened as Student's t with Satterthwaite's
degrees of freedom, since a handful of subjects says little about their variance.
`benchmarks/verdict_calibration.py` shows that both error rates and coverage come out as stated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arcuate.errors import ArcuateError

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
# Summed statistics (..., columns) -> scores (..., scores).
Score = Callable[[Array], Array]

DRAWS = 10_000
# More clusters than this are joined at random into so many groups: the variance stays unbiased, with
# thousands of degrees of freedom to spare, and a draw costs no more.
MAX_GROUPS = 4_000
_CELLS_A_BLOCK = 2_000_000


@dataclass(frozen=True, eq=False)
class Clusters:
    """Which samples belong together: by text, and by subject where known.

    Examples
    --------
    >>> clusters = Clusters.of(["t1", "t1", "t2"], ["a", "b", "a"])
    >>> clusters.text.tolist(), clusters.subject.tolist(), clusters.n_texts, clusters.n_subjects
    ([0, 0, 1], [0, 1, 0], 2, 2)
    """

    text: Codes
    subject: Codes | None
    n_texts: int
    n_subjects: int

    @classmethod
    def of(cls, texts: Sequence[str], subjects: Sequence[str] | None = None) -> Clusters:
        """Code the names; a single subject cannot vary and is left out."""
        n_texts, text = _codes(texts)
        if n_texts < 2:
            raise ArcuateError(f"There are {n_texts} distinct target texts. At least 2 are needed to tell chance.")
        n_subjects, subject = (0, None) if subjects is None else _codes(subjects)
        if subject is not None and len(subject) != len(text):
            raise ArcuateError(f"{len(text)} texts but {len(subject)} subjects. Give one of each for a sample.")
        return cls(text, subject if n_subjects > 1 else None, n_texts, n_subjects)


@dataclass(frozen=True, eq=False)
class Estimates:
    """Scores with standard errors, degrees of freedom and intervals; one entry a score."""

    value: Array
    low: Array
    high: Array
    standard_error: Array
    degrees_of_freedom: Array

    def detectable(self, level: float = 0.05, power: float = 0.8) -> Array:
        """The smallest true effect that a one-sided test at `level` finds with `power`."""
        from scipy.stats import t

        quantiles = t.ppf(1 - level, self.degrees_of_freedom) + t.ppf(power, self.degrees_of_freedom)
        return quantiles * self.standard_error


def bootstrap(
    statistics: Array, score: Score, clusters: Clusters, *, draws: int = DRAWS, level: float = 0.95, seed: int = 0,
) -> Estimates:
    """Estimate `score` of the summed `statistics` (samples × columns) with cluster-bootstrap intervals.

    Examples
    --------
    >>> rows = np.stack([np.arange(8.0), np.ones(8)], axis=1)
    >>> mean = lambda sums: sums[..., :1] / sums[..., 1:]
    >>> found = bootstrap(rows, mean, Clusters.of(list("aabbccdd")), draws=2000)
    >>> float(found.value[0]), bool(found.low[0] < 3.5 < found.high[0])
    (3.5, True)
    """
    from scipy.stats import norm, t

    generator = np.random.default_rng(seed)
    value = score(statistics.sum(axis=0))
    text = _factor(statistics, score, clusters.text, clusters.n_texts, draws, generator)
    deviations, variance, spread = text.deviations, text.variance, text.spread
    if clusters.subject is not None:
        subject = _factor(statistics, score, clusters.subject, clusters.n_subjects, draws, generator)
        by_pair = _pair_variance(statistics, score, clusters)
        # Never below what independent pairs would give: the difference of estimates may come out negative.
        variance = np.maximum(text.variance + subject.variance - by_pair, by_pair)
        spread = text.spread + subject.spread + by_pair**2 / max(1, len(statistics) - 1)
        deviations = text.deviations + subject.deviations
    with np.errstate(divide="ignore", invalid="ignore"):
        degrees = np.where(spread > 0, np.maximum(variance**2 / spread, 1.0), np.inf)
    error, drawn, tail = np.sqrt(variance), deviations.std(axis=0), (1 - level) / 2
    widen = np.divide(error, drawn, out=np.ones_like(error), where=drawn > 0)
    widen = widen * t.isf(tail, degrees) / norm.isf(tail)
    low, high = np.quantile(deviations, [tail, 1 - tail], axis=0) * widen
    return Estimates(value, value + low, value + high, error, degrees)


def swap_test(
    real: Array, control: Array, score: Score, clusters: Clusters, estimates: Estimates,
    *, draws: int = DRAWS, seed: int = 0,
) -> tuple[Array, Array]:
    """One-sided permutation p that real scores above control, and that it scores below.

    The labels 'real' and 'control' are swapped for whole texts, which is exact when only texts are
    clusters. `estimates` are the bootstrap's of score(real) - score(control): with crossed subjects the
    observed difference, in units of its crossed standard error, is set against the swapped ones in units
    of theirs, so that what subjects add to the uncertainty counts.

    Examples
    --------
    >>> real, control = np.ones((6, 2)), np.array([[0.0, 1.0]] * 6)
    >>> mean = lambda sums: sums[..., :1] / sums[..., 1:]
    >>> clusters = Clusters.of(list("abcdef"))
    >>> both = lambda sums: mean(sums[..., :2]) - mean(sums[..., 2:])
    >>> found = bootstrap(np.hstack([real, control]), both, clusters, draws=500)
    >>> above, below = swap_test(real, control, mean, clusters, found, draws=2000)
    >>> bool(above[0] < 0.03), float(below[0])
    (True, 1.0)
    """
    generator = np.random.default_rng(seed)
    half = (real + control).sum(axis=0) / 2
    gaps, _ = _group_sums((real - control) / 2, clusters.text, clusters.n_texts, generator)
    swapped = np.concatenate([
        score(half + signs @ gaps) - score(half - signs @ gaps)
        for signs in _blocks(draws, len(gaps), lambda rows: generator.choice([-1.0, 1.0], (rows, len(gaps))))
    ])
    observed = estimates.value
    if clusters.subject is not None:
        observed = _as_normal(estimates) * swapped.std(axis=0)
    # Ties (most often no difference at all) count as reached; the tolerance is for rounding alone.
    tolerance = 1e-9 * (1 + np.abs(observed))
    above = (1 + (swapped >= observed - tolerance).sum(axis=0)) / (draws + 1)
    below = (1 + (swapped <= observed + tolerance).sum(axis=0)) / (draws + 1)
    return above, below


def holm(p_values: npt.ArrayLike) -> Array:
    """Holm's correction: the chance of any false claim among all stays at the level.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, float)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected


def _codes(names: Sequence[str]) -> tuple[int, Codes]:
    distinct, codes = np.unique(np.asarray(names, dtype=str), return_inverse=True)
    return len(distinct), codes.reshape(-1).astype(np.int64)


def _group_sums(rows: Array, codes: Codes, n_groups: int, generator: np.random.Generator) -> tuple[Array, Array]:
    """Sums of the rows of each group, and the groups' sizes."""
    from scipy.sparse import csr_array

    if n_groups > MAX_GROUPS:
        codes = (generator.permutation(n_groups) % MAX_GROUPS)[codes]
        n_groups = MAX_GROUPS
    starts = np.arange(len(codes) + 1)
    of_group = csr_array((np.ones(len(codes)), codes, starts), shape=(len(codes), n_groups))
    return np.asarray(of_group.T @ rows), np.bincount(codes, minlength=n_groups).astype(float)


@dataclass(frozen=True, eq=False)
class _Factor:
    """One factor redrawn: deviations of the score, their variance, and that variance's own uncertainty."""

    deviations: Array
    variance: Array
    spread: Array


def _factor(
    statistics: Array, score: Score, codes: Codes, n_groups: int, draws: int, generator: np.random.Generator,
) -> _Factor:
    sums, sizes = _group_sums(statistics, codes, n_groups, generator)
    deviations = _redraw(sums, score, draws, generator) - score(statistics.sum(axis=0))
    variance = deviations.var(axis=0) * len(sums) / (len(sums) - 1)
    return _Factor(deviations, variance, variance**2 / (_effective(sizes) - 1))


def _effective(sizes: Array) -> float:
    """Kish's effective number of clusters: unequal ones count for fewer."""
    return max(2.0, float(sizes.sum() ** 2 / (sizes**2).sum()))


def _blocks(draws: int, width: int, make: Callable[[int], Array]) -> Iterator[Array]:
    step = max(1, _CELLS_A_BLOCK // width)
    for start in range(0, draws, step):
        yield make(min(step, draws - start))


def _redraw(sums: Array, score: Score, draws: int, generator: np.random.Generator) -> Array:
    """Scores of `draws` resamples of the groups with replacement."""
    n_groups = len(sums)

    def weights(rows: int) -> Array:
        drawn = generator.integers(0, n_groups, (rows, n_groups)) + n_groups * np.arange(rows)[:, None]
        return np.bincount(drawn.reshape(-1), minlength=rows * n_groups).reshape(rows, n_groups).astype(float)

    return np.concatenate([score(block @ sums) for block in _blocks(draws, n_groups, weights)])


def _pair_variance(statistics: Array, score: Score, clusters: Clusters) -> Array:
    """Jackknife variance over (subject, text) pairs, as if they were independent."""
    assert clusters.subject is not None
    pairs, code = np.unique(clusters.subject * clusters.n_texts + clusters.text, return_inverse=True)
    if len(pairs) == len(statistics):
        sums = statistics
    else:
        sums = np.stack([np.bincount(code.reshape(-1), column) for column in statistics.T], axis=1)
    without = score(statistics.sum(axis=0) - sums)
    return without.var(axis=0) * (len(pairs) - 1)


def _as_normal(estimates: Estimates) -> Array:
    """The standard-normal quantile that is as rare as value / error is under its Student's t."""
    from scipy.stats import norm, t

    error = estimates.standard_error
    ratio = np.divide(estimates.value, error, out=np.zeros_like(error), where=error > 0)
    rarity = np.maximum(t.sf(np.abs(ratio), estimates.degrees_of_freedom), 1e-300)  # finite, however rare
    return np.sign(ratio) * norm.isf(rarity)
