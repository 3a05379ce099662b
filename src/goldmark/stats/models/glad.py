"""GLAD: annotators of different skill, items of different difficulty (Whitehill et al. 2009).

The story: an annotator with skill a labels an item of clearness b. They are right with probability

    1 / (1 + e^(-a b))

and otherwise say any other value alike. Nobody gets an item right for sure that is not clear (b near 0), and somebody
who is worse than chance has a skill below 0. Skills are drawn from a normal distribution around 1, and so are the
logarithms of b, both with variance 1: with few labels an item or a person stays near what is usual.

EM: what is believed of the items tells how probably each label is right; skills, and then clearness, climb the expected
log likelihood; from them the items anew. Given the items' clearness every person's skill is a matter of its own, and
the other way round, so a step is a few sums over labels.
"""

from __future__ import annotations

import numpy as np
import scipy

from goldmark.stats.models.aggregation import Aggregated, Convergence, ItemLabels
from goldmark.stats.models.log_gamma import Floats, Ints

USUAL = 1.0  # the mean of the skills, and of the logarithms of clearness; both vary by 1
HALVINGS = 6  # of a step that goes too far


def glad(labels: ItemLabels, *, iterations: int = 5_000, tolerance: float = 1e-7) -> Aggregated:
    """Skills and difficulties by EM, from the shares of votes. Every value is as likely as another beforehand.

    Reliability: the probability that the annotator is right about an item of usual clearness.
    """
    others, size = max(1, len(labels.values) - 1), labels.votes.shape
    cell = labels.item * size[1] + labels.value
    skill, clear = np.full(len(labels.annotators), USUAL), np.full(len(labels.items), USUAL)
    belief = labels.votes / labels.votes.sum(axis=1, keepdims=True)
    value, taken, converged = -np.inf, 0, False
    while taken < iterations and not converged:
        right = belief[labels.item, labels.value]
        skill = _step(skill, labels.annotator, right, np.exp(clear)[labels.item])
        clear = _step(clear, labels.item, right, skill[labels.annotator], logarithm=True)
        odds = skill[labels.annotator] * np.exp(clear)[labels.item]
        wrong = -np.logaddexp(0, odds) - np.log(others)
        gain = -np.logaddexp(0, -odds) - wrong  # of the value that was said over every other one
        logits = np.bincount(cell, gain, minlength=size[0] * size[1]).reshape(size) - np.log(size[1])
        total = scipy.special.logsumexp(logits, axis=1)
        belief = np.exp(logits - total[:, None])
        away = np.square(skill - USUAL).sum() + np.square(clear - USUAL).sum()
        before, value, taken = value, float(total.sum() + wrong.sum() - away / 2), taken + 1
        converged = bool(value - before <= tolerance * max(1.0, abs(value)))
    return Aggregated(
        "glad",
        labels,
        belief,
        scipy.special.expit(skill * np.exp(USUAL)),
        "probability of being right about an item of usual clearness",
        shares=belief.mean(axis=0),
        ending=Convergence(converged, taken, value, (value,)),
        difficulty=np.exp(-clear),
    )


def _step(now: Floats, whose: Ints, right: Floats, other: Floats, *, logarithm: bool = False) -> Floats:
    """One step up for all people, or all items, each of whom has labels of their own; nobody goes down.

    `right` is how probably each label is right, `other` what of its log odds is not theirs. By Fisher's scoring: the
    curvature that is expected is never negative, as that of the logarithm of clearness may be.
    """

    def odds_of(point: Floats) -> Floats:
        return (np.exp(point) if logarithm else point)[whose] * other

    def height(point: Floats) -> Floats:
        odds = odds_of(point)
        own = np.bincount(whose, right * odds - np.logaddexp(0, odds), minlength=len(now))
        return own - np.square(point - USUAL) / 2

    odds = odds_of(now)
    moves = odds if logarithm else other
    sure = scipy.special.expit(odds)
    slope = np.bincount(whose, (right - sure) * moves, minlength=len(now)) - (now - USUAL)
    step = slope / (1 + np.bincount(whose, sure * (1 - sure) * moves**2, minlength=len(now)))
    before = height(now)
    for _ in range(HALVINGS):
        lower = height(now + step) < before
        if not lower.any():
            return now + step
        step = np.where(lower, step / 2, step)
    found: Floats = np.where(height(now + step) < before, now, now + step)
    return found
