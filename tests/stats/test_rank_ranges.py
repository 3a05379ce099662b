from __future__ import annotations

import subprocess
import sys

import numpy as np

from goldmark.stats.ranks.rank_ranges import RankRange, clusters, rank_ranges


def test_ranges_and_clusters_from_what_is_sure() -> None:
    # A beats C and D, B beats D; nothing else is certain.
    order = [0, 1, 2, 3]
    better = np.zeros((4, 4), dtype=bool)
    better[0, 2] = better[0, 3] = better[1, 3] = True
    assert rank_ranges(better) == [(1, 2), (1, 3), (2, 4), (3, 4)]
    assert clusters(order, better) == [1, 1, 1, 1]
    better[1, 2] = True  # now A and B both beat C and D: a line can be drawn
    assert clusters(order, better) == [1, 1, 2, 2]


def test_how_a_range_is_written() -> None:
    assert (str(RankRange(2, 4)), str(RankRange(3, 3))) == ("2-4", "3")


def test_a_starting_server_need_not_load_numpy_for_ranks() -> None:
    code = "import sys, goldmark.stats.ranks.rank_ranges; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
