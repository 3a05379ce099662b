"""Shares of answers that hang together: by hand, and whether the interval holds the truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from goldmark.records.figures import Figure
from goldmark.records.tidy.columns import Frame
from goldmark.results.inputs.groups import Rows
from goldmark.results.options import AnalysisOptions
from goldmark.results.tables.rows import shares


def share(said: np.ndarray) -> Figure:
    """Of a table items x people of yes and no."""
    items, people = said.shape
    item = [f"i{row}" for row in range(items) for _ in range(people)]
    person = [f"p{column}" for _ in range(items) for column in range(people)]
    frame = Frame("", {"system": ["all"] * said.size, "item": item, "unit": item, "annotator": person})
    return shares(Rows.of(frame, "system"), said.ravel().astype(np.float64), AnalysisOptions())["all"][0]


def test_people_who_always_say_the_same_are_worth_one_answer_each() -> None:
    # Ten people, four of whom say yes to all of 30 items: as if each had answered once.
    said = np.tile(np.arange(10) < 4, (30, 1))
    found = share(said)
    assert found.value == 0.4
    # With ten clusters the variance of the share is 10 / 9 * (4 * .06^2 + 6 * .04^2) = 2 / 75, and .24 / (2 / 75) = 9
    # answers. t with 9 degrees of freedom is 2.26216, t^2 = 5.11737: (.4 + 5.11737 / 18) / (1 + 5.11737 / 9) = .43625,
    # give or take 2.26216 / 1.56860 * sqrt(.24 / 9 + 5.11737 / 324) = .29717.
    assert found.interval is not None
    assert found.interval[:2] == pytest.approx((0.43625 - 0.29717, 0.43625 + 0.29717), abs=2e-5)


def test_one_person_alone_and_one_item_alone() -> None:
    alone = share(np.array([[1], [0], [1], [1]]))
    assert alone.interval is not None
    assert alone.reason == "differences between people are not in the interval"
    assert share(np.array([[1, 0, 1]])).interval is None


@pytest.mark.parametrize(("items", "people", "middle"), [(30, 5, -1.0), (30, 12, -1.0), (100, 20, -2.5), (12, 3, 0.0)])
def test_the_interval_holds_the_truth_as_often_as_it_says(items: int, people: int, middle: float) -> None:
    """Items and people differ by chance; docs/statistics/shares.md tells what longer runs of this gave."""
    rng = np.random.default_rng(1)
    truth = expit(middle + rng.normal(0, 0.8, 200_000) + rng.normal(0, 0.5, 200_000)).mean()
    held = 0
    for _ in range(200):
        chance = expit(middle + rng.normal(0, 0.8, items)[:, None] + rng.normal(0, 0.5, people)[None])
        found = share(rng.random(chance.shape) < chance)
        assert found.interval is not None
        held += found.interval.low <= truth <= found.interval.high
    assert held >= 180  # at 95 %, fewer of 200 happen once in 800 times
