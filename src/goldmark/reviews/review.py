"""Reviewers at work: what waits for them, and their word on it.

A reviewer approves one revision of an answer or returns it with what is to be amended. Returned work keeps its place in
its unit but no longer counts; its annotator gets it first, amends it, and the new revision comes back here. In a shared
sample two reviewers judge the first version without knowing of each other, and it is returned if either says so. An
annotator may also answer with a reason: what becomes of that is told in `reviews.disputes`. Nothing is overwritten:
every word is a row, and a reviewer's last one on a revision holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, exists, func, insert, literal_column, select, update

from goldmark.campaigns.assignments import allocation
from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.assignments.review_sample import is_checked, reviewers_wanted
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.errors import Conflict, Forbidden, GoldmarkError, Problem, ProblemsFound
from goldmark.protocols import Protocol
from goldmark.protocols.answers import read
from goldmark.records.units import ShownUnit
from goldmark.reviews.disputes import STATES, Dispute, returned_before, stand_of
from goldmark.reviews.responses import ResponseFile, Revision, UnknownResponse, find_response
from goldmark.store import Store, events, in_transaction
from goldmark.store.tables import account, annotator, assignment, response, review, unit

Verdict = Literal["approved", "returned"]
REVIEWABLE = ("waiting", "done", "returned")


class RevisionOutdated(Conflict):
    code = "REVIEW-01"
    message = "you judged revision {judged}, but the annotator has submitted revision {newest} since; look at that one"


class NothingToAmend(GoldmarkError):
    code = "REVIEW-02"
    message = "say what is to be amended: a comment on the whole, or a remark on a question or a span"


class NotReviewed(Conflict):
    code = "REVIEW-03"
    message = "response {id} is not reviewed: it is {state}"


class NotReturned(Conflict):
    code = "REVIEW-05"
    message = "response {id} is {state}; only one that was returned can be released"


class CannotReviewOwnWork(Forbidden):
    code = "REVIEW-04"
    message = "this is your own response; somebody else reviews it"


class ReviewRemark(NamedTuple):
    """A comment on one question, on one span of it, or on one part of that span."""

    where: str  # the question
    part: str  # the span's id, `e1`; with a part of it, `e1.correction`; or nothing
    comment: str


class WaitingResponse(NamedTuple):
    """A response in a reviewer's queue."""

    id: int
    unit_id: int
    unit: str
    annotator: str
    revision: int
    submitted_at: datetime
    amended: bool  # it was returned before and has come back
    dispute: Dispute | None  # its annotator answered with a reason


@dataclass(frozen=True, slots=True)
class ReviewVerdict:
    """What a reviewer said of one revision."""

    revision: int
    verdict: Verdict
    comment: str
    remarks: Sequence[Mapping[str, str]]
    reviewer: str
    at: datetime


class ReviewCase(NamedTuple):
    """A response as a reviewer sees it. Who else judged this revision, and how, is not told before one's own word."""

    response: ResponseFile
    words: tuple[ReviewVerdict, ...]
    mine: ReviewVerdict | None  # one's own last word on the current revision
    dispute: Dispute | None = None  # its annotator answered with a reason
    decides: bool = False  # and the word of whoever looks at it now decides

    @property
    def revision(self) -> int:
        return self.response.revisions[0].number

    @property
    def before(self) -> Revision | None:
        """The revision that was returned and that this one answers."""
        returned = {one.revision for one in self.words if one.verdict == "returned"}
        return next((one for one in self.response.revisions[1:] if one.number in returned), None)


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """What came of a review."""

    id: int
    revision: int
    state: str  # of the response: done, returned, waiting
    reviewers_missing: int  # more than 0: another reviewer has to judge it too
    disputed: bool = False  # its annotator gave a reason that the reviewer does not accept: somebody else decides


# As in the index, letter by letter: a bound parameter would keep SQLite from using it.
_answered: ColumnElement[bool] = literal_column("assignment.revision > 0")
_unreviewed: ColumnElement[bool] = literal_column("assignment.revision > assignment.reviewed")
_of_this = review.c.assignment_id == assignment.c.id
_now = _of_this & (review.c.revision == assignment.c.revision)


def queue(connection: Connection, row: CampaignRow, reviewer: str, *, after: int = 0) -> Iterator[WaitingResponse]:
    """What waits for this reviewer, oldest first; `after` skips everything up to that response.

    One's own work is not in it, nor what one has judged already, nor what the spot checks leave out.
    """
    settings = row.settings.review
    for found in connection.execute(_waiting(row, reviewer, after)):
        wanted = 1 if found.amended else reviewers_wanted(settings, found.unit, found.annotator)
        chosen = found.judged < wanted and is_checked(settings, found.unit, found.annotator)
        if chosen or found.state == "waiting":  # what waits is never forgotten, also if the settings have changed
            yield WaitingResponse(
                found.id,
                found.unit_id,
                found.unit,
                found.annotator,
                found.revision,
                found.server_time,
                bool(found.amended),
                stand_of(found.reply, found.revision, _words(connection, found.id)),  # read only if there is a reply
            )


