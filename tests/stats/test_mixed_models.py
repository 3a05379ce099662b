"""Mixed models against published fits: lme4's Penicillin and ordinal's wine; and simulate-and-recover."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.coverage_cells import models
from goldmark.results.rating_model_tables import ModelOptions, pair_rows
from goldmark.stats.mixed_models.crossed_effects import CrossedDesign
from goldmark.stats.mixed_models.cumulative_link import Link
from goldmark.stats.mixed_models.generalisability import reliability, spearman_brown
from goldmark.stats.mixed_models.linear_mixed import NothingToFit, fit_linear
from goldmark.stats.mixed_models.ordinal_mixed import OrdinalMixed, fit_ordinal
from goldmark.stats.mixed_models.rating_models import RatingDesign, linear_rating_model, ordinal_rating_model

# Davies and Goldsmith (1972), as in lme4: the diameters (mm) of 24 plates, each with the samples A to F.
PLATES = """27 23 26 23 23 21;27 23 26 23 23 21;25 21 25 24 24 20;26 23 25 23 23 20;25 22 26 22 23 20;
24 22 25 23 22 19;24 20 23 21 22 19;26 22 26 24 24 21;24 21 24 22 22 20;24 21 24 23 22 19;26 23 26 24 24 21;
25 22 26 24 24 20;26 24 26 24 25 22;26 23 26 23 23 20;26 23 25 24 24 22;25 22 25 23 23 20;25 21 24 23 23 20;
25 22 24 23 23 19;24 21 23 21 21 19;26 23 26 24 24 21;25 21 24 22 22 18;25 22 25 22 22 20;24 21 24 22 24 19;
24 21 24 22 21 18"""
PENICILLIN = np.array([[float(cell) for cell in plate.split()] for plate in PLATES.split(";")])
# Randall (1989), as in R's ordinal: the bitterness (1 to 5) that nine judges found in two bottles each of cold wine
# without and with contact of skins, and of warm wine without and with.
JUDGES = "23344455 12132354 23325544 32323253 23433333 32322454 11222323 22233334 12323244"
WINE = np.array([[int(cell) for cell in judge] for judge in JUDGES.split()])
WARM, CONTACT = np.array([0, 0, 0, 0, 1, 1, 1, 1.0]), np.array([0, 0, 1, 1, 0, 0, 1, 1.0])


@pytest.mark.parametrize(
    ("criterion", "deviance", "error", "deviations"),
    [
        # MixedModels.jl's own tests and lme4's vignette: lmer(diameter ~ 1 + (1 | plate) + (1 | sample), Penicillin)
        ("reml", 330.86058899122156, 0.8085723, (0.8467057, 1.9315556, 0.5499230)),
        ("ml", 332.18834867227616, 0.7445960, (0.8455646, 1.7706476, 0.5499331)),
    ],
)
def test_penicillin(criterion: str, deviance: float, error: float, deviations: tuple[float, ...]) -> None:
    plate, sample = (codes.ravel() for codes in np.indices(PENICILLIN.shape))
    found = fit_linear(PENICILLIN.ravel(), np.ones((144, 1)), [plate, sample], criterion=criterion)  # type: ignore[arg-type]
    assert found.converged
    assert found.deviance == pytest.approx(deviance, abs=1e-6)
    assert np.sqrt(found.variances) == pytest.approx(deviations, abs=2e-5)
    mean = found.contrast([1.0])
    assert mean.value == pytest.approx(22.9722222, abs=1e-6)
    assert mean.error == pytest.approx(error, abs=1e-5)
    if criterion == "reml":
        assert mean.df == pytest.approx(5.49, abs=0.01)  # lmerTest


def test_a_difference_in_a_complete_design_is_that_of_the_paired_t_test() -> None:
    """Everybody rated both systems on everything, people favour systems: the t test of people's mean differences."""
    from scipy import stats

    rng = np.random.default_rng(4)
    people, items = 6, 8
    person, item, system = (codes.ravel() for codes in np.indices((people, items, 2)))
    favour = rng.normal(0, 1.5, (people, 2))
    score = 0.5 * system + favour[person, system] + rng.normal(0, 0.5, items)[item] + rng.normal(0, 1, len(item))
    design = RatingDesign.of(*([str(code) for code in codes] for codes in (system, item, person)), without=("text",))
    found = linear_rating_model(design, score).contrast(np.array([-1.0, 1.0]))
    by_person = score.reshape(people, items, 2).mean(axis=1)
    difference = by_person[:, 1] - by_person[:, 0]
    expected = stats.ttest_1samp(difference, 0)
    assert found.value == pytest.approx(difference.mean())
    assert found.df == pytest.approx(people - 1, rel=1e-3)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-3)


