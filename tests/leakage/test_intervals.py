"""Unions of intervals against sets of integers."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arcuate.leakage.intervals import Union, on_one_line

INTERVALS = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9)), max_size=12)


def arrays(intervals):
    starts = np.array([start for start, _ in intervals], np.int64)
    return starts, starts + np.array([length for _, length in intervals], np.int64)


@given(INTERVALS, INTERVALS)
def test_counts_and_gaps_are_those_of_sets(ours, theirs):
    covered = {at for start, length in theirs for at in range(start, start + length)}
    union = Union.of(*arrays(theirs))
    starts, ends = arrays(ours)
    expected = [len(covered & set(range(start, end))) for start, end in zip(starts, ends, strict=True)]
    assert union.count(starts, ends).tolist() == expected
    if covered:
        gaps = [
            min(max(at - end + 1, start - at, 1) if not start <= at < end else 0 for at in covered)
            for start, end in zip(starts, ends, strict=True)
        ]
        # a gap counts the positions between: 0 where they touch or overlap
        assert union.gap(starts, ends).tolist() == [max(gap - 1, 0) for gap in gaps]


@given(INTERVALS)
def test_a_union_is_sorted_and_disjoint(intervals):
    union = Union.of(*arrays(intervals))
    assert np.all(union.ends > union.starts)
    assert np.all(union.starts[1:] > union.ends[:-1])
    positions = {at for start, length in intervals for at in range(start, start + length)}
    assert int((union.ends - union.starts).sum()) == len(positions)


def test_nothing_is_near_an_empty_union():
    empty = Union.of(*arrays([]))
    starts, ends = arrays([(0, 5), (3, 1)])
    assert empty.count(starts, ends).tolist() == [0, 0]
    assert empty.gap(starts, ends).min() > 10**15


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-5, 20), st.integers(1, 5)), min_size=1, max_size=10),
       st.integers(1, 7))
def test_lines_put_one_after_another_stay_apart(rows, apart):
    line, first, length = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    starts, ends = on_one_line(line, first, first + length, apart)
    assert np.array_equal(ends - starts, length)
    for one in range(len(rows)):
        for two in range(len(rows)):
            distance = max(starts[two] - ends[one], starts[one] - ends[two])
            if line[one] == line[two]:
                assert distance == max(first[two] - first[one] - length[one], first[one] - first[two] - length[two])
            else:
                assert distance >= apart
