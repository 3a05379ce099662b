"""GENIE's own fitting procedure (appendix B.1), step by step and without haste: the peer to measure against.

EM from 10 random starts, up to 1,000 rounds each, until the log likelihood changes by less than one part in a million;
inside each round every component is fitted by Minka's fixed-point iteration, up to 10,000 steps, until one part in ten
million. The E-step is in log space, where the published code is not, so that long answer records do not break it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln, logsumexp

Floats = NDArray[np.float64]


class Published(NamedTuple):
    log_likelihood: float
    weights: Floats
    alphas: Floats
    betas: Floats


def log_likelihoods(right: Floats, wrong: Floats, alpha: float, beta: float) -> Floats:
    total = right + wrong
    choose = gammaln(total + 1) - gammaln(right + 1) - gammaln(wrong + 1)
    grown = gammaln(alpha + right) + gammaln(beta + wrong) - gammaln(alpha + beta + total)
    return np.asarray(choose + grown + gammaln(alpha + beta) - gammaln(alpha) - gammaln(beta))


def fit_component(
    shares: Floats, right: Floats, wrong: Floats, *, steps: int = 10_000, tolerance: float = 1e-7
) -> tuple[float, float]:
    alpha, beta = 1.0, 1.0
    before = float(-(shares @ log_likelihoods(right, wrong, alpha, beta)))
    for _ in range(steps):
        both = float(shares @ (digamma(alpha + beta + right + wrong) - digamma(alpha + beta)))
        grown = alpha * float(shares @ (digamma(alpha + right) - digamma(alpha))) / both
        beta = beta * float(shares @ (digamma(beta + wrong) - digamma(beta))) / both
        alpha = grown
        after = float(-(shares @ log_likelihoods(right, wrong, alpha, beta)))
        if (before - after) / before < tolerance:
            break
        before = after
    return alpha, beta


def fit(
    right: Floats,
    wrong: Floats,
    *,
    components: int,
    rng: np.random.Generator,
    starts: int = 10,
    rounds: int = 1_000,
    tolerance: float = 1e-6,
) -> Published:
    return max(
        (_climb(right, wrong, components, rng, rounds, tolerance) for _ in range(starts)),
        key=lambda found: found.log_likelihood,
    )


def _climb(
    right: Floats, wrong: Floats, components: int, rng: np.random.Generator, rounds: int, tolerance: float
) -> Published:
    means, sizes = rng.uniform(size=components), rng.gamma(2.0, size=components)
    weights, alphas, betas = np.full(components, 1 / components), means * sizes, (1 - means) * sizes
    joint = _joint(right, wrong, weights, alphas, betas)
    before = -float(logsumexp(joint, axis=0).sum())
    for _ in range(rounds):
        shares = np.exp(joint - logsumexp(joint, axis=0))
        weights = shares.mean(axis=1)
        for k in range(components):
            alphas[k], betas[k] = fit_component(shares[k], right, wrong)
        joint = _joint(right, wrong, weights, alphas, betas)
        after = -float(logsumexp(joint, axis=0).sum())
        if (before - after) / before < tolerance:
            before = after
            break
        before = after
    return Published(-before, weights, alphas, betas)


def _joint(right: Floats, wrong: Floats, weights: Floats, alphas: Floats, betas: Floats) -> Floats:
    return np.stack(
        [
            np.log(weight) + log_likelihoods(right, wrong, alpha, beta)
            for weight, alpha, beta in zip(weights, alphas, betas, strict=True)
        ]
    )
