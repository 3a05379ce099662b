"""Taking an annotator's answers: drafts while they work, submissions that are never lost and never counted twice.

What comes from an annotator is in the order in which they see the texts, and is checked against what they see; it is
stored in the roles of the unit itself, so that an answer means the same whatever was shown first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Connection, bindparam, insert, select, update

from goldmark.campaigns.assignments import allocation
from goldmark.campaigns.assignments.content_cache import AssignmentKey, UnknownAssignment
from goldmark.campaigns.assignments.notices import unread
from goldmark.campaigns.assignments.replies import RETURNED, reply_with
from goldmark.campaigns.assignments.review_sample import is_checked
from goldmark.campaigns.assignments.work_service import (
    AssignedUnit,
    ConsentMissing,
    NextUnit,
    SavedDraft,
    WorkingAnnotator,
    WorkService,
    draft_of,
)
from goldmark.errors import Conflict, GoldmarkError, ProblemsFound
from goldmark.languages import later
from goldmark.protocols import tidied, validate
from goldmark.protocols.shown_order import ShownOrder
from goldmark.store.prepared import OneStatement, Prepared, values_of
from goldmark.store.states import HOLD_A_PLACE
from goldmark.store.tables import annotator, assignment, response, unit

# A day at one text is not work but a clock that ran on; times beyond this are cut to it.
LONGEST_SECONDS = 24 * 60 * 60.0
LARGEST_DRAFT = 1_000_000
NOT_COUNTED = ("extra", "excluded")


class AnswersNotAccepted(ProblemsFound):
    """What is wrong with an answer, question by question, for a page to show beside each."""

    code = "ANSWER-01"


class AnswerLocked(Conflict):
    code = "ANSWER-02"
    message = later("this answer can no longer be changed")


class DraftOutdated(Conflict):
    """Another device or tab saved a newer draft; it comes with the error so that nothing is lost."""

    code = "ANSWER-03"
    message = later("this was changed meanwhile in another window or on another device ({why})")

    def __init__(self, newer: SavedDraft | None) -> None:
        self.newer = newer
        super().__init__(why=newer.saved_at.isoformat() if newer else later("it was submitted"))

    def further(self) -> dict[str, Any]:
        newer = self.newer
        return {
            "draft": newer
            and {
                "answers": newer.answers,
                "saved_at": newer.saved_at.isoformat(),
                "version": newer.version,
                "seconds_active": newer.seconds_active,
            }
        }


class DraftTooLarge(GoldmarkError):
    code = "ANSWER-04"
    message = later("the draft is larger than {limit} bytes")


class DraftNotKept(GoldmarkError):
    code = "ANSWER-07"
    message = "the draft holds what no answer can: a number of more than 64 bits, or lists nested too deeply"


@dataclass(frozen=True, slots=True)
class Submission:
    """What arrives from a page or a program."""

    answers: dict[str, Any]
    client_key: str  # chosen by the sender; sending the same key again changes nothing
    client_time: datetime | None
    seconds_active: float
    reply: str = ""  # to a reviewer who returned the answer: why it stays as it is
    language: str = ""  # in which the page was shown; a program shows none


class AcceptedResponse(NamedTuple):
    assignment_id: int
    revision: int
    extra: bool  # kept, but not counted: the unit had all its labels by then, or the person was excluded


# How often the rules of a campaign look at someone's work. Not after each test question: what they do would tell the
# person which of the units was one.
LOOK_EVERY = 5


class KeptAnswer(NamedTuple):
    """Someone's answer is on disk. It does not say of which unit: what follows is the same for every unit."""

    campaign_id: int
    annotator_id: int
    rules_look: bool  # whether it is time for the campaign's rules to look at their work


# Called when an answer was kept and acknowledged, outside its transaction: no reply waits for what it does.
AfterAnswer = Callable[[KeptAnswer], None]


class EarlierWork(NamedTuple):
    id: int
    unit_id: int
    order: ShownOrder
    state: str
    revision: int
    finished_at: datetime | None


