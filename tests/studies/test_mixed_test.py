"""Planned tests over people and texts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from goldmark.studies.evaluation.mixed_test import mixed_test
from goldmark.studies.evaluation.outcomes import Participant


def drawn(rng: np.random.Generator, group: str, people: int, effect: np.ndarray) -> list[Participant]:
    texts = tuple(f"t{n}" for n in range(len(effect)))
    return [
        Participant(f"{group}{n}", group, tuple(effect + rng.normal() + rng.normal(size=len(effect))), texts=texts)
        for n in range(people)
    ]


def test_a_group_that_read_other_texts_is_not_different_by_them() -> None:
    """Two groups of people, each with six texts of its own that vary: t-tests of means find what is not there."""
    rng = np.random.default_rng(3)
    found = {"mixed": 0, "means": 0}
    for _ in range(30):
        groups = []
        for name in ("a", "b"):
            made = drawn(rng, name, 30, rng.normal(0, 1.0, size=6))
            groups.append(
                [Participant(p.name, name, p.values, texts=tuple(f"{name}{t}" for t in p.texts)) for p in made]
            )
        test = mixed_test(groups, 0.0, None).outcome
        assert test.p is not None
        found["mixed"] += test.p < 0.05
        found["means"] += stats.ttest_ind(*([one.mean for one in group] for group in groups)).pvalue < 0.05
    assert found["means"] > 8
    assert found["mixed"] <= 6  # 1.5 expected; more than 6 of 30 come by chance once in 1,000


def test_of_a_complete_design_the_difference_is_that_of_the_means() -> None:
    rng = np.random.default_rng(4)
    effect = rng.normal(size=10)
    first, second = drawn(rng, "a", 20, effect + 0.5), drawn(rng, "b", 20, effect)
    test, contrast = mixed_test([first, second], 0.0, None)
    assert contrast is not None
    gap = np.mean([one.mean for one in first]) - np.mean([one.mean for one in second])
    assert contrast.value == pytest.approx(gap, abs=1e-6)
    assert test.p == pytest.approx(contrast.p)
    equal = mixed_test([first, second], 0.0, 5.0).outcome
    assert equal.p is not None
    assert equal.p < 0.05


def test_what_cannot_be_tested_says_why() -> None:
    same = [Participant("a", "x", (1.0, 1.0), texts=("t1", "t2"))]
    assert "equal" in mixed_test([same, same], 0.0, None).outcome.reason
    assert "no answers" in mixed_test([same, []], 0.0, None).outcome.reason
    few = drawn(np.random.default_rng(1), "a", 20, np.zeros(3))
    assert "3 texts tell next to nothing" in mixed_test([few], 0.0, None).outcome.reason
