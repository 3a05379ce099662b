"""Student's t in plain Python: a command that needs one quantile must not wait for scipy to load."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

NORMAL_FROM = 1e7  # degrees of freedom above which Student's t is the normal to seven digits


@lru_cache(maxsize=1024)
def student_quantile(share: float, freedom: float) -> float:
    """The t below which `share` of Student's distribution lies; `freedom` need not be whole."""
    if not 0 < share < 1 or freedom <= 0:
        raise ValueError(f"share {share} must lie between 0 and 1 and freedom {freedom} above 0")
    if share < 0.5:
        return -student_quantile(1 - share, freedom)
    z = NormalDist().inv_cdf(share)
    if freedom > NORMAL_FROM or share == 0.5:
        return z
    # Newton's steps from the normal quantile, corrected; whatever leaves what is known to hold the root is halved.
    low, high = 0.0, math.inf
    t = z + (z**3 + z) / (4 * freedom)
    for _ in range(200):
        over = student_share(t, freedom) - share
        low, high = (t, high) if over < 0 else (low, t)
        step = over / _density(t, freedom)
        if abs(step) < 1e-14 * t:
            break
        t = t - step if low < t - step < high else (low + high) / 2 if high < math.inf else 2 * t
        if high - low < 1e-14 * t:
            break
    return t


def _density(t: float, freedom: float) -> float:
    half = (freedom + 1) / 2
    front = math.exp(math.lgamma(half) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    return front * math.exp(-half * math.log1p(t * t / freedom))


def student_share(t: float, freedom: float) -> float:
    """How much of Student's distribution lies below `t`."""
    tail = 0.5 * _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))
    return 1 - tail if t >= 0 else tail


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function, by Lentz's continued fraction (Numerical Recipes, 6.4)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x > (a + 1) / (a + b + 2):
        return 1 - front * _fraction(b, a, 1 - x) / b
    return front * _fraction(a, b, x) / a


def _fraction(a: float, b: float, x: float) -> float:
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, 100_000):
        for above in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + above * d
            c = 1 + above / c
            d = 1 / (d if abs(d) > tiny else tiny)
            c = c if abs(c) > tiny else tiny
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value
