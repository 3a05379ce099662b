"""Mixtures of Beta-binomials: how many of n questions somebody gets right, when people are of several kinds.

The story: person w is of kind k with probability `weights[k]`; their chance of a right answer is drawn once from
Beta(`alphas[k]`, `betas[k]`); of their n questions they get `correct` right, each with that chance. A mixture of Betas
is conjugate to the binomial, so what is known of a person after their answers is again a mixture of Betas, in closed
form (Diaconis and Ylvisaker 1979).

`fit_mixture` finds the maximum of the likelihood. People with the same (correct, n) are one term, all starts are
climbed together, and each step is a Newton step on the observed likelihood, so tens of steps do what EM with a
fixed-point loop inside (Minka 2000) does in thousands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from goldmark.errors import GoldmarkError
from goldmark.records.figures import counted
from goldmark.stats.models.log_gamma import Floats, Ints, log_choose, rising
from goldmark.stats.models.mixture_climb import HIGHEST, LOWEST, climb

GUESSED_CONCENTRATION = 10.0  # of the starts guessed from the data: neither a point nor flat
AS_GOOD_AS_A_POINT = 1e6  # the concentration above which people of one kind differ by less than 0.1 %


class MoreComponentsThanPeople(GoldmarkError):
    code = "MIXTURE-01"
    message = (
        "{components} components cannot be told apart by {distinct} distinct results; ask for at most {distinct}, or "
        "collect more answers"
    )


class NoAnswersToFit(GoldmarkError):
    code = "MIXTURE-02"
    message = "nobody has answered a question ({people}, all with n = 0); there is nothing to fit"


class ImpossibleCounts(GoldmarkError):
    code = "MIXTURE-03"
    message = "{reason} (position {position}: correct = {correct}, n = {n}); counts with 0 <= correct <= n are needed"


class BadMixture(GoldmarkError):
    code = "MIXTURE-04"
    message = "not a mixture of Betas: {reason}"


def counts(correct: ArrayLike, n: ArrayLike) -> tuple[Ints, Ints]:
    """Right answers and questions as arrays of whole numbers, or an error that says which pair is impossible."""
    right, asked = np.atleast_1d(np.asarray(correct, dtype=float)), np.atleast_1d(np.asarray(n, dtype=float))
    if right.shape != asked.shape or right.ndim != 1:
        raise ImpossibleCounts(
            reason=f"{right.size} numbers of right answers for {asked.size} numbers of questions",
            position="-",
            correct="-",
            n="-",
        )
    whole = np.isfinite(right) & np.isfinite(asked) & (right == np.round(right)) & (asked == np.round(asked))
    for reason, wrong in (
        ("not whole numbers", ~whole),
        ("a count below 0", (right < 0) | (asked < 0)),
        ("more right answers than questions", right > asked),
    ):
        if wrong.any():
            at = int(np.argmax(wrong))
            raise ImpossibleCounts(reason=reason, position=at, correct=f"{right[at]:g}", n=f"{asked[at]:g}")
    return right.astype(np.int64), asked.astype(np.int64)


@dataclass(frozen=True)
class BetaMixture:
    """What is known of a person's accuracy before any answer: kinds of people, each a Beta distribution."""

    weights: tuple[float, ...]
    alphas: tuple[float, ...]
    betas: tuple[float, ...]

    def __post_init__(self) -> None:
        if not len(self.weights) == len(self.alphas) == len(self.betas) > 0:
            raise BadMixture(reason="weights, alphas and betas must be equally many, and at least one")
        if min(self.weights) < 0 or abs(sum(self.weights) - 1) > 1e-9:
            raise BadMixture(reason=f"the weights {self.weights} must be shares that sum to 1")
        if min(*self.alphas, *self.betas) <= 0:
            raise BadMixture(reason="every alpha and beta must be above 0")

    @property
    def components(self) -> int:
        return len(self.weights)

    @property
    def means(self) -> tuple[float, ...]:
        """The expected accuracy of each kind of person."""
        return tuple(alpha / (alpha + beta) for alpha, beta in zip(self.alphas, self.betas, strict=True))

    @property
    def best(self) -> int:
        """The component with the highest expected accuracy."""
        return int(np.argmax(self.means))

    def log_likelihoods(self, correct: ArrayLike, n: ArrayLike) -> Floats:
        """The log probability of each person's result."""
        return np.asarray(special.logsumexp(self._log_joint(*counts(correct, n)), axis=1))

    def responsibilities(self, correct: ArrayLike, n: ArrayLike) -> Floats:
        """People x components: the posterior probability that a person is of each kind."""
        return np.exp(self._log_responsibilities(*counts(correct, n)))

    def log_probability_at_least(self, threshold: float, correct: ArrayLike, n: ArrayLike) -> Floats:
        """The log of the posterior probability that accuracy is at the threshold or above; -inf when below e-308."""
        right, asked = counts(correct, n)
        return self._log_mass(special.betaincc, threshold, right, asked)

    def log_probability_in(self, component: int, correct: ArrayLike, n: ArrayLike) -> Floats:
        """The log of the posterior probability that a person is of one kind."""
        return self._log_responsibilities(*counts(correct, n))[:, component]

    def expected_accuracy(self, correct: ArrayLike, n: ArrayLike) -> Floats:
        """The posterior mean of each person's accuracy."""
        right, asked = counts(correct, n)
        alphas, betas = np.array(self.alphas), np.array(self.betas)
        means = (alphas + right[:, None]) / (alphas + betas + asked[:, None])
        return np.asarray((self.responsibilities(right, asked) * means).sum(axis=1))

    def _log_joint(self, right: Ints, asked: Ints) -> Floats:
        with np.errstate(divide="ignore"):  # a kind of weight 0 is impossible: log 0 = -inf is what is meant
            weights = np.log(np.array(self.weights))
        alphas, betas = np.array(self.alphas), np.array(self.betas)
        return np.asarray(
            weights
            + log_choose(asked, right)[:, None]
            + rising(alphas, right[:, None])[0]
            + rising(betas, (asked - right)[:, None])[0]
            - rising(alphas + betas, asked[:, None])[0]
        )

    def _log_responsibilities(self, right: Ints, asked: Ints) -> Floats:
        # Log space throughout: under a tight component 1,000 wrong answers underflow exp() and would give 0/0.
        joint = self._log_joint(right, asked)
        return np.asarray(joint - special.logsumexp(joint, axis=1, keepdims=True))

    def _log_mass(self, share: np.ufunc, threshold: float, right: Ints, asked: Ints) -> Floats:
        alphas, betas = np.array(self.alphas), np.array(self.betas)
        mass = share(alphas + right[:, None], betas + (asked - right)[:, None], threshold)
        with np.errstate(divide="ignore"):
            logs = np.log(mass)
        total = special.logsumexp(self._log_responsibilities(right, asked) + logs, axis=1)
        return np.asarray(np.minimum(total, 0.0))


