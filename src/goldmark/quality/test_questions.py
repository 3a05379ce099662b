"""Test questions at work: each answer is graded soon after it was kept, and how people do is counted from the grades.

No reply waits for a grade, since a reply that does would tell which unit was a test question. What is still to be
graded needs no list of its own: it is every answer to a test question whose newest revision has no grade. So nothing is
lost if the server is stopped between an answer and its grade; `quality.quality_check` says who grades, and when.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, bindparam, case, func, insert, literal_column, select, update

from goldmark.campaigns.arrival import VISIBLE
from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.definition.settings import TestQuestions
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign, look_into
from goldmark.errors import GoldmarkError
from goldmark.quality.grading import Grade, grade
from goldmark.records.units import Sign, sign_of
from goldmark.store import Store
from goldmark.store.pieces import InPieces
from goldmark.store.tables import annotator, assignment, campaign, response, test_answer, unit, unit_secret

if TYPE_CHECKING:
    from goldmark.campaigns.transfer.import_answers import ImportedAnswers
    from goldmark.quality.introduced_errors import Recall

# Every newest answer to a test question, with what is known of it.
# As in the index, letter by letter: SQLite would not use it otherwise.
_is_test: ColumnElement[bool] = literal_column("NOT unit.counts")
_answered = (
    select(
        assignment.c.id,
        assignment.c.campaign_id,
        assignment.c.annotator_id,
        assignment.c.unit_id,
        assignment.c.protocol_id,
        assignment.c.revision,
        response.c.answers,
        response.c.server_time,
        unit_secret.c.facts,
    )
    .join(unit, unit.c.id == assignment.c.unit_id)
    .join(unit_secret, unit_secret.c.unit_id == unit.c.id)
    .join(response, (response.c.assignment_id == assignment.c.id) & (response.c.revision == assignment.c.revision))
    .where(_is_test)
    .order_by(assignment.c.id)
)
_graded = (test_answer.c.assignment_id == assignment.c.id) & (test_answer.c.revision == assignment.c.revision)
_ungraded = _answered.outerjoin(test_answer, _graded).where(test_answer.c.assignment_id.is_(None))
# Of one person, by the campaign's test questions, which are few, and not by everything that they have answered.
_tests, _theirs = unit.alias("tests"), select(annotator.c.campaign_id).where(annotator.c.id == bindparam("person"))
_known = select(_tests.c.id).where(
    literal_column("NOT tests.counts"), _tests.c.campaign_id == _theirs.scalar_subquery()
)
_ungraded_of = _ungraded.where(assignment.c.annotator_id == bindparam("person"), assignment.c.unit_id.in_(_known))
_asked = func.count(test_answer.c.assignment_id)
_right = func.coalesce(func.sum(case((test_answer.c.right, 1), else_=0)), 0)


@dataclass(frozen=True, slots=True)
class SignTally:
    """Test questions of one sign that were answered, and how many of them right."""

    asked: int
    right: int


@dataclass(frozen=True, slots=True)
class PersonsTests:
    """How one person answered test questions."""

    annotator_id: int
    annotator: str
    positive: SignTally
    negative: SignTally


@dataclass(frozen=True, slots=True)
class TestQuestion:
    """A test question as managers see it."""

    id: int
    name: str
    sign: Sign
    preview: str
    expected: Mapping[str, Any]
    answered: SignTally


class CampaignTests(NamedTuple):
    """The test questions of a campaign, how often they come, and how people answer them."""

    rates: TestQuestions
    questions: list[TestQuestion]
    people: list[PersonsTests]
    introduced: list[Recall]  # empty unless texts have introduced errors


class TestAnswer(NamedTuple):
    """One person's answer to one test question, graded."""

    assignment_id: int
    unit_id: int
    unit: str
    annotator_id: int
    annotator: str
    sign: Sign
    right: bool
    grade: Grade
    at: datetime