_same_key = Prepared(
    select(response.c.revision).where(
        response.c.assignment_id == bindparam("assignment_id"), response.c.client_key == bindparam("client_key")
    )
)
_unit_name = Prepared(select(unit.c.name).where(unit.c.id == bindparam("unit")))
_credit = update(annotator).where(annotator.c.id == bindparam("annotator"))
_finish = update(assignment).where(assignment.c.id == bindparam("assignment_id"))
_keep = OneStatement(
    _credit.values(
        done=annotator.c.done + bindparam("units"),
        batch_done=annotator.c.batch_done + bindparam("units"),
        seconds_active=annotator.c.seconds_active + bindparam("seconds_active"),
    ),
    allocation.count_labels,
    _finish.values(
        draft=None,
        draft_version=0,
        draft_at=None,
        draft_seconds=0.0,
        **values_of(assignment, "state", "state_before", "revision", "finished_at"),
    ),
    insert(response).values(
        **values_of(
            response,
            "assignment_id",
            "revision",
            "client_key",
            "answers",
            "protocol_id",
            "client_time",
            "server_time",
            "seconds_active",
            "reply",
            "language",
        )
    ),
)
_earlier = (
    select(
        assignment.c.id,
        assignment.c.unit_id,
        assignment.c.protocol_id,
        assignment.c.shown_first,
        assignment.c.state,
        assignment.c.revision,
        assignment.c.finished_at,
    )
    .where(assignment.c.annotator_id == bindparam("annotator_id"))
    .order_by(assignment.c.id.desc())
    .limit(bindparam("most"))
)