class Start(NamedTuple):
    """How the climb from one starting point ended."""

    log_likelihood: float
    iterations: int
    converged: bool


@dataclass(frozen=True)
class MixtureFit:
    """A finished fit: the mixture with the highest likelihood of all starts, and how the search ended."""

    mixture: BetaMixture
    log_likelihood: float
    converged: bool
    iterations: int
    starts: tuple[Start, ...]
    people: int
    people_without_answers: int
    at_limit: bool  # a component has shrunk to a point or to certainty, as when everyone is always right

    @property
    def starts_agreeing(self) -> int:
        """How many starts reached the best likelihood (to one part in a million)."""
        best = self.log_likelihood
        return sum(abs(start.log_likelihood - best) <= 1e-6 * max(1.0, abs(best)) for start in self.starts)


def fit_mixture(
    correct: ArrayLike,
    n: ArrayLike,
    *,
    components: int,
    rng: np.random.Generator,
    starts: int | None = None,
    iterations: int = 1_000,
    tolerance: float = 1e-9,
) -> MixtureFit:
    """The mixture under which the results are most probable.

    Starts are drawn as in GENIE's appendix B.1: equal weights, means uniform on 0 to 1, concentrations from a gamma
    distribution of shape 2; as there ten of them, and forty where three components or more make the likelihood
    hillier. Two more are guessed from the data, so that a few noisy people among many good ones are
    found even if no drawn start lies near. A climb ends when the next step promises less than `tolerance` of the log
    likelihood.
    """
    right, asked = counts(correct, n)
    answered = asked > 0
    if not answered.any():
        raise NoAnswersToFit(people=counted(asked.size, "person", "people"))
    results, people = np.unique(np.stack([right[answered], asked[answered]]), axis=1, return_counts=True)
    if components < 1:
        raise BadMixture(reason=f"{components} components; there must be at least one")
    if components > people.size:
        raise MoreComponentsThanPeople(components=components, distinct=people.size)
    size = (10 if components < 3 else 40) if starts is None else starts, components
    drawn = rng.uniform(size=size), rng.gamma(2.0, size=size)
    guessed = _guesses(results, people, components)
    means = np.concatenate([drawn[0], guessed])
    concentrations = np.concatenate([drawn[1], np.full(guessed.shape, GUESSED_CONCENTRATION)])
    found = climb(
        results[0],
        results[1],
        people.astype(float),
        np.clip(np.log(np.stack([means * concentrations, (1 - means) * concentrations])), LOWEST, HIGHEST),
        iterations=iterations,
        tolerance=tolerance,
    )
    constant = float(people @ log_choose(results[1], results[0]))
    ends = tuple(
        Start(float(value + constant), int(steps), bool(done))
        for value, steps, done in zip(found.log_likelihoods, found.iterations, found.converged, strict=True)
    )
    best = int(np.argmax(found.log_likelihoods))
    order = np.argsort(found.log_alphas[best] - found.log_betas[best])  # worst kind of person first
    logs = np.stack([found.log_alphas[best][order], found.log_betas[best][order]])
    weights = found.weights[best][order]
    return MixtureFit(
        mixture=BetaMixture(
            tuple((weights / weights.sum()).tolist()), tuple(np.exp(logs[0]).tolist()), tuple(np.exp(logs[1]).tolist())
        ),
        log_likelihood=ends[best].log_likelihood,
        converged=ends[best].converged,
        iterations=ends[best].iterations,
        starts=ends,
        people=int(asked.size),
        people_without_answers=int((~answered).sum()),
        at_limit=bool((logs <= LOWEST + 1e-3).any() or (np.exp(logs).sum(axis=0) >= AS_GOOD_AS_A_POINT).any()),
    )


def _guesses(results: Ints, people: Ints, components: int) -> Floats:
    """Starts x components: means at even quantiles of people's accuracies, and at quantiles near the extremes."""
    accuracy = (results[0] + 0.5) / (results[1] + 1)
    order = np.argsort(accuracy)
    reached = (np.cumsum(people[order]) - 0.5 * people[order]) / people.sum()
    even = (np.arange(components) + 0.5) / components
    spread = np.linspace(0.01, 0.75, components) if components > 1 else even
    return np.stack([np.interp(levels, reached, accuracy[order]) for levels in (even, spread)])