@pytest.mark.parametrize(
    ("link", "thresholds", "beta", "variance", "height"),
    [
        # Christensen's tutorial: clmm(rating ~ temp + contact + (1 | judge), data = wine)
        ("logit", (-1.624, 1.513, 4.229, 6.089), (3.063, 1.835), 1.279, -81.57),
    ],
)
def test_wine(
    link: Link, thresholds: tuple[float, ...], beta: tuple[float, ...], variance: float, height: float
) -> None:
    judge, bottle = (codes.ravel() for codes in np.indices(WINE.shape))
    x = np.column_stack([WARM[bottle], CONTACT[bottle]])
    found = fit_ordinal(WINE.ravel() - 1, x, [judge], link=link)
    assert found.converged
    assert found.thresholds == pytest.approx(thresholds, abs=6e-4)
    assert found.beta == pytest.approx(beta, abs=6e-4)
    assert found.deviations[0] ** 2 == pytest.approx(variance, abs=6e-4)
    assert found.log_likelihood == pytest.approx(height, abs=6e-3)
    # Standard errors as the tutorial prints them.
    assert np.sqrt(np.diag(found.covariance))[:6] == pytest.approx((0.682, 0.604, 0.809, 0.972, 0.595, 0.513), abs=6e-4)
    # Bottles differ in nothing but what was done to the wine: a second, crossed effect of variance 0 changes nothing.
    crossed = fit_ordinal(WINE.ravel() - 1, x, [judge, bottle], link=link)
    assert crossed.deviations[1] == 0
    assert crossed.beta == pytest.approx(found.beta, abs=1e-3)


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_the_slope_of_laplaces_approximation_is_exact(link: Link) -> None:
    judge, bottle = (codes.ravel() for codes in np.indices(WINE.shape))
    x = np.column_stack([WARM[bottle], CONTACT[bottle]])
    problem = fit_ordinal(WINE.ravel() - 1, x, [judge, bottle], link=link)._problem
    start = [np.zeros(levels) for levels in problem.design.levels]
    point = np.array([-2, -0.5, 1, 2.0, 1.0, 0.4, 0.8, 0.5])

    def height(at: np.ndarray) -> float:
        return problem.laplace(at[:4], at[4:6], at[6:], start)[0]

    by_differences = [(height(point + 1e-5 * one) - height(point - 1e-5 * one)) / 2e-5 for one in np.eye(8)]
    assert problem.natural_slope(point, start) == pytest.approx(by_differences, abs=1e-5)


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_taking_the_matrix_apart_gives_what_the_whole_matrix_gives(number: int) -> None:
    rng = np.random.default_rng(number)
    item, system, person = (rng.integers(0, most, 200) for most in (15, 3, 6))
    factors = [np.unique(one, return_inverse=True)[1] for one in (item, person, item * 3 + system, person * 3 + system)]
    design = CrossedDesign(factors[:number])
    theta, weights = rng.uniform(0.3, 2, number), rng.uniform(0.2, 2, 200)
    done = design.factorised(design.sums(weights), theta)
    z = np.hstack([np.eye(n)[code] * t for code, n, t in zip(factors, design.levels, theta, strict=False)])
    whole = np.eye(z.shape[1]) + z.T @ (weights[:, None] * z)
    inverse, starts = np.linalg.inv(whole), np.cumsum([0, *design.levels])
    assert done.log_determinant == pytest.approx(np.linalg.slogdet(whole)[1])
    right = rng.normal(size=(len(whole), 2))
    assert np.concatenate(done.solve(np.split(right, starts[1:-1]))) == pytest.approx(inverse @ right)
    for a in range(number):
        wanted = sum(theta[b] * inverse[starts[a] + factors[a], starts[b] + factors[b]] for b in range(number))
        assert done.touched[a] == pytest.approx(wanted)


