"""A planned test over people and texts: a linear mixed model of every answer, with both crossed.

A t-test of people's means says what other people would say of these very texts. Where the texts are a sample as well,
differences between texts belong into the error (Clark 1973): people and texts are random effects, and so is what a
condition makes of each text, where texts are shared by the conditions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from goldmark.errors import GoldmarkError
from goldmark.records.figures import counted
from goldmark.stats.mixed_models.linear_mixed import Contrast
from goldmark.stats.mixed_models.rating_models import RatingDesign, linear_rating_model
from goldmark.stats.significance import tests
from goldmark.stats.significance.equivalence import two_sides
from goldmark.studies.evaluation.outcomes import Participant

FEW_TEXTS = 5  # fewer tell next to nothing of how texts differ


class MixedTest(NamedTuple):
    outcome: tests.SignificanceTest
    contrast: Contrast | None = None  # the difference from the other group, or from the number


def mixed_test(groups: Sequence[Sequence[Participant]], against: float, margin: float | None) -> MixedTest:
    """The mean of one group against a number, or of the first group against that of the second."""
    rows = [
        (str(place), text, person.name, value - (against if len(groups) == 1 else 0.0))
        for place, group in enumerate(groups)
        for person in group
        for text, value in zip(person.texts, person.values, strict=True)
    ]
    if len({group for group, *_ in rows}) < len(groups):
        return MixedTest(tests.no_test("a group has no answers"))
    group, text, person, values = zip(*rows, strict=True)
    if len(set(values)) < 2:
        return MixedTest(tests.no_test("all answers are equal, so their spread is 0"))
    try:
        design = RatingDesign.of(group, text, person)
        model = linear_rating_model(design, np.array(values))
    except GoldmarkError as error:
        return MixedTest(tests.no_test(str(error)))
    weights = np.array([1.0]) if len(groups) == 1 else np.array([1.0, -1.0])
    found = model.contrast(weights)
    if not found.error:
        return MixedTest(tests.no_test("answers do not vary between people or texts"))
    texts = len(set(text))
    told = counted(texts, "text tells", "texts tell")
    few = f"{told} next to nothing of others; do not rely on it alone" if texts < FEW_TEXTS else ""
    if margin is not None:
        outcome = two_sides(found.value, found.error, found.df, margin)
    else:
        t = found.value / found.error
        outcome = tests.SignificanceTest(t, found.df, tests.t_p_value(t, found.df))
    return MixedTest(outcome._replace(reason=outcome.reason or few), found)
