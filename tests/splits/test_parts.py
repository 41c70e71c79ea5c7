"""The ratio: exact cuts, names of the parts, refusals."""

from __future__ import annotations

import pytest

from arcuate.errors import ArcuateError
from arcuate.splits.parts import Ratio, in_order, part_names


def test_cuts_are_those_of_the_papers():
    for n in range(3000):
        assert Ratio(8, 1, 1).cut(n).tolist() == [0, int(0.8 * n), int(0.9 * n), n]


def test_cuts_never_hang_on_rounding():
    # 0.1 + 0.7 is 0.7999999999999999 in floating point: int(0.7999... * 10) would be 7
    assert Ratio(0.1, 0.7, 0.2).cut(10).tolist() == [0, 1, 8, 10]


@pytest.mark.parametrize("given", ["8:1:1", (8, 1, 1), (0.8, 0.1, 0.1), Ratio(8, 1, 1), [16, 2, 2]])
def test_every_way_to_write_a_ratio(given):
    assert Ratio.of(given).shares == (0.8, 0.1, 0.1)


@pytest.mark.parametrize("given", ["8:0:1", "8", "a:b", "8:-1", "", "8:1:1:", (8,), "1/0:1", "nan:1", "inf:1"])
def test_bad_ratios_are_refused(given):
    with pytest.raises(ArcuateError, match=r"8:1:1"):
        Ratio.of(given)


def test_parts_have_names_for_any_number():
    assert part_names(5) == ("train", "val", "test", "test2", "test3")
    assert in_order([*reversed(part_names(12)), "dropped"]) == part_names(12)
