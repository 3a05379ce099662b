"""How closely two lists of scores go together, and whether one metric follows people more closely than another.

A correlation that does not exist (fewer than two pairs, or no variation) is None with the reason. Vectorised over
resamples where that is possible, so that intervals are cheap.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from goldmark.records.figures import Interval
from goldmark.stats.tests import Outcome, no_test, t_p_value

Floats = NDArray[np.float64]
Method = Literal["pearson", "spearman", "kendall", "kendall-c"]
BLOCK = 32  # pairs within so many neighbours are compared directly
METHODS: tuple[Method, ...] = ("pearson", "spearman", "kendall", "kendall-c")


class Correlation(NamedTuple):
    value: float | None
    n: int
    reason: str = ""


def correlation(x: ArrayLike, y: ArrayLike, method: Method = "pearson") -> Correlation:
    """Pearson's r, Spearman's rho, Kendall's tau-b (corrects for ties) or tau-c (for scales of unequal length)."""
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if len(a) < 2:
        return Correlation(None, len(a), f"{len(a)} pairs; at least two are needed")
    if (a == a[0]).all() or (b == b[0]).all():
        return Correlation(None, len(a), "one of the two lists does not vary")
    if method == "pearson":
        value = _pearson(a, b)
    elif method == "spearman":
        value = _pearson(average_ranks(a), average_ranks(b))
    else:
        value = kendall(a, b, variant="c" if method == "kendall-c" else "b")
    return Correlation(value, len(a))


def _pearson(a: Floats, b: Floats) -> float:
    a, b = a - a.mean(), b - b.mean()
    a, b = a / np.abs(a).max(), b / np.abs(b).max()  # so that squares of tiny or huge numbers stay in range
    value = float(a @ b / math.sqrt(float(a @ a) * float(b @ b)))
    return max(-1.0, min(1.0, value))


def average_ranks(values: Floats) -> Floats:
    """Ranks from 1; equal values share the mean of their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Floats = (last - (counts - 1) / 2)[inverse]
    return ranks


def kendall(a: Floats, b: Floats, variant: Literal["b", "c"] = "b") -> float:
    """Kendall's tau in O(n log n): pairs in the same order minus pairs in the opposite order, corrected for ties."""
    n = len(a)
    a_code, b_code = (np.unique(values, return_inverse=True)[1] for values in (a, b))
    tied_a, tied_b = (_tied(np.bincount(code)) for code in (a_code, b_code))
    both = _tied(np.unique(a_code.astype(np.int64) * (int(b_code.max()) + 1) + b_code, return_counts=True)[1])
    order = np.lexsort((b_code, a_code))
    discordant = inversions(b_code[order])
    pairs = n * (n - 1) // 2
    difference = pairs - tied_a - tied_b + both - 2 * discordant
    if variant == "c":
        classes = min(int(a_code.max()), int(b_code.max())) + 1
        return 2 * difference / (n**2 * (classes - 1) / classes)
    return max(-1.0, min(1.0, difference / math.sqrt(pairs - tied_a) / math.sqrt(pairs - tied_b)))


