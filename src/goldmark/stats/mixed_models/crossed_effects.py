"""Random effects of several factors at once, such as items and annotators that cross: one matrix, taken apart quickly.

With n ratings, factors f with effects b_f = theta_f u_f and weights w of the ratings, every mixed model comes down to

    H = I + Theta Z' diag(w) Z Theta

its determinant, solutions, and the few entries of its inverse that ratings touch. Nobody needs H itself. The finest
factor (texts, say) has a diagonal block, and so has the factor in which it is nested (items) once the first is
eliminated; what remains (annotators, and annotators by system) is small and dense. Eliminating in this order gives the
sparse Cholesky factor without fill-in that lme4 finds by reordering (Bates et al., *Fitting linear mixed-effects models
using lme4*, Journal of Statistical Software 2015, section 5).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from goldmark.errors import GoldmarkError

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
BESIDE_ZERO = 1e-2  # where it is looked whether a deviance goes down with a scale that is nearly 0
FEW_CELLS = 1 << 15
MOST_DENSE = 5_000  # levels that may cross with the finest factor; their matrix is dense


class TooManyLevels(GoldmarkError):
    code = "MODEL-01"
    message = (
        "{levels:,} annotators, texts and combinations of them cross with one another, and a model takes {most:,} at "
        "most; fit fewer random effects, or fewer ratings"
    )


def lowest(
    deviance: Callable[[Floats], tuple[float, Floats]],
    start: Floats,
    *,
    bounds: Sequence[tuple[float, float]],
    scales: Sequence[int],
    options: Mapping[str, float],
) -> Any:
    """The lowest point of a deviance, of which some arguments are scales of random effects, never below 0.

    A scale counts by its square only, so that at 0 the slope by it is 0 whether or not that is the best place. A search
    that overshoots there would stay. So just beside 0 we look whether it goes down, and if so, search again from there.
    """

    def search(point: Floats) -> Any:
        return scipy.optimize.minimize(
            deviance, point, jac=True, method="L-BFGS-B", bounds=bounds, options=dict(options)
        )

    found = search(start)
    for _ in range(len(start)):
        down = []
        for place in scales:
            if found.x[place] < BESIDE_ZERO:
                beside = np.array(found.x)
                beside[place] = BESIDE_ZERO
                if deviance(beside)[1][place] < 0:
                    down.append(place)
        if not down:
            break
        point = np.array(found.x)
        point[down] = BESIDE_ZERO
        better = search(point)
        if better.fun >= found.fun:
            break
        found = better
    return found


def cholesky(matrix: Floats) -> Floats:
    """The lower factor. Searches ask for thousands of small ones: LAPACK itself, without what scipy does before."""
    root, wrong = scipy.linalg.lapack.dpotrf(matrix, lower=1, clean=1)
    if wrong:
        raise np.linalg.LinAlgError("the matrix is not positive definite")
    lower: Floats = root
    return lower


def solved_by(root: Floats, right: Floats) -> Floats:
    """What the matrix with this lower factor takes to the right side."""
    solution: Floats = scipy.linalg.lapack.dpotrs(root, right, lower=1)[0]
    return solution


def summed(code: Codes, values: Floats, levels: int) -> Floats:
    """The sum of the values of each level."""
    return np.bincount(code, values, levels).astype(np.float64, copy=False)


class Pattern(NamedTuple):
    """Which levels of a factor meet which levels of the dense ones, row by row, and where each rating falls."""

    indices: Codes
    starts: Codes
    row: Codes  # of each entry
    place: list[Codes]  # of each rating, per dense factor: its entry
    shape: tuple[int, int]

    @classmethod
    def of(cls, fine: Codes, levels: int, dense: Sequence[Codes], offsets: Sequence[int], width: int) -> Pattern:
        keys = np.concatenate([fine * width + offset + code for code, offset in zip(dense, offsets, strict=True)])
        entries, place = np.unique(keys, return_inverse=True)
        row, indices = np.divmod(entries, width)
        starts = np.searchsorted(row, np.arange(levels + 1))
        parts = np.split(place.astype(np.int64), len(dense))
        return cls(indices, starts.astype(np.int64), row, parts, (levels, width))

    def matrix(self, data: Floats) -> scipy.sparse.csr_array | Floats:
        """Entries as a matrix: of few cells a full one, whose products take no preparing."""
        if self.shape[0] * self.shape[1] <= FEW_CELLS:
            full = np.zeros(self.shape)
            full[self.row, self.indices] = data
            return full
        return scipy.sparse.csr_array((data, self.indices, self.starts), shape=self.shape)

    def pairs(self) -> tuple[Codes, Codes] | None:
        """Every two entries of one row, both ways; None where that is more than full matrices hold."""
        number = np.diff(self.starts)
        if int((number**2).sum()) > self.shape[0] * self.shape[1] // 2:
            return None
        first = np.repeat(np.arange(len(self.indices)), number[self.row])
        ends = np.cumsum(number[self.row])
        within = np.arange(len(first)) - np.repeat(ends - number[self.row], number[self.row])
        return first, self.starts[self.row[first]] + within

    def squares(self, data: Floats, diagonal: Floats, pairs: tuple[Codes, Codes] | None) -> Floats:
        """B' D^-1 B."""
        if pairs is not None:
            width = self.shape[1]
            place = self.indices[pairs[0]] * width + self.indices[pairs[1]]
            products = data[pairs[0]] * (data / diagonal[self.row])[pairs[1]]
            return summed(place, products, width * width).reshape(width, width)
        rooted = self.matrix(data / np.sqrt(diagonal)[self.row])
        product = rooted.T @ rooted
        return product if isinstance(product, np.ndarray) else product.toarray()


