"""Ratings: the ranking engine with its intervals, pairwise tests, and a whole ranking with start-up."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from goldmark.stats.correlations.correlation import kendall
from goldmark.stats.ranks.judgements import Judgements
from goldmark.stats.ranks.ranking import rank
from goldmark.stats.significance.tests import sign_flips

WMT = Path(__file__).resolve().parents[2] / "shared" / "data" / "wmt21_deen_da" / "ad-deen-good-stnd-redup.csv"


def main() -> None:
    rng = np.random.default_rng(0)
    labels, systems, items, people = 160_000, 200, 800, 60
    judged = Judgements.of(
        [f"s{number // items:03}" for number in range(labels)],
        [f"i{number % items:03}" for number in range(labels)],
        [f"a{who}" for who in rng.integers(0, people, labels)],
        rng.normal(size=labels),
    )
    took = seconds(lambda: rank(judged, rng=rng))
    print(f"ranks of {systems} systems x {items} items, all sets of ranks (bar: a second)         {took:6.2f} s")
    differences = rng.normal(size=(1000, 190))
    took = seconds(lambda: sign_flips(differences, flips=10_000, rng=rng))
    print(f"permutation tests of 190 pairs of systems, 1,000 items, 10,000 flips        {took:6.2f} s")
    x = rng.normal(size=500_000)
    took = seconds(lambda: kendall(x, x + rng.normal(size=len(x))))
    print(f"Kendall's tau-b of 500,000 pairs                                            {took:6.2f} s")
    if WMT.exists():
        columns = ["--system", "sys_id", "--item", "sid", "--annotator", "WorkerId", "--keep", "type=SYSTEM,REPEAT"]
        command = [sys.executable, "-m", "goldmark", "rank", str(WMT), *columns, "--test", "permutation", "--json"]
        took = seconds(lambda: subprocess.run(command, check=True, capture_output=True))
        print(f"goldmark rank, WMT21 German-English, 31,664 judgements, start-up included   {took:6.2f} s")


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
