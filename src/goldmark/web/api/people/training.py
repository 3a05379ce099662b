"""Training and qualification of a campaign's people, for managers, and a reviewer's decision."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field, model_validator
from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.campaigns.pages import Page
from goldmark.quality.training import learners as results
from goldmark.quality.training.attempts import Attempt
from goldmark.quality.training.learners import GradedExercise, Learner
from goldmark.web.api import shapes
from goldmark.web.api.calls import Calls
from goldmark.web.api.inputs import CampaignName, In, Out, PageOut
from goldmark.web.api.lessons import RuleShare
from goldmark.web.api.listing import Listed
from goldmark.web.sign_in import CallsAsCurator

router = Calls("/api/v1/campaigns/{name}/training", "training and qualification")


class AttemptOut(Out):
    kind: str
    number: int
    state: str
    kit: str | None = Field(default=None, description="Which training kit it was.")
    score: float | None = Field(
        default=None, description="Mean score of a finished qualification, with partial credit."
    )
    rows: list[RuleShare] = Field(default=[], description="The shares that the rule looks at.")
    started_at: datetime
    finished_at: datetime | None
    decided_by: str | None
    reason: str = ""

    @model_validator(mode="before")
    @classmethod
    def _of(cls, given: Any) -> Any:
        return {**given.facts, **given._asdict()} if isinstance(given, Attempt) else given


class LearnerOut(Out):
    id: int
    name: str
    stage: str = Field(description="learn, qualify, awaiting, failed or work")
    condition: str | None
    attempts: list[AttemptOut]


class Learners(PageOut):
    learners: list[LearnerOut] = Field(validation_alias="items")


class ExerciseOut(Out):
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
    answers: list[ExerciseOut] = Field(description="Every exercise that was answered, with its key and its grade.")


class QualificationIn(In):
    passed: bool = Field(strict=True)
    reason: str = Field(max_length=2_000, pattern=r"^[^\x00]*$", description="Kept with the decision.")


def _exercise(tried: Attempt, one: GradedExercise) -> dict[str, Any]:
    return {
        "kind": tried.kind,
        "attempt": tried.number,
        "item": one.item.id,
        "unit": one.item.shown.to_json() if one.item.shown is not None else None,
        "answers": one.answer.answers,
        "expected": one.item.key,
        "grade": one.grade.to_json() if one.grade is not None else None,
        "seconds_active": one.answer.seconds_active,
        "at": one.answer.at,
    }


@router.get("", response_model=Learners)
def everybody(visit: CallsAsCurator, name: CampaignName, listed: Listed) -> Page[Learner]:
    """Everybody's training and qualification: stage, attempts, score by what the rule looks at."""
    return visit.look_into(name, results.some_learners, search=listed.search, page=listed.number)


@router.get("/{annotator_id}", response_model=LearnerInFull)
def one(visit: CallsAsCurator, name: CampaignName, annotator_id: shapes.RowId) -> dict[str, Any]:
    """One person's training and qualification with every answer, its key and its grade."""

    def look(connection: Connection, row: CampaignRow) -> dict[str, Any]:
        found = results.learner(connection, row, annotator_id)
        tries = results.in_full(connection, visit.content, found)
        return {**vars(found), "answers": [_exercise(tried, judged) for tried, all_ in tries for judged in all_]}

    return visit.look_into(name, look)


@router.post("/{annotator_id}/decision", response_model=LearnerOut)
def decide(visit: CallsAsCurator, name: CampaignName, annotator_id: shapes.RowId, body: QualificationIn) -> Learner:
    """Say whether somebody is qualified, on their last finished attempt; it overrules what a rule said."""
    return results.decide_on(
        visit.store,
        visit.content,
        name,
        annotator_id,
        passed=body.passed,
        author=visit.name,
        reason=body.reason,
    )
