"""Distributions of answers, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from goldmark.stats.models import soft_labels as soft


def test_one_person_against_the_others() -> None:
    # Everybody alike: 0; two who differ share nothing: 1; a unit with one answer tells nothing.
    found = soft.one_against_others(np.array([[3.0, 0.0], [1.0, 1.0], [1.0, 0.0]]))
    assert found.value == pytest.approx(0.5)
    assert found.used == 2
    assert soft.one_against_others(np.array([[1.0, 0.0]])).reason == "no unit was answered by two people"


def test_what_was_said_never_to_be_said_is_infinitely_far() -> None:
    people = np.array([[0.5, 0.5], [1.0, 0.0]])
    found = soft.distances(people, np.array([[1.0, 0.0], [1.0, 0.0]]))
    assert found.cross_entropy.reason == "infinite: in one unit people gave an answer that has probability 0"
    assert found.jensen_shannon.value == pytest.approx(soft.divergences(people[:1], np.array([[1.0, 0.0]]))[0] / 2)


def test_no_entropy_is_below_zero() -> None:
    found = soft.mean_over_units(np.array([0.0] * 11 + [1.0]), top=None)
    assert found.interval is not None
    assert found.interval.low == 0
    assert soft.mean_over_units(np.ones(4), top=None).interval is None
