"""From words to scans: which words a scan answers to, by a fixed delay, by FIR delays or through an HRF.

Scan i is acquired from its time to its time + TR, and a word belongs to the scan during which it begins. The
response comes later, so scan i is explained by words *before* it: published code paired scan i with the
words of scan i + 2, the wrong way round. Nothing crosses the border of a run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from arcuate.datasets.responses import BrainResponses, TimedWords
from arcuate.encoding.features.record import Features
from arcuate.errors import ArcuateError

Method = Literal["offset", "fir", "hrf"]
WithinScan = Literal["last", "mean", "sum"]

HRF_LENGTH_S = 32.0


@dataclass(frozen=True, kw_only=True)
class Alignment:
    """How words become scans.

    Parameters
    ----------
    method : {"offset", "fir", "hrf"}
        offset: words of `offset_s` seconds earlier, as published. fir: one copy of the features for each
        of `delays` (in TR), so that the regression finds the shape of the response. hrf: words convolved
        with SPM's canonical response.
    offset_s : float
    delays : tuple of int

    Examples
    --------
    >>> Alignment(method="fir").describe()
    'fir(1,2,3,4)'
    """

    method: Method = "fir"
    offset_s: float = 4.0
    delays: tuple[int, ...] = (1, 2, 3, 4)

    def __post_init__(self) -> None:
        if self.method not in ("offset", "fir", "hrf"):
            raise ArcuateError(f"alignment is {self.method!r}. Use 'offset', 'fir' or 'hrf'.")
        if self.offset_s < 0 or not self.delays or min(self.delays) < 0:
            raise ArcuateError(
                f"offset_s is {self.offset_s:g} and delays are {self.delays}. A response follows its words: "
                "give numbers >= 0."
            )
        if len(set(self.delays)) != len(self.delays):
            raise ArcuateError(f"delays are {self.delays}. Give each once.")

    def describe(self) -> str:
        """The alignment in a signature."""
        if self.method == "offset":
            return f"offset({self.offset_s:g}s)"
        return f"fir({','.join(map(str, self.delays))})" if self.method == "fir" else "hrf(spm)"


def align(features: Features, responses: BrainResponses, alignment: Alignment,
          within_scan: WithinScan = "mean") -> Features:  # fmt: skip
    """Features of words as features of scans, one row a scan; no scan is left out.

    Parameters
    ----------
    features : Features with rows="words"
    responses : BrainResponses, continuous
    within_scan : {"last", "mean", "sum"}
        How the words that begin during one scan are joined. "last" stays until the next word. The HRF sums.

    Examples
    --------
    >>> words = TimedWords(("a", "b"), np.array([0.5, 2.5]), np.array([1.0, 3.0]))
    >>> heard = BrainResponses(dataset="toy", subject="1", kind="continuous", responses=np.zeros((5, 1)),
    ...                        stimuli=words, tr=2.0)
    >>> ones = Features("rate", np.ones((2, 1)), "rate", rows="words")
    >>> align(ones, heard, Alignment(method="offset", offset_s=4.0), "sum").values.ravel().tolist()
    [0.0, 0.0, 1.0, 1.0, 0.0]
    """
    words = _words_of(responses)
    if features.rows != "words" or len(features.values) != len(words):
        raise ArcuateError(
            f"Features {features.name!r} have {len(features.values)} rows of {features.rows}, but "
            f"{responses.name} has {len(words)} words. Give one row a word."
        )
    if alignment.method == "hrf":
        values, notes = _convolved(features.values, responses)
        groups = features.groups
    else:
        delays = _delays_s(alignment, responses)
        parts = [bin_words(features.values, responses, within_scan, delay_s=delay) for delay in delays]
        values = np.hstack([part for part, _ in parts])
        notes = parts[0][1]
        groups = _grouped(features.groups, len(delays))
        values = _by_group(values, features.groups, len(delays))
    return Features(
        features.name, values, f"{features.signature}|align:{alignment.describe()}", rows="scans",
        groups=groups, notes=(*features.notes, *notes),
    )  # fmt: skip


def bin_words(
    values: np.ndarray, responses: BrainResponses, within_scan: WithinScan = "sum", delay_s: float = 0.0
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Join word values by scan, `delay_s` seconds after each word; also notes on empty scans and lost words.

    Examples
    --------
    >>> words = TimedWords(("a", "b"), np.array([20.1, 23.0]), np.array([20.4, 23.4]))
    >>> heard = BrainResponses(dataset="toy", subject="1", kind="continuous", responses=np.zeros((3, 1)),
    ...                        stimuli=words, tr=2.0, onset_of_first_scan_s=20.0)
    >>> bin_words(np.ones((2, 1)), heard)[0].ravel().tolist()
    [1.0, 1.0, 0.0]
    """
    if within_scan not in ("last", "mean", "sum"):
        raise ArcuateError(f"within_scan is {within_scan!r}. Use 'last', 'mean' or 'sum'.")
    binned = np.zeros((responses.n_rows, values.shape[1]))
    empty = placed = 0
    for scans, words, times, onsets in _by_run(responses):
        index, inside = _scan_of(onsets + delay_s, times, float(responses.tr or 0))
        placed += int(inside.sum())
        binned[scans], n_empty = _join(values[words][inside], index[inside], len(scans), within_scan)
        empty += n_empty
    return binned, _notes(len(_words_of(responses)), placed, empty, responses.n_rows, within_scan, delay_s)


