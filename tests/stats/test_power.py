from __future__ import annotations

import numpy as np
import pytest

from goldmark.stats.significance import power
from goldmark.stats.significance.tests import two_sample_t


@pytest.mark.parametrize(("effect", "n"), [(0.35, 130), (0.1, 1000), (2.0, 3), (0.5, 20), (0.25, 390)])
def test_power_agrees_with_statsmodels(effect: float, n: int) -> None:
    from statsmodels.stats.power import FTestAnovaPower, TTestIndPower, TTestPower

    assert power.t_power(effect, n) == pytest.approx(TTestIndPower().power(effect, n, 0.05))
    assert power.t_power(effect, n, design="one-sample") == pytest.approx(TTestPower().power(effect, n, 0.05))
    assert power.anova_power(effect, n, groups=4) == pytest.approx(
        FTestAnovaPower().power(effect, n * 4, 0.05, k_groups=4)
    )


def test_130_evaluators_per_setting() -> None:
    # HUMANLIKE 2.3 has 130 evaluators per setting for a power of 0.8. That is what d = 0.35 needs (statsmodels: 129.1).
    assert power.smallest_n(lambda n: power.t_power(0.35, n), 0.8) == 130
    assert power.smallest_effect(lambda d: power.t_power(d, 130), 0.8) == pytest.approx(0.3488, abs=1e-4)


def test_large_studies_have_full_power() -> None:
    assert power.t_power(3, 100_000) == 1.0  # statsmodels gives NaN here


def test_no_effect_has_power_alpha() -> None:
    assert power.t_power(0, 50, alpha=0.05) == pytest.approx(0.05)


def test_the_smallest_n_is_the_smallest() -> None:
    for effect in (0.1, 0.35, 1.0, 4.0):
        n = power.smallest_n(lambda n, d=effect: power.t_power(d, n), 0.8)  # type: ignore[misc]
        assert power.t_power(effect, n) >= 0.8
        assert n == 2 or power.t_power(effect, n - 1) < 0.8


def test_what_can_never_be_reached_is_refused() -> None:
    with pytest.raises(power.CannotReachPower):
        power.smallest_n(lambda n: power.t_power(0.0, n), 0.8)


def test_effect_of_a_change_in_accuracy() -> None:
    # p = (0.6 + 0.4) / 2 = 0.5, five texts: sd = sqrt(0.25 / 5); d = 0.2 / 0.2236 = 0.894.
    assert power.accuracy_effect(0.6, 0.4, texts=5) == pytest.approx(0.2 / np.sqrt(0.05))


def test_power_is_how_often_the_test_succeeds() -> None:
    rng = np.random.default_rng(9)
    found = 0
    for _ in range(600):
        p = two_sample_t(rng.normal(0.6, 1, 40), rng.normal(0, 1, 40), equal_variance=True).p
        found += p is not None and p < 0.05
    # 600 trials: standard error of about 1.8 %.
    assert found / 600 == pytest.approx(power.t_power(0.6, 40), abs=0.055)


def test_texts_that_do_not_differ_cost_nothing() -> None:
    many = power.ReadTexts(each=10, pool=100_000, between=0.0, answers=0.5)
    assert power.crossed_power(0.5, 64, many) == pytest.approx(power.t_power(0.5, 64), abs=0.005)
    alone = power.crossed_power(0.3, 64, many, groups=1)
    assert alone == pytest.approx(power.t_power(0.3, 64, design="one-sample"), abs=0.005)


def test_people_cannot_make_up_for_texts() -> None:
    few = power.ReadTexts(each=5, pool=10, between=0.5)
    reached = [power.crossed_power(0.5, n, few) for n in (10, 100, 10_000)]
    assert reached == sorted(reached)
    # However many people: ten texts against ten others, d = 0.5 / 0.5 = 1 of 18 degrees of freedom.
    assert reached[-1] == pytest.approx(power.t_power(1.0, 10), abs=0.01)
    assert power.crossed_power(0.5, 100, few._replace(pool=100)) > reached[1]


def test_power_over_people_and_texts_of_a_simulated_study() -> None:
    # 200 studies with 20 people a group who read 10 of 20 texts: people 0.3, texts 0.4, answers 1. The mixed model of
    # the study's own test found a difference of 0.5 in 157 of them (tests.stats.test_mixed_models has such a one).
    spread = (0.3**2 + (0.4**2 + 1) / 10) ** 0.5
    texts = power.ReadTexts(each=10, pool=20, between=0.4 / spread, answers=1 / spread)
    assert power.crossed_power(0.5 / spread, 20, texts) == pytest.approx(157 / 200, abs=0.08)
    assert power.t_power(0.5 / spread, 20) > 0.9  # what people alone would promise
