"""An answer that a reviewer returned is amended, or its annotator says why it stays as it is.

Sent again unchanged and without a word it is refused: nobody could tell whether it was looked at. With a reason, the
answer is in dispute. It waits, whatever the campaign's settings, until the reviewer yields or somebody else decides
(`reviews.disputes`); what that person returns can only be amended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, bindparam, exists, select, update

from goldmark.campaigns.assignments import allocation
from goldmark.errors import Conflict, GoldmarkError
from goldmark.languages import later
from goldmark.protocols.shown_order import ShownOrder
from goldmark.store.prepared import Prepared
from goldmark.store.tables import assignment, response, review

RETURNED = ("returned", "released")
LONGEST_REPLY = 10_000

latest_response = Prepared(
    select(response.c.answers, response.c.reply)
    .where(response.c.assignment_id == bindparam("assignment_id"))
    .order_by(response.c.revision.desc())
    .limit(1)
)
_why_returned = Prepared(
    select(review.c.reviewer, review.c.verdict, review.c.comment, review.c.remarks)
    .where(review.c.assignment_id == bindparam("assignment_id"), review.c.revision == bindparam("revision"))
    .order_by(review.c.id)
)


@dataclass(frozen=True, slots=True)
class ReturnReason:
    """Why a reviewer gave an answer back. It does not say who the reviewer is."""

    comment: str
    remarks: tuple[Mapping[str, str], ...]  # on one question (`where`) or one span of it (`part`)
    decided: bool = False  # they gave a reason, and somebody else agreed with the reviewer: now it has to be amended


class NothingAmended(GoldmarkError):
    code = "ANSWER-05"
    message = later(
        "nothing has changed since the reviewer returned this answer: amend it, or say why it stays as it is"
    )


class ReasonNotAccepted(Conflict):
    code = "ANSWER-06"
    message = later("somebody else has read your reason and agrees with the reviewer: please amend the answer")


def reply_with(connection: Connection, row: Any, answers: Mapping[str, Any], reply: str) -> str:
    """The reason that a new revision comes with; nothing, where no reviewer has returned it.

    Raises if a returned answer comes back as it was, without a reason or after the reason was turned down. Who changes
    an answer again before anybody has looked at it keeps their reason.
    """
    # Whatever the state: a test question never waits for approval, and must not be answered the sooner for it.
    before = latest_response.first(connection, assignment_id=row.id)
    if row.state not in (*RETURNED, "waiting"):
        return ""
    if row.state == "waiting":
        return reply or before.reply if before.reply else ""
    if before.answers == answers:
        if before.reply:
            raise ReasonNotAccepted
        if not reply:
            raise NothingAmended
    return reply


def return_reason(connection: Connection, row: Any, order: ShownOrder, *, decided: bool) -> ReturnReason | None:
    """What those who returned it said last; nothing, where nobody has."""
    if row.state not in RETURNED:
        return None
    rows = _why_returned.rows(connection, assignment_id=row.id, revision=row.revision)
    last_words = {one.reviewer: one for one in rows}
    said = [one for one in last_words.values() if one.verdict == "returned"]
    return ReturnReason(
        "\n\n".join(one.comment for one in said if one.comment),
        order.remarks(remark for one in said for remark in one.remarks),
        decided,
    )


_disputed = exists().where(
    response.c.assignment_id == assignment.c.id,
    response.c.revision == assignment.c.revision,
    response.c.reply != "",
)


def waiting_for_approval(campaign_id: int) -> Select[int]:
    """The assignments whose answers wait for a reviewer, but for what is in dispute."""
    here = assignment.c.campaign_id == campaign_id
    return select(assignment.c.id).where(here, assignment.c.state == "waiting", ~_disputed).order_by(assignment.c.id)


def release(connection: Connection, some: Sequence[int]) -> None:
    """Approval is no longer asked for: of these assignments, what waits for it counts from now on."""
    waiting = connection.execute(
        select(assignment.c.id, assignment.c.unit_id)
        .where(assignment.c.id.in_(some), assignment.c.state == "waiting", ~_disputed)
        .order_by(assignment.c.id)
        .with_for_update(key_share=True, of=assignment)
    ).all()
    connection.execute(update(assignment).where(assignment.c.id.in_([one.id for one in waiting])).values(state="done"))
    for one in waiting:
        allocation.count_done(connection, one.unit_id, "waiting", "done")