def grade_new(connection: Connection, content: ContentCache, *, annotator_id: int) -> int:
    """Grade what one person answered since the last look; the newest revision's grade holds. How many have one now.

    The caller holds the person, so nobody else grades the same answers at the same time.
    """
    found = connection.execute(_ungraded_of, {"person": annotator_id}).all()
    return sum(_keep_grade(connection, content, one) for one in found)


def has_new(connection: Connection, annotator_id: int) -> bool:
    """Whether there is anything of this person to grade."""
    return connection.execute(_ungraded_of.limit(1), {"person": annotator_id}).first() is not None


def ungraded_people(connection: Connection) -> list[tuple[int, int]]:
    """Campaigns and annotators with an answer that has no grade yet, or none that anybody could give."""
    query = _ungraded.with_only_columns(assignment.c.campaign_id, assignment.c.annotator_id).order_by(None).distinct()
    query = query.where(unit.c.campaign_id.in_(select(campaign.c.id).where(VISIBLE)))
    return sorted((one.campaign_id, one.annotator_id) for one in connection.execute(query))


def _keep_grade(connection: Connection, content: ContentCache, answered: Any) -> bool:
    """Grade an answer. False if nobody can say what would be right: a test question's own fault is nobody's else."""
    graded = _graded_answer(content, answered)
    if graded is not None:
        _write_grade(connection, answered, *graded)
    return graded is not None


def _graded_answer(content: ContentCache, answered: Any) -> tuple[Sign, Grade] | None:
    sign, expected = sign_of(answered.facts), answered.facts.get("expected")
    if sign is None or not isinstance(expected, Mapping):
        return None
    try:
        protocol, surface = content.protocol(answered.protocol_id), content.surface(answered.unit_id)
        return sign, grade(protocol, answered.answers, expected, surface)
    except GoldmarkError:
        return None


def _write_grade(connection: Connection, answered: Any, sign: Sign, graded: Grade) -> None:
    """The grade of a revision; one of a newer revision stays."""
    said = {
        "right": graded.right,
        "grade": graded.to_json(),
        "at": answered.server_time,
        "revision": answered.revision,
    }
    of_answer = test_answer.c.assignment_id == answered.id
    before = update(test_answer).where(of_answer, test_answer.c.revision <= answered.revision)
    if connection.execute(before.values(**said)).rowcount:
        return
    if connection.execute(select(test_answer.c.assignment_id).where(of_answer)).first() is None:
        connection.execute(
            insert(test_answer).values(
                assignment_id=answered.id,
                campaign_id=answered.campaign_id,
                annotator_id=answered.annotator_id,
                sign=sign,
                **said,
            )
        )


def grade_again(store: Store, content: ContentCache, name: str) -> int:
    """Grade every answer to a campaign's test questions anew, as after an import; returns how many have a grade.

    Grades are found before anything is written, and written person by person: nobody waits for all of them. Where it
    breaks off, what has no grade yet gets one at the next look, like any other answer.
    """
    row = store.read(lambda connection: find_campaign(connection, name))
    people = select(assignment.c.annotator_id).join(unit, unit.c.id == assignment.c.unit_id).distinct()
    of_campaign = (assignment.c.campaign_id == row.id) & ~unit.c.counts & (assignment.c.revision > 0)
    count, pieces = 0, InPieces(store)
    for person in store.read(lambda connection: connection.execute(people.where(of_campaign)).scalars().all()):
        theirs = _answered.where(assignment.c.campaign_id == row.id, assignment.c.annotator_id == person)
        answers = store.read(partial(_all, query=theirs))
        graded = [(one, found) for one in answers if (found := _graded_answer(content, one)) is not None]
        pieces.each(graded, partial(_write_grades, person))
        count += len(graded)
    return count


def _all(connection: Connection, query: Select[Any]) -> Sequence[Any]:
    return connection.execute(query).all()


def _write_grades(person: int, connection: Connection, some: Sequence[tuple[Any, tuple[Sign, Grade]]]) -> None:
    # Held like by whoever grades what they answer just now.
    connection.execute(select(annotator.c.id).where(annotator.c.id == person).with_for_update(key_share=True)).one()
    for one, (sign, graded) in some:
        _write_grade(connection, one, sign, graded)


