"""Training and qualification for annotators: what to do now, an answer and what is said of it, another try.

Nothing here tells what is right before it was answered: an item is sent as it is asked, and its key only with the
feedback on an answer.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from goldmark.languages import speaking
from goldmark.protocols import present
from goldmark.protocols.presentation import to_html
from goldmark.quality.training.course import CourseItem
from goldmark.quality.training.service import Feedback, Lesson, LessonAnswer, QualificationResult
from goldmark.web.api import shapes
from goldmark.web.api.work import AnnotatorIn, ClientKey, Seconds, TokenDep, reply
from goldmark.web.services import ServicesDep

router = APIRouter(prefix="/api/v1/work/lesson", tags=["annotators"], responses=shapes.FAILURES)

ItemId = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[A-Za-z0-9.]+$")]


class LessonAnswerIn(AnnotatorIn):
    item: ItemId
    answers: dict[str, Any] = Field(default_factory=dict)
    client_key: ClientKey
    seconds_active: Seconds = 0.0


class ItemOut(BaseModel):
    """Something to read (`html`), or a unit to answer; `protocol` where it is not the campaign's own that is asked."""

    id: str
    title: str
    html: str | None
    unit: dict[str, Any] | None
    protocol: dict[str, Any] | None


class FeedbackOut(BaseModel):
    item: ItemOut
    answers: dict[str, Any]
    grade: dict[str, Any] | None
    explanation_html: str


class RuleShare(BaseModel):
    what: str
    share: float | None
    needed: float | None
    met: bool


class EndingOut(BaseModel):
    state: str
    attempt: int
    attempts: int
    rows: list[RuleShare]
    missed: list[FeedbackOut]
    may_retry: bool
    thanks_html: str


class LessonOut(BaseModel):
    stage: str
    attempt: int
    place: int
    items: int
    item: ItemOut | None
    previous: FeedbackOut | None
    may_leave: bool
    has_training: bool
    result: EndingOut | None


class Answered(BaseModel):
    feedback: FeedbackOut | None
    lesson: LessonOut


def item_json(item: CourseItem) -> dict[str, Any]:
    """An item as it is asked. Its key and its explanation are no part of it."""
    return {
        "id": item.id,
        "title": item.title,
        "html": to_html(item.markdown) if item.shown is None else None,
        "unit": item.shown.to_json() if item.shown is not None else None,
        "protocol": present(item.asked, speaking.get()) if item.asked is not None else None,
    }


def feedback_json(feedback: Feedback | None) -> dict[str, Any] | None:
    if feedback is None:
        return None
    return {
        "item": item_json(feedback.item),
        "answers": dict(feedback.answers),
        "grade": feedback.grade.to_json() if feedback.grade is not None else None,
        "explanation_html": to_html(feedback.item.explanation) if feedback.item.explanation else "",
    }


def lesson_json(lesson: Lesson) -> dict[str, Any]:
    return {
        "stage": lesson.stage,
        "attempt": lesson.attempt,
        "place": lesson.place,
        "items": lesson.items,
        "item": item_json(lesson.item) if lesson.item is not None else None,
        "previous": feedback_json(lesson.previous),
        "may_leave": lesson.may_leave,
        "has_training": lesson.has_training,
        "result": _ending_json(lesson.result) if lesson.result is not None else None,
    }


def _ending_json(ending: QualificationResult) -> dict[str, Any]:
    return {
        "state": ending.state,
        "attempt": ending.attempt,
        "attempts": ending.attempts,
        "rows": list(ending.rows),
        "missed": [feedback_json(one) for one in ending.missed],
        "may_retry": ending.may_retry,
        "thanks_html": to_html(ending.thanks) if ending.thanks else "",
    }


@router.post("", response_model=LessonOut)
def lesson(token: TokenDep, services: ServicesDep) -> Response:
    """Where you are in training or qualification, with what to read or to answer now."""
    return reply(lesson_json(services.training.lesson(token)))


@router.post("/answers", response_model=Answered)
def answer(body: LessonAnswerIn, token: TokenDep, services: ServicesDep) -> Response:
    """Answer the item before you, or say that you have read it. Sending the same `client_key` again changes nothing."""
    given = LessonAnswer(body.item, body.answers, body.client_key, body.seconds_active)
    feedback, now = services.training.answer(token, given)
    return reply({"feedback": feedback_json(feedback), "lesson": lesson_json(now)})


@router.post("/again", response_model=LessonOut)
def again(token: TokenDep, services: ServicesDep) -> Response:
    """Another try after failing, which begins with the training; or the training once more."""
    return reply(lesson_json(services.training.again(token)))


@router.post("/leave", response_model=LessonOut)
def leave(token: TokenDep, services: ServicesDep) -> Response:
    """Leave a training that you went through before."""
    return reply(lesson_json(services.training.leave(token)))