def _waiting(row: CampaignRow, reviewer: str, after: int) -> Select[Any]:
    judged = select(func.count(review.c.reviewer.distinct())).where(_now).correlate(assignment).scalar_subquery()
    most = 2 if row.settings.review.twice else 1
    own = exists().where(account.c.id == annotator.c.account_id, account.c.name == reviewer)
    return (
        select(
            assignment.c.id,
            assignment.c.unit_id,
            unit.c.name.label("unit"),
            annotator.c.name.label("annotator"),
            assignment.c.revision,
            assignment.c.state,
            response.c.server_time,
            response.c.reply,
            judged.label("judged"),
            exists().where(_of_this, review.c.revision < assignment.c.revision).label("amended"),
        )
        .join(unit, unit.c.id == assignment.c.unit_id)
        .join(annotator, annotator.c.id == assignment.c.annotator_id)
        .join(response, (response.c.assignment_id == assignment.c.id) & (response.c.revision == assignment.c.revision))
        .where(
            assignment.c.campaign_id == row.id,
            assignment.c.id > after,
            # Once judged is enough, so what was is not looked at again; where some are judged twice, all of it is.
            _answered if row.settings.review.twice else _unreviewed,
            unit.c.counts,
            assignment.c.state.in_(("waiting", "done")),
            annotator.c.state != "excluded",
            (judged < most) | (assignment.c.state == "waiting"),
            ~exists().where(_now, review.c.reviewer == reviewer),
            ~own,
        )
        .order_by(assignment.c.id)
    )


def first_of_queue(
    connection: Connection, row: CampaignRow, reviewer: str, *, after: int = 0
) -> WaitingResponse | None:
    """The next response to judge; past the end it begins again at the front."""
    found = next(queue(connection, row, reviewer, after=after), None)
    if found is None and after:
        found = next(queue(connection, row, reviewer), None)
    return found


def case_of(connection: Connection, row: CampaignRow, assignment_id: int, reviewer: str) -> ReviewCase:
    """One response with what was said of its earlier revisions."""
    found = find_response(connection, row, assignment_id)
    words = list(_words(connection, assignment_id))
    newest = found.revisions[0].number
    mine = [one for one in words if one.reviewer == reviewer and one.revision == newest]
    disputed = stand_of(found.revisions[0].reply, newest, words)
    # Whoever decides a dispute must know what the reviewer says to the reason; otherwise people judge by themselves.
    told = tuple(one for one in words if one.revision < newest or mine or disputed)
    decides = disputed is not None and reviewer not in returned_before(newest, words)
    return ReviewCase(found, told, mine[-1] if mine else None, disputed, decides)


def _words(connection: Connection, assignment_id: int) -> Iterator[ReviewVerdict]:
    rows = connection.execute(select(review).where(review.c.assignment_id == assignment_id).order_by(review.c.id))
    yield from map(_verdict, rows)


def _verdict(row: Any) -> ReviewVerdict:
    return ReviewVerdict(row.revision, row.verdict, row.comment, row.remarks, row.reviewer, row.at)


def judge(
    store: Store,
    content: ContentCache,
    name: str,
    assignment_id: int,
    *,
    revision: int,
    verdict: Verdict,
    comment: str = "",
    remarks: Iterable[ReviewRemark] = (),
    reviewer: str,
) -> ReviewResult:
    """Approve or return one revision. Said twice in the same words, it is kept once."""
    comment = comment.strip()
    told = [remark._replace(comment=remark.comment.strip()) for remark in remarks if remark.comment.strip()]
    if verdict == "returned" and not comment and not told:
        raise NothingToAmend

    def look(connection: Connection) -> ResponseFile:
        return find_response(connection, find_campaign(connection, name), assignment_id)

    found = store.read(look)
    newest = found.revisions[0]
    if newest.number == revision:
        check_remarks(content.protocol(newest.protocol_id), newest, found.shown, told)

    def keep(connection: Connection) -> ReviewResult:
        row = find_campaign(connection, name)
        held = _hold(connection, row, assignment_id, reviewer)
        if held.revision != revision:
            raise RevisionOutdated(judged=revision, newest=held.revision)
        said = {
            "campaign_id": row.id,
            "assignment_id": assignment_id,
            "revision": revision,
            "verdict": verdict,
            "comment": comment,
            "remarks": [remark._asdict() for remark in told],
            "reviewer": reviewer,
        }
        words = list(_words(connection, assignment_id))
        mine = [one for one in words if (one.revision, one.reviewer) == (revision, reviewer)]
        if not mine or (mine[-1].verdict, mine[-1].comment, mine[-1].remarks) != (verdict, comment, said["remarks"]):
            connection.execute(insert(review).values(**said, at=datetime.now(UTC)))
            words = list(_words(connection, assignment_id))
        return _settle(connection, row, held, words)

    return store.write(keep)


