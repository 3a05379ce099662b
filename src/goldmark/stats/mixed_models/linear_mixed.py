"""Linear mixed-effects models with crossed random effects, such as people and items.

The story: a rating is what its system is worth, plus how hard or good its item happens to be, plus how strict its
annotator happens to be, plus chance,

    y = X beta + sum_f b_f[level] + e,    b_f ~ N(0, sigma_f^2),    e ~ N(0, sigma^2),

with as many factors f as are wanted. beta are the fixed effects. The variances are found by restricted maximum
likelihood (REML) or maximum likelihood; beta and sigma are profiled out, so that only the ratios
theta_f = sigma_f / sigma are searched for (Bates, Mächler, Bolker and Walker 2015, section 3.4).

What a contrast of beta is sure of: Student's t with Satterthwaite's degrees of freedom, 2 v^2 / Var(v) where v is its
estimated variance (Giesbrecht and Burns 1985; Kuznetsova, Brockhoff and Christensen, *lmerTest*, 2017). What a
variance is sure of: chi-squared with degrees of freedom found in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import scipy

from goldmark.errors import GoldmarkError
from goldmark.records.figures import Figure, Interval, counted
from goldmark.stats._one_thread import in_one_thread
from goldmark.stats.mixed_models.crossed_effects import (
    Codes,
    CrossedDesign,
    Factorised,
    Floats,
    cholesky,
    lowest,
    solved_by,
)

Criterion = Literal["reml", "ml"]
LEAST_FREEDOM = 0.5  # below this the chi-squared interval of a variance runs from 0 to everything
NO_VARIANCE = 1e-4  # a ratio of standard deviations below this is none
LEVEL = 1e-3  # a slope of the deviance that is none


class NothingToFit(GoldmarkError):
    code = "MODEL-02"
    message = "no model can be fitted: {why}"


UNCERTAIN = "so uncertain that no interval can be given"


class Contrast(NamedTuple):
    """A linear combination of fixed effects."""

    value: float
    error: float | None  # none: so uncertain that nothing can be said of it
    df: float

    def interval(self, level: float = 0.95) -> Interval | None:
        if self.error is None:
            return None
        half = float(scipy.stats.t.ppf((1 + level) / 2, self.df)) * self.error
        return Interval(self.value - half, self.value + half, level)

    @property
    def p(self) -> float | None:
        """Of a difference as large as this if there is none."""
        if self.error is None:
            return None
        return float(2 * scipy.stats.t.sf(abs(self.value) / self.error, self.df)) if self.error else 1.0


class _At(NamedTuple):
    """Everything that follows from the scales."""

    factorised: Factorised
    beta: Floats
    covariance: Floats  # of beta, in units of sigma^2
    squares: float  # the penalised residual sum of squares
    log_determinants: float
    slope_determinants: Floats  # by factor
    slope_squares: Floats
    seen: list[Floats]  # by factor: Z_f' V^-1 X
    effects: list[Floats]  # by factor: u


@dataclass(frozen=True)
class LinearMixed:
    """A fitted model. `ratios` are sigma_f / sigma; `beta` the fixed effects in the order of the columns of X."""

    criterion: Criterion
    beta: Floats
    ratios: Floats
    sigma: float
    deviance: float  # -2 log (restricted) likelihood at its highest
    converged: bool
    _problem: _Problem

    @property
    def variances(self) -> Floats:
        """Of the factors, and last of the residual."""
        return np.append(self.ratios * self.sigma, self.sigma) ** 2

    @property
    def levels(self) -> list[int]:
        """How many there are of each factor."""
        return self._problem.design.levels

    @property
    def covariance(self) -> Floats:
        """Of the fixed effects."""
        return self.sigma**2 * self._at.covariance

    @cached_property
    def _at(self) -> _At:
        return self._problem.at(self.ratios)

    @cached_property
    def _free(self) -> Codes:
        """The factors that have a variance."""
        return np.flatnonzero(self.ratios > NO_VARIANCE)

    @cached_property
    def _uncertainty(self) -> Floats:
        """The covariance of the free ratios and log sigma: twice the inverse curvature of the deviance."""
        point = np.append(self.ratios[self._free], np.log(self.sigma))
        size = len(point)
        curvature = np.zeros((size, size))
        for place in range(size):
            step = 1e-4 * max(abs(point[place]), 1e-2) if place < size - 1 else 1e-4
            ends = [
                self._problem.slope(self._whole(point + sign * step * np.eye(size)[place]), self._free)
                for sign in (1.0, -1.0)
            ]
            curvature[place] = (ends[0] - ends[1]) / (2 * step)
        curvature = (curvature + curvature.T) / 2
        spread: Floats = 2 * scipy.linalg.pinvh(curvature)
        return spread

    def _whole(self, point: Floats) -> tuple[Floats, float]:
        ratios = np.zeros_like(self.ratios)
        ratios[self._free] = point[:-1]
        return ratios, float(np.exp(point[-1]))

    @in_one_thread
    def contrast(self, weights: Sequence[float] | Floats) -> Contrast:
        """A combination of fixed effects, with Satterthwaite's degrees of freedom."""
        c = np.asarray(weights, dtype=np.float64)
        at = self._at
        spread = at.covariance @ c
        variance = self.sigma**2 * float(c @ spread)
        # v = sigma^2 c' C(theta) c; C moves with theta_f by 2 theta_f C (Z_f' V^-1 X)' (Z_f' V^-1 X) C.
        slope = [self.sigma**2 * 2 * self.ratios[f] * float(((at.seen[f] @ spread) ** 2).sum()) for f in self._free]
        gradient = np.append(slope, 2 * variance)
        spread_of_variance = float(gradient @ self._uncertainty @ gradient)
        df = 2 * variance**2 / spread_of_variance if spread_of_variance > 0 else np.inf
        return Contrast(float(c @ self.beta), float(np.sqrt(variance)), max(df, 1.0))

    @in_one_thread
    def variance_figures(self, level: float = 0.95) -> list[Figure]:
        """The variance of each factor and of the residual; one that is estimated at zero has no interval."""
        found = []
        uncertainty = self._uncertainty
        free = self._free.tolist()
        for place, variance in enumerate(self.variances.tolist()):
            if place < len(self.ratios) and place not in free:
                why = "estimated at zero; that it is small is all that can be said"
                found.append(Figure(0.0, reason=why, used=self._problem.design.levels[place]))
                continue
            gradient = np.zeros(len(free) + 1)
            gradient[-1] = 2 * variance
            if place < len(self.ratios):
                gradient[free.index(place)] = 2 * variance / self.ratios[place]
            levels = self._problem.design.levels[place] if place < len(self.ratios) else self._problem.design.ratings
            spread = float(gradient @ uncertainty @ gradient)
            df = 2 * variance**2 / spread if spread > 0 else np.inf
            if df < LEAST_FREEDOM:
                found.append(Figure(variance, reason=UNCERTAIN, used=levels))
                continue
            quantiles = scipy.stats.chi2.ppf([(1 + level) / 2, (1 - level) / 2], df) / df if df < np.inf else np.ones(2)
            low, high = (variance / quantiles).tolist()
            found.append(Figure(variance, Interval(low, high, level), used=levels))
        return found

    def profiled(self, ratios: Floats) -> tuple[float, Floats]:
        """The deviance at other ratios, everything else at its best, and its slope."""
        return self._problem.deviance(ratios)

    def effects(self, factor: int) -> Floats:
        """What is expected of every level of a factor (the conditional modes, or BLUPs)."""
        expected: Floats = self._at.effects[factor] * self.ratios[factor]
        return expected