class LevelSums(NamedTuple):
    """Weights summed over levels and over pairs of levels, before they are scaled by the factors."""

    first: Floats
    second: Floats
    with_first: list[Floats]  # per dense factor, over the entries of the pattern
    with_second: list[Floats]
    dense: dict[tuple[int, int], Floats]


class CrossedDesign:
    """The factors of some ratings, each as a code from 0 for every rating, ordered for elimination.

    `factors` may be in any order; what is given back by factor is in theirs.
    """

    def __init__(self, factors: Sequence[Codes]) -> None:
        self.factors = [np.asarray(code, dtype=np.int64) for code in factors]
        self.levels = [int(code.max()) + 1 for code in self.factors]
        self.ratings = len(self.factors[0])
        nothing = np.zeros(self.ratings, dtype=np.int64)  # a factor of one level and no variance, in place of none
        self.one = max(range(len(factors)), key=self.levels.__getitem__)
        nests = [f for f in range(len(factors)) if f != self.one and self._nested(f)]
        self.two = max(nests, key=self.levels.__getitem__, default=None)
        self.tail = [f for f in range(len(factors)) if f not in (self.one, self.two)]
        self._first, self._second = self.factors[self.one], nothing if self.two is None else self.factors[self.two]
        self._dense = [self.factors[f] for f in self.tail] or [nothing]
        sizes = [int(code.max()) + 1 for code in self._dense]
        self.width = sum(sizes)
        if self.width > MOST_DENSE:
            raise TooManyLevels(levels=self.width, most=MOST_DENSE)
        self.offsets = np.cumsum([0, *sizes[:-1]]).tolist()
        self.sizes = sizes
        self.counts = self.levels[self.one], 1 if self.two is None else self.levels[self.two]
        self.parent = np.zeros(self.counts[0], dtype=np.int64)
        self.parent[self._first] = self._second
        self.pattern1 = Pattern.of(self._first, self.counts[0], self._dense, self.offsets, self.width)
        self.pattern2 = Pattern.of(self._second, self.counts[1], self._dense, self.offsets, self.width)
        self.pairs1, self.pairs2 = self.pattern1.pairs(), self.pattern2.pairs()
        keys2 = self.pattern2.row * self.width + self.pattern2.indices
        self.into2 = np.searchsorted(keys2, self.parent[self.pattern1.row] * self.width + self.pattern1.indices)

    def _nested(self, factor: int) -> bool:
        """Whether every level of the finest factor lies in one level of this one."""
        pairs = np.unique(self.factors[self.one] * self.levels[factor] + self.factors[factor])
        return len(pairs) == self.levels[self.one]

    def sums(self, weights: Floats) -> LevelSums:
        """What of the matrix depends on the weights."""
        dense = {
            (a, b): summed(
                self._dense[a] * self.sizes[b] + self._dense[b], weights, self.sizes[a] * self.sizes[b]
            ).reshape(self.sizes[a], self.sizes[b])
            for a in range(len(self._dense))
            for b in range(a, len(self._dense))
        }
        entries1, entries2 = len(self.pattern1.indices), len(self.pattern2.indices)
        return LevelSums(
            summed(self._first, weights, self.counts[0]),
            summed(self._second, weights, self.counts[1]),
            [summed(place, weights, entries1) for place in self.pattern1.place],
            [summed(place, weights, entries2) for place in self.pattern2.place],
            dense,
        )

    def scale(self, theta: Floats) -> tuple[float, float, list[float]]:
        """The scales in the order of elimination; a factor that is not there has none."""
        second = 0.0 if self.two is None else float(theta[self.two])
        return float(theta[self.one]), second, [float(theta[f]) for f in self.tail] or [0.0]

    def factorised(self, sums: LevelSums, theta: Floats) -> Factorised:
        return Factorised.of(self, sums, theta)

    def totals(self, values: Floats) -> list[Floats]:
        """By factor, the sums of something over the ratings of each level (levels x columns)."""
        columns = values.reshape(self.ratings, -1)
        return [
            np.stack([summed(code, column, levels) for column in columns.T], axis=1)
            for code, levels in zip(self.factors, self.levels, strict=True)
        ]