def _hold(connection: Connection, row: CampaignRow, assignment_id: int, reviewer: str) -> Any:
    """The response, held with its annotator's row: while it is decided, they cannot submit and nobody releases it."""
    person = select(assignment.c.annotator_id).where(
        assignment.c.id == assignment_id, assignment.c.campaign_id == row.id, _answered
    )
    held = connection.execute(
        select(annotator.c.name, account.c.name.label("account"))
        .outerjoin(account, account.c.id == annotator.c.account_id)
        .where(annotator.c.id == person.scalar_subquery())
        .with_for_update(key_share=True, of=annotator)
    ).first()
    if held is None:
        raise UnknownResponse(id=assignment_id, campaign=row.name)
    if held.account == reviewer:
        raise CannotReviewOwnWork
    found = connection.execute(
        select(
            assignment.c.id,
            assignment.c.unit_id,
            assignment.c.state,
            assignment.c.revision,
            unit.c.name.label("unit"),
            unit.c.counts,
            annotator.c.name.label("annotator"),
            response.c.reply,
        )
        .join(unit, unit.c.id == assignment.c.unit_id)
        .join(annotator, annotator.c.id == assignment.c.annotator_id)
        .join(response, (response.c.assignment_id == assignment.c.id) & (response.c.revision == assignment.c.revision))
        .where(assignment.c.id == assignment_id)
        .with_for_update(key_share=True, of=assignment)
    ).one()
    if not found.counts:
        raise NotReviewed(id=assignment_id, state="an answer to a test question")
    if found.state not in REVIEWABLE:
        raise NotReviewed(id=assignment_id, state=found.state)
    return found


@in_transaction
def release(connection: Connection, name: str, assignment_id: int, *, author: str, reason: str = "") -> None:
    """Give the place of a returned response to others, because its annotator does not come back to amend it.

    Nothing is lost: every revision and every word on it stays, and if its annotator amends it after all, it counts if
    there is still a place.
    """
    row = find_campaign(connection, name)
    held = _hold(connection, row, assignment_id, "")
    if held.state != "returned":
        raise NotReturned(id=assignment_id, state=held.state)
    allocation.leave(connection, held.unit_id, held.state)
    connection.execute(update(assignment).where(assignment.c.id == held.id).values(state="released"))
    facts = {"annotator": held.annotator, "revision": held.revision}
    kind = "returned response released"
    events.record(connection, row.id, author=author, kind=kind, subject=held.unit, reason=reason, facts=facts)


def _settle(connection: Connection, row: CampaignRow, held: Any, words: Iterable[ReviewVerdict]) -> ReviewResult:
    """The state that follows from every reviewer's last word on the current revision."""
    words = list(words)
    disputed = stand_of(held.reply, held.revision, words)
    if disputed is not None:
        undecided = disputed == "undecided"
        settled = _to_state(connection, held, STATES[disputed], reviewed=0 if undecided else held.revision)
        return replace(settled, reviewers_missing=int(undecided), disputed=undecided)
    amended = any(one.revision < held.revision for one in words)
    wanted = 1 if amended else reviewers_wanted(row.settings.review, held.unit, held.annotator)
    last_words = {one.reviewer: one.verdict for one in words if one.revision == held.revision}
    missing = max(0, wanted - len(last_words))
    if missing:
        return ReviewResult(held.id, held.revision, held.state, missing)
    state = "returned" if "returned" in last_words.values() else "done"
    return _to_state(connection, held, state, reviewed=held.revision)


def _to_state(connection: Connection, held: Any, state: str, *, reviewed: int) -> ReviewResult:
    """Into a state, with the revision up to which no word of a reviewer is missing."""
    connection.execute(update(assignment).where(assignment.c.id == held.id).values(state=state, reviewed=reviewed))
    allocation.count_done(connection, held.unit_id, held.state, state)
    return ReviewResult(held.id, held.revision, state, 0)


def check_remarks(protocol: Protocol, judged: Revision, shown: ShownUnit, remarks: Iterable[ReviewRemark]) -> None:
    """Raise if a remark is about something that is not there."""
    said = read(protocol, judged.answers, shown)
    asked = {question.id: question for question in protocol.questions()}
    problems = []
    for remark in remarks:
        span, _, part = remark.part.partition(".")
        if remark.where not in asked:
            known = ", ".join(sorted(asked))
            problems.append(Problem(remark.where, "there is no such question", f"the questions are {known}"))
        elif remark.part and not any(one.id == span for one in said.marks_of(remark.where)):
            problems.append(Problem(remark.where, f"the answer has no span {span!r}", part=remark.part))
        elif part and part not in (known_parts := asked[remark.where].parts()):
            remedy = f"its parts are {', '.join(known_parts)}"
            problems.append(Problem(remark.where, f"a span has no part {part!r}", remedy, part=remark.part))
    if problems:
        raise ProblemsFound(problems, consequence="nothing was saved")