class _Problem:
    """Ratings, fixed effects and factors, with what does not depend on the scales."""

    def __init__(self, y: Floats, x: Floats, factors: Sequence[Codes], criterion: Criterion) -> None:
        self.design = CrossedDesign(factors)
        self.start = scipy.linalg.lstsq(x, y)[0]  # what is left is small: squares of large numbers lose digits
        self.y, self.x, self.criterion = y - x @ self.start, x, criterion
        self.sums = self.design.sums(np.ones(len(y)))
        both = np.column_stack([self.y, x])
        self.totals, self.gram = self.design.totals(both), both.T @ both
        self.free = len(y) - (x.shape[1] if criterion == "reml" else 0)

    def at(self, theta: Floats) -> _At:
        design = self.design
        done = design.factorised(self.sums, theta)
        right = [scale * total for scale, total in zip(theta, self.totals, strict=True)]
        solved = done.solve(right)
        gram = self.gram - sum((r.T @ s for r, s in zip(right, solved, strict=True)), np.zeros_like(self.gram))
        information, toward = gram[1:, 1:], gram[1:, 0]
        root = cholesky(information)
        beta = solved_by(root, toward)
        squares = float(gram[0, 0] - toward @ beta)
        covariance = solved_by(root, np.eye(len(beta)))
        effects = [part[:, 0] - part[:, 1:] @ beta for part in solved]
        log_determinants = done.log_determinant
        # Z_f' V^-1 X = Z_f'X - Z_f'Z Theta H^-1 Theta Z'X = u-part / theta_f; taken so that theta_f = 0 is no matter.
        fitted = sum((theta[g] * solved[g][design.factors[g], 1:] for g in range(len(theta))), np.zeros_like(self.x))
        whitened = self.x - fitted
        residual = self.y - self.x @ beta
        residual = residual - sum(
            (theta[g] * effects[g][design.factors[g]] for g in range(len(theta))), np.zeros(len(residual))
        )
        seen = design.totals(whitened)
        slope_determinants = np.array([2 * float(touched.sum()) for touched in done.touched])
        if self.criterion == "reml":
            log_determinants += 2 * float(np.log(np.diag(root)).sum())
            slope_determinants -= [
                2 * scale * float(np.einsum("li,ij,lj->", part, covariance, part))
                for scale, part in zip(theta, seen, strict=True)
            ]
        slope_squares = np.array([-2 * float(residual @ effects[f][design.factors[f]]) for f in range(len(theta))])
        return _At(done, beta, covariance, squares, log_determinants, slope_determinants, slope_squares, seen, effects)

    def deviance(self, theta: Floats) -> tuple[float, Floats]:
        """The profiled deviance and its slope."""
        at = self.at(theta)
        n = self.free
        value = at.log_determinants + n * (1 + np.log(2 * np.pi * at.squares / n))
        return float(value), at.slope_determinants + n * at.slope_squares / at.squares

    def slope(self, point: tuple[Floats, float], free: Codes) -> Floats:
        """Of the deviance by the free ratios and by log sigma, nothing profiled out."""
        theta, sigma = point
        at = self.at(theta)
        by_ratio = at.slope_determinants + at.slope_squares / sigma**2
        return np.append(by_ratio[free], 2 * self.free - 2 * at.squares / sigma**2)


