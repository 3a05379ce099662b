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


def clustered_interval(share: float, variance: float, clusters: int, most: int, level: float = 0.95) -> Interval:
    """Wilson's interval on as many independent answers as the variance is worth (Korn and Graubard 1998).

    Answers of one person, and answers about one item, hang together: `variance` is that of the share with these
    clusters. So many independent answers would have the same variance; where the share is 0 or 1 there is no variance
    to see, and every cluster counts as one answer. `most` answers were given; `clusters` is the smaller number of
    clusters, for Student's t in place of the normal.
    """
    spread = share * (1 - share)
    worth = min(float(most), spread / variance) if variance > 0 and spread > 0 else float(min(clusters, most))
    freedom = max(1, clusters - 1)
    z = float(special.stdtrit(freedom, (1 + level) / 2))
    # With one or two clusters Student's t is wider than any share: the interval is then all of it, which is true.
    middle = (share + z * z / (2 * worth)) / (1 + z * z / worth)
    half = z / (1 + z * z / worth) * (spread / worth + z * z / (4 * worth * worth)) ** 0.5
    low = 0.0 if share <= 0 else max(0.0, middle - half)  # exactly, not to the last rounding
    return Interval(low, 1.0 if share >= 1 else min(1.0, middle + half), level)
