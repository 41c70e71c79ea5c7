"""Null hypotheses: orders that set features against the wrong responses, and features without language.

An order says which response the features of a row are set against. Isolated stimuli are exchangeable: any
order will do, and the responses are moved, so that all that was factorised from the features stays as it is.
Scans are not, since neighbours are alike: their orders keep neighbours together, by circular shifts or by
blocks, and it is the features that move. Responses drift, and a moved drift has a jump that no observed series
has; left where they are, responses may be of any kind.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arcuate.errors import ArcuateError, UnknownName

ORDERS = ("shift", "block")


def stimulus_orders(n_stimuli: int, number: int, seed: int) -> np.ndarray:
    """`number` random orders of isolated stimuli, one a row.

    Examples
    --------
    >>> stimulus_orders(4, 2, seed=1).shape
    (2, 4)
    """
    rng = np.random.default_rng(seed)
    return np.stack([rng.permutation(n_stimuli) for _ in range(number)]) if number else _none(n_stimuli)


def _none(n: int) -> np.ndarray:
    return np.empty((0, n), dtype=np.int64)


def scan_orders(n_scans: int, number: int, seed: int, how: str = "shift", length: int = 20) -> np.ndarray:
    """Up to `number` orders of scans that keep neighbours together, one a row.

    shift: the series turned in a circle. There are n − 1 turns; if more are asked for, all of them are given
    once. Short turns are among them: T, the score as a function of the turn, is as smooth as the series are,
    so that a null without the neighbours of the observed T would find it outstanding too often (with 362 scans
    and a lag-1 correlation of .9, p ≤ .01 in 3% of cases).
    block: pieces of `length` scans in random order; for slow series p is a little too small (p ≤ .05 in 7%).

    Examples
    --------
    >>> scan_orders(4, 9, seed=1, how="shift").tolist()
    [[1, 2, 3, 0], [2, 3, 0, 1], [3, 0, 1, 2]]
    >>> scan_orders(6, 1, seed=2, how="block", length=2).tolist()
    [[4, 5, 0, 1, 2, 3]]
    """
    if how not in ORDERS:
        raise UnknownName("Order of scans", how, ORDERS)
    rng = np.random.default_rng(seed)
    if how == "block":
        if n_scans < 2 * length + 1 or length < 1:
            raise ArcuateError(
                f"{n_scans} scans cannot be moved by pieces of {length}. Give at least {2 * length + 1} scans, "
                "or shorter pieces."
            )
        blocks = np.array_split(np.arange(n_scans), max(2, round(n_scans / length)))
        orders = [np.concatenate([blocks[i] for i in rng.permutation(len(blocks))]) for _ in range(number)]
        return np.stack(orders) if orders else _none(n_scans)
    shifts = np.arange(1, n_scans)
    if number < len(shifts):
        shifts = np.sort(rng.choice(shifts, number, replace=False))
    return (np.arange(n_scans)[None, :] + shifts[:, None]) % n_scans


def same_stimuli_order(order: np.ndarray, stimuli: Sequence[str]) -> np.ndarray:
    """An order of sorted stimuli as an order of this subject's rows.

    Subjects may have seen the same stimuli in different rows. Their nulls must move the same stimuli:
    what subjects share is then kept, and only the tie to the features is broken.

    Examples
    --------
    >>> same_stimuli_order(np.array([1, 0, 2]), ("dog", "ant", "cat")).tolist()
    [0, 2, 1]
    """
    rows = np.array(sorted(range(len(stimuli)), key=lambda i: (stimuli[i], i)))
    found = np.empty(len(rows), dtype=np.int64)
    found[rows] = rows[order]
    return found


def autocorrelation_features(runs: np.ndarray, width: float = 5.0) -> np.ndarray:
    """Features that know nothing but the time: one bump a scan, of Gaussian `width` scans, within its run.

    They predict a scan from its neighbours (the OASM model of Feghhi et al. 2024). Under shuffled folds they
    rival language models; under contiguous folds with a gap they have nothing to go by.

    Examples
    --------
    >>> autocorrelation_features(np.array([0, 0, 1]), width=1.0).round(2).tolist()
    [[1.0, 0.61, 0.0], [0.61, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    runs = np.asarray(runs)
    position = np.arange(len(runs), dtype=np.float64)
    bumps = np.exp(-0.5 * ((position[:, None] - position[None, :]) / width) ** 2)
    return bumps * (runs[:, None] == runs[None, :])


def p_value(observed: float, null: np.ndarray) -> float:
    """Share of the null at or above the observed score, which counts as one of them; NaN without a null.

    Examples
    --------
    >>> p_value(0.9, np.array([0.5, 0.6, 0.95]))
    0.5
    """
    if not len(null) or np.isnan(null).any():
        return float("nan")
    return float((1 + (null >= observed - 1e-12).sum()) / (1 + len(null)))