@dataclass(frozen=True)
class Factorised:
    """H taken apart, at one set of scales."""

    design: CrossedDesign
    theta: Floats
    d1: Floats
    d2: Floats
    coupling: Floats  # of each level of the first factor with its parent
    data1: Floats  # the entries of the two patterns
    data2: Floats
    tail: Floats  # the Cholesky factor of what remains, lower

    @classmethod
    def of(cls, design: CrossedDesign, sums: LevelSums, theta: Floats) -> Factorised:
        one, two, rest = design.scale(theta)
        d1 = 1 + one**2 * sums.first
        coupling = one * two * sums.first
        data1 = one * np.sum([t * part for t, part in zip(rest, sums.with_first, strict=True)], axis=0)
        data2 = two * np.sum([t * part for t, part in zip(rest, sums.with_second, strict=True)], axis=0)
        parts = summed(design.parent, coupling**2 / d1, len(sums.second))
        d2 = 1 + two**2 * sums.second - parts
        pattern1, pattern2 = design.pattern1, design.pattern2
        data2 = data2 - summed(design.into2, (coupling / d1)[pattern1.row] * data1, len(data2))
        dense = np.eye(design.width)
        for (a, b), block in sums.dense.items():
            rows = slice(design.offsets[a], design.offsets[a] + design.sizes[a])
            columns = slice(design.offsets[b], design.offsets[b] + design.sizes[b])
            scaled = rest[a] * rest[b] * block
            dense[rows, columns] += scaled
            if a != b:
                dense[columns, rows] += scaled.T
        dense -= pattern1.squares(data1, d1, design.pairs1)
        if design.two is not None:
            dense -= pattern2.squares(data2, d2, design.pairs2)
        return cls(design, theta, d1, d2, coupling, data1, data2, cholesky(dense))

    @cached_property
    def b1(self) -> scipy.sparse.csr_array | Floats:
        return self.design.pattern1.matrix(self.data1)

    @cached_property
    def b2(self) -> scipy.sparse.csr_array | Floats:
        return self.design.pattern2.matrix(self.data2)

    @property
    def log_determinant(self) -> float:
        return float(np.log(self.d1).sum() + np.log(self.d2).sum() + 2 * np.log(np.diag(self.tail)).sum())

    def solve(self, right: Sequence[Floats]) -> list[Floats]:
        """H^-1 of a right side (by factor: levels x columns), by factor."""
        design = self.design
        columns = right[0].shape[1]
        r1 = right[design.one]
        r2 = np.zeros((design.counts[1], columns)) if design.two is None else right[design.two]
        rt = np.concatenate([right[f] for f in design.tail]) if design.tail else np.zeros((design.width, columns))
        if design.two is not None:
            share = (self.coupling / self.d1)[:, None] * r1
            r2 = r2 - np.stack([summed(design.parent, column, len(r2)) for column in share.T], axis=1)
        rt = rt - self.b1.T @ (r1 / self.d1[:, None]) - self.b2.T @ (r2 / self.d2[:, None])
        xt = solved_by(self.tail, rt)
        x2 = (r2 - self.b2 @ xt) / self.d2[:, None]
        x1 = (r1 - self.coupling[:, None] * x2[design.parent] - self.b1 @ xt) / self.d1[:, None]
        found: dict[int, Floats] = {design.one: x1}
        if design.two is not None:
            found[design.two] = x2
        found.update(zip(design.tail, np.split(xt, design.offsets[1:]), strict=False))
        return [found[f] for f in range(len(design.factors))]

    @cached_property
    def touched(self) -> list[Floats]:
        """By factor f, of each rating: sum over factors g of theta_g H^-1[level in f, level in g] (Takahashi)."""
        design = self.design
        one, two, rest = design.scale(self.theta)
        inverse = solved_by(self.tail, np.eye(design.width))
        p1, p2 = design.pattern1, design.pattern2
        l1, l2 = self.data1 / self.d1[p1.row], self.data2 / self.d2[p2.row]
        across2 = p2.matrix(l2) @ inverse  # minus the entries between second factor and tail
        own2 = 1 / self.d2 + summed(p2.row, l2 * across2[p2.row, p2.indices], design.counts[1])
        up = self.coupling / self.d1
        # Of the entries between first factor and tail only those are needed that ratings touch: the pattern's.
        above = across2[design.parent[p1.row], p1.indices]
        if design.pairs1 is None:
            through = np.asarray(p1.matrix(l1) @ inverse)[p1.row, p1.indices]
        else:
            entry, other = design.pairs1
            through = summed(entry, l1[other] * inverse[p1.indices[other], p1.indices[entry]], len(l1))
        across1 = up[p1.row] * above - through
        to_parent = summed(p1.row, l1 * above, design.counts[0])
        to_parent -= up * own2[design.parent]
        own1 = 1 / self.d1 - up * to_parent
        own1 -= summed(p1.row, l1 * across1, design.counts[0])
        first, second = design._first, design._second
        places = [code + offset for code, offset in zip(design._dense, design.offsets, strict=True)]
        q1 = one * own1[first] + two * to_parent[first]
        q2 = one * to_parent[first] + two * own2[second]
        tails = []
        for scale, place, entries in zip(rest, places, p1.place, strict=True):
            with1, with2 = across1[entries], -across2[second, place]
            q1 += scale * with1
            q2 += scale * with2
            tail = one * with1 + two * with2
            for scale_there, there in zip(rest, places, strict=True):
                tail += scale_there * inverse[place, there]
            tails.append(tail)
        found = {design.one: q1, **({} if design.two is None else {design.two: q2})}
        found.update(zip(design.tail, tails, strict=False))
        return [found[f] for f in range(len(design.factors))]