def test_what_was_simulated_is_recovered() -> None:
    rng = np.random.default_rng(7)
    item, slot, system = (codes.ravel() for codes in np.indices((80, 3, 2)))
    person = np.argsort(rng.random((80, 12)), axis=1)[item, slot]
    hidden = system + rng.normal(0, 1, 80)[item] + rng.normal(0, 0.8, 12)[person] + rng.logistic(size=len(item))
    names = ([f"{code:03}" for code in codes] for codes in (system, item, person))
    design = RatingDesign.of(*names, without=("text", "annotator:system"))
    model = ordinal_rating_model(design, np.searchsorted([-1.5, 0, 1, 2.5], hidden).astype(float))
    assert [name for name, _ in model.systems] == ["001", "000"]
    interval = model.pairs[0].contrast.interval()
    assert interval is not None
    assert interval.low < 1 < interval.high
    spread = {name: figure.value for name, figure, _ in model.components(0.95)}
    assert spread["item"] == pytest.approx(1, abs=0.5)
    assert spread["annotator"] == pytest.approx(0.64, abs=0.4)


def test_a_variance_below_zero_gives_no_interval_but_a_reason() -> None:
    system, item, person = (codes.ravel().astype(str) for codes in np.indices((2, 6, 3)))
    score = np.random.default_rng(5).integers(1, 5, len(system)).astype(float)
    model = ordinal_rating_model(RatingDesign.of(system, item, person, without=("text", "annotator:system")), score)
    options = ModelOptions("ordinal", "logit", (), 0.95, 0.05)
    assert pair_rows(model, options)[0]["value_low"] is not None
    flat = ordinal_rating_model(model.design, score)
    vars(flat.model)["covariance"] = -np.eye(len(flat.model.covariance))
    row = pair_rows(flat, options)[0]
    assert row["value"] is not None
    assert [row[name] for name in ("value_low", "value_high", "standard_error", "p", "p_adjusted")] == [None] * 5
    assert row["significant"] is None
    assert str(row["reason"]).endswith("so uncertain that no interval can be given")


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3))])
def test_small_effects_are_not_lost_at_zero(seed: int) -> None:
    """At 0 the slope by a scale is always 0: a search whose first step overshoots must not stay there."""
    rng = np.random.default_rng(seed)
    people, texts, each = 60, 40, 5
    person = np.repeat(np.arange(people), each)
    text = np.concatenate([rng.permutation(texts) for _ in range(people * each // texts + 1)])[: len(person)]
    right = rng.random(len(person)) < 0.5 + rng.normal(0, 0.15, texts)[text] + rng.normal(0, 0.05, people)[person]
    found = fit_linear(right.astype(float), np.ones((len(person), 1)), [text, person])
    grid = [np.array([by_text, by_person]) for by_text in (0, 0.1, 0.2, 0.3, 0.4) for by_person in (0, 0.1, 0.2)]
    assert found.deviance <= min(found.profiled(point)[0] for point in grid) + 1e-6
    ordinal = fit_ordinal(right.astype(np.int64), np.zeros((len(person), 0)), [text, person])
    assert (ordinal.variances[0] > 1e-3) == (found.variances[0] > 1e-4)


def test_effects_that_cannot_be_told_apart_are_left_out_and_named() -> None:
    # Everybody has one system to themselves: whom they favour is how strict they are.
    design = RatingDesign.of(list("aabbaabb"), list("12123434"), list("wwxxyyzz"))
    assert [effect.name for effect in design.effects] == ["item", "annotator"]
    assert design.left_out == (
        "no effect of text: every rating has its own",
        "no effect of annotator:system: it cannot be told from annotator",
    )
    # One person for each system is that system.
    alone = RatingDesign.of(list("aabb"), list("1212"), list("xxyy"))
    assert [effect.name for effect in alone.effects] == ["item"]
    assert "no effect of annotator: it cannot be told from the systems" in alone.left_out


def test_reliability_of_a_complete_design_is_that_of_the_analysis_of_variance() -> None:
    # Shrout and Fleiss (1979), table 2: six targets, four judges. ICC(2,1) = .29, ICC(3,1) = .71, ICC(2,4) = .62.
    scores = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7.0]])
    text, judge = (codes.ravel() for codes in np.indices(scores.shape))
    found = reliability(scores.ravel(), text, judge)
    assert found.agreement.value == pytest.approx(0.29, abs=0.005)
    assert found.consistency.value == pytest.approx(0.71, abs=0.005)
    assert found.of_mean(4).value == pytest.approx(0.62, abs=0.005)
    assert found.of_mean(4, "consistency").value == pytest.approx(0.91, abs=0.005)
    for figure in (found.agreement, found.consistency, found.of_mean(3)):
        assert figure.value is not None
        assert figure.interval is not None
        assert 0 <= figure.interval.low < figure.value < figure.interval.high <= 1
    assert "4 people rated" in found.warning


