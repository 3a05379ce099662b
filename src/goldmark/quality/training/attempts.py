"""Tries at a training or a qualification, as they are kept: begun, answered, ended. Nothing in them is overwritten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, insert, select, update

from goldmark.store.tables import annotator, attempt, attempt_answer

TRAINING, QUALIFICATION = "training", "qualification"
OPEN, DONE, LEFT, PASSED, FAILED, AWAITING = "open", "done", "left", "passed", "failed", "awaiting"
LONGEST_SECONDS = 24 * 60 * 60.0  # a day at one text is not work but a clock that ran on


class Attempt(NamedTuple):
    """One try of one person."""

    id: int
    annotator_id: int
    kind: str  # training, qualification
    number: int
    state: str  # open, done, left, passed, failed, awaiting
    protocol_id: int
    facts: Mapping[str, Any]
    started_at: datetime
    finished_at: datetime | None
    decided_by: str | None


class Answer(NamedTuple):
    """What was answered to one item, with its grade; the grade is empty where there is none."""

    item: str
    answers: Mapping[str, Any]
    grade: Mapping[str, Any]
    client_key: str
    seconds_active: float
    at: datetime


_attempt_columns = tuple(attempt.c[name] for name in Attempt._fields)
_answer_columns = tuple(attempt_answer.c[name] for name in Answer._fields)


def attempts_of(connection: Connection, annotator_id: int, kind: str | None = None) -> list[Attempt]:
    query = select(*_attempt_columns).where(attempt.c.annotator_id == annotator_id).order_by(attempt.c.id)
    if kind is not None:
        query = query.where(attempt.c.kind == kind)
    return [Attempt(*row) for row in connection.execute(query)]


def answers_in(connection: Connection, attempt_id: int) -> list[Answer]:
    query = select(*_answer_columns).where(attempt_answer.c.attempt_id == attempt_id).order_by(attempt_answer.c.id)
    return [Answer(*row) for row in connection.execute(query)]


def sent_before(connection: Connection, annotator_id: int, item: str, client_key: str) -> tuple[Attempt, Answer] | None:
    """The answer that somebody sent with this key, in whichever try, looked up among however many there are."""
    query = (
        select(*_attempt_columns, *_answer_columns)
        .join(attempt_answer, attempt_answer.c.attempt_id == attempt.c.id)
        .where(attempt.c.annotator_id == annotator_id)
        .where(attempt_answer.c.client_key == client_key, attempt_answer.c.item == item)
        .order_by(attempt.c.id)
        .limit(1)
    )
    found = connection.execute(query).first()
    many = len(_attempt_columns)
    return None if found is None else (Attempt(*found[:many]), Answer(*found[many:]))


def open_attempt(
    connection: Connection, annotator_id: int, kind: str, protocol_id: int, facts: Mapping[str, Any]
) -> Attempt:
    """The try that is under way, or a new one. The caller holds the person."""
    earlier = attempts_of(connection, annotator_id, kind)
    if earlier and earlier[-1].state == OPEN:
        return earlier[-1]
    connection.execute(
        insert(attempt).values(
            annotator_id=annotator_id,
            kind=kind,
            number=len(earlier) + 1,
            state=OPEN,
            protocol_id=protocol_id,
            facts=dict(facts),
            started_at=datetime.now(UTC),
        )
    )
    return attempts_of(connection, annotator_id, kind)[-1]


def keep_answer(connection: Connection, attempt_id: int, answer: Answer) -> None:
    connection.execute(insert(attempt_answer).values(attempt_id=attempt_id, **answer._asdict()))


def end(
    connection: Connection,
    attempt_id: int,
    state: str,
    facts: Mapping[str, Any] | None = None,
    decided_by: str | None = None,
) -> None:
    values: dict[str, Any] = {"state": state, "finished_at": datetime.now(UTC), "decided_by": decided_by}
    if facts is not None:
        values["facts"] = dict(facts)
    connection.execute(update(attempt).where(attempt.c.id == attempt_id).values(**values))


def set_stage(connection: Connection, annotator_id: int, stage: str) -> None:
    connection.execute(update(annotator).where(annotator.c.id == annotator_id).values(stage=stage))


def seconds(answers: Sequence[Answer]) -> float:
    return sum(one.seconds_active for one in answers)
