"""The likelihood of answers on an ordered scale, with its first three derivatives.

An answer falls into category k of K if a hidden number lies between the thresholds alpha_(k-1) and alpha_k:
P(y <= k) = F(alpha_k - eta), where F is logistic (the proportional odds model) or normal (ordered probit). Both are
log-concave, so every answer pulls eta towards one place only (McCullagh, *Regression models for ordinal data*, 1980).
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import scipy

from goldmark.stats.mixed_models.crossed_effects import Codes, Floats

Link = Literal["logit", "probit"]
RESIDUAL = {"logit": np.pi**2 / 3, "probit": 1.0}  # the variance of the hidden number that no effect explains
TINY = 1e-300


class AnswerLikelihood(NamedTuple):
    """Of each answer: the log likelihood, its slope and minus its curvature in eta, and what thresholds do to them.

    `by_upper` and `by_lower` are derivatives by the thresholds above and below the answer.
    """

    log: Floats
    slope: Floats
    weight: Floats
    weight_slope: Floats  # of the weight in eta
    by_upper: tuple[Floats, Floats, Floats]  # of log, slope and weight
    by_lower: tuple[Floats, Floats, Floats]


def answer_likelihood(answer: Codes, eta: Floats, thresholds: Floats, link: Link) -> AnswerLikelihood:
    """At these places of the hidden numbers; answers are codes from 0."""
    ends = np.concatenate([[-np.inf], thresholds, [np.inf]])
    upper, lower = ends[answer + 1] - eta, ends[answer] - eta
    log, a, a1, a2, b, b1, b2 = (_logit if link == "logit" else _probit)(upper, lower)
    # a = f(upper) / p, a1 = f'(upper) / p, a2 = f''(upper) / p, and the same of the lower end.
    aa, ab, bb = a1 - a * a, a * b, -(b1 + b * b)
    aaa, aab = a2 - 3 * a * a1 + 2 * a**3, b * (a1 - 2 * a * a)
    abb, bbb = a * (b1 + 2 * b * b), -(b2 + 3 * b * b1 + 2 * b**3)
    turn_upper, turn_lower = aaa + 2 * aab + abb, aab + 2 * abb + bbb
    return AnswerLikelihood(
        log,
        b - a,
        np.maximum(-(aa + 2 * ab + bb), 1e-12),
        turn_upper + turn_lower,
        (a, -(aa + ab), -turn_upper),
        (-b, -(ab + bb), -turn_lower),
    )


Parts = tuple[Floats, Floats, Floats, Floats, Floats, Floats, Floats]


def _logit(upper: Floats, lower: Floats) -> Parts:
    # F(u) - F(l) = F(u) F(-l) (1 - e^(l - u)), which loses no digits in either tail.
    apart = -np.expm1(np.minimum(lower - upper, -1e-12))
    above, below = scipy.special.expit(upper), scipy.special.expit(-lower)
    log = scipy.special.log_expit(upper) + scipy.special.log_expit(-lower) + np.log(apart)
    a = scipy.special.expit(-upper) / np.maximum(below * apart, TINY)
    b = scipy.special.expit(lower) / np.maximum(above * apart, TINY)
    skew_a, skew_b = 1 - 2 * above, 2 * below - 1
    a1, b1 = a * skew_a, b * skew_b
    a2 = a * (skew_a**2 - 2 * above * (1 - above))
    b2 = b * (skew_b**2 - 2 * below * (1 - below))
    return log, a, a1, a2, b, b1, b2


def _probit(upper: Floats, lower: Floats) -> Parts:
    # In the right tail the two ends are mirrored, where the normal distribution has its digits.
    mirrored = lower > 0
    high, low = np.where(mirrored, -lower, upper), np.where(mirrored, -upper, lower)
    log_high = scipy.special.log_ndtr(high)
    log = log_high + np.log(-np.expm1(np.minimum(scipy.special.log_ndtr(low) - log_high, -1e-15)))
    u, v = np.where(np.isfinite(upper), upper, 0.0), np.where(np.isfinite(lower), lower, 0.0)
    half = 0.5 * np.log(2 * np.pi)
    a = np.where(np.isfinite(upper), np.exp(np.minimum(-0.5 * u * u - half - log, 700)), 0.0)
    b = np.where(np.isfinite(lower), np.exp(np.minimum(-0.5 * v * v - half - log, 700)), 0.0)
    return log, a, -u * a, (u * u - 1) * a, b, -v * b, (v * v - 1) * b
