"""Lessons, one after the other: what a learner does now, what they are told about it, and when they may work.

Nobody receives the key of an exercise before they have answered it: a `Lesson` holds the item as it is asked, and
`Feedback` is made only of what is answered. Every answer is kept with its grade; sending one twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from sqlalchemy import Connection, select

from goldmark.campaigns.assignments.responses import AnswersNotAccepted
from goldmark.campaigns.assignments.work_service import ConsentMissing, WorkingAnnotator, WorkService
from goldmark.campaigns.definition import admission
from goldmark.errors import Conflict
from goldmark.languages import later
from goldmark.protocols import Protocol, tidied, validate
from goldmark.protocols.training.kits import Qualification
from goldmark.quality.grading import Grade
from goldmark.quality.training import attempts, course
from goldmark.quality.training.attempts import QUALIFICATION, TRAINING, Answer, Attempt
from goldmark.quality.training.course import CourseItem
from goldmark.quality.training.pass_rules import judge
from goldmark.quality.training.qualifications import BY_RULE, decide
from goldmark.store.tables import annotator

Outcome = TypeVar("Outcome")


CLOSED = {"closed": later("the campaign has ended"), "draft": later("the campaign has not started yet")}


class LessonMovedOn(Conflict):
    code = "LEARN-02"
    message = later("this exercise is not the one that you are at; load the page again to go on")


class NoOtherTry(Conflict):
    code = "LEARN-03"
    message = later("there is nothing to begin again: {why}")


class LessonsClosed(Conflict):
    code = "LEARN-04"
    message = later("there are no lessons now: {why}")


@dataclass(frozen=True)
class Feedback:
    """What someone is told about one exercise after they have answered it."""

    item: CourseItem
    answers: Mapping[str, Any]
    grade: Grade | None


@dataclass(frozen=True)
class QualificationResult:
    """How a qualification ended."""

    state: str  # failed, awaiting
    attempt: int
    attempts: int
    rows: tuple[Mapping[str, Any], ...]
    missed: tuple[Feedback, ...]  # answers that were not wholly right, where the protocol lets people see them
    may_retry: bool
    thanks: str


@dataclass(frozen=True)
class Lesson:
    """Where a person stands: the item before them, or how it ended. It has no key of an item not yet answered."""

    stage: str
    attempt: int = 0
    place: int = 0  # how many items are done
    items: int = 0
    item: CourseItem | None = None
    previous: Feedback | None = None  # the last answer in this training, to look at again
    may_leave: bool = False  # they went through it before
    has_training: bool = False
    result: QualificationResult | None = None


@dataclass(frozen=True, slots=True)
class LessonAnswer:
    """What arrives from a page or a program."""

    item: str
    answers: Mapping[str, Any]
    client_key: str  # chosen by the sender; sending the same key again changes nothing
    seconds_active: float


class TrainingService:
    """Training and qualification of annotators, whether through a page or a program."""

    def __init__(self, work: WorkService) -> None:
        self.work = work
        self.store = work.store
        self.content = work.content

    def teaches(self, person: WorkingAnnotator) -> bool:
        """Whether there is a training for this person."""
        return bool(self._kit(person)[1])

    def lesson(self, token: str) -> Lesson:
        """What this person should do now; begins what they come to."""
        return self._with(token, self._now)

    def answer(self, token: str, given: LessonAnswer) -> tuple[Feedback | None, Lesson]:
        """Take an answer, or note that something was read; in a training, feedback comes at once."""
        return self._with(token, lambda connection, person: self._take(connection, person, given))

    def again(self, token: str) -> Lesson:
        """Another try after failing, which begins with learning; or the training once more, for anybody who wants."""
        return self._with(token, self._begin_again)

    def leave(self, token: str) -> Lesson:
        """Stop a training that one went through before."""

        def stop(connection: Connection, person: WorkingAnnotator) -> Lesson:
            lesson = self._now(connection, person)
            if not lesson.may_leave:
                raise NoOtherTry(why=later("the training comes before the work"))
            tried = attempts.attempts_of(connection, person.id, TRAINING)[-1]
            attempts.end(connection, tried.id, attempts.LEFT)
            return self._after_training(connection, person)

        return self._with(token, stop)

    def _with(self, token: str, act: Callable[[Connection, WorkingAnnotator], Outcome]) -> Outcome:
        """Do something for one person, whom nobody else can act for meanwhile."""

        def work(connection: Connection) -> Outcome:
            person = self.work.who(connection, token, hold=True)
            if person.settings.consent and not person.consented:
                raise ConsentMissing
            if not person.may_work:
                state = person.campaign_state if person.campaign_state != "running" else person.state
                raise LessonsClosed(why=CLOSED.get(state, later("the campaign is paused")))
            return act(connection, person)

        return self.store.write(work)

    # Where a person stands.

    def _now(self, connection: Connection, person: WorkingAnnotator) -> Lesson:
        if person.stage == admission.LEARN:
            tried, items, answered = self._training(connection, person)
            left = [item for item in items if item.id not in answered]
            if not left:
                attempts.end(connection, tried.id, attempts.DONE)
                return self._after_training(connection, person)
            return self._at(person, tried, items, left, answered, self._been_through(connection, person))
        if person.stage == admission.QUALIFY:
            tried, items, answered = self._examination(connection, person)
            left = [item for item in items if item.id not in answered]
            if not left:
                return self._end_of_examination(connection, person, tried, items, answered)
            return self._at(person, tried, items, left, answered, False)
        if person.stage in (admission.FAILED, admission.AWAITING):
            return self._told(connection, person)
        return Lesson(person.stage, has_training=self.teaches(person))

    def _at(
        self,
        person: WorkingAnnotator,
        tried: Attempt,
        items: Sequence[CourseItem],
        left: Sequence[CourseItem],
        answered: Mapping[str, Answer],
        may_leave: bool,
    ) -> Lesson:
        previous = None
        if tried.kind == TRAINING and answered:
            last = list(answered.values())[-1]
            item = next(one for one in items if one.id == last.item)
            previous = None if item.is_reading else _feedback(item, last)
        return Lesson(
            person.stage,
            tried.number,
            len(items) - len(left),
            len(items),
            left[0],
            previous,
            may_leave,
            has_training=True,
        )

    def _protocol(self, protocol_id: int) -> Protocol:
        return self.content.protocol(protocol_id)

    def _kit(self, person: WorkingAnnotator) -> tuple[str, Any]:
        return admission.kit_of(self._protocol(person.protocol_id), person.settings, person.condition)

    def _wanted(self, person: WorkingAnnotator) -> Qualification | None:
        return admission.wanted_qualification(self._protocol(person.protocol_id), person.settings)

    def _been_through(self, connection: Connection, person: WorkingAnnotator) -> bool:
        return any(one.state == attempts.DONE for one in attempts.attempts_of(connection, person.id, TRAINING))

    def _training(
        self, connection: Connection, person: WorkingAnnotator
    ) -> tuple[Attempt, tuple[CourseItem, ...], dict[str, Answer]]:
        facts = {"kit": self._kit(person)[0]}
        tried = attempts.open_attempt(connection, person.id, TRAINING, person.protocol_id, facts)
        items = course.lessons(self._protocol(tried.protocol_id), tried.facts["kit"])
        return tried, items, {one.item: one for one in attempts.answers_in(connection, tried.id)}

    def _examination(
        self, connection: Connection, person: WorkingAnnotator
    ) -> tuple[Attempt, tuple[CourseItem, ...], dict[str, Answer]]:
        tried = attempts.open_attempt(connection, person.id, QUALIFICATION, person.protocol_id, {})
        items = course.examination(self._protocol(tried.protocol_id), tried.number)
        return tried, items, {one.item: one for one in attempts.answers_in(connection, tried.id)}

    # What a person does.

    def _take(
        self, connection: Connection, person: WorkingAnnotator, given: LessonAnswer
    ) -> tuple[Feedback | None, Lesson]:
        before = attempts.sent_before(connection, person.id, given.item, given.client_key)
        if before is not None:
            tried, kept = before
            return self._feedback_on(tried, kept), self._now(connection, person)
        lesson = self._now(connection, person)
        if lesson.item is None or lesson.item.id != given.item:
            raise LessonMovedOn
        kind = TRAINING if lesson.stage == admission.LEARN else QUALIFICATION
        tried = attempts.attempts_of(connection, person.id, kind)[-1]
        kept = self._graded(tried, lesson.item, given)
        attempts.keep_answer(connection, tried.id, kept)
        feedback = self._feedback_on(tried, kept)
        return feedback, self._now(connection, person)

    def _graded(self, tried: Attempt, item: CourseItem, given: LessonAnswer) -> Answer:
        protocol = self._protocol(tried.protocol_id)
        graded: Grade | None = None
        if item.shown is not None:
            given = replace(given, answers=tidied(item.asked or protocol, given.answers))
            problems = validate(item.asked or protocol, given.answers, item.shown)
            if problems:
                raise AnswersNotAccepted(problems, consequence=later("nothing was saved"))
            graded = item.grade(protocol, given.answers)
        return Answer(
            item.id,
            dict(given.answers) if item.shown is not None else {},
            graded.to_json() if graded else {},
            given.client_key,
            min(max(given.seconds_active, 0.0), attempts.LONGEST_SECONDS),
            datetime.now(UTC),
        )

    def _feedback_on(self, tried: Attempt, kept: Answer) -> Feedback | None:
        if tried.kind != TRAINING:
            return None
        items = course.lessons(self._protocol(tried.protocol_id), tried.facts["kit"])
        item = next(one for one in items if one.id == kept.item)
        return None if item.is_reading else _feedback(item, kept)

    def _begin_again(self, connection: Connection, person: WorkingAnnotator) -> Lesson:
        taught = self.teaches(person)
        if person.stage == admission.FAILED:
            lesson = self._told(connection, person)
            if lesson.result is None or not lesson.result.may_retry:
                raise NoOtherTry(why=later("all tries are used"))
            stage = admission.LEARN if taught else admission.QUALIFY
        elif person.stage == admission.WORK and taught:
            stage = admission.LEARN
        else:
            raise NoOtherTry(why=later("there is no training") if not taught else later("it is not finished yet"))
        return self._move(connection, person, stage)

    def _move(self, connection: Connection, person: WorkingAnnotator, stage: str) -> Lesson:
        attempts.set_stage(connection, person.id, stage)
        return self._now(connection, person._replace(stage=stage))

    # How it ends.

    def _after_training(self, connection: Connection, person: WorkingAnnotator) -> Lesson:
        wanted = self._wanted(person)
        passed = any(one.state == attempts.PASSED for one in attempts.attempts_of(connection, person.id, QUALIFICATION))
        if wanted is None or passed or self._earned(connection, person, wanted):
            return self._move(connection, person, admission.WORK)
        return self._move(connection, person, admission.QUALIFY)

    def _earned(self, connection: Connection, person: WorkingAnnotator, wanted: Qualification) -> bool:
        query = select(annotator.c.participant_id).where(annotator.c.id == person.id)
        return admission.has_earned(connection, connection.execute(query).scalar(), wanted)

    def _end_of_examination(
        self,
        connection: Connection,
        person: WorkingAnnotator,
        tried: Attempt,
        items: Sequence[CourseItem],
        answered: Mapping[str, Answer],
    ) -> Lesson:
        protocol = self._protocol(tried.protocol_id)
        wanted = protocol.file.qualification
        if wanted is None:
            return self._move(connection, person, admission.WORK)
        grades = [Grade.from_json(answered[item.id].grade) for item in items if not item.is_reading]
        outcome = judge(protocol, wanted.passing, grades)
        facts = {**outcome.to_json(), "seconds": attempts.seconds(list(answered.values()))}
        if wanted.decide == "reviewer":
            attempts.end(connection, tried.id, attempts.AWAITING, facts)
            return self._move(connection, person, admission.AWAITING)
        stage = decide(connection, tried, wanted, passed=outcome.meets_rule, author=BY_RULE, facts=facts)
        return self._now(connection, person._replace(stage=stage))

    def _told(self, connection: Connection, person: WorkingAnnotator) -> Lesson:
        """How the last attempt ended, with as much of it as the protocol lets people know."""
        tries = attempts.attempts_of(connection, person.id, QUALIFICATION)
        taught = self.teaches(person)
        wanted = self._wanted(person)
        if not tries or wanted is None:
            return Lesson(person.stage, has_training=taught)
        last = tries[-1]
        decided = person.stage == admission.FAILED
        missed: tuple[Feedback, ...] = ()
        if decided and wanted.feedback == "full":
            items = {one.id: one for one in course.examination(self._protocol(last.protocol_id), last.number)}
            answers = [one for one in attempts.answers_in(connection, last.id) if one.grade]
            told = [_feedback(items[one.item], one) for one in answers if one.item in items]
            missed = tuple(one for one in told if one.grade is not None and not _is_perfect(one.grade))
        may_retry = decided and last.number < wanted.attempts
        result = QualificationResult(
            person.stage,
            last.number,
            wanted.attempts,
            tuple(last.facts.get("rows", ())) if decided and wanted.feedback != "none" else (),
            missed,
            may_retry,
            "" if may_retry or not decided else wanted.thanks,
        )
        return Lesson(person.stage, last.number, has_training=taught, result=result)


def _feedback(item: CourseItem, kept: Answer) -> Feedback:
    return Feedback(item, kept.answers, Grade.from_json(kept.grade) if kept.grade else None)


def _is_perfect(grade: Grade) -> bool:
    return grade.right and grade.score > 1 - 1e-9
