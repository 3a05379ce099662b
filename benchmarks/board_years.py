"""Many simulated years of a leaderboard: do its ranks hold the truth as often as they say, at the planned cost?

Every year is a board of its own (`tools/simulate/board_year.py`): two systems a month, people of whom one in five
answers at random and reads only what looks like a test question. The services are those of the server; only HTTP is
left out. Before them come many more years as the design alone would have them (`tools/simulate/drawn_year.py`): they
say how often intervals and ranks hold, and the years of the server whether it adds anything of its own.

`GOLDMARK_YEARS` says how many years (half a minute each), `GOLDMARK_YEARS_FROM` with which seed to begin,
`GOLDMARK_DRAWN_YEARS` how many are only drawn (a tenth of a second each).
"""

from __future__ import annotations

import os
import sys
import time

import numpy as np

from goldmark.stats.inference.proportions import exact_interval
from tools.simulate.board_year import Result, Year, quick_year
from tools.simulate.drawn_year import drawn_year

YEARS = int(os.environ.get("GOLDMARK_YEARS", "20"))
FIRST = int(os.environ.get("GOLDMARK_YEARS_FROM", "1"))
DRAWN = int(os.environ.get("GOLDMARK_DRAWN_YEARS", "2000"))


def main() -> None:
    plan, found = Year(), []
    systems = plan.months * plan.systems
    by_design(plan, systems)
    for seed in range(FIRST, FIRST + YEARS):
        started = time.process_time()
        one = quick_year(plan, np.random.default_rng(seed))
        found.append(one)
        seconds = time.process_time() - started
        held = f"{one.ranks_held} of {systems} ranks, {one.covered} intervals"
        print(f"year {seed}: {held}; {one.said()}; {seconds:.0f} s", file=sys.stderr, flush=True)
    print(f"{len(found)} years of {systems} systems, {plan.people} people, {plan.at_random:.0%} of them at random")
    told(found, systems)


def by_design(plan: Year, systems: int) -> None:
    """What the design promises, without a server."""
    rng = np.random.default_rng(FIRST)
    drawn = [drawn_year(plan, rng) for _ in range(DRAWN)]
    if not drawn:
        return
    print(f"{len(drawn)} years of {systems} systems as the design has them, nobody at random")
    share("years in which every true rank lay in its range", sum(one.ranks_held == systems for one in drawn), DRAWN)
    held([one.covered / systems for one in drawn])


def held(shares: list[float]) -> None:
    coverage = np.array(shares)
    years = len(coverage)
    spread = coverage.std(ddof=1) if years > 1 else float("nan")
    few = (coverage <= 0.75).mean()
    print(
        f"    intervals of 95 % that held the truth: {coverage.mean():.1%} (standard error {spread / years**0.5:.1%})"
    )
    print(f"    by years: standard deviation {spread:.1%}; three quarters or fewer in {few:.1%} of them")


def told(found: list[Result], systems: int) -> None:
    years = len(found)
    all_held = sum(one.ranks_held == systems for one in found)
    share("years in which every true rank lay in its range (stated: 95 %)", all_held, years)
    share("systems whose true rank lay in its range", sum(one.ranks_held for one in found), years * systems)
    held([one.covered / systems for one in found])
    left = np.array([one.unexplained for one in found])
    apart = np.array([one.drawn_apart for one in found])
    sure = left.std(ddof=1) / years**0.5 if years > 1 else float("nan")
    print(f"    scores less what careful people say of these items: {left.mean():+.4f} (standard error {sure:.4f})")
    print(f"    these items and people less all there could be, by years: {apart.min():+.3f} to {apart.max():+.3f}")
    careful, noisy = sum(one.careful for one in found), sum(one.noisy for one in found)
    share("careful people excluded (stated: at most 1 %)", sum(one.careful_excluded for one in found), careful)
    share("people at random excluded", sum(one.noisy_excluded for one in found), noisy)
    cost = np.array([one.cost / one.cost_planned for one in found])
    print(f"    cost of a year beside its plan: {cost.mean():.3f}, from {cost.min():.3f} to {cost.max():.3f}")
    again = np.array([one.recognised()["again"] for one in found])
    ends = f"from {again.min():.3f} to {again.max():.3f}"
    print(f"    a text that came before tells a test question: area {again.mean():.3f}, {ends}")


def share(what: str, count: int, of: int) -> None:
    low, high, _ = exact_interval(count, of)
    print(f"    {what}: {count} of {of} ({count / max(1, of):.1%}, 95 % interval {low:.1%} to {high:.1%})")


if __name__ == "__main__":
    main()
