"""Cumulative link models with crossed random effects: ratings on an ordered scale, by people, of items.

The story: behind every answer is a number, eta = X beta + sum_f b_f[level] with b_f ~ N(0, sigma_f^2), plus logistic or
normal chance; thresholds cut it into the categories of the scale. No step of the scale is taken to be as wide as
another, and nobody's strictness is taken for the text's fault.

The likelihood is an integral over all random effects. Laplace's approximation replaces it by the height and the
curvature at its peak,

    log L(beta, alpha, theta) = l(u*) - u*'u* / 2 - log |H(u*)| / 2,    H = I + Theta Z' W Z Theta,

which needs only what `crossed_effects` gives, so its slope is exact too. Checked against `clmm` of R's ordinal
(Christensen 2019), which uses the same approximation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy

from goldmark.records.figures import Figure, Interval
from goldmark.stats._one_thread import in_one_thread
from goldmark.stats.mixed_models.crossed_effects import Codes, CrossedDesign, Factorised, Floats, lowest
from goldmark.stats.mixed_models.cumulative_link import RESIDUAL, AnswerLikelihood, Link, answer_likelihood
from goldmark.stats.mixed_models.linear_mixed import NO_VARIANCE, UNCERTAIN, Contrast, NothingToFit

MOST_STEPS = 100  # to the peak; ten are usual
MOST_SPREAD = np.log(100)  # up or down to a hundred times as large; a wider interval of a variance says nothing
STEP = 1e-5  # by which parameters are moved to see how the slope changes
CLOSE = 1e-12  # of the height of the peak: what another step may still gain while the best fit is searched for
# The same where slopes are told apart that lie as close as STEP: a peak that is off by 1e-5 would move them as much.
CLOSEST = 1e-20


class _Peak(NamedTuple):
    height: float
    effects: list[Floats]  # by factor: u
    eta: Floats
    likelihood: AnswerLikelihood
    factorised: Factorised


@dataclass(frozen=True)
class OrdinalMixed:
    """A fitted model: `beta` in the order of the columns of X, `thresholds` between the categories, `deviations` of
    the random effects by factor."""

    link: Link
    beta: Floats
    thresholds: Floats
    deviations: Floats
    log_likelihood: float
    converged: bool
    _problem: _Problem
    _peak: _Peak

    @property
    def variances(self) -> Floats:
        """Of the factors, and last of chance on the hidden scale."""
        return np.append(self.deviations**2, RESIDUAL[self.link])

    @cached_property
    def covariance(self) -> Floats:
        """Of thresholds, fixed effects and those standard deviations that are not zero, in this order."""
        free = self.deviations > NO_VARIANCE
        point = np.concatenate([self.thresholds, self.beta, self.deviations])
        wanted = np.concatenate([np.ones(len(point) - len(free), dtype=bool), free])
        size = int(wanted.sum())
        curvature = np.zeros((size, size))
        here = self._problem.natural_slope(point, self._peak.effects)[wanted]
        for row, place in enumerate(np.flatnonzero(wanted).tolist()):
            moved = point.copy()
            moved[place] += STEP * max(1.0, abs(point[place]))
            there = self._problem.natural_slope(moved, self._peak.effects)[wanted]
            curvature[row] = (here - there) / (moved[place] - point[place])
        spread: Floats = scipy.linalg.pinvh((curvature + curvature.T) / 2)
        return spread

    @in_one_thread
    def contrast(self, weights: Sequence[float] | Floats, df: float = np.inf) -> Contrast:
        """A combination of fixed effects on the hidden scale. `df` widens the interval where few people answered."""
        c = np.asarray(weights, dtype=np.float64)
        first = len(self.thresholds)
        own = self.covariance[first : first + len(c), first : first + len(c)]
        variance = float(c @ own @ c)  # below 0 where the likelihood is so flat that its curvature is all rounding
        return Contrast(float(c @ self.beta), None if variance < 0 else float(np.sqrt(variance)), df)

    @in_one_thread
    def variance_figures(self, level: float = 0.95) -> list[Figure]:
        """The variance of each factor, with the interval of its logarithm; chance is known and has none."""

        z = float(scipy.stats.norm.ppf((1 + level) / 2))
        errors = np.sqrt(np.maximum(np.diag(self.covariance)[len(self.thresholds) + len(self.beta) :], 0))
        found, place = [], 0
        for deviation, levels in zip(self.deviations.tolist(), self._problem.design.levels, strict=True):
            if deviation <= NO_VARIANCE:
                found.append(
                    Figure(0.0, reason="estimated at zero; that it is small is all that can be said", used=levels)
                )
                continue
            spread = 2 * z * float(errors[place]) / deviation  # of the logarithm of the variance
            place += 1
            if spread > MOST_SPREAD:
                found.append(Figure(deviation**2, reason=UNCERTAIN, used=levels))
                continue
            interval = Interval(deviation**2 * np.exp(-spread), deviation**2 * np.exp(spread), level)
            found.append(Figure(deviation**2, interval, used=levels))
        chance = "fixed by the scale of the model"
        return [*found, Figure(RESIDUAL[self.link], reason=chance, used=self._problem.design.ratings)]

    def effects(self, factor: int) -> Floats:
        """What is expected of every level of a factor, on the hidden scale (the conditional modes)."""
        expected: Floats = self._peak.effects[factor] * self.deviations[factor]
        return expected


class _Problem:
    def __init__(self, answer: Codes, x: Floats, factors: Sequence[Codes], link: Link) -> None:
        self.answer, self.x, self.link = answer, x, link
        self.design = CrossedDesign(factors)
        self.cuts = int(answer.max())  # thresholds
        self.started = [np.zeros(levels) for levels in self.design.levels]

    def peak(
        self, thresholds: Floats, beta: Floats, theta: Floats, start: Sequence[Floats], close: float = CLOSE
    ) -> _Peak:
        """The likeliest random effects, by Newton's steps, halved where one would go down."""
        design = self.design
        fixed = self.x @ beta
        effects = [part.copy() for part in start]

        def at(effects: Sequence[Floats]) -> tuple[float, Floats, AnswerLikelihood]:
            eta = fixed + sum(scale * u[code] for scale, u, code in zip(theta, effects, design.factors, strict=True))
            said = answer_likelihood(self.answer, eta, thresholds, self.link)
            return float(said.log.sum()) - 0.5 * sum(float(u @ u) for u in effects), eta, said

        height, eta, said = at(effects)
        done = None
        for _ in range(MOST_STEPS):
            done = design.factorised(design.sums(said.weight), theta)
            pull = design.totals(said.slope)
            uphill = [scale * p - u[:, None] for scale, p, u in zip(theta, pull, effects, strict=True)]
            step = [part[:, 0] for part in done.solve(uphill)]
            gain = sum(float(u[:, 0] @ s) for u, s in zip(uphill, step, strict=True))
            if gain < close * max(1.0, abs(height)):
                break
            share = 1.0
            while True:
                moved = [u + share * s for u, s in zip(effects, step, strict=True)]
                higher = at(moved)
                if higher[0] >= height - 1e-10 * abs(height) or share < 1e-6:
                    break
                share /= 2
            effects, (height, eta, said) = moved, higher
        if done is None:
            raise AssertionError("the search for the peak takes at least one step")
        return _Peak(height, effects, eta, said, done)

    def laplace(
        self, thresholds: Floats, beta: Floats, theta: Floats, start: Sequence[Floats], close: float = CLOSE
    ) -> tuple[float, tuple[Floats, Floats, Floats], _Peak]:
        """The approximate log likelihood, its slope by thresholds, fixed effects and scales, and the peak."""
        design = self.design
        peak = self.peak(thresholds, beta, theta, start, close)
        said, done = peak.likelihood, peak.factorised
        value = peak.height - 0.5 * done.log_determinant
        touched = done.touched
        leverage = sum(scale * q for scale, q in zip(theta, touched, strict=True))
        bend = 0.5 * leverage * said.weight_slope
        back = done.solve([scale * total for scale, total in zip(theta, design.totals(bend), strict=True)])
        returned = sum(scale * s[code, 0] for scale, s, code in zip(theta, back, design.factors, strict=True))
        pull = said.slope - bend + said.weight * returned
        by_theta = np.array(
            [
                float(pull @ u[code]) - float(said.weight @ q) - float(said.slope @ s[code, 0])
                for u, q, s, code in zip(peak.effects, touched, back, design.factors, strict=True)
            ]
        )
        by_threshold = np.zeros(self.cuts + 2)
        for offset, (log, slope, weight) in ((1, said.by_upper), (0, said.by_lower)):
            moved = log - 0.5 * leverage * weight - returned * slope
            by_threshold += np.bincount(self.answer + offset, moved, self.cuts + 2)
        return value, (by_threshold[1:-1], self.x.T @ pull, by_theta), peak

    def natural_slope(self, point: Floats, start: Sequence[Floats]) -> Floats:
        parts = np.split(point, [self.cuts, self.cuts + self.x.shape[1]])
        return np.concatenate(self.laplace(parts[0], parts[1], parts[2], start, CLOSEST)[1])

    def minus(self, point: Floats) -> tuple[float, Floats]:
        """What is minimised. Thresholds are the first and the logarithms of their distances, so they stay in order."""
        first, gaps, beta, theta = self.parts(point)
        thresholds = np.cumsum(np.concatenate([first, gaps]))
        value, (by_threshold, by_beta, by_theta), peak = self.laplace(thresholds, beta, theta, self.started)
        if np.isfinite(value):
            self.started = peak.effects
        later = np.cumsum(by_threshold[::-1])[::-1]  # a distance moves all thresholds after it
        slope = np.concatenate([later[:1], later[1:] * gaps, by_beta, by_theta])
        return -value, -slope

    def parts(self, point: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        first, gaps, beta, theta = np.split(point, [1, self.cuts, self.cuts + self.x.shape[1]])
        return first, np.exp(gaps), beta, theta


@in_one_thread
def fit_ordinal(
    answer: Sequence[int] | Codes, x: Floats, factors: Sequence[Codes], *, link: Link = "logit"
) -> OrdinalMixed:
    """Fit a cumulative link mixed model: answers as codes from 0 (every category occurs), fixed effects, factors.

    The thresholds take the place of an intercept, so X must not hold one.
    """
    codes = np.asarray(answer, dtype=np.int64)
    columns = np.asarray(x, dtype=np.float64).reshape(len(codes), -1)
    if len(np.unique(codes)) != codes.max() + 1 or codes.max() < 1:
        raise NothingToFit(why="answers need two categories or more, each of which occurs")
    both = np.column_stack([np.ones(len(codes)), columns])
    if np.linalg.matrix_rank(both) < both.shape[1]:
        raise NothingToFit(why="the fixed effects cannot be told apart")
    problem = _Problem(codes, columns, factors, link)
    share = np.cumsum(np.bincount(codes))[:-1] / len(codes)
    thresholds = np.log(share / (1 - share)) * (1.0 if link == "logit" else 0.6)
    start = np.concatenate(
        [thresholds[:1], np.log(np.diff(thresholds)), np.zeros(columns.shape[1]), np.full(len(factors), 0.7)]
    )
    try:
        found = lowest(
            problem.minus,
            start,
            scales=range(len(start) - len(factors), len(start)),
            # A distance of e^4 between two thresholds is more than any answers can tell.
            bounds=[(-30.0, 30.0)]
            + [(-12.0, 4.0)] * (problem.cuts - 1)
            + [(-30.0, 30.0)] * columns.shape[1]
            + [(0.0, 10.0)] * len(factors),
            options={"ftol": 1e-11, "gtol": 1e-5 * np.sqrt(len(codes)), "maxiter": 300, "maxcor": 30},
        )
    except (np.linalg.LinAlgError, ValueError) as error:
        raise NothingToFit(why="the search for the best fit went astray; there may be too few answers") from error
    first, gaps, beta, theta = problem.parts(found.x)
    theta = np.where(theta > NO_VARIANCE, theta, 0.0)
    cuts = np.cumsum(np.concatenate([first, gaps]))
    value, _, peak = problem.laplace(cuts, beta, theta, problem.started)
    return OrdinalMixed(link, beta, cuts, theta, value, bool(found.success), problem, peak)
