"""Generalisability theory: how much of what people say is about the texts, and how many people it takes.

The story: a rating is a text's worth, plus its annotator's strictness, plus what only this person sees in this text
and chance. The mixed model `score ~ 1 + (1 | text) + (1 | annotator)` parts the variance into these three (a G study).
With texts of variance T, annotators of variance A and residual E, the mean of k people has

    generalisability (consistency)   T / (T + E / k)
    dependability (agreement)        T / (T + (A + E) / k)

For k = 1 these are the intraclass correlations ICC(C,1) and ICC(A,1), and for other k what a D study asks: how reliable
would the mean of k people be? (Cronbach, Gleser, Nanda and Rajaratnam 1972; Brennan, *Generalizability Theory*, 2001;
McGraw and Wong 1996.) Designs need not be complete: whoever rated what, the variances are found by REML.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from goldmark.records.figures import Figure, Interval, counted
from goldmark.stats.mixed_models.crossed_effects import Codes, Floats
from goldmark.stats.mixed_models.linear_mixed import LinearMixed, NothingToFit, fit_linear

Coefficient = Literal["consistency", "agreement"]
FEW = 5  # people
NEAR_NOTHING, NEAR_ONE = 1e-4, 1 - 1e-6  # an interval that reaches further is said to end at 0 or 1
FLAT = 1e-2  # a ratio of standard deviations down to which the search goes; at 0 it would stay
NEAR_ENOUGH, STEPS = 0.02, 12  # standard errors by which the end of an interval may be off, and steps towards it


@dataclass(frozen=True)
class Reliability:
    """A G study: the variances, and the reliability of one person with its interval."""

    model: LinearMixed
    consistency: Figure
    agreement: Figure

    @property
    def texts(self) -> float:
        return float(self.model.variances[0])

    @property
    def annotators(self) -> float:
        return float(self.model.variances[1])

    @property
    def residual(self) -> float:
        return float(self.model.variances[2])

    @property
    def warning(self) -> str:
        """What a reader must know before trusting an interval."""
        people = self.model.levels[1]
        few = f"{counted(people, 'person', 'people')} rated; from fewer than {FEW}"
        return f"{few} little can be said of how people differ" if people < FEW else ""

    def of_mean(self, people: int, coefficient: Coefficient = "agreement") -> Figure:
        """The reliability of the mean of so many people (a D study); the ends of an interval move as the value does."""
        single = self.agreement if coefficient == "agreement" else self.consistency
        if single.value is None:
            return single
        ends = single.interval
        interval = None
        if ends is not None:
            interval = Interval(spearman_brown(ends.low, people), spearman_brown(ends.high, people), ends.level)
        return Figure(spearman_brown(single.value, people), interval, single.reason, single.used)


def spearman_brown(single: float, people: float) -> float:
    """The reliability of a mean of several people from that of one."""
    return people * single / (1 + (people - 1) * single)


def reliability(score: Floats, text: Codes, annotator: Codes, *, level: float = 0.95) -> Reliability:
    """The G study of ratings of texts by annotators, each named by a code from 0."""
    texts, people = len(np.unique(text)), len(np.unique(annotator))
    if people < 2 or texts < 2:
        raise NothingToFit(why=f"reliability needs two texts and two people or more; there are {texts} and {people}")
    if len(text) == texts:
        raise NothingToFit(why="no text was rated twice")
    model = fit_linear(score, np.ones((len(score), 1)), [text, annotator])
    return Reliability(model, _figure(model, "consistency", texts, level), _figure(model, "agreement", texts, level))


def _figure(model: LinearMixed, coefficient: Coefficient, texts: int, level: float) -> Figure:
    """One person's reliability, with the interval of all values that the profiled likelihood does not reject."""
    ratio, other = model.ratios**2
    value = float(ratio / (ratio + 1 + (other if coefficient == "agreement" else 0.0)))
    distance = _distance(model, coefficient)
    z = float(scipy.stats.norm.ppf((1 + level) / 2))
    start = min(max(value, NEAR_NOTHING), NEAR_ONE)
    low = _end(distance, start, -z) if value > NEAR_NOTHING else 0.0
    high = _end(distance, start, z) if value < NEAR_ONE else 1.0
    return Figure(value, Interval(min(low, value), max(high, value), level), used=texts)


def _end(distance: Callable[[float], float], start: float, z: float) -> float:
    """Where the likelihood has fallen so far that z standard errors lie between; nearly a line on the logit scale."""
    side = np.sign(z)
    limits = scipy.special.logit([NEAR_NOTHING, NEAR_ONE])
    here, fallen = float(scipy.special.logit(start)), distance(start)
    there = float(np.clip(here + side, *limits))
    for _ in range(STEPS):
        further = distance(float(scipy.special.expit(there)))
        if abs(further - abs(z)) < NEAR_ENOUGH:
            break
        rate = (further - fallen) / (there - here) if there != here else 0.0
        if side * rate <= 0:  # the search within went astray; go on outwards
            rate = side * max(abs(further), 0.2) / max(abs(there - here), 1e-3)
        here, fallen = there, further
        there = float(np.clip(there + np.clip((abs(z) - further) / rate, -2, 2), *limits))
        if there == here:
            return 0.0 if side < 0 else 1.0  # even the end of the scale is not rejected
    return float(scipy.special.expit(there))


def _distance(model: LinearMixed, coefficient: Coefficient) -> Callable[[float], float]:
    """By reliability, how many standard errors the best fit with it lies from the best of all."""
    warm = [float(model.ratios[1])]

    def distance(rho: float) -> float:
        odds = rho / (1 - rho)

        def deviance(theta: Floats) -> tuple[float, Floats]:
            person = float(theta[0])
            more = 1 + person**2 if coefficient == "agreement" else 1.0
            text = np.sqrt(odds * more)
            value, slope = model.profiled(np.array([text, person]))
            along = odds * person / text if coefficient == "agreement" else 0.0
            return value, np.array([slope[1] + slope[0] * along])

        found = scipy.optimize.minimize(
            deviance, warm, jac=True, method="L-BFGS-B", bounds=[(FLAT, 1e3)], options={"ftol": 1e-7, "gtol": 1e-2}
        )
        warm[0] = float(found.x[0])
        return float(np.sqrt(max(float(found.fun) - model.deviance, 0.0)))

    return distance
