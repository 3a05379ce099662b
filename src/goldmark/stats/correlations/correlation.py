"""How closely two lists of scores go together, and whether one metric follows people more closely than another.

A correlation that does not exist (fewer than two pairs, or no variation) is None with the reason. Vectorised over
resamples where that is possible, so that intervals are cheap.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from goldmark.records.figures import Interval, Undefined, counted
from goldmark.records.tidy.columns import same_length
from goldmark.stats.inference.jackknife import jackknife
from goldmark.stats.significance.tests import SignificanceTest, no_test, t_p_value

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Method = Literal["pearson", "spearman", "kendall", "kendall-c"]
BLOCK = 32  # pairs within so many neighbours are compared directly
NO_VARIATION = "one of the two lists does not vary"
METHODS: tuple[Method, ...] = ("pearson", "spearman", "kendall", "kendall-c")


class Correlation(NamedTuple):
    value: float | None
    n: int
    reason: str = ""


def correlation(x: ArrayLike, y: ArrayLike, method: Method = "pearson") -> Correlation:
    """Pearson's r, Spearman's rho, Kendall's tau-b (corrects for ties) or tau-c (for scales of unequal length)."""
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    same_length(x=a, y=b)
    if few := too_few_pairs(len(a)):
        return Correlation(None, len(a), few)
    if lost := int((~np.isfinite(a) | ~np.isfinite(b)).sum()):
        return Correlation(None, len(a), f"{lost} of {len(a)} pairs lack a number; leave them out first")
    if (a == a[0]).all() or (b == b[0]).all():
        return Correlation(None, len(a), NO_VARIATION)
    value = _pearson(a, b) if method == "pearson" else of_codes(dense(a), dense(b), method)
    return Correlation(value, len(a))


def too_few_pairs(n: int) -> str:
    """Why so few pairs have no correlation; nothing if they are enough."""
    return "" if n > 1 else f"{counted(n, 'pair')}; at least two are needed"


def dense(values: ArrayLike) -> Codes:
    """Each value as its place among the distinct values, in order. Ranks need no more, and it is made once."""
    return np.unique(np.asarray(values), return_inverse=True)[1].astype(np.int64)


def of_codes(a: Codes, b: Codes, method: Method) -> float | None:
    """A rank correlation of dense codes, of which some may not occur; None if one list does not vary."""
    if (a == a[0]).all() or (b == b[0]).all():
        return None
    if method == "spearman":
        return _pearson(_ranks(a), _ranks(b))
    return _kendall(a, b, "c" if method == "kendall-c" else "b")


def _pearson(a: Floats, b: Floats) -> float:
    a, b = a - a.mean(), b - b.mean()
    a, b = a / np.abs(a).max(), b / np.abs(b).max()  # so that squares of tiny or huge numbers stay in range
    value = _dot(a, b) / math.sqrt(_dot(a, a) * _dot(b, b))
    return max(-1.0, min(1.0, value))


def _dot(a: Floats, b: Floats) -> float:
    # Not a @ b: BLAS starts threads for a few thousand numbers, which on a busy machine costs fifty times the sum.
    return float(np.einsum("i,i->", a, b))


def _ranks(codes: Codes) -> Floats:
    counts = np.bincount(codes)
    ranks: Floats = (np.cumsum(counts) - (counts - 1) / 2)[codes]
    return ranks


def kendall(a: ArrayLike, b: ArrayLike, variant: Literal["b", "c"] = "b") -> float:
    """Kendall's tau in O(n log n): pairs in the same order minus pairs in the opposite order, corrected for ties."""
    return _kendall(dense(a), dense(b), variant)


def _kendall(a: Codes, b: Codes, variant: Literal["b", "c"]) -> float:
    n, wide = len(a), int(b.max()) + 1
    times_a, times_b = np.bincount(a), np.bincount(b)
    tied_a, tied_b = _tied(times_a), _tied(times_b)
    key = np.sort(a * wide + b)
    runs = np.diff(np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1], [True]))))
    pairs = n * (n - 1) // 2
    difference = pairs - tied_a - tied_b + _tied(runs) - 2 * inversions(key % wide)
    if variant == "c":
        classes = int(min(np.count_nonzero(times_a), np.count_nonzero(times_b)))
        return 2 * difference / (n**2 * (classes - 1) / classes)
    return max(-1.0, min(1.0, difference / math.sqrt(pairs - tied_a) / math.sqrt(pairs - tied_b)))


