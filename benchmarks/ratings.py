"""Ratings: bootstrap intervals against a plain numpy loop, pairwise tests, and a whole ranking with start-up."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from goldmark.stats.inference.bootstrap import bootstrap_mean
from goldmark.stats.inference.correlation import kendall
from goldmark.stats.inference.tests import sign_flips
from goldmark.stats.ranks.judgements import Judgements
from goldmark.stats.ranks.ranking import rank

SCORES, RESAMPLES = 50_000, 10_000
WMT = Path(__file__).resolve().parents[2] / "shared" / "data" / "wmt21_deen_da" / "ad-deen-good-stnd-redup.csv"


def main() -> None:
    rng = np.random.default_rng(0)
    print(f"interval of the mean of {SCORES:,} scores, {RESAMPLES:,} resamples (bar: a second or two)")
    for name, scores in (
        ("5-point scale", rng.integers(0, 5, SCORES) / 4),
        ("continuous", rng.random(SCORES)),
    ):
        naive = seconds(lambda scores=scores: naive_interval(scores, rng))  # type: ignore[misc]
        ours = seconds(lambda scores=scores: bootstrap_mean(scores, rng=rng, resamples=RESAMPLES))  # type: ignore[misc]
        print(f"  {name:<14} numpy loop {naive:6.2f} s   goldmark {ours:6.3f} s   ratio {naive / ours:7.0f} x")
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


def naive_interval(scores: np.ndarray, rng: np.random.Generator) -> tuple[float, float]:
    means = [scores[rng.integers(0, len(scores), len(scores))].mean() for _ in range(RESAMPLES)]
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
