"""The noisy-annotator model at work while answers arrive (GENIE 5).

Learning the mixture takes a moment, so it is done when there is enough new evidence and kept per campaign; what is
known of one person given the mixture has a closed form and costs next to nothing, so it is computed after every look.
The same answers always give the same judgement: learning starts from the campaign's own seed.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np
from sqlalchemy import ColumnElement, Connection, Integer, case, func, select

from goldmark.campaigns.definition.settings import Quality
from goldmark.people.crowds import campaigns_of_crowd, elsewhere
from goldmark.quality.estimates import AnnotatorStatus, Moment, SignAccuracy
from goldmark.quality.noisy import AnnotatorModel, NoisyAnnotators, QuestionScore
from goldmark.stats.inference.proportions import exact_interval
from goldmark.store.tables import annotator, test_answer

SEED = 0
ENOUGH_NEW = 10  # answers; and a fifth of what the model was learned from
MOST_KEPT = 200  # campaigns


class GradedAnswer(NamedTuple):
    """One test question as it was answered."""

    assignment_id: int
    sign: str
    right: bool
    at: datetime


def model_of(quality: Quality) -> AnnotatorModel:
    """The model that a campaign's settings ask for."""
    return AnnotatorModel(criterion=quality.criterion, threshold=quality.threshold, flag_at=quality.flag_at)


class NoisyMonitor:
    """Keeps a fitted model per campaign and asks it about people."""

    def __init__(self, seed: int = SEED) -> None:
        self._seed = seed
        self._kept: dict[tuple[int, AnnotatorModel], NoisyAnnotators] = {}
        self._changing = threading.Lock()

    def fitted(self, connection: Connection, campaign_id: int, model: AnnotatorModel) -> NoisyAnnotators | None:
        """The campaign's model, learned again if there is enough new evidence; None before any test question."""
        asked = count_answers(connection, campaign_id)
        if not sum(asked.values()):
            return None
        kept = self._kept.get((campaign_id, model))
        if kept is None or _is_outdated(kept, asked):
            kept = learn(tallies(connection, campaign_id), model, self._seed)
            with self._changing:
                if len(self._kept) >= MOST_KEPT:
                    self._kept.pop(next(iter(self._kept)))
                self._kept[campaign_id, model] = kept
        return kept

    def status(
        self, connection: Connection, campaign_id: int, annotator_id: int, quality: Quality
    ) -> AnnotatorStatus | None:
        """What the model says of one person; None if they have answered no test question."""
        own = own_tallies(connection, annotator_id)
        if not own:
            return None
        fitted = self.fitted(connection, campaign_id, model_of(quality))
        return None if fitted is None else status(fitted, own)


def learn(known: Sequence[QuestionScore], model: AnnotatorModel, seed: int = SEED) -> NoisyAnnotators:
    """The model of a crowd from its test questions. The same answers and seed give the same model."""
    return NoisyAnnotators.fit(known, model, rng=np.random.default_rng(seed), seed=seed)


