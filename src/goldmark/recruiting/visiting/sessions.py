"""Sessions: one person at one place of a posting, from arrival to payment."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, func, select, update

from goldmark.errors import Missing
from goldmark.recruiting.offering.postings import Posting
from goldmark.store.tables import annotator, participant, posting, posting_session

if TYPE_CHECKING:
    from goldmark.people.platform import SessionState

ALIVE = ("open", "submitted")  # may still have to be paid
GONE = ("returned", "timed out")  # the place is somebody else's; what was done is set aside
HANDED_IN = ("submitted", "approved", "rejected", "screened out")  # the platform has said whose it was
TAKEN = ("open", *HANDED_IN)  # nobody else can have the place


class UnknownSession(Missing):
    code = "CROWD-30"
    message = "nobody called {name!r} has a place of this campaign on {platform}"


class Session(NamedTuple):
    """One person at one place."""

    id: int
    posting_id: int
    reference: str
    part: str
    annotator_id: int | None
    state: SessionState
    proven: bool
    outcome: str
    note: str
    arrived_at: datetime
    submitted_at: datetime | None
    ended_at: datetime | None
    annotator: str | None = None  # the name in the campaign


_columns = tuple(posting_session.c[name] for name in Session._fields[:-1])
_sessions = select(*_columns, annotator.c.name.label("annotator")).outerjoin(
    annotator, annotator.c.id == posting_session.c.annotator_id
)


def _session(row: Any) -> Session:
    return Session(*row)


def of_posting(connection: Connection, posting_id: int, *states: str) -> list[Session]:
    """All of them, or those in these states."""
    query = _sessions.where(posting_session.c.posting_id == posting_id).order_by(posting_session.c.id)
    if states:
        query = query.where(posting_session.c.state.in_(states))
    return [_session(one) for one in connection.execute(query)]


def count(connection: Connection, posting_id: int, states: Sequence[str]) -> dict[str, int]:
    """How many of each part are in these states."""
    counted = (
        select(posting_session.c.part, func.count())
        .where(posting_session.c.posting_id == posting_id, posting_session.c.state.in_(states))
        .group_by(posting_session.c.part)
    )
    return {part: int(many) for part, many in connection.execute(counted)}


def numbers(connection: Connection, posting_id: int, references: Sequence[str]) -> dict[str, int]:
    """Of sessions by the platform's names for them."""
    these = (posting_session.c.posting_id == posting_id) & posting_session.c.reference.in_(references)
    found = connection.execute(select(posting_session.c.reference, posting_session.c.id).where(these))
    return {reference: int(number) for reference, number in found}


def by_reference(connection: Connection, posting_id: int, reference: str, *, hold: bool = False) -> Session | None:
    query = _sessions.where(posting_session.c.posting_id == posting_id, posting_session.c.reference == reference)
    row = connection.execute(query.with_for_update(key_share=True, of=posting_session) if hold else query).first()
    return None if row is None else _session(row)


def by_id(connection: Connection, session_id: int) -> Session:
    return _session(connection.execute(_sessions.where(posting_session.c.id == session_id)).one())


def by_name(connection: Connection, found: Posting, name: str) -> Session:
    """The newest session of the annotator of this name; a platform's own reference will do as well."""
    named = (annotator.c.name == name) | (posting_session.c.reference == name)
    query = _sessions.where(posting_session.c.posting_id == found.id, named).order_by(posting_session.c.id.desc())
    row = connection.execute(query.limit(1)).first()
    if row is None:
        raise UnknownSession(name=name, platform=found.called)
    return _session(row)


def of_annotator(connection: Connection, annotator_id: int) -> tuple[Session, int] | None:
    """The newest session of somebody who came by a posting, and the posting's number."""
    query = _sessions.where(posting_session.c.annotator_id == annotator_id).order_by(posting_session.c.id.desc())
    row = connection.execute(query.limit(1)).first()
    return None if row is None else (_session(row), row.posting_id)


def of_participant(connection: Connection, campaign_id: int, participant_id: int) -> list[Session]:
    """Everything that this person began in a campaign, on whatever posting, the newest first."""
    query = (
        _sessions.join(posting, posting.c.id == posting_session.c.posting_id)
        .where(posting.c.campaign_id == campaign_id, annotator.c.participant_id == participant_id)
        .order_by(posting_session.c.id.desc())
    )
    return [_session(one) for one in connection.execute(query)]


def change(connection: Connection, session_id: int, **values: Any) -> None:
    connection.execute(update(posting_session).where(posting_session.c.id == session_id).values(**values))


def person_of(connection: Connection, session: Session) -> str:
    """What the platform calls this person; nothing if it was erased. To be handed on and kept nowhere."""
    query = (
        select(participant.c.platform_id)
        .join(annotator, annotator.c.participant_id == participant.c.id)
        .where(annotator.c.id == session.annotator_id)
    )
    return str(connection.execute(query).scalar() or "")