def _tied(counts: NDArray[np.generic]) -> int:
    wide = counts.astype(np.int64)
    return int((wide * (wide - 1) // 2).sum())


def inversions(codes: Codes) -> int:
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
        order = np.argsort(offset + values, kind="stable")  # merges sorted runs in linear time
        # In a merge an element of the right half moves ahead of exactly those of the left half that are larger.
        right = (order // width) % 2 == 1
        total += int((order[right] - place[right]).sum())
        values = values[order]
        width *= 2
    return total


def fisher_interval(r: float, n: int, level: float = 0.95, method: Method = "pearson") -> Interval | None:
    """The interval by Fisher's z transformation; None for too few pairs, or a perfect line.

    Standard errors on the z scale: 1/sqrt(n-3) for Pearson, sqrt((1+r^2/2)/(n-3)) for Spearman (Bonett & Wright
    2000), sqrt(.437/(n-4)) for Kendall (Fieller, Hartley & Pearson 1957).
    """
    from scipy.special import ndtri

    if n < 5 or abs(r) >= 1:  # on a straight line nothing is left to tell how far it might be off
        return None
    error = {
        "pearson": 1 / math.sqrt(n - 3),
        "spearman": math.sqrt((1 + r * r / 2) / (n - 3)),
        "kendall": math.sqrt(0.437 / (n - 4)),
        "kendall-c": math.sqrt(0.437 / (n - 4)),
    }[method]
    reach = float(ndtri((1 + level) / 2)) * error
    return Interval(math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach), level)


def jackknife_interval(
    r: float, without: ArrayLike, level: float = 0.95, *, attenuated: bool = False
) -> Interval | Undefined:
    """The interval of a correlation from those with each output (or item, or system) left out.

    On Fisher's z scale, where correlations spread evenly, with Student's t. It needs no normal scores, and holds where
    outputs of one item or one system hang together, if these are what is left out. `attenuated`: what is correlated
    are means over what is left out, whose own noise draws the correlation towards 0; the middle of the interval is
    moved by as much as leaving out shows (Quenouille 1956).
    """
    if abs(r) >= 1:
        return Undefined("on a straight line nothing is left to tell how far it might be off")
    left = np.asarray(without, dtype=np.float64)
    if (np.abs(left[~np.isnan(left)]) >= 1).any():
        return Undefined("without one of them, the others lie on a straight line")
    with np.errstate(invalid="ignore"):
        spread = jackknife(np.arctanh(left), "part")
    if isinstance(spread, Undefined):
        return spread
    reach = spread.quantile(level) * math.sqrt(spread.variance)
    middle = math.atanh(r)
    if attenuated:
        middle -= (len(left) - 1) * (float(np.arctanh(left).mean()) - middle)
    return Interval(math.tanh(middle - reach), math.tanh(middle + reach), level)


def williams(r_first: float, r_second: float, r_between: float, n: int) -> SignificanceTest:
    """Williams' test: do two metrics correlate with people differently, given that they correlate with each other?

    Two-sided, with n-3 degrees of freedom (Williams 1959; Graham & Baldwin 2014 for metrics).
    """
    if n < 4:
        return no_test(f"{counted(n, 'pair')}; Williams' test needs at least four")
    determinant = 1 - r_first**2 - r_second**2 - r_between**2 + 2 * r_first * r_second * r_between
    mean = (r_first + r_second) / 2
    below = 2 * (n - 1) / (n - 3) * determinant + mean**2 * (1 - r_between) ** 3
    if below <= 1e-15:
        return no_test("the two metrics are the same up to a linear change")
    t = (r_first - r_second) * math.sqrt((n - 1) * (1 + r_between) / below)
    return SignificanceTest(t, n - 3.0, t_p_value(t, n - 3))


def permutation(
    human: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    method: Method = "pearson",
    permutations: int = 2000,
    rng: np.random.Generator,
    items: Codes | None = None,
) -> SignificanceTest:
    """Paired permutation test between two metrics, two-sided: their standardised scores are swapped at random.

    If the metrics were equally good, it would not matter which of the two scored an output (Deutsch, Dror & Roth
    2021). Makes no assumption about distributions, and serves rank correlations as well. Outputs for one item hang
    together, so whole `items` (a code for each output) are swapped if they are named.
    """
    h, a, b = (np.asarray(values, dtype=np.float64) for values in (human, first, second))
    same_length(human=h, first=a, second=b)
    observed_a, observed_b = correlation(h, a, method), correlation(h, b, method)
    if observed_a.value is None or observed_b.value is None:
        return no_test(observed_a.reason or observed_b.reason)
    # Standardised, because metrics live on different scales and are mixed below.
    a, b = (a - a.mean()) / a.std(), (b - b.mean()) / b.std()
    observed = observed_a.value - observed_b.value
    block = np.arange(len(h)) if items is None else dense(items)
    if method == "pearson":
        reached = _pearson_swaps(h, a, b, block, observed, permutations, rng)
    else:
        reached = _rank_swaps(h, a, b, block, observed, method, permutations, rng)
    return SignificanceTest(observed, None, (reached + 1) / (permutations + 1))


def swap_test(
    first: ArrayLike,
    second: ArrayLike,
    statistic: Callable[[Floats], float | None],
    *,
    block: Codes,
    permutations: int,
    rng: np.random.Generator,
) -> SignificanceTest:
    """The same test of any figure of a metric's scores of outputs: whole blocks of outputs are swapped.

    With every output a block of its own it is PERM-BOTH (Deutsch, Dror and Roth 2021), as WMT's metrics task has it.
    """
    a, b = (np.asarray(values, dtype=np.float64) for values in (first, second))
    seen = [statistic(one) for one in (a, b)]
    if seen[0] is None or seen[1] is None:
        return no_test("one of the two metrics has no such figure")
    if not a.std() or not b.std():
        return no_test(NO_VARIATION)
    gap = seen[0] - seen[1]
    a, b = (a - a.mean()) / a.std(), (b - b.mean()) / b.std()
    reached = 0
    for _ in range(permutations):
        swap = (rng.random(int(block.max()) + 1) < 0.5)[block]
        one, other = statistic(np.where(swap, b, a)), statistic(np.where(swap, a, b))
        reached += one is not None and other is not None and abs(one - other) >= abs(gap) - 1e-12
    return SignificanceTest(gap, None, (reached + 1) / (permutations + 1))


def _pearson_swaps(
    human: Floats, a: Floats, b: Floats, block: Codes, observed: float, permutations: int, rng: np.random.Generator
) -> int:
    h = (human - human.mean()) / (human.std() * len(human))
    reached = 0
    step = max(1, (1 << 21) // len(h))
    for start in range(0, permutations, step):
        swap = (rng.random((min(step, permutations - start), int(block.max()) + 1)) < 0.5)[:, block]
        new_a, new_b = np.where(swap, b, a), np.where(swap, a, b)
        with np.errstate(invalid="ignore", divide="ignore"):
            gap = new_a @ h / new_a.std(axis=1) - new_b @ h / new_b.std(axis=1)
        reached += int((np.abs(gap) >= abs(observed) - 1e-12).sum())
    return reached


def _rank_swaps(
    human: Floats,
    a: Floats,
    b: Floats,
    block: Codes,
    observed: float,
    method: Method,
    permutations: int,
    rng: np.random.Generator,
) -> int:
    h, both = dense(human), dense(np.concatenate([a, b]))
    first, second = both[: len(a)], both[len(a) :]
    reached = 0
    for _ in range(permutations):
        swap = (rng.random(int(block.max()) + 1) < 0.5)[block]
        new_a = of_codes(h, np.where(swap, second, first), method)
        new_b = of_codes(h, np.where(swap, first, second), method)
        reached += new_a is not None and new_b is not None and abs(new_a - new_b) >= abs(observed) - 1e-12
    return reached