def _is_outdated(kept: NoisyAnnotators, asked: Mapping[str, int]) -> bool:
    if set(asked) - set(kept.mixtures):
        return True
    before, now = sum(tally.n for tally in kept.tallies), sum(asked.values())
    return now < before or now - before >= max(ENOUGH_NEW, before // 5)


def count_answers(connection: Connection, campaign_id: int) -> dict[str, int]:
    """How many test questions of each sign were answered in a campaign and in others of its crowd."""
    query = select(test_answer.c.sign, func.count()).where(_in_crowd(campaign_id)).group_by(test_answer.c.sign)
    return {sign: int(count) for sign, count in connection.execute(query)}


def _in_crowd(campaign_id: int) -> ColumnElement[bool]:
    return test_answer.c.campaign_id.in_(select(campaigns_of_crowd(campaign_id).c.id))


_right = func.sum(case((test_answer.c.right, 1), else_=0).cast(Integer))


def tallies(connection: Connection, campaign_id: int) -> list[QuestionScore]:
    """Test questions right and asked, by person and sign, over all campaigns of the crowd.

    A person is named by their number in this campaign or, if they take no part in it, by their first elsewhere.
    """
    named = people_named(connection, campaign_id)
    query = select(test_answer.c.annotator_id, test_answer.c.sign, _right, func.count()).where(_in_crowd(campaign_id))
    counted: dict[tuple[int, str], tuple[int, int]] = {}
    for number, sign, correct, n in connection.execute(query.group_by(test_answer.c.annotator_id, test_answer.c.sign)):
        right, asked = counted.get((named[number], sign), (0, 0))
        counted[named[number], sign] = right + int(correct), asked + int(n)
    return [QuestionScore(str(number), right, asked, sign) for (number, sign), (right, asked) in counted.items()]


def people_named(connection: Connection, campaign_id: int) -> dict[int, int]:
    """Everybody of the crowd, by all their numbers: the number in this campaign, or the first elsewhere."""
    crowd = select(campaigns_of_crowd(campaign_id).c.id)
    query = select(annotator.c.id, annotator.c.participant_id, annotator.c.campaign_id).where(
        annotator.c.campaign_id.in_(crowd)
    )
    found = connection.execute(query.order_by(annotator.c.campaign_id != campaign_id, annotator.c.id)).all()
    first: dict[int, int] = {}
    return {
        one.id: one.id if one.participant_id is None else first.setdefault(one.participant_id, one.id) for one in found
    }


def own_tallies(connection: Connection, annotator_id: int) -> list[QuestionScore]:
    """One person's test questions, right and asked, by sign, over all campaigns of the crowd."""
    numbers = [annotator_id, *(one.annotator_id for one in elsewhere(connection, annotator_id))]
    query = select(test_answer.c.sign, _right, func.count()).where(test_answer.c.annotator_id.in_(numbers))
    rows = connection.execute(query.group_by(test_answer.c.sign))
    return [QuestionScore(str(annotator_id), int(correct), int(n), sign) for sign, correct, n in rows]


def status(fitted: NoisyAnnotators, own: Sequence[QuestionScore]) -> AnnotatorStatus:
    """What a fitted model says of one person's test questions."""
    judgement = fitted.judge(own)[0]
    noisy = dict(judgement.by_kind)
    # The interval is that of the answers alone: a crowd that is all alike would make the model's own as thin as a hair.
    by_sign = tuple(
        SignAccuracy(one.kind, one.correct, one.n, exact_interval(one.correct, one.n), noisy[one.kind])
        for one in sorted(own, key=lambda one: one.kind, reverse=True)  # positive before negative
    )
    return AnnotatorStatus(judgement, by_sign)


def graded_answers(connection: Connection, campaign_id: int) -> dict[int, list[GradedAnswer]]:
    """Everybody's test questions in the crowd, by their number, in the order in which they answered them."""
    named = people_named(connection, campaign_id)
    rows = connection.execute(
        select(
            test_answer.c.annotator_id,
            test_answer.c.assignment_id,
            test_answer.c.sign,
            test_answer.c.right,
            test_answer.c.at,
        )
        .where(_in_crowd(campaign_id))
        .order_by(test_answer.c.at, test_answer.c.assignment_id)
    )
    found: dict[int, list[GradedAnswer]] = {}
    for who, *answer in rows:
        found.setdefault(named[who], []).append(GradedAnswer(*answer))
    return found


def course(fitted: NoisyAnnotators, answers: Sequence[GradedAnswer]) -> list[Moment]:
    """How the probability of being noisy went, answer by answer, under the model as it is now."""
    if not answers:
        return []
    log_fine = np.zeros(len(answers))
    right_in_all = np.cumsum([answer.right for answer in answers])
    for sign in {answer.sign for answer in answers}:
        asked = np.cumsum([answer.sign == sign for answer in answers])
        right = np.cumsum([answer.sign == sign and answer.right for answer in answers])
        begun = asked > 0  # before the first question of a sign, that sign says nothing
        log_fine[begun] += fitted.model.log_fine(fitted.mixtures[sign], right[begun], asked[begun])
    return [
        Moment(place + 1, int(right_in_all[place]), float(-np.expm1(log_fine[place])), answer.at)
        for place, answer in enumerate(answers)
    ]
