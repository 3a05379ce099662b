"""Differences of log-gamma functions that keep their digits when the arguments are large."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Above this a difference of log-gammas loses digits to cancellation and Stirling's series is exact to rounding.
LARGE = 1e3


def log_choose(n: Ints, k: Ints) -> Floats:
    return np.asarray(special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0))


def rising(a: Floats, x: ArrayLike, derivatives: bool = False) -> tuple[Floats, ...]:
    """log Gamma(a + x) - log Gamma(a) and, if asked for, its first and second derivative in a."""
    end = a + np.asarray(x, dtype=float)
    a = np.broadcast_to(a, end.shape)
    large = a > LARGE
    functions = (special.gammaln, special.digamma, _trigamma) if derivatives else (special.gammaln,)
    if not large.any():
        return tuple(function(end) - function(a) for function in functions)
    found = []
    safe_a, safe_end = np.where(large, 1.0, a), np.where(large, 1.0, end)
    big_a, big_end = np.where(large, a, LARGE), np.where(large, end, LARGE)
    for function, series in zip(functions, _stirling(big_a, big_end), strict=False):
        found.append(np.where(large, series, function(safe_end) - function(safe_a)))
    return tuple(found)


def _stirling(a: Floats, end: Floats) -> tuple[Floats, Floats, Floats]:
    """Differences of log-gamma, digamma and trigamma between `a` and `end`, without cancellation for large a."""
    grown = np.log1p((end - a) / a)
    one, two, three = 1 / end - 1 / a, 1 / end**2 - 1 / a**2, 1 / end**3 - 1 / a**3
    value = (end - 0.5) * grown + (end - a) * (np.log(a) - 1) + one / 12 - three / 360
    return value, grown - one / 2 - two / 12, one + two / 2 + three / 6


def _trigamma(x: Floats) -> Floats:
    """By recurrence up to where the asymptotic series is exact; scipy's takes five times as long."""
    near, far = np.zeros_like(x), x
    for _ in range(8):
        near = near + 1 / (far * far)
        far = far + 1
    z = 1 / far
    z2 = z * z
    series = z * z2 * (1 / 6 - z2 * (1 / 30 - z2 * (1 / 42 - z2 * (1 / 30 - z2 * 5 / 66))))
    return np.asarray(near + z + z2 / 2 + series)
