"""What people decided, appended with author, reason and time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select

from goldmark.store.bulk import insert_rows
from goldmark.store.tables import event

SIGNED_IN = "signed in"
FILE_TAKEN = "file taken out"
IDS_SEEN = "platform ids seen"
OFTEN = (SIGNED_IN, FILE_TAKEN, IDS_SEEN)  # shown where all is shown, not among decisions
SEEN_AGAIN = timedelta(hours=1)  # somebody who turns pages looks once
DRAWN = "spot check drawn"
CHECKED = "spot check"  # one word on one answer: a figure shows them together, the history leaves them out
UNDER_WAY = 100  # decisions that PostgreSQL may have numbered already while nobody sees them yet


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
) -> int:
    """Its number."""
    made = connection.execute(
        insert(event)
        .values(
            campaign_id=campaign_id,
            at=datetime.now(UTC),
            author=author,
            kind=kind,
            subject=subject,
            reason=reason,
            facts=dict(facts or {}),
        )
        .returning(event.c.id)
    )
    return int(made.scalar_one())


def record_all(
    connection: Connection,
    campaign_id: int,
    decided: Sequence[tuple[str, Mapping[str, Any]]],
    *,
    author: str,
    kind: str,
    reason: str = "",
) -> None:
    """The same was done to many: subjects, each with its facts."""
    same = {"campaign_id": campaign_id, "at": datetime.now(UTC), "author": author, "kind": kind, "reason": reason}
    insert_rows(connection, event, [{**same, "subject": subject, "facts": dict(facts)} for subject, facts in decided])


def note_ids_seen(connection: Connection, campaign: str, *, author: str, facts: Mapping[str, Any]) -> None:
    """Somebody looked at where a campaign's people come from: once for as long as they go on looking."""
    before = select(event.c.id).where(
        event.c.campaign_id.is_(None),
        event.c.kind == IDS_SEEN,
        event.c.author == author,
        event.c.subject == campaign,
        event.c.at > datetime.now(UTC) - SEEN_AGAIN,
    )
    if connection.execute(before.limit(1)).first() is None:
        record(connection, None, author=author, kind=IDS_SEEN, subject=campaign, facts=facts)


def mark(connection: Connection) -> int:
    """Behind this number comes what is decided from now on: see `newest`."""
    last: int | None = connection.execute(select(func.max(event.c.id))).scalar()
    return max(0, (last or 0) - UNDER_WAY)


def last(connection: Connection) -> int:
    """The number of the newest decision. For who holds what is decided about: what is decided of it later has a higher
    one, since whoever decides gets their number once they hold it."""
    return int(connection.execute(select(func.max(event.c.id))).scalar() or 0)


def newest(
    connection: Connection, campaign_id: int, *kinds: str, subject: str | None = None, since: int = 0
) -> Row[Any] | None:
    """The newest decision of these kinds. Who writes looks only at what came `since`, and at all the rest before."""
    wanted = [event.c.campaign_id == campaign_id, event.c.kind.in_(kinds), event.c.id > since]
    if subject is not None:
        wanted.append(event.c.subject == subject)
    return connection.execute(select(event).where(*wanted).order_by(event.c.id.desc()).limit(1)).first()


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
        .where(event.c.campaign_id == campaign_id, event.c.kind.not_in((CHECKED, *OFTEN)))
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