def _tied(counts: NDArray[np.generic]) -> int:
    wide = counts.astype(np.int64)
    return int((wide * (wide - 1) // 2).sum())


def inversions(codes: NDArray[np.generic]) -> int:
    """How many pairs stand in the wrong order: small blocks by comparison, larger ones by merging."""
    n = len(codes)
    if n < 2:
        return 0
    filler = int(codes.max())  # appended at the end, it stands in the wrong order with nothing
    rows = -(-n // BLOCK)
    padded = np.full(rows * BLOCK, filler, dtype=np.int64)
    padded[:n] = codes
    blocks = padded.reshape(rows, BLOCK)
    total = sum(int((blocks[:, i : i + 1] > blocks[:, i + 1 :]).sum()) for i in range(BLOCK - 1))
    values = np.sort(blocks, axis=1).ravel()
    place = np.arange(len(values))
    width = BLOCK
    while width < len(values):
        offset = place // (2 * width) * (filler + 1)
        right = (place // width) % 2 == 1
        key = offset + values
        # Both halves are sorted; an element of the left half stands wrongly before every smaller one of the right.
        behind = key[right]
        total += int(np.searchsorted(behind, key[~right]).sum() - np.searchsorted(behind, offset[~right]).sum())
        values = np.sort(key, kind="stable") - offset  # "stable" merges sorted runs in linear time
        width *= 2
    return total


def fisher_interval(r: float, n: int, level: float = 0.95, method: Method = "pearson") -> Interval | None:
    """The interval by Fisher's z transformation; None where there are too few pairs for it.

    Standard errors on the z scale: 1/sqrt(n-3) for Pearson, sqrt((1+r^2/2)/(n-3)) for Spearman (Bonett & Wright
    2000), sqrt(.437/(n-4)) for Kendall (Fieller, Hartley & Pearson 1957).
    """
    from scipy.special import ndtri

    if n < 5:
        return None
    if abs(r) >= 1:
        return Interval(r, r, level)
    error = {
        "pearson": 1 / math.sqrt(n - 3),
        "spearman": math.sqrt((1 + r * r / 2) / (n - 3)),
        "kendall": math.sqrt(0.437 / (n - 4)),
        "kendall-c": math.sqrt(0.437 / (n - 4)),
    }[method]
    reach = float(ndtri((1 + level) / 2)) * error
    return Interval(math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach), level)


def williams(r_first: float, r_second: float, r_between: float, n: int) -> Outcome:
    """Williams' test: do two metrics correlate with people differently, given that they correlate with each other?

    Two-sided, with n-3 degrees of freedom (Williams 1959; Graham & Baldwin 2014 for metrics).
    """
    if n < 4:
        return no_test(f"{n} pairs; Williams' test needs at least four")
    determinant = 1 - r_first**2 - r_second**2 - r_between**2 + 2 * r_first * r_second * r_between
    mean = (r_first + r_second) / 2
    below = 2 * (n - 1) / (n - 3) * determinant + mean**2 * (1 - r_between) ** 3
    if below <= 1e-15:
        return no_test("the two metrics are the same up to a linear change")
    t = (r_first - r_second) * math.sqrt((n - 1) * (1 + r_between) / below)
    return Outcome(t, n - 3.0, t_p_value(t, n - 3))


def permutation(
    human: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    method: Method = "pearson",
    permutations: int = 2000,
    rng: np.random.Generator,
) -> Outcome:
    """Paired permutation test between two metrics, two-sided: their standardised scores are swapped at random.

    If the metrics were equally good, it would not matter which of the two scored an output (Deutsch, Dror & Roth
    2021). Makes no assumption about distributions, and serves rank correlations as well.
    """
    h, a, b = (np.asarray(values, dtype=np.float64) for values in (human, first, second))
    observed_a, observed_b = correlation(h, a, method), correlation(h, b, method)
    if observed_a.value is None or observed_b.value is None:
        return no_test(observed_a.reason or observed_b.reason)
    # Standardised, because metrics live on different scales and are mixed below.
    a, b = (a - a.mean()) / a.std(), (b - b.mean()) / b.std()
    observed = observed_a.value - observed_b.value
    reached = 0
    if method == "pearson":
        reached = _pearson_swaps(h, a, b, observed, permutations, rng)
    else:
        for _ in range(permutations):
            swap = rng.random(len(h)) < 0.5
            new_a = correlation(h, np.where(swap, b, a), method).value
            new_b = correlation(h, np.where(swap, a, b), method).value
            reached += new_a is not None and new_b is not None and abs(new_a - new_b) >= abs(observed) - 1e-12
    return Outcome(observed, None, (reached + 1) / (permutations + 1))


def _pearson_swaps(
    human: Floats, a: Floats, b: Floats, observed: float, permutations: int, rng: np.random.Generator
) -> int:
    h = (human - human.mean()) / (human.std() * len(human))
    reached = 0
    step = max(1, (1 << 21) // len(h))
    for start in range(0, permutations, step):
        swap = rng.random((min(step, permutations - start), len(h))) < 0.5
        new_a, new_b = np.where(swap, b, a), np.where(swap, a, b)
        with np.errstate(invalid="ignore", divide="ignore"):
            gap = new_a @ h / new_a.std(axis=1) - new_b @ h / new_b.std(axis=1)
        reached += int((np.abs(gap) >= abs(observed) - 1e-12).sum())
    return reached
