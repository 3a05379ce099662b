"""An annotator at work: joining, consent, the next unit, batches.

Everything an annotator can receive of a unit passes through `Task`, which has no place for a hidden fact.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, case, select, text, update

from goldmark.accounts.links import LinkNotValid, LinkParts, SignedLinks
from goldmark.campaigns.assignments import allocation
from goldmark.campaigns.assignments.content_cache import AssignmentKey, ContentCache, UnknownAssignment
from goldmark.campaigns.assignments.notices import Notice, mark_read, unread
from goldmark.campaigns.assignments.replies import ReturnReason, latest_response, return_reason
from goldmark.campaigns.assignments.strata import NextSource, WorkerPosition, next_source
from goldmark.campaigns.assignments.text_order import OrderDraw, draw
from goldmark.campaigns.definition.settings import Settings, settings_from
from goldmark.errors import Conflict
from goldmark.languages import later
from goldmark.protocols.shown_order import ShownOrder
from goldmark.store import Store
from goldmark.store.prepared import Prepared, together
from goldmark.store.states import STILL_OPEN
from goldmark.store.tables import annotator, assignment, campaign


class ConsentMissing(Conflict):
    code = "WORK-02"
    message = later("this campaign asks for your consent first")


@dataclass(frozen=True, slots=True)
class PersonProgress:
    """How far one person is."""

    done: int
    batch_size: int | None
    batch_done: int
    seconds_active: float

    @property
    def left_in_batch(self) -> int | None:
        return None if self.batch_size is None else max(0, self.batch_size - self.batch_done)


@dataclass(frozen=True, slots=True)
class SavedDraft:
    answers: Any
    saved_at: datetime
    version: int
    seconds_active: float


@dataclass(frozen=True, slots=True)
class AssignedUnit:
    """One unit in one person's hands, as they may see it. It has no hidden field, and must never get one.

    Everything in it is in the order in which the page shows the texts; `order` says how it is stored.
    """

    id: int
    state: str
    lease_until: datetime
    unit_id: int  # only to find what is shown; not sent, and neither is `order`
    order: ShownOrder
    answers: Any  # the latest that were submitted, or None
    revision: int
    draft: SavedDraft | None
    locked: bool
    returned: ReturnReason | None = None


@dataclass(frozen=True, slots=True)
class NoMoreWork:
    """Why there is no next unit."""

    why: str  # batch, all, waiting, paused, closed, draft; or the stage before work: learn, qualify, failed, awaiting
    code: str | None
    another: bool  # whether a further batch may be started


class NextUnit(NamedTuple):
    task: AssignedUnit | None
    progress: PersonProgress
    finished: NoMoreWork | None
    campaign_id: int
    notices: tuple[Notice, ...] = ()  # what they have not read yet, where it was looked for


class WorkingAnnotator(NamedTuple):
    """An annotator and the campaign they work in, as of one transaction."""

    id: int
    name: str
    state: str
    condition: str | None  # decides what they get; never told to them
    browser: int | None  # that others joined in, too
    consented: bool
    cursor: int
    done: int
    batch: int
    batch_done: int
    seconds_active: float
    campaign_id: int
    campaign_title: str
    campaign_state: str
    protocol_id: int
    settings: Settings
    stage: str  # learn, qualify, awaiting, failed; only at `work` are units handed out

    @property
    def may_work(self) -> bool:
        return self.campaign_state == "running" and self.state == "active"

    @property
    def progress(self) -> PersonProgress:
        return PersonProgress(self.done, self.settings.batch.size, self.batch_done, self.seconds_active)


_person = (
    select(
        annotator.c.id,
        annotator.c.name,
        annotator.c.state,
        annotator.c.condition,
        annotator.c.same_browser,
        annotator.c.consented_at,
        annotator.c.cursor,
        annotator.c.done,
        annotator.c.batch,
        annotator.c.batch_done,
        annotator.c.seconds_active,
        annotator.c.link_nonce,
        annotator.c.campaign_id,
        campaign.c.title,
        campaign.c.state.label("campaign_state"),
        campaign.c.protocol_id,
        campaign.c.settings,
        annotator.c.stage,
    )
    .join(campaign, campaign.c.id == annotator.c.campaign_id)
    .where(annotator.c.id == bindparam("id"))
)
_read_person = Prepared(_person)
_hold_person = Prepared(_person.with_for_update(key_share=True, of=annotator))

TASK_COLUMNS = (
    assignment.c.id,
    assignment.c.unit_id,
    assignment.c.protocol_id,
    assignment.c.shown_first,
    assignment.c.state,
    assignment.c.state_before,
    assignment.c.lease_until,
    assignment.c.finished_at,
    assignment.c.revision,
    assignment.c.draft,
    assignment.c.draft_version,
    assignment.c.draft_at,
    assignment.c.draft_seconds,
)
_state = assignment.c.state
_still_open = text(f"assignment.{STILL_OPEN}")
# Who is about to change an assignment holds it: another may be taking its place back at the same moment, and whether
# it still has one is seen only when they are done.
_open_work = Prepared(
    select(*TASK_COLUMNS)
    .where(assignment.c.annotator_id == bindparam("annotator_id"), _still_open)
    # What a reviewer returned comes first, and what is active before what lapsed.
    .order_by(case((_state == "returned", 0), (_state == "active", 1), else_=2), assignment.c.id)
    .with_for_update(key_share=True)
)
_task = select(*TASK_COLUMNS).where(
    assignment.c.id == bindparam("id"), assignment.c.annotator_id == bindparam("annotator_id")
)
_read_task, _hold_task = Prepared(_task), Prepared(_task.with_for_update(key_share=True))
_renew = Prepared(update(assignment).where(assignment.c.id == bindparam("assignment")).values(state="active"))
_saw = Prepared(update(annotator).where(annotator.c.id == bindparam("annotator")))
_keep = Prepared(
    update(assignment).where(assignment.c.annotator_id == bindparam("of_annotator"), _state == "active", _still_open)
)


def _known(found: list[Any], parts: LinkParts) -> WorkingAnnotator:
    """The person, if the link carries what theirs must carry."""
    if not found or found[0].link_nonce != parts.nonce:
        raise LinkNotValid
    return _to_person(found[0])


def _to_person(row: Any) -> WorkingAnnotator:
    return WorkingAnnotator(
        row.id,
        row.name,
        row.state,
        row.condition,
        row.same_browser,
        row.consented_at is not None,
        row.cursor,
        row.done,
        row.batch,
        row.batch_done,
        row.seconds_active,
        row.campaign_id,
        row.title,
        row.campaign_state,
        row.protocol_id,
        settings_from(row.settings),
        row.stage,
    )


class WorkService:
    """What an annotator can do, whether through a page or a program."""

    def __init__(self, store: Store, links: SignedLinks, content: ContentCache) -> None:
        self.store = store
        self.links = links
        self.content = content

    def person(self, token: str) -> WorkingAnnotator:
        """Who comes with this link."""
        return self.store.read(lambda connection: self.who(connection, token))

    def who(self, connection: Connection, token: str, *, hold: bool = False) -> WorkingAnnotator:
        """The same inside a transaction; with `hold`, nobody else can act for this person until it ends."""
        parts = self.links.read_person(token)
        return _known((_hold_person if hold else _read_person).rows(connection, id=parts.id), parts)

    def held(
        self, connection: Connection, token: str, assignment_id: int, *, hold: bool = True
    ) -> tuple[WorkingAnnotator, Any]:
        """The same with an assignment, but only of their own; others learn nothing, not even that it exists."""
        parts = self.links.read_person(token)
        with together(connection):
            person = (_hold_person if hold else _read_person).ask(connection, id=parts.id)
            assignments = (_hold_task if hold else _read_task).ask(connection, id=assignment_id, annotator_id=parts.id)
        known, found = _known(person(), parts), assignments()
        if not found:
            raise UnknownAssignment(id=assignment_id)
        return known, found[0]

    def consent(self, token: str) -> WorkingAnnotator:
        """The person agrees to the campaign's consent text; said once, it stays said."""
        now = datetime.now(UTC)

        def agree(connection: Connection) -> WorkingAnnotator:
            person = self.who(connection, token, hold=True)
            if not person.consented:
                connection.execute(update(annotator).where(annotator.c.id == person.id).values(consented_at=now))
            return person._replace(consented=True)

        return self.store.write(agree)

    def next(self, token: str) -> NextUnit:
        """The unit this person holds, or a new one."""
        now = datetime.now(UTC)

        def come(connection: Connection) -> NextUnit:
            person = self.who(connection, token, hold=True)
            return self.hand_out(connection, person, now)._replace(notices=unread(connection, person.id))

        return self.store.write(come)

    def another_batch(self, token: str) -> NextUnit:
        """Go on after the thank-you page."""
        now = datetime.now(UTC)

        def begin(connection: Connection) -> NextUnit:
            person = self.who(connection, token, hold=True)
            if _batch_is_full(person) and _may_have_another(person):
                person = person._replace(batch=person.batch + 1, batch_done=0)
                connection.execute(
                    update(annotator).where(annotator.c.id == person.id).values(batch=person.batch, batch_done=0)
                )
            return self.hand_out(connection, person, now)._replace(notices=unread(connection, person.id))

        return self.store.write(begin)

    def here(self, token: str) -> datetime:
        """Somebody is at the page: what they hold and their place are kept for a lease from now on. Until when."""
        now = datetime.now(UTC)

        def keep(connection: Connection) -> datetime:
            person = self.who(connection, token)
            until = now + timedelta(minutes=person.settings.lease_minutes)
            with together(connection):
                _saw.run(connection, annotator=person.id, seen_at=now)
                _keep.run(connection, of_annotator=person.id, lease_until=until)
            return until

        return self.store.write(keep)

    def read_notice(self, token: str, notice_id: int) -> None:
        """The person has read something that they were told about their work."""

        def mark(connection: Connection) -> None:
            mark_read(connection, self.who(connection, token).id, notice_id)

        self.store.write(mark)

    def hand_out(self, connection: Connection, person: WorkingAnnotator, now: datetime) -> NextUnit:
        """What this person should do now. The caller holds their row."""
        if person.settings.consent and not person.consented:
            raise ConsentMissing
        if not person.may_work:
            why = person.campaign_state if person.campaign_state != "running" else person.state
            # Excluded or not, who has worked is paid for it.
            paid = person.state == "excluded" and person.batch_done
            code = self.links.completion_code(person.id, person.batch) if paid else None
            return _nothing(person, why, code)
        if person.stage != "work":
            return _nothing(person, person.stage, None)
        with together(connection):
            still_open = _open_work.ask(connection, annotator_id=person.id)
            run_out = allocation.ask_run_out(connection, person.campaign_id, now=now)
        held = self._resume(connection, person, still_open(), now)
        if held is not None:
            return NextUnit(held, person.progress, None, person.campaign_id)
        if _batch_is_full(person):
            code = self.links.completion_code(person.id, person.batch)
            return _nothing(person, "batch", code, another=_may_have_another(person))
        allocation.lapse(connection, run_out())
        return self._claim(connection, person, now)

    def _resume(
        self, connection: Connection, person: WorkingAnnotator, still_open: list[Any], now: datetime
    ) -> AssignedUnit | None:
        """What a reviewer returned, the unit they hold, or one whose lease ran out but whose place is still free."""
        for row in still_open:
            if row.state == "returned":
                return self.answered_task(connection, row)
            if row.state == "lapsed" and not allocation.retake(connection, row.unit_id):
                continue
            lease_until = now + timedelta(minutes=person.settings.lease_minutes)
            _renew.run(connection, assignment=row.id, lease_until=lease_until)
            return self.task_of(row, lease_until=lease_until, state="active")
        return None

    def _claim(self, connection: Connection, person: WorkingAnnotator, now: datetime) -> NextUnit:
        lease = timedelta(minutes=person.settings.lease_minutes)
        claim = allocation.claim(
            connection,
            person.campaign_id,
            allocation.AllocationCursor(person.id, person.cursor, person.batch, person.condition, person.browser),
            person.settings.order,
            person.settings.labels_per_unit,
            person.protocol_id,
            self._turn(person),
            self._draw(person),
            now=now,
            lease=lease,
        )
        if claim is None:
            waiting = allocation.more_may_come(connection, person.campaign_id, person.id)
            # Someone who did what there was gets their code even though the batch is not full.
            code = self.links.completion_code(person.id, person.batch) if person.batch_done else None
            return _nothing(person, "waiting" if waiting else "all", code)
        assignment_key = AssignmentKey(claim.unit_id, person.id, person.protocol_id, claim.counts, claim.shown_first)
        self.content.remember(claim.assignment_id, assignment_key, claim.shown)
        order = self.content.order(person.protocol_id, claim.shown_first)
        task = AssignedUnit(
            claim.assignment_id, "active", now + lease, claim.unit_id, order, None, 0, None, locked=False
        )
        return NextUnit(task, person.progress, None, person.campaign_id)

    def _turn(self, person: WorkingAnnotator) -> NextSource:
        """Where this person's next unit comes from."""
        key = self.links.draw_key(person.campaign_id, person.name, person.settings.test_questions.seed)
        place = WorkerPosition(person.condition, person.batch, person.batch_done)
        return next_source(person.settings, person.done, key, place)

    def _draw(self, person: WorkingAnnotator) -> OrderDraw | None:
        """If this person compares texts, which one they see first."""
        compared = self.content.compared(person.protocol_id)
        if compared is None:
            return None
        key = self.links.draw_key(person.campaign_id, person.name, person.settings.order.seed)
        return draw(compared.roles, person.done, key)

    def order_of(self, row: Any) -> ShownOrder:
        """In which order an assignment shows its texts."""
        return self.content.order(row.protocol_id, row.shown_first)

    def task_of(self, row: Any, *, answers: Any = None, locked: bool = False, **changed: Any) -> AssignedUnit:
        order = self.order_of(row)
        return AssignedUnit(
            row.id,
            changed.get("state", row.state),
            changed.get("lease_until", row.lease_until),
            row.unit_id,
            order,
            order.answers(answers),
            row.revision,
            draft_of(row, order),
            locked,
            changed.get("returned"),
        )

    def answered_task(self, connection: Connection, row: Any, *, locked: bool = False) -> AssignedUnit:
        """An assignment with the latest answers and, if a reviewer returned them, why."""
        if not row.revision:
            return self.task_of(row, locked=locked)
        latest = latest_response.first(connection, assignment_id=row.id)
        returned = return_reason(connection, row, self.order_of(row), decided=bool(latest.reply))
        return self.task_of(row, answers=latest.answers, locked=locked, returned=returned)


def _nothing(person: WorkingAnnotator, why: str, code: str | None, *, another: bool = False) -> NextUnit:
    return NextUnit(None, person.progress, NoMoreWork(why, code, another), person.campaign_id)


def draft_of(row: Any, order: ShownOrder) -> SavedDraft | None:
    if row.draft is None:
        return None
    return SavedDraft(order.answers(row.draft), row.draft_at, row.draft_version, row.draft_seconds)


def _batch_is_full(person: WorkingAnnotator) -> bool:
    size = person.settings.batch.size
    return size is not None and person.batch_done >= size


def _may_have_another(person: WorkingAnnotator) -> bool:
    allowed = person.settings.batch.per_person
    return allowed is None or person.batch < allowed
