"""Training and qualification for annotators: what to do now, an answer and what is said of it, another try.

Nothing here tells what is right before it was answered: an item is sent as it is asked, and its key only with the
feedback on an answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Depends, Response
from pydantic import Field

from goldmark.languages import speaking
from goldmark.protocols import present
from goldmark.protocols.presentation import to_html
from goldmark.quality.training.course import CourseItem
from goldmark.quality.training.service import Feedback, Lesson, LessonAnswer, QualificationResult
from goldmark.web.api.calls import Calls
from goldmark.web.api.shapes import Reply
from goldmark.web.api.work import AnnotatorIn, ClientKey, Seconds, TokenDep, reply
from goldmark.web.services import ServicesDep

router = Calls("/api/v1/work/lesson", "annotators")

ItemId = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[A-Za-z0-9.]+$")]


class LessonAnswerIn(AnnotatorIn):
    item: ItemId
    answers: dict[str, Any] = Field(default_factory=dict)
    client_key: ClientKey
    seconds_active: Seconds = 0.0


class ItemOut(Reply):
    """Something to read (`html`), or a unit to answer; `protocol` where it is not the campaign's own that is asked."""

    id: str
    title: str
    html: str | None
    unit: dict[str, Any] | None
    protocol: dict[str, Any] | None


class FeedbackOut(Reply):
    item: ItemOut
    answers: dict[str, Any]
    grade: dict[str, Any] | None
    explanation_html: str


class RuleShare(Reply):
    what: str
    share: float | None
    needed: float | None
    met: bool


class EndingOut(Reply):
    state: str
    attempt: int
    attempts: int
    rows: list[RuleShare]
    missed: list[FeedbackOut]
    may_retry: bool
    thanks_html: str


class LessonOut(Reply):
    stage: str
    attempt: int
    place: int
    items: int
    item: ItemOut | None
    previous: FeedbackOut | None
    may_leave: bool
    has_training: bool
    result: EndingOut | None


class Answered(Reply):
    feedback: FeedbackOut | None
    lesson: LessonOut


Words = Mapping[str, str]  # of the protocol, in the learner's language


def item_json(item: CourseItem, words: Words) -> dict[str, Any]:
    """An item as it is asked. Its key and its explanation are no part of it."""
    markdown = words.get(item.markdown, item.markdown)
    return {
        "id": item.id,
        "title": words.get(item.title, item.title),
        "html": to_html(markdown) if item.shown is None else None,
        "unit": item.shown.to_json() if item.shown is not None else None,
        "protocol": present(item.asked, speaking.get()) if item.asked is not None else None,
    }


def feedback_json(feedback: Feedback | None, words: Words) -> dict[str, Any] | None:
    if feedback is None:
        return None
    explanation = words.get(feedback.item.explanation, feedback.item.explanation)
    return {
        "item": item_json(feedback.item, words),
        "answers": dict(feedback.answers),
        "grade": feedback.grade.to_json() if feedback.grade is not None else None,
        "explanation_html": to_html(explanation) if explanation else "",
    }


def lesson_json(lesson: Lesson, words: Words) -> dict[str, Any]:
    return {
        "stage": lesson.stage,
        "attempt": lesson.attempt,
        "place": lesson.place,
        "items": lesson.items,
        "item": item_json(lesson.item, words) if lesson.item is not None else None,
        "previous": feedback_json(lesson.previous, words),
        "may_leave": lesson.may_leave,
        "has_training": lesson.has_training,
        "result": _ending_json(lesson.result, words) if lesson.result is not None else None,
    }


def _ending_json(ending: QualificationResult, words: Words) -> dict[str, Any]:
    return {
        "state": ending.state,
        "attempt": ending.attempt,
        "attempts": ending.attempts,
        "rows": list(ending.rows),
        "missed": [feedback_json(one, words) for one in ending.missed],
        "may_retry": ending.may_retry,
        "thanks_html": to_html(words.get(ending.thanks, ending.thanks)) if ending.thanks else "",
    }


def learner_words(token: TokenDep, services: ServicesDep) -> Words:
    """What the protocol says, in the language of whoever asks."""
    return services.content.protocol(services.work.person(token).protocol_id).words_in(speaking.get())


WordsDep = Annotated[Words, Depends(learner_words)]


@router.post("", response_model=LessonOut)
def lesson(token: TokenDep, services: ServicesDep, words: WordsDep) -> Response:
    """Where you are in training or qualification, with what to read or to answer now."""
    return reply(lesson_json(services.training.lesson(token), words))


@router.post("/answers", response_model=Answered)
def answer(body: LessonAnswerIn, token: TokenDep, services: ServicesDep, words: WordsDep) -> Response:
    """Answer the item before you, or say that you have read it. Sending the same `client_key` again changes nothing."""
    given = LessonAnswer(body.item, body.answers, body.client_key, body.seconds_active)
    feedback, now = services.training.answer(token, given)
    return reply({"feedback": feedback_json(feedback, words), "lesson": lesson_json(now, words)})


@router.post("/again", response_model=LessonOut)
def again(token: TokenDep, services: ServicesDep, words: WordsDep) -> Response:
    """Another try after failing, which begins with the training; or the training once more."""
    return reply(lesson_json(services.training.again(token), words))


@router.post("/leave", response_model=LessonOut)
def leave(token: TokenDep, services: ServicesDep, words: WordsDep) -> Response:
    """Leave a training that you went through before."""
    return reply(lesson_json(services.training.leave(token), words))
