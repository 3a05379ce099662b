"""Variances with two crossed clusters: against analysis of variance, by hand, and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from goldmark.stats.ranks.evidence import evidence
from goldmark.stats.ranks.judgements import Judgements


def judged(system: np.ndarray, item: np.ndarray, person: np.ndarray | None, score: np.ndarray) -> Judgements:
    of, on = ([f"{code:04}" for code in side.tolist()] for side in (system, item))
    return Judgements.of(of, on, None if person is None else [f"{code:04}" for code in person.tolist()], score)


def test_items_alone_are_an_ordinary_t_test() -> None:
    score = np.random.default_rng(1).normal(size=(2, 30))
    score[1] += score[0]
    system, item = np.indices(score.shape).reshape(2, -1)
    found = evidence(judged(system, item, None, score.ravel()))
    spread = found.spread()
    assert spread.variance[0] == pytest.approx(score[0].var(ddof=1) / 30)
    assert spread.freedom[0] == pytest.approx(29)
    gap, shared, pairs = found.differences()
    paired = stats.ttest_rel(score[0], score[1])
    assert gap[0, 1] / np.sqrt(pairs.variance[0, 1]) == pytest.approx(paired.statistic)
    assert (shared[0, 1], pairs.freedom[0, 1]) == (30, pytest.approx(29))


def test_a_balanced_design_gives_the_mean_squares_of_an_analysis_of_variance() -> None:
    """All people on all items: V = (MS items + MS people - MS rest) / (items x people), free of bias (Searle 1971)."""
    items, people = 12, 5
    score = np.random.default_rng(2).normal(size=(items, people))
    score += np.arange(items)[:, None] / 3 + np.arange(people)[None, :]
    item, person = np.indices(score.shape).reshape(2, -1)
    rows, columns, mean = score.mean(axis=1), score.mean(axis=0), score.mean()
    rest = score - rows[:, None] - columns[None, :] + mean
    ms_items = people * ((rows - mean) ** 2).sum() / (items - 1)
    ms_people = items * ((columns - mean) ** 2).sum() / (people - 1)
    ms_rest = (rest**2).sum() / (items - 1) / (people - 1)
    found = evidence(judged(np.zeros(items * people, dtype=int), item, person, score.ravel()))
    assert found.spread().variance[0] == pytest.approx((ms_items + ms_people - ms_rest) / items / people)


def test_people_of_one_system_only_count_with_the_difference() -> None:
    """Two systems, each with people of its own: their people's variances add up, their shared items do not count."""
    rng = np.random.default_rng(3)
    system, item = np.repeat([0, 1], 300), np.tile(np.repeat(np.arange(100), 3), 2)
    person = np.tile([0, 1, 2], 200) + 3 * system
    taste = rng.normal(size=6)
    found = evidence(judged(system, item, person, 10 * np.sin(item) + taste[person]))
    own, pair = found.spread(), found.differences()[2]
    assert pair.variance[0, 1] == pytest.approx(taste[:3].var(ddof=1) / 3 + taste[3:].var(ddof=1) / 3, rel=0.02)
    v, w = taste[:3].var(ddof=1), taste[3:].var(ddof=1)
    assert pair.freedom[0, 1] == pytest.approx((v + w) ** 2 / (v**2 / 2 + w**2 / 2), rel=0.05)  # Welch's
    assert own.variance[0] > 0.4  # the items' own spread, which the difference does not have


def test_what_cannot_be_known_is_not_given() -> None:
    # System 0 by one person alone, system 1 by two, system 2 on one item.
    system = np.array([0] * 6 + [1] * 6 + [2] * 2)
    item = np.array([*range(6), *range(6), 0, 0])
    person = np.array([0] * 6 + [1, 2] * 3 + [1, 2])
    found = evidence(judged(system, item, person, np.random.default_rng(4).normal(size=14)))
    spread = found.spread()
    assert np.isnan(spread.variance).tolist() == [True, False, True]
    assert (spread.few_people[0], spread.few_items[2]) == (True, True)
    assert np.isnan(found.differences()[2].variance[0, 1])


def test_only_shared_items_count_where_there_are_two() -> None:
    score = np.array([[1.0, 2.0, 4.0, np.nan], [np.nan, 1.0, 1.0, 9.0]])
    system, item = np.indices(score.shape).reshape(2, -1)
    gap, shared, _ = evidence(judged(system, item, None, score.ravel())).differences()
    assert (gap[0, 1], shared[0, 1]) == (2.0, 2)  # (2 - 1 + 4 - 1) / 2, not 7/3 - 11/3
