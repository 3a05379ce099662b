"""How somebody who came by a posting leaves: what came of their work, and where they hand it in."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import Connection, select, update

from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.recruiting.offering.postings import Posting, campaign_name, find, open_platform
from goldmark.recruiting.visiting import sessions
from goldmark.store import Store
from goldmark.store.tables import annotator, posting_session

if TYPE_CHECKING:
    from goldmark.people.platform import Farewell, Outcome


def outcome_of(connection: Connection, annotator_id: int, *, at_the_end: bool = False) -> Outcome | None:
    """How somebody's work stands; `at_the_end` if there is nothing more for them, so that what they did is all."""
    who = connection.execute(select(annotator).where(annotator.c.id == annotator_id)).one()
    if who.withdrew:
        return None
    row = find_campaign(connection, campaign_name(connection, who.campaign_id))
    size = row.settings.batch.size
    if who.batch > 1 or (size is not None and who.batch_done >= size) or (at_the_end and who.batch_done):
        return "completed"
    if who.stage == "failed":
        return "screened"
    if who.state == "excluded" and not who.withdrew:
        return "failed"
    return None


class Leaving(NamedTuple):
    """What somebody needs to hand in, or why they should give their place back."""

    title: str
    farewell: Farewell | None
    platform: str
    outcome: Outcome | None


def leave(store: Store, links: SignedLinks, token: str, *, finished: bool, code: str) -> Leaving | None:
    """How the person of this token hands in; None if they came by no posting. Notes how they left.

    `finished` says that there is nothing more for them to do, `code` what shows it.
    """
    number = links.read_person(token).id

    def note(connection: Connection) -> tuple[Posting, sessions.Session, Outcome | None, str] | None:
        held = sessions.of_annotator(connection, number)
        if held is None:
            return None
        session, posting_id = held
        outcome = outcome_of(connection, number, at_the_end=finished)
        if outcome is not None and session.outcome != outcome:
            connection.execute(
                update(posting_session).where(posting_session.c.id == session.id).values(outcome=outcome)
            )
        found = find(connection, posting_id)
        return found, session, outcome, find_campaign(connection, campaign_name(connection, found.campaign_id)).title

    held = store.write(note)
    if held is None:
        return None
    found, session, outcome, title = held
    if outcome is None:
        return Leaving(title, None, found.platform, None)
    platform = open_platform(found.platform, live=found.live)
    return Leaving(title, platform.farewell(session.reference, outcome, code, found.offer), found.platform, outcome)


def came_by_posting(connection: Connection, annotator_id: int) -> bool:
    query = select(posting_session.c.id).where(posting_session.c.annotator_id == annotator_id)
    return connection.execute(query.limit(1)).first() is not None
