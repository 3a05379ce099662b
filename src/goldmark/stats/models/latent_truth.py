"""Models that learn whom to trust while they find the truth: Dawid-Skene, one-coin and MACE, each by EM.

All three alternate: from what is believed of the items, how each annotator labels; from that, the items anew. What an
annotator says matters only through which of their values it is, so the work is done per (annotator, value), a
"saying", with sparse products over the labels.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Literal, NamedTuple, TypeVar

import numpy as np
from scipy import special

from goldmark.stats.models.aggregation import Aggregated, Convergence, ItemLabels, majority
from goldmark.stats.models.glad import glad
from goldmark.stats.models.log_gamma import Floats

Method = Literal["majority", "dawid-skene", "one-coin", "mace", "glad"]
State = TypeVar("State")

# Stands for "never seen" in place of log 0, so that an item on which everyone did what they never do is still weighed.
NEVER = -690.0

# Hovy et al. (2013): Beta(0.5, 0.5) for how often somebody knows, Dirichlet(10) for what they say when they do not.
KNOWING_PRIOR = 0.5
STRATEGY_PRIOR = 10.0


def aggregate(labels: ItemLabels, method: Method, *, rng: np.random.Generator) -> Aggregated:
    """By the method of this name; only MACE draws random numbers."""
    if method == "majority":
        return majority(labels)
    if method == "mace":
        return mace(labels, rng=rng)
    if method == "glad":
        return glad(labels)
    return dawid_skene(labels) if method == "dawid-skene" else one_coin(labels)


def dawid_skene(labels: ItemLabels, *, iterations: int = 1_000, tolerance: float = 1e-7) -> Aggregated:
    """A confusion matrix per annotator, by maximum likelihood (Dawid and Skene 1979), from the shares of votes.

    Ends when a step raises the log likelihood by less than `tolerance` of it. Reliability: the probability that the
    annotator is right about an item drawn at random.
    """
    sayings = labels.sayings

    def learn(belief: Floats) -> tuple[Floats, Floats]:
        shares = _frequencies(belief)
        said = sayings.to_item @ belief
        seen = sayings.per_annotator(said)[sayings.annotator]
        # Where nobody's item is believed to have a value, the data say nothing of what the annotator would do with it.
        return shares, np.where(seen > 0, said / np.where(seen > 0, seen, 1.0), 1 / len(labels.values))

    def step(belief: Floats) -> tuple[Floats, float]:
        shares, said = learn(belief)
        return _believe(_log(shares) + sayings.by_item @ _log(said))

    start = labels.votes / labels.votes.sum(axis=1, keepdims=True)
    belief, ending = _climb(step, start, iterations, tolerance)
    shares, said = learn(belief)
    right = sayings.per_annotator(said[np.arange(len(said)), sayings.value] * shares[sayings.value])
    return Aggregated(
        "dawid-skene",
        labels,
        belief,
        right,
        "probability of being right about an item drawn at random",
        shares=shares,
        ending=ending,
        said=said,
    )


def one_coin(labels: ItemLabels, *, iterations: int = 1_000, tolerance: float = 1e-7) -> Aggregated:
    """One accuracy per annotator, all errors alike: Dawid-Skene for data too thin for confusion matrices."""
    sayings, others = labels.sayings, max(1, len(labels.values) - 1)
    number = np.bincount(labels.annotator, minlength=len(labels.annotators))

    def learn(belief: Floats) -> tuple[Floats, Floats]:
        return _frequencies(belief), sayings.per_annotator(sayings.to_cell @ belief.ravel()) / number

    def step(belief: Floats) -> tuple[Floats, float]:
        shares, right = learn(belief)
        hit, miss = _log(right), _log((1 - right) / others)
        agree = (sayings.by_cell @ (hit - miss)[sayings.annotator]).reshape(belief.shape)
        belief, value = _believe(_log(shares) + agree)
        return belief, value + float(sayings.often @ miss[sayings.annotator])

    start = labels.votes / labels.votes.sum(axis=1, keepdims=True)
    belief, ending = _climb(step, start, iterations, tolerance)
    shares, right = learn(belief)
    return Aggregated("one-coin", labels, belief, right, "probability of being right", shares=shares, ending=ending)


class _Guessers(NamedTuple):
    """What MACE believes: of the items, and how many times each saying was made knowingly."""

    belief: Floats
    knowing: Floats


def mace(
    labels: ItemLabels,
    *,
    rng: np.random.Generator,
    starts: int = 10,
    trial: int = 10,
    iterations: int = 1_000,
    tolerance: float = 1e-7,
) -> Aggregated:
    """Annotators who know the answer or guess in a manner of their own (Hovy et al. 2013), by variational Bayes.

    The first start is the majority vote, the others are drawn. Each gets `trial` steps; the most promising goes on to
    the end. Reliability: the posterior mean of how often the annotator knows ("competence").
    """
    sayings, size = labels.sayings, len(labels.values)
    number = np.bincount(labels.annotator, minlength=len(labels.annotators)).astype(float)
    guess_prior = STRATEGY_PRIOR * size

    def step(now: _Guessers) -> tuple[_Guessers, float]:
        guessed = sayings.often - now.knowing
        knew, did_not = sayings.per_annotator(now.knowing), sayings.per_annotator(guessed)
        # Variational Bayes: exp of the expected log of each parameter under its posterior.
        whole = special.digamma(number + 2 * KNOWING_PRIOR)
        log_know = (special.digamma(knew + KNOWING_PRIOR) - whole)[sayings.annotator]
        log_not = (special.digamma(did_not + KNOWING_PRIOR) - whole)[sayings.annotator]
        total = special.digamma(did_not + guess_prior)[sayings.annotator]
        log_guess = log_not + special.digamma(guessed + STRATEGY_PRIOR) - total
        log_either = np.logaddexp(log_know, log_guess)
        agree = (sayings.by_cell @ (log_either - log_guess)).reshape(now.belief.shape)
        belief, value = _believe(agree - np.log(size))
        knowing = (sayings.to_cell @ belief.ravel()) * np.exp(log_know - log_either)
        cost = _divergence(knew, did_not, guessed, size, sayings.per_annotator)
        return _Guessers(belief, knowing), value + float(sayings.often @ log_guess) - cost

    votes = labels.votes / labels.votes.sum(axis=1, keepdims=True)
    drawn = [sayings.often * rng.uniform(0.0, 1.0, size=len(number))[sayings.annotator] for _ in range(starts - 1)]
    first = 0.5 * (sayings.to_cell @ votes.ravel())
    tried = [_climb(step, _Guessers(votes, knowing), trial, tolerance) for knowing in (first, *drawn)]
    best = max(range(len(tried)), key=lambda place: tried[place][1].log_likelihood)
    state, ending = tried[best]
    reached = tuple(end.log_likelihood for _, end in tried)
    if not ending.converged:
        state, ending = _climb(step, state, iterations - trial, tolerance)
        ending = ending._replace(iterations=ending.iterations + trial)
    competence = (sayings.per_annotator(state.knowing) + KNOWING_PRIOR) / (number + 2 * KNOWING_PRIOR)
    return Aggregated(
        "mace",
        labels,
        state.belief,
        competence,
        "how often the annotator knows the answer rather than guesses",
        shares=state.belief.mean(axis=0),
        ending=ending._replace(starts=reached),
    )


def _divergence(
    knew: Floats, did_not: Floats, guessed: Floats, size: int, per_annotator: Callable[[Floats], Floats]
) -> float:
    """How far the posteriors of all annotators' parameters have moved from their priors (Kullback-Leibler)."""
    a, b, c, d = (
        knew + KNOWING_PRIOR,
        did_not + KNOWING_PRIOR,
        guessed + STRATEGY_PRIOR,
        did_not + STRATEGY_PRIOR * size,
    )
    knowing = (
        special.betaln(KNOWING_PRIOR, KNOWING_PRIOR)
        - special.betaln(a, b)
        + knew * special.digamma(a)
        + did_not * special.digamma(b)
        - (knew + did_not) * special.digamma(a + b)
    )
    # A value somebody never used keeps its prior and adds nothing, so only sayings are summed.
    used = special.gammaln(STRATEGY_PRIOR) - special.gammaln(c) + guessed * special.digamma(c)
    strategy = (
        special.gammaln(d) - special.gammaln(STRATEGY_PRIOR * size) + per_annotator(used) - did_not * special.digamma(d)
    )
    return float(knowing.sum() + strategy.sum())


def _log(probabilities: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(probabilities), NEVER)


def _believe(logits: Floats) -> tuple[Floats, float]:
    """Normalise each item's weights (in place); and the log of what they summed to, over all items."""
    # Column by column: numpy's own reductions along short rows take five times as long.
    top = reduce(np.maximum, logits.T[1:], logits[:, 0])
    logits -= top[:, None]
    belief = np.exp(logits, out=logits)
    total = reduce(np.add, belief.T[1:], belief[:, 0])
    belief /= total[:, None]
    return belief, float(top.sum() + np.log(total).sum())


def _frequencies(belief: Floats) -> Floats:
    """How frequent each value is among the items."""
    return np.array([column.sum() for column in belief.T]) / len(belief)


def _climb(
    step: Callable[[State], tuple[State, float]], state: State, iterations: int, tolerance: float
) -> tuple[State, Convergence]:
    """Step until the value hardly rises any more."""
    value, before, taken, converged = -np.inf, -np.inf, 0, False
    while taken < iterations and not converged:
        before = value
        state, value = step(state)
        taken += 1
        converged = bool(value - before <= tolerance * max(1.0, abs(value)))
    return state, Convergence(converged, taken, value, (value,))