def test_the_mean_of_several_people_is_more_reliable() -> None:
    assert spearman_brown(0.5, 3) == pytest.approx(0.75)


def test_what_cannot_be_fitted_is_refused() -> None:
    codes = np.array([0, 0, 1, 1])
    with pytest.raises(NothingToFit, match="all ratings are the same"):
        fit_linear([1.0, 1, 1, 1], np.ones((4, 1)), [codes])
    with pytest.raises(NothingToFit, match="no text was rated twice"):
        reliability(np.array([1.0, 2, 3]), np.array([0, 1, 2]), np.array([0, 1, 1]))
    with pytest.raises(NothingToFit, match="two categories"):
        fit_ordinal([0, 0, 0, 0], np.zeros((4, 0)), [codes])


def test_a_search_that_steps_on_no_variance_does_not_stay_there() -> None:
    # People and texts of their own in each of two groups: the first step of the search led to 0 and 0, where the
    # deviance is flat, and equal groups differed significantly in one of five studies.
    rng = np.random.default_rng(2)
    group, text, person, value = [], [], [], []
    for place in range(2):
        of_text, of_person = 0.4 * rng.standard_normal(20), 0.3 * rng.standard_normal(20)
        for one in range(20):
            for other in rng.permutation(20)[:10].tolist():
                group.append(str(place))
                text.append(f"{place} t{other}")
                person.append(f"{place} p{one}")
                value.append(float(of_text[other] + of_person[one] + rng.standard_normal()))
    found = linear_rating_model(RatingDesign.of(group, text, person), np.array(value))
    # statsmodels 0.15 finds 0.0551, 0.1203 and 1.1082 on these ratings.
    assert found.model.variances.tolist() == pytest.approx([0.0551, 0.1203, 1.1082], abs=2e-3)
    assert found.contrast(np.array([1.0, -1.0])).error == pytest.approx(0.1699, abs=1e-3)


@pytest.mark.parametrize("number", [402, 637])
def test_the_uncertainty_of_an_ordinal_model_is_that_of_its_likelihood(number: int) -> None:
    """The peak must be found well enough: data sets in which thresholds once had no standard error at all."""
    name = "variance of items on the hidden scale; five steps, 40"
    simulation = next(one for one in models.SIMULATIONS if one.name.startswith(name))
    made = replace(models.HIDDEN, item_system=0.0, annotator_system=0.0).draw(simulation.rng(number))
    rated = RatingDesign.of(*made.names(), without=("text", "annotator:system"))
    model = ordinal_rating_model(rated, made.score, link="probit")
    fitted = model.model
    assert isinstance(fitted, OrdinalMixed)
    assert np.linalg.eigvalsh(fitted.covariance).min() > 0
    # Slopes of the likelihood, told apart at a step a hundred times as wide, give the same standard errors.
    point = np.concatenate([fitted.thresholds, fitted.beta, fitted.deviations])
    curvature = np.zeros((len(point), len(point)))
    for place in range(len(point)):
        step = 1e-3 * np.eye(len(point))[place]
        ends = [fitted._problem.natural_slope(point + sign * step, fitted._peak.effects) for sign in (-1, 1)]
        curvature[place] = (ends[0] - ends[1]) / 2e-3
    assert np.diag(fitted.covariance) == pytest.approx(np.diag(np.linalg.inv(curvature)), rel=1e-2)
    assert all(figure.interval is not None for _, figure in model.thresholds(0.95))
