"""What people decided, appended with author, reason and time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, insert, select

from goldmark.store.tables import event

SIGNED_IN = "signed in"  # often: shown where all is shown, not among decisions
DRAWN = "spot check drawn"
CHECKED = "spot check"  # one word on one answer: a figure shows them together, the history leaves them out


@dataclass(frozen=True, slots=True)
class Decision:
    """Someone did something to something, and why."""

    author: str
    kind: str
    subject: str
    reason: str
    facts: Mapping[str, Any]
    at: datetime


def record(
    connection: Connection,
    campaign_id: int | None,
    *,
    author: str,
    kind: str,
    subject: str,
    reason: str = "",
    facts: Mapping[str, Any] | None = None,
) -> None:
    connection.execute(
        insert(event).values(
            campaign_id=campaign_id,
            at=datetime.now(UTC),
            author=author,
            kind=kind,
            subject=subject,
            reason=reason,
            facts=dict(facts or {}),
        )
    )


def about(connection: Connection, campaign_id: int, subject: str, *, most: int = 200) -> list[Decision]:
    """The newest decisions about one person or thing of a campaign first."""
    rows = connection.execute(
        select(event)
        .where(event.c.campaign_id == campaign_id, event.c.subject == subject)
        .order_by(event.c.id.desc())
        .limit(most)
    )
    return [Decision(row.author, row.kind, row.subject, row.reason, row.facts, row.at) for row in rows]


def of_kinds(connection: Connection, campaign_id: int, *kinds: str, most: int = 20) -> list[Decision]:
    """The newest decisions of these kinds about a campaign first."""
    rows = connection.execute(
        select(event)
        .where(event.c.campaign_id == campaign_id, event.c.kind.in_(kinds))
        .order_by(event.c.id.desc())
        .limit(most)
    )
    return [Decision(row.author, row.kind, row.subject, row.reason, row.facts, row.at) for row in rows]


def history(connection: Connection, campaign_id: int | None, *, most: int = 200) -> list[Decision]:
    """The newest decisions about a campaign first; without one, those about accounts."""
    rows = connection.execute(
        select(event)
        .where(event.c.campaign_id == campaign_id, event.c.kind.not_in((CHECKED, SIGNED_IN)))
        .order_by(event.c.id.desc())
        .limit(most)
    )
    return [Decision(row.author, row.kind, row.subject, row.reason, _short(row), row.at) for row in rows]


def everything_about_the_server(connection: Connection, *, most: int = 500) -> list[Decision]:
    """The newest of all that happened outside of campaigns first: sign-ins, accounts, tokens, backups, imports."""
    rows = connection.execute(
        select(event).where(event.c.campaign_id.is_(None)).order_by(event.c.id.desc()).limit(most)
    )
    return [Decision(row.author, row.kind, row.subject, row.reason, row.facts, row.at) for row in rows]


def about_account(connection: Connection, name: str, *, most: int = 10) -> list[Decision]:
    """The newest of what happened to somebody's account first, for them to see whether it was they."""
    rows = connection.execute(
        select(event)
        .where(event.c.campaign_id.is_(None), event.c.subject == name)
        .order_by(event.c.id.desc())
        .limit(most)
    )
    return [Decision(row.author, row.kind, row.subject, row.reason, row.facts, row.at) for row in rows]


def _short(row: Any) -> Mapping[str, Any]:
    """The facts of a decision without the long list of answers that a draw holds."""
    facts: Mapping[str, Any] = row.facts
    return {name: value for name, value in facts.items() if row.kind != DRAWN or name != "answers"}
