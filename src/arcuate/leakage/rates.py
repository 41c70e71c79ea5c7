"""The two published leakage rates, for every pair of parts.

BSLR (brain signal leakage rate; CSLR in an earlier paper) asks how much of a subject's data is on the
other side, TSLR (text stimulus leakage rate) how much of a text's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from arcuate.errors import UnknownName
from arcuate.leakage.findings import Rates
from arcuate.leakage.intervals import Union, on_one_line
from arcuate.leakage.tally import Tally

Over = Literal["all", "test"]
OVERS: tuple[Over, ...] = ("all", "test")
ALWAYS = (("test", "train"), ("val", "train"), ("test", "val"))


def pairs_of_parts(parts: tuple[str, ...]) -> list[tuple[str, str]]:
    """(later, earlier) for every pair: what is measured, against what it may have leaked from.

    Examples
    --------
    >>> pairs_of_parts(("train", "val", "test"))
    [('test', 'train'), ('val', 'train'), ('test', 'val')]
    >>> pairs_of_parts(("train", "test", "test2"))[1:]
    [('test2', 'train'), ('test2', 'test')]
    """
    found = [(later, earlier) for at, later in enumerate(parts) for earlier in parts[:at]]
    return [pair for pair in ALWAYS if pair in found] + [pair for pair in found if pair not in ALWAYS]


def leakage_rate(later: npt.ArrayLike, earlier: npt.ArrayLike, over: Over = "all") -> float:
    """Mean over subjects (or texts) of min(1, n(later) / n(earlier)), 0 for those not in both; in percent.

    Parameters
    ----------
    later, earlier
        Samples of each subject (text) of the dataset in, say, test and train.
    over
        'all': the mean runs over every subject of the dataset, which is what reproduces the published
        figures. 'test': over those in the later part, which is what the papers write.

    Examples
    --------
    >>> leakage_rate([1, 4, 0, 0], [4, 2, 8, 0]), leakage_rate([1, 4, 0, 0], [4, 2, 8, 0], over="test")
    (31.25, 62.5)
    """
    _check_over(over)
    n_later, n_earlier = np.asarray(later, float), np.asarray(earlier, float)
    both = (n_later > 0) & (n_earlier > 0)
    ratio = np.where(both, np.minimum(1.0, n_later / np.where(both, n_earlier, 1.0)), 0.0)
    counted = ratio if over == "all" else ratio[n_later > 0]
    return 100.0 * math.fsum(counted) / len(counted) if len(counted) else 0.0


def segment_shares(
    tally: Tally, later: str, earlier: str
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Rows of `tally.groups` in `later`, and the share of each one's segments that `earlier` has too.

    Examples
    --------
    >>> import polars as pl
    >>> rows = pl.DataFrame({"subject": ["a", "b"], "story": ["x", "x"], "segment": [0, 6],
    ...                      "part": ["train", "test"]})
    >>> segment_shares(Tally.of(rows, "story", window=10), "test", "train")[1].tolist()
    [0.4]
    """
    groups = tally.groups
    line = groups["node"].rank("dense").to_numpy().astype(np.int64)
    first, length = groups["segment"].to_numpy(), groups["n_segments"].to_numpy()
    starts, ends = on_one_line(line, first, first + length)
    part = groups["part"].to_numpy()
    covered = Union.of(starts[part == earlier], ends[part == earlier])
    rows = np.flatnonzero(part == later)
    return rows, covered.count(starts[rows], ends[rows]) / length[rows]


def tslr_of_windows(tally: Tally, later: str, earlier: str) -> float:
    """Mean over the later samples of the share of their segments that the earlier part has; in percent.

    Examples
    --------
    >>> import polars as pl
    >>> rows = pl.DataFrame({"subject": ["a", "b", "b"], "story": ["x", "x", "y"], "segment": [0, 6, 6],
    ...                      "part": ["train", "test", "test"]})
    >>> tslr_of_windows(Tally.of(rows, "story", window=10), "test", "train")
    20.0
    """
    rows, shares = segment_shares(tally, later, earlier)
    samples = tally.groups["samples"].to_numpy()[rows]
    # fsum rounds once, so the rate does not hang on the order in which groups come
    return 100.0 * math.fsum(shares * samples) / int(samples.sum()) if samples.sum() else 0.0


def rates(tally: Tally, over: Over = "all") -> Rates:
    """BSLR and TSLR for every pair of parts; None where a part of the pair is empty.

    Examples
    --------
    >>> import polars as pl
    >>> rows = pl.DataFrame({"subject": ["a", "a", "b"], "text_id": ["x", "y", "x"],
    ...                      "part": ["train", "test", "test"]})
    >>> found = rates(Tally.of(rows, unit="text"))
    >>> found.bslr["test_train"], found.tslr["test_train"], found.tslr["val_train"]
    (50.0, 50.0, None)
    """
    _check_over(over)
    bslr: dict[str, float | None] = {f"{later}_{earlier}": None for later, earlier in ALWAYS}
    tslr = dict(bslr)
    subjects, texts = tally.by("subject"), tally.by("node")
    for later, earlier in pairs_of_parts(tally.parts):
        pair = f"{later}_{earlier}"
        bslr[pair] = leakage_rate(subjects[later], subjects[earlier], over)
        if tally.unit == "story":
            tslr[pair] = tslr_of_windows(tally, later, earlier)
        else:
            tslr[pair] = leakage_rate(texts[later], texts[earlier], over)
    return Rates(over, bslr, tslr)


def mean_rates(each: Sequence[Rates]) -> Rates:
    """Rates averaged over folds, pair by pair; a pair that no fold has stays None.

    Examples
    --------
    >>> one, two = Rates("all", {"test_train": 10.0}, {"test_train": None}), Rates("all", {"test_train": 20.0}, {})
    >>> mean_rates([one, two]).bslr, mean_rates([one, two]).tslr
    ({'test_train': 15.0}, {'test_train': None})
    """
    def over_folds(kind: str) -> dict[str, float | None]:
        pairs = dict.fromkeys(pair for one in each for pair in getattr(one, kind))
        values = {pair: [getattr(one, kind).get(pair) for one in each] for pair in pairs}
        kept = {pair: [value for value in listed if value is not None] for pair, listed in values.items()}
        return {pair: sum(listed) / len(listed) if listed else None for pair, listed in kept.items()}

    return Rates(each[0].over, over_folds("bslr"), over_folds("tslr"))


def _check_over(over: str) -> None:
    if over not in OVERS:
        raise UnknownName("over", over, OVERS)