def canonical_hrf(seconds: np.ndarray) -> np.ndarray:
    """SPM's canonical response: a gamma of mean 6 s less a sixth of one of mean 16 s, of unit area.

    Examples
    --------
    >>> seconds = np.arange(0, 32, 0.1)
    >>> round(float(seconds[canonical_hrf(seconds).argmax()]), 1)
    5.0
    >>> canonical_hrf(np.array([-1.0])).tolist()
    [0.0]
    """
    from scipy.stats import gamma

    return (gamma.pdf(seconds, 6) - gamma.pdf(seconds, 16) / 6) / (1 - 1 / 6)


def _convolved(values: np.ndarray, responses: BrainResponses) -> tuple[np.ndarray, tuple[str, ...]]:
    """Each word is an impulse at its onset; a scan is sampled in the middle of its acquisition."""
    convolved = np.zeros((responses.n_rows, values.shape[1]))
    used = 0
    for scans, words, times, onsets in _by_run(responses):
        since = times[:, None] + float(responses.tr or 0) / 2 - onsets[None, :]
        weights = np.where((since >= 0) & (since < HRF_LENGTH_S), canonical_hrf(since), 0.0)
        convolved[scans] = weights @ values[words]
        used += len(words)
    lost = len(_words_of(responses)) - used
    return convolved, (f"{lost} words lie outside every run",) if lost else ()


def _by_run(
    responses: BrainResponses,
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """For each run: its scans, its words, the times of its scans, the onsets of its words."""
    onsets = np.asarray(_words_of(responses).onsets, dtype=np.float64)
    times = responses.times_s
    for run in np.unique(responses.runs):
        scans = np.flatnonzero(responses.runs == run)
        if (np.diff(times[scans]) <= 0).any():
            raise ArcuateError(f"{responses.name}: the times of run {run} do not rise. Sort its scans by time.")
        end = times[scans[-1]] + float(responses.tr or 0)
        words = np.flatnonzero((onsets >= times[scans[0]]) & (onsets < end))
        yield scans, words, times[scans], onsets[words]


def _scan_of(onsets: np.ndarray, times: np.ndarray, tr: float) -> tuple[np.ndarray, np.ndarray]:
    # A nanosecond of slack: 20.0 + 2.0 * i and a sum of onsets and delays round differently.
    index = np.searchsorted(times, onsets + 1e-9, side="right") - 1
    return index, (index >= 0) & (onsets < times[-1] + tr - 1e-9)


def _join(values: np.ndarray, index: np.ndarray, n_scans: int, within_scan: WithinScan) -> tuple[np.ndarray, int]:
    counts = np.bincount(index, minlength=n_scans)
    joined = np.zeros((n_scans, values.shape[1]))
    if within_scan == "last":
        # Words come in order of time, so the last assignment to a scan stands.
        last_word = np.full(n_scans, -1)
        last_word[index] = np.arange(len(index))
        last_word = np.maximum.accumulate(last_word)
        heard = last_word >= 0
        joined[heard] = values[last_word[heard]]
        return joined, int((~heard).sum())
    np.add.at(joined, index, values)
    if within_scan == "mean":
        joined[counts > 0] /= counts[counts > 0, None]
    return joined, int((counts == 0).sum())


def _notes(n_words: int, placed: int, empty: int, n_scans: int, within_scan: str, delay_s: float) -> tuple[str, ...]:
    notes = []
    if placed < n_words:
        notes.append(f"{n_words - placed} of {n_words} words have no scan {delay_s:g} s later")
    if empty and within_scan != "sum":
        when = "before the first word" if within_scan == "last" else "without a word"
        notes.append(f"{empty} of {n_scans} scans {when} have zeros as features")
    return tuple(notes)


def _delays_s(alignment: Alignment, responses: BrainResponses) -> list[float]:
    if alignment.method == "offset":
        return [alignment.offset_s]
    return [delay * float(responses.tr or 0) for delay in alignment.delays]


def _by_group(values: np.ndarray, groups: tuple[tuple[str, int], ...], n_delays: int) -> np.ndarray:
    """Columns come delay by delay; put all delays of a group side by side, so that it stays one band."""
    if len(groups) == 1 or n_delays == 1:
        return values
    by_delay = np.split(values, n_delays, axis=1)
    edges = np.cumsum([0, *(width for _, width in groups)])
    return np.hstack([part[:, a:b] for a, b in pairwise(edges) for part in by_delay])


def _grouped(groups: tuple[tuple[str, int], ...], n_delays: int) -> tuple[tuple[str, int], ...]:
    return tuple((name, width * n_delays) for name, width in groups)


def _words_of(responses: BrainResponses) -> TimedWords:
    if not isinstance(responses.stimuli, TimedWords):
        raise ArcuateError(f"{responses.name} has isolated stimuli: there is nothing to align.")
    return responses.stimuli
