"""A simulated board: intervals hold the truth as often as they say, and ranks do not contradict it."""

from __future__ import annotations

import numpy as np
import pytest

from tools.simulate.community import POINTS, Community, month, truth_of


def test_the_truth_is_what_very_many_honest_labels_average() -> None:
    plan = Community(qualities=(0.3, 0.7))
    rng = np.random.default_rng(1)
    spread = np.sqrt(plan.difficulty**2 + plan.taste**2 + plan.chance**2)
    for quality, expected in zip(plan.qualities, truth_of(plan), strict=True):
        latent = rng.normal(quality, spread, 400_000)
        simulated = POINTS[np.clip(np.rint(4 * latent), 0, 4).astype(int)].mean()
        assert simulated == pytest.approx(expected, abs=0.002)


# Of 24 and 96 intervals of 95 %, at least 18 and 84 hold the truth, except in one of a thousand such runs.
@pytest.mark.parametrize(("number", "holding"), [(3, 18), pytest.param(12, 84, marks=pytest.mark.slow)])
def test_months_of_eight_systems_and_six_noisy_annotators(number: int, holding: int) -> None:
    """`python -m benchmarks leaderboard` does the same with 200 months."""
    rng = np.random.default_rng(11)
    months = [month(Community(items=300, resamples=200), rng) for _ in range(number)]
    assert sum(one.covered for one in months) >= holding
    assert sum(one.contradictions for one in months) == 0
    assert all(worse != len(one.truth) - 1 for one in months for _, worse in one.better)  # nobody is above the best
    honest = np.concatenate([one.flagged[~one.noisy] for one in months])
    assert honest.mean() < 0.01


def test_the_same_seed_gives_the_same_month() -> None:
    plan = Community(items=60, resamples=100)
    first, second = (month(plan, np.random.default_rng(3)) for _ in range(2))
    assert first.scores == second.scores
    assert first.better == second.better
