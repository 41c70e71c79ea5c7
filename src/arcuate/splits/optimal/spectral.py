"""What no split can beat: the closed form for fully crossed designs, and its extension to any graph.

Let s_k and t_k be the shares of all weight that part k's subjects and texts carry. If every subject read every text
alike, part k keeps s_k t_k. In any graph it keeps at most ``s_k t_k + c sqrt(s_k (1 - s_k) t_k (1 - t_k))``, where c is
the second singular value of the degree-normalised weight matrix (the expander mixing lemma). With q = sqrt(s t) that is
at most ``h(q) = (1 - c) q^2 + c q``, and the q_k add up to at most 1 (Cauchy-Schwarz). So a retained share R with parts
p_k R must satisfy ``sum_k h^-1(p_k R) <= 1``. For c = 0 this reads R <= 1 / (sum_k sqrt(p_k))^2.
"""

from __future__ import annotations

import itertools

import numpy as np

from arcuate.samples.graph import Graph
from arcuate.splits.optimal.instance import Floats
from arcuate.splits.optimal.problem import Problem

LARGEST_SIDE = 2_000    # a dense eigenvalue problem of this size takes seconds


def crossed_share(ratio: tuple[float, ...]) -> float:
    """Most that a fully crossed design can keep at exactly this ratio: 1 / (sum of square roots of shares)^2.

    Examples
    --------
    >>> round(crossed_share((8, 1, 1)), 3)
    0.429
    """
    share = np.asarray(ratio, float) / np.sum(ratio)
    return float(1 / np.square(np.sqrt(share).sum()))


def spectral_share(graph: Graph, problem: Problem) -> float:
    """Upper bound on the share of the weight that any split within the tolerance keeps.

    Examples
    --------
    >>> crossed = Graph.from_edges(*np.indices((4, 6)).reshape(2, -1).astype(str))
    >>> round(spectral_share(crossed, Problem(ratio=(8, 1, 1), tolerance=0.0)), 3)
    0.429
    """
    if problem.ratio_of != "samples" or min(len(graph.subjects), len(graph.texts)) > LARGEST_SIDE:
        return 1.0
    mixing = _second_singular_value(graph)
    return max((_most(shares, mixing) for shares in _extreme_shares(problem)), default=1.0)


def _second_singular_value(graph: Graph) -> float:
    matrix = graph.matrix()
    by_subject, by_text = matrix.sum(1), matrix.sum(0)
    scale = np.sqrt(np.maximum(by_subject, 1e-300)[graph.subject_of_edge]
                    * np.maximum(by_text, 1e-300)[graph.text_of_edge])
    matrix.data = matrix.data / scale
    product = matrix @ matrix.T if len(graph.subjects) <= len(graph.texts) else matrix.T @ matrix
    squares = np.linalg.eigvalsh(product.toarray())
    if len(squares) == 1:
        return 0.0
    # A little more than computed, so that rounding cannot make the bound too low.
    return float(min(1.0, np.sqrt(max(squares[-2], 0.0) + 1e-12) + 1e-9))


def _extreme_shares(problem: Problem) -> list[Floats]:
    """Corners of what the tolerance allows: all parts but one at their lowest or highest share.

    The bound is largest in a corner, since h^-1 is concave.
    """
    low, high = problem.limits
    corners = []
    for rest in range(len(low)):
        others = [part for part in range(len(low)) if part != rest]
        for choice in itertools.product((low, high), repeat=len(others)):
            shares = np.zeros(len(low))
            shares[others] = [limit[part] for limit, part in zip(choice, others, strict=True)]
            shares[rest] = 1 - shares.sum()
            if low[rest] - 1e-12 <= shares[rest] <= high[rest] + 1e-12:
                corners.append(np.maximum(shares, 0.0))
    return corners


def _most(shares: Floats, mixing: float) -> float:
    """Largest R with sum of h^-1(p_k R) <= 1, rounded up."""
    lowest, highest = 0.0, 1.0
    for _ in range(60):
        middle = (lowest + highest) / 2
        amount = middle * shares
        needed = 2 * amount / (mixing + np.sqrt(mixing**2 + 4 * (1 - mixing) * amount) + 1e-300)
        lowest, highest = (middle, highest) if needed.sum() <= 1 else (lowest, middle)
    return highest