class ResponseService:
    """Takes drafts and submissions."""

    def __init__(self, work: WorkService, after: AfterAnswer | None = None) -> None:
        self.work = work
        self.content = work.content
        self.after = after  # grades test questions and lets rules look

    def submit(self, token: str, assignment_id: int, submission: Submission) -> tuple[AcceptedResponse, NextUnit]:
        """Accept an answer and hand out the next unit; both are on disk before this returns."""
        accepted, following = self.work.store.write(self.accepting(token, assignment_id, submission))
        self.kept(token, following)
        return accepted, following

    def kept(self, token: str, following: NextUnit) -> None:
        """An answer was kept and `following` handed out: what is not part of the reply may begin."""
        if self.after is not None:
            campaign_id, done = following.campaign_id, following.progress.done
            self.after(KeptAnswer(campaign_id, self.work.links.read_person(token).id, done % LOOK_EVERY == 0))

    def accepting(
        self, token: str, assignment_id: int, submission: Submission
    ) -> Callable[[Connection], tuple[AcceptedResponse, NextUnit]]:
        """Check an answer; what comes back is the transaction that accepts it and hands out the next unit.

        Work in someone's hands is accepted whatever has become of the campaign meanwhile: nothing marked is lost.
        """
        person_id = self.work.links.read_person(token).id
        assignment_key = self.content.assignment_key(assignment_id)
        if assignment_key.annotator_id != person_id:
            raise UnknownAssignment(id=assignment_id)
        protocol = self.content.protocol(assignment_key.protocol_id)
        answers, reply = tidied(protocol, submission.answers), submission.reply.strip()
        submission = replace(submission, answers=answers, reply=reply)
        order = self.content.order(assignment_key.protocol_id, assignment_key.shown_first)
        shown = self.content.surface(assignment_key.unit_id, order)
        problems = validate(protocol, submission.answers, shown)
        if problems:
            raise AnswersNotAccepted(problems, consequence=later("nothing was saved"))
        submission = replace(submission, answers=order.answers(submission.answers))
        now = datetime.now(UTC)

        def accept(connection: Connection) -> tuple[AcceptedResponse, NextUnit]:
            person, row = self.work.held(connection, token, assignment_id)
            if person.settings.consent and not person.consented:
                raise ConsentMissing
            accepted, person = self._record(connection, person, row, assignment_key, submission, now)
            following = self.work.hand_out(connection, person, now)
            if person.done % LOOK_EVERY > 1:  # rules look after every fifth answer; the one after it brings their words
                return accepted, following
            return accepted, following._replace(notices=unread(connection, person.id))

        return accept

    def _record(
        self,
        connection: Connection,
        person: WorkingAnnotator,
        row: Any,
        assignment_key: AssignmentKey,
        submission: Submission,
        now: datetime,
    ) -> tuple[AcceptedResponse, WorkingAnnotator]:
        first = row.revision == 0
        if not first:
            earlier = _same_key.first(connection, assignment_id=row.id, client_key=submission.client_key)
            if earlier is not None:
                return AcceptedResponse(row.id, earlier.revision, row.state in NOT_COUNTED), person
            if self.is_locked(person, row):
                raise AnswerLocked
            submission = replace(submission, reply=reply_with(connection, row, submission.answers, submission.reply))
        disputed = bool(submission.reply)
        state, before = self._settle(connection, person, row, counts=assignment_key.counts, disputed=disputed), None
        # Kept like any answer, and set aside with the rest of their work; what has its place is about to be, or was.
        if person.state == "excluded" and row.state not in HOLD_A_PLACE:
            state, before = "excluded", state
        seconds = min(max(submission.seconds_active, 0.0), LONGEST_SECONDS)
        units = int(first)
        _keep.run(
            connection,
            assignment_id=row.id,
            revision=row.revision + 1,
            client_key=submission.client_key,
            answers=submission.answers,
            protocol_id=assignment_key.protocol_id,
            client_time=submission.client_time,
            server_time=now,
            seconds_active=seconds,
            reply=submission.reply,
            language=submission.language,
            state=state,
            state_before=before,
            finished_at=now if first else row.finished_at,
            annotator=person.id,
            units=units,
            unit=row.unit_id,
            labels=allocation.labels_between(row.state, state),
        )
        person = person._replace(
            done=person.done + units,
            batch_done=person.batch_done + units,
            seconds_active=person.seconds_active + seconds,
        )
        return AcceptedResponse(row.id, row.revision + 1, state in NOT_COUNTED), person

    def _settle(
        self, connection: Connection, person: WorkingAnnotator, row: Any, *, counts: bool, disputed: bool
    ) -> str:
        """Whether this answer counts, waits for a reviewer's approval, or comes too late and is kept as extra."""
        if "extra" in (row.state, row.state_before):
            return "extra"
        gone = row.state in ("lapsed", "released") and person.state != "excluded"  # its place was given to others
        if gone and not allocation.retake(connection, row.unit_id):
            return "extra"
        # Nobody reviews a test question: what is right is known. It is asked all the same, so that it takes as long.
        needs_approval = self._needs_approval(connection, person, row)
        return "waiting" if counts and (needs_approval or disputed) else "done"

    def _needs_approval(self, connection: Connection, person: WorkingAnnotator, row: Any) -> bool:
        review = person.settings.review
        if not review.required or review.share >= 1:
            return review.required
        return is_checked(review, _unit_name.first(connection, unit=row.unit_id).name, person.name)

    def is_locked(self, person: WorkingAnnotator, row: Any) -> bool:
        """Whether a submitted answer may no longer be changed."""
        if row.revision == 0 or row.state in RETURNED:
            return False
        return not person.settings.editing or self.content.protocol(row.protocol_id).locks

    def save_draft(
        self, token: str, assignment_id: int, answers: Any, version: int, seconds_active: float
    ) -> SavedDraft:
        """Keep what someone is marking, and their lease with it. `version` is the draft they started from."""
        try:
            size = len(orjson.dumps(answers))
        except TypeError as error:
            raise DraftNotKept from error
        if size > LARGEST_DRAFT:
            raise DraftTooLarge(limit=LARGEST_DRAFT)
        now = datetime.now(UTC)

        def keep(connection: Connection) -> SavedDraft:
            person, row = self.work.held(connection, token, assignment_id)
            order = self.work.order_of(row)
            if row.draft_version != version:
                raise DraftOutdated(draft_of(row, order))
            if self.is_locked(person, row):
                raise AnswerLocked
            draft = SavedDraft(answers, now, row.draft_version + 1, min(max(seconds_active, 0.0), LONGEST_SECONDS))
            connection.execute(
                update(assignment)
                .where(assignment.c.id == row.id)
                .values(
                    draft=order.answers(draft.answers),
                    draft_version=draft.version,
                    draft_at=draft.saved_at,
                    draft_seconds=draft.seconds_active,
                    lease_until=now + timedelta(minutes=person.settings.lease_minutes),
                )
            )
            return draft

        return self.work.store.write(keep)

    def look(self, token: str, assignment_id: int) -> AssignedUnit:
        """One's own assignment again, with the latest answers."""

        def find(connection: Connection) -> AssignedUnit:
            person, row = self.work.held(connection, token, assignment_id, hold=False)
            return self.work.answered_task(connection, row, locked=self.is_locked(person, row))

        return self.work.store.read(find)

    def earlier(self, token: str, *, most: int = 200) -> list[EarlierWork]:
        """What this person has done, newest first."""

        def find(connection: Connection) -> list[EarlierWork]:
            person = self.work.who(connection, token)
            rows = connection.execute(_earlier, {"annotator_id": person.id, "most": most})
            return [
                EarlierWork(row.id, row.unit_id, self.work.order_of(row), row.state, row.revision, row.finished_at)
                for row in rows
            ]

        return self.work.store.read(find)
