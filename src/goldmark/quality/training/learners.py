"""How everybody's training and qualification went, for managers and reviewers, and their decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, select

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.definition import admission
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.pages import Page, one_page
from goldmark.errors import Conflict, GoldmarkError
from goldmark.people.account_annotators import annotator_numbered
from goldmark.quality.grading import Grade
from goldmark.quality.training import attempts, course
from goldmark.quality.training.attempts import QUALIFICATION, TRAINING, Answer, Attempt
from goldmark.quality.training.course import CourseItem
from goldmark.quality.training.qualifications import decide
from goldmark.store import Store
from goldmark.store.tables import annotator, attempt


class NothingToDecide(Conflict):
    code = "LEARN-05"
    message = "{name!r} has no finished qualification to decide on; they are at the stage {stage!r}"


class ReasonMissing(GoldmarkError):
    code = "LEARN-06"
    message = "say why, so that the decision can be understood later"


@dataclass(frozen=True)
class Learner:
    """One person's way to the work."""

    id: int
    name: str
    stage: str
    condition: str | None
    attempts: tuple[Attempt, ...]

    @property
    def trainings(self) -> tuple[Attempt, ...]:
        return tuple(one for one in self.attempts if one.kind == TRAINING)

    @property
    def qualifications(self) -> tuple[Attempt, ...]:
        return tuple(one for one in self.attempts if one.kind == QUALIFICATION)

    @property
    def last(self) -> Attempt | None:
        """The last qualification that was finished."""
        finished = [one for one in self.qualifications if one.state != attempts.OPEN]
        return finished[-1] if finished else None


@dataclass(frozen=True)
class GradedExercise:
    """One exercise of an attempt with what was answered."""

    item: CourseItem
    answer: Answer
    grade: Grade | None


_people = select(annotator.c.id, annotator.c.name, annotator.c.stage, annotator.c.condition)


def learners(connection: Connection, row: CampaignRow) -> list[Learner]:
    """Everybody of a campaign, in the order of joining."""
    people = connection.execute(_people.where(annotator.c.campaign_id == row.id).order_by(annotator.c.id)).all()
    return _with_tries(connection, people, annotator.c.campaign_id == row.id)


def some_learners(connection: Connection, row: CampaignRow, *, search: str = "", page: int = 1) -> Page[Learner]:
    """One page of them; `search` looks at their names."""
    query = _people.where(annotator.c.campaign_id == row.id)
    if search:
        query = query.where(annotator.c.name.icontains(search, autoescape=True))
    found = one_page(connection, query.order_by(annotator.c.id), page, lambda one: one, counting=query)
    of_these = annotator.c.id.in_([one.id for one in found.items])
    return Page(tuple(_with_tries(connection, found.items, of_these)), found.number, found.size, found.total)


def _with_tries(connection: Connection, people: Sequence[Any], wanted: ColumnElement[bool]) -> list[Learner]:
    tries: dict[int, list[Attempt]] = {}
    columns = tuple(attempt.c[name] for name in Attempt._fields)
    query = select(*columns).join(annotator, annotator.c.id == attempt.c.annotator_id).where(wanted)
    for found in connection.execute(query.order_by(attempt.c.id)):
        tries.setdefault(found.annotator_id, []).append(Attempt(*found))
    return [Learner(one.id, one.name, one.stage, one.condition, tuple(tries.get(one.id, ()))) for one in people]


def judged(connection: Connection, content: ContentCache, tried: Attempt) -> list[GradedExercise]:
    """Every exercise that was answered in an attempt, in order."""
    protocol = content.protocol(tried.protocol_id)
    items = (
        course.lessons(protocol, tried.facts["kit"])
        if tried.kind == TRAINING
        else course.examination(protocol, tried.number)
    )
    answers = {one.item: one for one in attempts.answers_in(connection, tried.id)}
    return [
        GradedExercise(
            item, answers[item.id], Grade.from_json(answers[item.id].grade) if answers[item.id].grade else None
        )
        for item in items
        if item.id in answers and not item.is_reading
    ]


def in_full(connection: Connection, content: ContentCache, one: Learner) -> list[tuple[Attempt, list[GradedExercise]]]:
    """Every attempt with what was answered in it."""
    return [(tried, judged(connection, content, tried)) for tried in one.attempts]


def learner(connection: Connection, row: CampaignRow, annotator_id: int) -> Learner:
    person = annotator_numbered(connection, row, annotator_id)
    this = annotator.c.id == person.id
    return _with_tries(connection, connection.execute(_people.where(this)).all(), this)[0]


def decide_on(
    store: Store,
    content: ContentCache,
    campaign_name: str,
    annotator_id: int,
    *,
    passed: bool,
    author: str,
    reason: str,
) -> Learner:
    """A reviewer says whether somebody is qualified; it also overrules the rule. The last attempt is what counts."""
    if not reason.strip():
        raise ReasonMissing

    def settle(connection: Connection) -> Learner:
        row = find_campaign(connection, campaign_name, hold=True)
        connection.execute(select(annotator.c.id).where(annotator.c.id == annotator_id).with_for_update(key_share=True))
        person = learner(connection, row, annotator_id)
        wanted = content.protocol(row.protocol_id).file.qualification
        if (
            person.last is None
            or wanted is None
            or person.stage not in (admission.AWAITING, admission.FAILED, admission.WORK)
        ):
            raise NothingToDecide(name=person.name, stage=person.stage)
        facts: Mapping[str, Any] = {**person.last.facts, "reason": reason.strip()}
        decide(connection, person.last, wanted, passed=passed, author=author, reason=reason.strip(), facts=facts)
        return learner(connection, row, annotator_id)

    return store.write(settle)
