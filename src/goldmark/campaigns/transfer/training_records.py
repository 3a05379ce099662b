"""Training and qualification, as facts of an annotator in a campaign's record, and back again.

A record has no place for who a person is in other campaigns, so a qualification that was earned stays in the database
where it was; the attempts, with every answer and grade, travel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError
from sqlalchemy import Connection, insert, select

from goldmark.campaigns.definition.admission import AWAITING, FAILED, LEARN, QUALIFY, WORK
from goldmark.errors import Problem
from goldmark.records.campaigns import CampaignRecord
from goldmark.store.tables import annotator, attempt, attempt_answer, protocol

STAGES = (LEARN, QUALIFY, AWAITING, FAILED, WORK)


class _Fact(BaseModel):
    model_config = ConfigDict(extra="forbid")


class AnswerFact(_Fact):
    item: str
    answers: dict[str, Any]
    grade: dict[str, Any]
    client_key: str
    seconds_active: float
    at: AwareDatetime


class AttemptFact(_Fact):
    kind: str
    number: int
    state: str
    protocol: str
    facts: dict[str, Any]
    started_at: AwareDatetime
    finished_at: AwareDatetime | None
    decided_by: str | None
    answers: list[AnswerFact]


def attempts_in(connection: Connection, campaign_id: int) -> dict[int, list[dict[str, Any]]]:
    """Every attempt of a campaign's people, by annotator, ready to be written as JSON."""
    given: dict[int, list[dict[str, Any]]] = {}
    answers = (
        select(attempt_answer)
        .join(attempt, attempt.c.id == attempt_answer.c.attempt_id)
        .join(annotator, annotator.c.id == attempt.c.annotator_id)
        .where(annotator.c.campaign_id == campaign_id)
        .order_by(attempt_answer.c.id)
    )
    for row in connection.execute(answers):
        given.setdefault(row.attempt_id, []).append(
            {
                "item": row.item,
                "answers": row.answers,
                "grade": row.grade,
                "client_key": row.client_key,
                "seconds_active": row.seconds_active,
                "at": row.at.isoformat(),
            }
        )
    tries = (
        select(attempt, protocol.c.name.label("protocol_name"), protocol.c.version)
        .join(annotator, annotator.c.id == attempt.c.annotator_id)
        .join(protocol, protocol.c.id == attempt.c.protocol_id)
        .where(annotator.c.campaign_id == campaign_id)
        .order_by(attempt.c.id)
    )
    found: dict[int, list[dict[str, Any]]] = {}
    for row in connection.execute(tries):
        found.setdefault(row.annotator_id, []).append(
            {
                "kind": row.kind,
                "number": row.number,
                "state": row.state,
                "protocol": f"{row.protocol_name}/{row.version}",
                "facts": row.facts,
                "started_at": row.started_at.isoformat(),
                "finished_at": _written(row.finished_at),
                "decided_by": row.decided_by,
                "answers": given.get(row.id, []),
            }
        )
    return found


def unreadable_training(record: CampaignRecord) -> Iterator[Problem]:
    """Attempts that nobody can read: they are facts of an annotator, which a file may hold in any shape."""
    known = {one.id for one in record.protocols}
    for person in record.annotators:
        where = f"annotator {person.id}"
        if person.facts.get("stage", WORK) not in STAGES:
            yield Problem(where, f"the stage {person.facts['stage']!r} is not known", part="stage")
        try:
            tries = _attempts(person.facts)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            yield Problem(where, f"an attempt cannot be read: {place}: {first['msg']}", part="attempts")
            continue
        for one in tries:
            if one.protocol not in known:
                yield Problem(
                    where, f"the protocol {one.protocol!r} of an attempt is not in the record", part="attempts"
                )


def restore_training(
    connection: Connection, annotator_id: int, facts: Mapping[str, Any], protocols: Mapping[str, int]
) -> None:
    for one in _attempts(facts):
        made = connection.execute(
            insert(attempt)
            .values(
                annotator_id=annotator_id,
                protocol_id=protocols[one.protocol],
                **one.model_dump(exclude={"protocol", "answers"}),
            )
            .returning(attempt.c.id)
        ).scalar_one()
        if one.answers:
            rows = [{"attempt_id": made, **answer.model_dump()} for answer in one.answers]
            connection.execute(insert(attempt_answer), rows)


def _attempts(facts: Mapping[str, Any]) -> list[AttemptFact]:
    written = facts.get("attempts", facts.get("learning", []))  # its name in files of older versions
    return [AttemptFact.model_validate(one) for one in _listed(written)]


def _listed(found: Any) -> list[Any]:
    return found if isinstance(found, list) else [found]


def _written(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
