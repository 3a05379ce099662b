"""What happened to somebody's own account: noted for owners and for them, and mailed where that can be done.

An account has no other address than its name: where that is a mail address, and the server can send mail, its person
is told what somebody else could have done. Whoever made an account for themselves on a public board may have taken any
name, so nothing is sent to those.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, select

from goldmark.accounts.rate_limits import network_of
from goldmark.store import events
from goldmark.store.events import SIGNED_IN
from goldmark.store.tables import account, credential, event

NOTICE, REMINDER = "account.notice", "account.reminder"
REFUSED = "second factor refused"
TOLD = {
    SIGNED_IN: "Somebody signed in to your account from where nobody did before",
    REFUSED: "Somebody gave your right password and a wrong code",
    "password changed": "The password of your account was changed",
    "second factor set up": "A second factor was set up for your account",
    "second factor turned off": "The second factor of your account was turned off",
    "second factor reset": "An owner reset the second factor of your account",
    "recovery codes renewed": "Your account has new recovery codes",
    "token made": "An API token of your account was made",
}
REMINDED = timedelta(days=14)  # before a token ends
ONCE_IN = timedelta(hours=1)  # that somebody guesses codes
SMTP, SENDER = "GOLDMARK_SMTP", "GOLDMARK_MAIL_FROM"
_ADDRESS = re.compile(r"[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,63}")


def note(connection: Connection, account_id: int, kind: str, facts: dict[str, str]) -> None:
    """What somebody did to their own account."""
    name = connection.execute(select(account.c.name).where(account.c.id == account_id)).scalar_one()
    note_about(connection, name, kind, author=name, facts=facts)


def note_about(
    connection: Connection,
    name: str,
    kind: str,
    *,
    author: str,
    reason: str = "",
    facts: Mapping[str, Any] | None = None,
) -> None:
    """What happened to the account of this name."""
    wanted = _is_told(connection, name, kind, facts or {})
    number = events.record(connection, None, author=author, kind=kind, subject=name, reason=reason, facts=facts)
    if wanted:
        _enqueue(connection, NOTICE, {"event": number}, "what happened to an account")


def remind_of_end(connection: Connection, account_id: int, token_id: int, lasts: timedelta | None) -> None:
    """A while before a token ends, so that no program stops by surprise."""
    name = connection.execute(select(account.c.name).where(account.c.id == account_id)).scalar_one()
    if lasts is not None and lasts > REMINDED and mail_address(connection, name):
        due = datetime.now(UTC) + lasts - REMINDED
        _enqueue(connection, REMINDER, {"token": token_id}, "an API token that ends", due_at=due)


def can_send() -> bool:
    """Whether whoever runs the server named one that takes mail."""
    return bool(os.environ.get(SMTP) and os.environ.get(SENDER))


def mail_address(connection: Connection, name: str) -> str:
    """Where to write to whoever has the account of this name; empty if nowhere."""
    if not can_send() or not _ADDRESS.fullmatch(name):
        return ""
    theirs = select(account.c.registered).where(account.c.name == name)
    return "" if connection.execute(theirs).scalar() else name


def _is_told(connection: Connection, name: str, kind: str, facts: Mapping[str, Any]) -> bool:
    if kind not in TOLD or not mail_address(connection, name):
        return False
    before = select(event.c.facts, event.c.at).where(
        event.c.campaign_id.is_(None), event.c.kind == kind, event.c.subject == name
    )
    if kind == REFUSED:
        return connection.execute(before.where(event.c.at > datetime.now(UTC) - ONCE_IN).limit(1)).first() is None
    if kind == SIGNED_IN and "from" in facts:
        here = network_of(facts["from"])
        return all(network_of(one.facts.get("from", "")) != here for one in connection.execute(before))
    return True


def _enqueue(
    connection: Connection, kind: str, arguments: Mapping[str, Any], subject: str, due_at: datetime | None = None
) -> None:
    from goldmark.jobs import enqueue  # a server without mail starts without it

    enqueue(connection, kind, arguments, author="goldmark", subject=subject, due_at=due_at)


def token_that_ends(connection: Connection, token_id: int) -> tuple[str, str, datetime] | None:
    """Whose token, its name and its end; nothing if it was revoked."""
    wanted = select(account.c.name, credential.c.name.label("token"), credential.c.expires_at).where(
        account.c.id == credential.c.account_id, credential.c.id == token_id, credential.c.revoked_at.is_(None)
    )
    row = connection.execute(wanted.where(account.c.disabled_at.is_(None))).first()
    return None if row is None else (row.name, row.token, row.expires_at)