def import_graded(store: Store, content: ContentCache, name: str, source: Path, **how: Any) -> ImportedAnswers:
    """Bring in answers that were made elsewhere; those to test questions are graded like any others."""
    from goldmark.campaigns.transfer.import_answers import import_answers

    done = import_answers(store, content, name, source, **how)
    grade_again(store, content, name)
    return done


def tests_of(store: Store, content: ContentCache, name: str) -> CampaignTests:
    """All about a campaign's test questions, as it is at one moment."""
    from goldmark.quality.introduced_errors import (
        recalls_in,  # loads scipy, which a server does without until it is asked
    )

    def look(connection: Connection, row: CampaignRow) -> CampaignTests:
        found = recalls_in(connection, row, content.protocol(row.protocol_id))
        return CampaignTests(
            row.settings.test_questions, questions_of(connection, row), people_tested(connection, row), found
        )

    return look_into(store, name, look)


def people_tested(connection: Connection, row: CampaignRow) -> list[PersonsTests]:
    """Everyone who answered a test question, in the order in which they joined."""
    rows = connection.execute(
        select(annotator.c.id, annotator.c.name, test_answer.c.sign, _asked, _right)
        .join(test_answer, test_answer.c.annotator_id == annotator.c.id)
        .where(annotator.c.campaign_id == row.id)
        .group_by(annotator.c.id, annotator.c.name, test_answer.c.sign)
        .order_by(annotator.c.id)
    ).all()
    found: dict[int, PersonsTests] = {}
    for id_, name, sign, asked, right in rows:
        before = found.get(id_, PersonsTests(id_, name, SignTally(0, 0), SignTally(0, 0)))
        tally = SignTally(asked, int(right))
        found[id_] = replace(before, positive=tally) if sign == "positive" else replace(before, negative=tally)
    return list(found.values())


def questions_of(connection: Connection, row: CampaignRow) -> list[TestQuestion]:
    """A campaign's test questions with what is right in them and how people did."""
    from goldmark.campaigns.unit_overview import preview

    rows = connection.execute(
        select(unit.c.id, unit.c.name, unit.c.shown, unit_secret.c.facts, _asked, _right)
        .join(unit_secret, unit_secret.c.unit_id == unit.c.id)
        .outerjoin(assignment, assignment.c.unit_id == unit.c.id)
        .outerjoin(test_answer, test_answer.c.assignment_id == assignment.c.id)
        .where(unit.c.campaign_id == row.id, ~unit.c.counts)
        .group_by(unit.c.id, unit.c.name, unit.c.shown, unit_secret.c.unit_id)
        .order_by(unit.c.position)
    )
    return [
        TestQuestion(
            id_,
            name,
            sign_of(facts) or "negative",
            preview(shown),
            facts.get("expected") or {},
            SignTally(asked, int(right)),
        )
        for id_, name, shown, facts, asked, right in rows
    ]


def answers_of(connection: Connection, row: CampaignRow, annotator_id: int) -> list[TestAnswer]:
    """One person's answers to test questions in the order in which they gave them, with their grades."""
    rows = connection.execute(
        select(test_answer, unit.c.id.label("unit_id"), unit.c.name, annotator.c.name.label("annotator"))
        .join(assignment, assignment.c.id == test_answer.c.assignment_id)
        .join(unit, unit.c.id == assignment.c.unit_id)
        .join(annotator, annotator.c.id == test_answer.c.annotator_id)
        .where(test_answer.c.campaign_id == row.id, test_answer.c.annotator_id == annotator_id)
        .order_by(test_answer.c.assignment_id)
    )
    return [
        TestAnswer(
            one.assignment_id,
            one.unit_id,
            one.name,
            one.annotator_id,
            one.annotator,
            one.sign,
            one.right,
            Grade.from_json(one.grade),
            one.at,
        )
        for one in rows
    ]
