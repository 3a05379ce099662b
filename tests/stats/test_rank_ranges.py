from __future__ import annotations

import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from goldmark.stats.ranks.rank_ranges import Range, RankRange, among, by_intervals, by_tests, clusters

RANGES = st.lists(
    st.tuples(st.floats(0, 1), st.floats(0, 0.4)).map(lambda pair: Range(pair[0], pair[0] + pair[1])), max_size=12
)


@given(RANGES)
def test_ranks_say_only_what_intervals_say(ranges: list[Range]) -> None:
    found = by_intervals(ranges)
    for place, (best, worst) in enumerate(found):
        others = ranges[:place] + ranges[place + 1 :]
        assert (best, worst) == among(ranges[place], others)
        assert 1 <= best <= worst <= len(ranges)
    for one, (_, worst) in zip(ranges, found, strict=True):
        for other, (best, _) in zip(ranges, found, strict=True):
            if one.low > other.high:
                assert best > 1
                assert worst < len(ranges)


@given(RANGES)
def test_intervals_that_do_not_meet_rank_as_tests_that_say_so(ranges: list[Range]) -> None:
    better = np.array([[one.low > other.high for other in ranges] for one in ranges], dtype=bool)
    assert by_tests(better.reshape(len(ranges), len(ranges))) == by_intervals(ranges)


def test_ranges_and_clusters_from_tests() -> None:
    # A beats C and D, B beats D; nothing else is certain.
    order = [0, 1, 2, 3]
    better = np.zeros((4, 4), dtype=bool)
    better[0, 2] = better[0, 3] = better[1, 3] = True
    assert by_tests(better) == [(1, 2), (1, 3), (2, 4), (3, 4)]
    assert clusters(order, better) == [1, 1, 1, 1]
    better[1, 2] = True  # now A and B both beat C and D: a line can be drawn
    assert clusters(order, better) == [1, 1, 2, 2]


def test_how_a_range_is_written() -> None:
    assert (str(RankRange(2, 4)), str(RankRange(3, 3))) == ("2-4", "3")


def test_without_an_interval_any_rank_is_possible() -> None:
    assert by_intervals([Range.of(None, None), Range(0.1, 0.2), Range(0.8, 0.9)]) == [(1, 3), (2, 3), (1, 2)]


def test_a_starting_server_need_not_load_numpy_for_ranks() -> None:
    code = "import sys, goldmark.stats.ranks.rank_ranges; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
