"""An answer that a reviewer returned is amended, or its annotator says why it stays as it is.

Sent again unchanged and without a word it is refused: nobody could tell whether it was looked at. With a reason, the
answer is in dispute. It waits, whatever the campaign's settings, until the reviewer yields or somebody else decides
(`reviews.disputes`); what that person returns can only be amended.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, bindparam, select

from goldmark.errors import GoldmarkError, Kind
from goldmark.languages import later
from goldmark.store.prepared import Prepared
from goldmark.store.tables import response

RETURNED = ("returned", "released")
LONGEST_REPLY = 10_000

latest_response = Prepared(
    select(response.c.answers, response.c.reply)
    .where(response.c.assignment_id == bindparam("assignment_id"))
    .order_by(response.c.revision.desc())
    .limit(1)
)


class NothingAmended(GoldmarkError):
    code = "ANSWER-05"
    message = later(
        "nothing has changed since the reviewer returned this answer: amend it, or say why it stays as it is"
    )


class ReasonNotAccepted(GoldmarkError):
    code = "ANSWER-06"
    kind = Kind.CONFLICT
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
