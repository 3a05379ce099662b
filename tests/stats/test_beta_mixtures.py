"""Beta-binomial mixtures: against scipy, against brute force, against the published procedure, and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

from benchmarks import _published_mixture as published
from goldmark.stats.models import mixture_climb
from goldmark.stats.models.beta_mixtures import (
    BadMixture,
    BetaMixture,
    ImpossibleCounts,
    MoreComponentsThanPeople,
    NoAnswersToFit,
    fit_mixture,
)
from goldmark.stats.models.log_gamma import rising
from tests.examples import one_in

TWO_KINDS = BetaMixture((0.1, 0.9), (2.0, 60.0), (6.0, 2.0))


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def drawn(mixture: BetaMixture, n: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """For each number of questions, how many somebody got right whose kind and accuracy are drawn."""
    kinds = rng.choice(mixture.components, size=n.size, p=mixture.weights)
    return rng.binomial(n, rng.beta(np.array(mixture.alphas)[kinds], np.array(mixture.betas)[kinds]))


results = st.lists(
    st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=3, max_size=25
).filter(lambda pairs: len(set(pairs)) >= 2)


@pytest.mark.parametrize("a", [1e-6, 0.3, 7.0, 999.9, 1e3 + 1e-9, 5e4, 1e9])
@pytest.mark.parametrize("x", [0, 1, 5, 400])
def test_rising_factorials_and_their_derivatives(a: float, x: int) -> None:
    # Gamma(a + x) / Gamma(a) = a (a + 1) ... (a + x - 1), so its log and derivatives are finite sums.
    terms = [a + i for i in range(x)]
    value, first, second = (float(part) for part in rising(np.array(a), x, derivatives=True))
    assert value == pytest.approx(math.fsum(math.log(term) for term in terms), rel=1e-11, abs=1e-11)
    assert first == pytest.approx(math.fsum(1 / term for term in terms), rel=1e-8, abs=1e-12)
    assert second == pytest.approx(-math.fsum(1 / term**2 for term in terms), rel=1e-7, abs=1e-15)


def test_log_likelihood_of_one_component_is_scipys_beta_binomial() -> None:
    mixture = BetaMixture((1.0,), (2.5,), (0.7,))
    n = np.arange(30)
    correct = n // 2
    assert mixture.log_likelihoods(correct, n) == pytest.approx(stats.betabinom(n, 2.5, 0.7).logpmf(correct))


def test_posterior_of_a_uniform_prior_is_a_beta() -> None:
    # 7 of 10 right: the posterior is Beta(8, 4); of no question at all: the prior.
    uniform = BetaMixture((1.0,), (1.0,), (1.0,))
    above = np.exp(uniform.log_probability_at_least(0.9, [7, 0], [10, 0]))
    assert above == pytest.approx([special.betaincc(8, 4, 0.9), 0.1])
    assert uniform.expected_accuracy([7, 0], [10, 0]) == pytest.approx([8 / 12, 0.5])


def test_posterior_of_a_mixture_is_what_integration_gives() -> None:
    def density(p: float) -> float:
        prior = sum(
            weight * stats.beta(alpha, beta).pdf(p)
            for weight, alpha, beta in zip(TWO_KINDS.weights, TWO_KINDS.alphas, TWO_KINDS.betas, strict=True)
        )
        return float(prior * stats.binom(12, p).pmf(9))

    total, below = (integrate.quad(density, 0, end, points=[0.5, 0.95])[0] for end in (1.0, 0.9))
    at_least = math.exp(TWO_KINDS.log_probability_at_least(0.9, [9], [12])[0])
    assert at_least == pytest.approx(1 - below / total, rel=1e-6)


def test_slopes_are_the_derivatives_of_the_value() -> None:
    right, asked = np.array([19, 1, 5, 10, 2000]), np.array([20, 20, 20, 20, 3000])
    data = mixture_climb._Data(
        np.array([36.0, 2, 1, 1, 3]), *(mixture_climb._distinct(v) for v in (right, asked - right, asked))
    )
    # Ordinary parameters in the first row; in the second one component in Stirling's range and one nearly at 0.
    place = np.array([[0.0, -1.0, 1.0, 3.0, 0.5, -0.2], [0.3, 0.0, 9.0, -4.0, 8.0, 1.0]])
    gradient, hessian = mixture_climb._slopes(place, data)
    h = 1e-5
    for d in range(place.shape[1]):
        step = np.zeros(place.shape[1])
        step[d] = h
        rise = (mixture_climb._value(place + step, data) - mixture_climb._value(place - step, data)) / (2 * h)
        bend = (mixture_climb._slopes(place + step, data)[0] - mixture_climb._slopes(place - step, data)[0]) / (2 * h)
        assert gradient[:, d] == pytest.approx(rise, rel=1e-5, abs=1e-4)
        assert hessian[:, d] == pytest.approx(bend, rel=1e-4, abs=1e-4)


def test_a_simulated_mixture_is_recovered() -> None:
    n = rng(1).integers(5, 60, size=20_000)
    correct = drawn(TWO_KINDS, n, rng(2))
    fit = fit_mixture(correct, n, components=2, rng=rng(3))
    assert fit.converged
    assert fit.starts_agreeing > 6
    # About 2,000 people are of the rare kind: the weight's standard error is about sqrt(.1 * .9 / 20000) = 0.002,
    # that of the means sqrt(.25 * .75 / 9 / 2000) = 0.003 and less. Four of them each.
    assert fit.mixture.weights[0] == pytest.approx(0.1, abs=0.009)
    assert fit.mixture.means == pytest.approx((0.25, 60 / 62), abs=0.013)
    assert fit.log_likelihood >= TWO_KINDS.log_likelihoods(correct, n).sum()


@pytest.mark.parametrize("seed", range(2))
def test_one_component_is_at_least_as_likely_as_the_published_procedure(seed: int) -> None:
    n = rng(seed).integers(1, 50, size=88)
    correct = drawn(TWO_KINDS, n, rng(seed + 100))
    ours = fit_mixture(correct, n, components=1, rng=rng(seed))
    theirs = published.fit(correct.astype(float), (n - correct).astype(float), components=1, rng=rng(seed), starts=2)
    assert ours.log_likelihood >= theirs.log_likelihood - 1e-9


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_two_components_are_at_least_as_likely_as_the_published_procedure(seed: int) -> None:
    # Spread-out accuracies in both components keep the published fixed-point loop short enough for a test.
    kinds = BetaMixture((0.3, 0.7), (2.0, 8.0), (6.0, 2.0))
    n = rng(seed).integers(5, 30, size=60)
    correct = drawn(kinds, n, rng(seed + 100))
    ours = fit_mixture(correct, n, components=2, rng=rng(seed))
    theirs = published.fit(
        correct.astype(float), (n - correct).astype(float), components=2, rng=rng(seed), starts=3, rounds=60
    )
    assert ours.log_likelihood >= theirs.log_likelihood - 1e-9


def test_the_fitted_likelihood_is_that_of_the_fitted_mixture() -> None:
    correct, n = [19, 18, 3, 20, 0], [20, 20, 20, 20, 7]
    fit = fit_mixture(correct, n, components=2, rng=rng())
    assert fit.log_likelihood == pytest.approx(fit.mixture.log_likelihoods(correct, n).sum(), abs=1e-6)
    assert fit.log_likelihood == max(start.log_likelihood for start in fit.starts)
    assert list(fit.mixture.means) == sorted(fit.mixture.means)


@settings(max_examples=one_in(2), derandomize=True)
@given(results, st.randoms(use_true_random=False))
def test_the_order_of_people_changes_nothing(pairs: list[tuple[int, int]], shuffle: object) -> None:
    shuffled = sorted(pairs, key=lambda _: shuffle.random())  # type: ignore[attr-defined]
    first, second = (fit_mixture(*zip(*each, strict=True), components=2, rng=rng()) for each in (pairs, shuffled))
    assert first == second


@settings(max_examples=one_in(2), derandomize=True)
@given(results)
def test_a_crowd_counted_twice_is_the_same_crowd(pairs: list[tuple[int, int]]) -> None:
    correct, n = zip(*pairs, strict=True)
    once = fit_mixture(correct, n, components=2, rng=rng(), starts=15)
    twice = fit_mixture(correct * 2, n * 2, components=2, rng=rng(), starts=15)
    assert twice.log_likelihood == pytest.approx(2 * once.log_likelihood, rel=1e-6, abs=1e-6)


@settings(derandomize=True)
@given(results)
def test_right_and_wrong_are_mirror_images(pairs: list[tuple[int, int]]) -> None:
    correct, n = (np.array(side) for side in zip(*pairs, strict=True))
    fit = fit_mixture(correct, n, components=1, rng=rng())
    mirrored = fit_mixture(n - correct, n, components=1, rng=rng())
    assert mirrored.log_likelihood == pytest.approx(fit.log_likelihood, rel=1e-6, abs=1e-6)


@settings(max_examples=one_in(2), derandomize=True)
@given(results)
def test_more_components_are_never_less_likely(pairs: list[tuple[int, int]]) -> None:
    correct, n = zip(*pairs, strict=True)
    one, two = (fit_mixture(correct, n, components=k, rng=rng(), starts=12).log_likelihood for k in (1, 2))
    assert two >= one - 1e-6 * max(1.0, abs(one))


def test_a_hundred_thousand_wrong_answers_give_numbers() -> None:
    correct, n = np.array([0, 100_000, 19, 20, 1]), np.array([100_000, 100_000, 20, 20, 20])
    fit = fit_mixture(correct, n, components=2, rng=rng())
    for mixture in (
        fit.mixture,
        BetaMixture((0.05, 0.95), (0.5, 9.5), (4.5, 0.5)),
        BetaMixture((1.0,), (1e9,), (1e7,)),
    ):
        assert np.isfinite(mixture.log_likelihoods(correct, n)).all()
        shares = mixture.responsibilities(correct, n)
        assert shares.sum(axis=1) == pytest.approx(np.ones(5))
        above = np.exp(mixture.log_probability_at_least(0.9, correct, n))
        assert not np.isnan(above).any()
        assert ((above >= 0) & (above <= 1)).all()
    assert np.exp(fit.mixture.log_probability_at_least(0.9, [0], [100_000]))[0] == pytest.approx(0.0)


def test_everyone_perfect_ends_at_the_limit_and_says_so() -> None:
    fit = fit_mixture([20, 10, 5], [20, 10, 5], components=1, rng=rng())
    assert fit.converged
    assert fit.at_limit
    assert fit.mixture.means[0] == pytest.approx(1.0)
    assert fit.log_likelihood == pytest.approx(0.0, abs=1e-6)


def test_people_without_answers_count_for_nothing() -> None:
    with_them = fit_mixture([5, 9, 0, 2], [10, 10, 0, 8], components=1, rng=rng())
    without = fit_mixture([5, 9, 2], [10, 10, 8], components=1, rng=rng())
    assert with_them.people_without_answers == 1
    assert with_them.mixture == without.mixture


def test_what_cannot_be_fitted_is_explained() -> None:
    with pytest.raises(NoAnswersToFit, match="nobody has answered"):
        fit_mixture([0, 0], [0, 0], components=1, rng=rng())
    with pytest.raises(NoAnswersToFit):
        fit_mixture([], [], components=1, rng=rng())
    with pytest.raises(MoreComponentsThanPeople, match=r"3 components .* 2 distinct"):
        fit_mixture([1, 1, 2], [3, 3, 3], components=3, rng=rng())
    with pytest.raises(ImpossibleCounts, match=r"more right answers than questions \(position 1"):
        fit_mixture([1, 4], [3, 3], components=1, rng=rng())
    with pytest.raises(ImpossibleCounts, match="below 0"):
        fit_mixture([-1], [3], components=1, rng=rng())
    with pytest.raises(ImpossibleCounts, match="whole"):
        fit_mixture([0.5], [3], components=1, rng=rng())
    with pytest.raises(ImpossibleCounts, match="2 numbers of right answers for 1"):
        fit_mixture([1, 2], [3], components=1, rng=rng())
    with pytest.raises(BadMixture):
        fit_mixture([1], [3], components=0, rng=rng())
    for weights, alphas, betas in [((0.5, 0.4), (1, 1), (1, 1)), ((1.0,), (0.0,), (1.0,)), ((), (), ())]:
        with pytest.raises(BadMixture):
            BetaMixture(weights, alphas, betas)
