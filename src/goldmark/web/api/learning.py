"""How a campaign's people learnt and qualified, for managers, and a reviewer's decision."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from fastapi import APIRouter
from pydantic import Field
from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import find_campaign
from goldmark.quality import results
from goldmark.quality.attempts import Attempt
from goldmark.quality.results import Judged, Learner
from goldmark.web.api import shapes
from goldmark.web.api.inputs import CampaignName, In, Out
from goldmark.web.api.lessons import ShareOut
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import CallsAsCurator

router = APIRouter(
    prefix="/api/v1/campaigns/{name}/learning", tags=["training and qualification"], responses=shapes.FAILURES
)


class AttemptOut(Out):
    kind: str
    number: int
    state: str
    kit: str | None = Field(description="Which training kit it was.")
    score: float | None = Field(description="Mean score of a finished qualification, with partial credit.")
    rows: list[ShareOut] = Field(description="The shares that the rule looks at.")
    started_at: datetime
    finished_at: datetime | None
    decided_by: str | None
    reason: str


class LearnerOut(Out):
    id: int
    name: str
    stage: str = Field(description="learn, qualify, awaiting, failed or work")
    condition: str | None
    attempts: list[AttemptOut]


class Learners(Out):
    learners: list[LearnerOut]


class JudgedOut(Out):
    kind: str
    attempt: int
    item: str
    unit: dict[str, Any] | None
    answers: dict[str, Any]
    expected: dict[str, Any]
    grade: dict[str, Any] | None
    seconds_active: float
    at: datetime


class LearnerInFull(LearnerOut):
    answers: list[JudgedOut] = Field(description="Every exercise that was answered, with its key and its grade.")


class DecisionIn(In):
    passed: bool = Field(strict=True)
    reason: str = Field(max_length=2_000, pattern=r"^[^\x00]*$", description="Kept with the decision.")


def attempt_out(tried: Attempt) -> AttemptOut:
    facts = tried.facts
    return AttemptOut(
        kind=tried.kind,
        number=tried.number,
        state=tried.state,
        kit=facts.get("kit"),
        score=facts.get("score"),
        rows=[ShareOut(**row) for row in facts.get("rows", ())],
        started_at=tried.started_at,
        finished_at=tried.finished_at,
        decided_by=tried.decided_by,
        reason=facts.get("reason", ""),
    )


def learner_out(one: Learner) -> LearnerOut:
    return LearnerOut(
        id=one.id,
        name=one.name,
        stage=one.stage,
        condition=one.condition,
        attempts=[attempt_out(tried) for tried in one.attempts],
    )


def _judged_out(tried: Attempt, one: Judged) -> JudgedOut:
    return JudgedOut(
        kind=tried.kind,
        attempt=tried.number,
        item=one.item.id,
        unit=one.item.shown.to_json() if one.item.shown is not None else None,
        answers=dict(one.answer.answers),
        expected=dict(one.item.key),
        grade=one.grade.to_json() if one.grade is not None else None,
        seconds_active=one.answer.seconds_active,
        at=one.answer.at,
    )


def in_full(connection: Connection, services: Services, one: Learner) -> list[tuple[Attempt, list[Judged]]]:
    """Every attempt with what was answered in it."""
    return [(tried, results.judged(connection, services.library, tried)) for tried in one.attempts]


@router.get("")
def everybody(name: CampaignName, who: CallsAsCurator, services: ServicesDep) -> Learners:
    """Everybody's training and qualification: stage, attempts, score by what the rule looks at."""
    found = services.store.read(lambda connection: results.learners(connection, find_campaign(connection, name)))
    return Learners(learners=[learner_out(one) for one in found])


@router.get("/{annotator_id}")
def one(name: CampaignName, annotator_id: shapes.RowId, who: CallsAsCurator, services: ServicesDep) -> LearnerInFull:
    """One person's training and qualification with every answer, its key and its grade."""

    def look(connection: Connection) -> LearnerInFull:
        found = results.learner(connection, find_campaign(connection, name), annotator_id)
        answers = [
            _judged_out(tried, judged) for tried, all_ in in_full(connection, services, found) for judged in all_
        ]
        return LearnerInFull(**learner_out(found).model_dump(), answers=answers)

    return services.store.read(look)


@router.post("/{annotator_id}/decision")
def decide(
    name: CampaignName, annotator_id: shapes.RowId, body: DecisionIn, who: CallsAsCurator, services: ServicesDep
) -> LearnerOut:
    """Say whether somebody is qualified, on their last finished attempt; it overrules what a rule said."""
    decided = results.decide_on(
        services.store,
        services.library,
        name,
        annotator_id,
        passed=body.passed,
        author=who.name,
        reason=body.reason,
    )
    return learner_out(decided)