@in_one_thread
def fit_linear(
    y: Sequence[float] | Floats, x: Floats, factors: Sequence[Codes], *, criterion: Criterion = "reml"
) -> LinearMixed:
    """Fit a linear mixed model: ratings, the columns of the fixed effects, and a code of every rating per factor."""
    values = np.asarray(y, dtype=np.float64)
    columns = np.asarray(x, dtype=np.float64)
    if len(values) <= columns.shape[1] + 1:
        few = f"{counted(len(values), 'rating')} {'is' if len(values) == 1 else 'are'} too few"
        raise NothingToFit(why=f"{few} for {counted(columns.shape[1], 'fixed effect')}")
    if not np.isfinite(values).all():
        raise NothingToFit(why="a rating is no number")
    if np.linalg.matrix_rank(columns) < columns.shape[1]:
        raise NothingToFit(why="the fixed effects cannot be told apart")
    if np.ptp(values) == 0:
        raise NothingToFit(why="all ratings are the same")
    problem = _Problem(values, columns, factors, criterion)
    if problem.at(np.zeros(len(factors))).squares < 1e-12 * float(((values - values.mean()) ** 2).sum()):
        raise NothingToFit(why="the fixed effects alone explain every rating")
    found = lowest(
        problem.deviance,
        np.ones(len(factors)),
        bounds=[(0.0, 1e4)] * len(factors),
        scales=range(len(factors)),
        options={"ftol": 1e-13, "gtol": 1e-6, "maxiter": 500},
    )
    theta = np.where(found.x > NO_VARIANCE, found.x, 0.0)
    at = problem.at(theta)
    sigma = float(np.sqrt(at.squares / problem.free))
    # A search that cannot step lower by rounding errors alone gives up where it should have ended.
    ended = bool(found.success) or float(np.abs(found.jac[theta > 0]).max(initial=0.0)) < LEVEL
    return LinearMixed(criterion, at.beta + problem.start, theta, sigma, problem.deviance(theta)[0], ended, problem)
