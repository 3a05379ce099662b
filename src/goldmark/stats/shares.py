"""The interval of a share: so many of so many."""

from __future__ import annotations

from scipy import special

from goldmark.records.figures import Interval


def exact_interval(successes: float, trials: float, level: float = 0.95) -> Interval:
    """The interval of Clopper and Pearson (1934): never too narrow, and honest at 0 and 1. Needs at least one trial."""
    tail = (1 - level) / 2
    low = 0.0 if successes <= 0 else float(special.betaincinv(successes, trials - successes + 1, tail))
    high = 1.0 if successes >= trials else float(special.betaincinv(successes + 1, trials - successes, 1 - tail))
    return Interval(low, high, level)
