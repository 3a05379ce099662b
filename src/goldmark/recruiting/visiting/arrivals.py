"""At the door of a posting: who comes, and whether the platform vouches for them."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from sqlalchemy import Connection, insert, select

from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.errors import Forbidden, TooMany
from goldmark.languages import gettext, later
from goldmark.people.annotators import add, refuse_if_closed
from goldmark.people.crowds import ExcludedBefore, is_excluded
from goldmark.people.participants import Arrival, TookPartBefore, know, refuse_if_in_family
from goldmark.people.platform import Arriving, Confirmation, PlatformBusy, PlatformRefused, PlatformSilent
from goldmark.people.undo_exclusion import ComingBack, come_back, take_back
from goldmark.recruiting.offering.postings import CLOSED, PLANNED, Posting, by_token, campaign_name, open_platform
from goldmark.recruiting.ordering import orders
from goldmark.recruiting.paying import ledger
from goldmark.recruiting.visiting import sessions
from goldmark.recruiting.visiting.sessions import GONE
from goldmark.recruiting.watching.sync import note_snapshot
from goldmark.store import Store
from goldmark.store.tables import annotator, participant, posting_session

TICKET_SECONDS = 24 * 60 * 60  # to read the consent text in


class ArrivalDenied(Forbidden):
    code = "CROWD-70"
    message = later("{why}; open the task on {platform} again, or ask whoever offers it there")


class AskAgain(TooMany):
    """The platform cannot say yet who this is; the page asks again by itself."""

    code = "CROWD-71"
    message = later("{why}; this page asks again in a few seconds")


class OnePlaceEach(Forbidden):
    code = "CROWD-72"
    message = later(
        "you have a place of this study already, and each person can take one; please give this one back on "
        "{platform}, which does you no harm there"
    )


class NotOnOffer(Forbidden):
    code = "CROWD-73"
    message = later("this is not on offer any more; please give your place back on {platform}")


class OpenPosting(NamedTuple):
    """A posting and the campaign behind it."""

    posting: Posting
    campaign: CampaignRow


def open_posting(connection: Connection, links: SignedLinks, token: str) -> OpenPosting:
    found = by_token(connection, links, token)
    return OpenPosting(found, find_campaign(connection, campaign_name(connection, found.campaign_id)))


def examine(store: Store, links: SignedLinks, here: OpenPosting, arriving: Arriving) -> tuple[str | None, bool]:
    """Ask the platform about somebody: their personal token if they may simply go on, and whether it vouches for them.

    Raises what has to be told to everybody else.
    """
    found = here.posting
    if arriving.part not in store.read(lambda connection: orders.parts_of(connection, found.id)):
        raise ArrivalDenied(why=later("this is no task of ours"), platform=found.called)
    platform = open_platform(found.platform, live=found.live)
    try:
        confirmed = platform.confirm(arriving, found.offer)
    except (PlatformBusy, PlatformSilent) as error:
        raise AskAgain(why=gettext("{platform} cannot be asked just now", platform=found.called)) from error
    except PlatformRefused as error:  # what it says is for whoever offers the task, and is logged
        raise ArrivalDenied(why=later("it does not know of you at this task"), platform=found.called) from error
    if confirmed.level == "denied":
        raise ArrivalDenied(why=confirmed.why, platform=found.called)
    if confirmed.level == "not yet":
        raise AskAgain(why=confirmed.why)
    look = partial(_known, links=links, here=here, arriving=arriving, confirmed=confirmed)
    try:
        token, gone = store.read(look)
    except AskAgain:
        # Others may have left this part, in whose place this one has come.
        snapshot, now = platform.sync([arriving.part]), datetime.now(UTC)
        note_snapshot(store, links, found.id, snapshot, platform, now, newcomer=arriving.part)
        token, gone = store.read(look)
    if gone:
        come_back(store, store.write(lambda connection: _come_back(connection, here, arriving.session)))
    return token, confirmed.level == "proven"


def ticket(links: SignedLinks, here: OpenPosting, arriving: Arriving, *, proven: bool) -> str:
    """What was found out, for the form by which somebody joins; nobody else can make one."""
    facts = (str(here.posting.id), arriving.person, arriving.session, arriving.part, "proven" if proven else "")
    return links.arrival(facts)


def _known(
    connection: Connection, links: SignedLinks, here: OpenPosting, arriving: Arriving, confirmed: Confirmation
) -> tuple[str | None, bool]:
    """The token of somebody whose session is known, and whether we took it to have ended.

    A session's id is known to its person and to the platform only.
    """
    before = sessions.by_reference(connection, here.posting.id, arriving.session)
    known = before is not None and before.annotator_id is not None
    if confirmed.level == "plausible" and not (known and before is not None and before.state not in GONE):
        others = [
            one
            for one in sessions.of_posting(connection, here.posting.id)
            if one.part == arriving.part and one.state == "open" and one.reference != arriving.session
        ]
        if len(others) >= confirmed.at_work:
            raise AskAgain(
                why=gettext("{platform} does not know of you at this task yet", platform=here.posting.called)
            )
    if before is None or before.annotator_id is None:
        return None, False
    who = connection.execute(select(annotator).where(annotator.c.id == before.annotator_id)).one()
    if not _is(connection, links, who.participant_id, Arrival.from_outside(here.posting.platform, arriving.person)):
        raise ArrivalDenied(why=later("this place belongs to somebody else"), platform=here.posting.called)
    return links.person(who.id, who.link_nonce), before.state in GONE


def _come_back(connection: Connection, here: OpenPosting, reference: str) -> ComingBack | None:
    """Somebody whom we took to have left is at work all the same."""
    held = sessions.by_reference(connection, here.posting.id, reference, hold=True)
    if held is None or held.annotator_id is None or held.state not in GONE:
        return None
    sessions.change(connection, held.id, state="open", ended_at=None)
    back = take_back(connection, here.campaign, held.annotator_id, author="recruiting", reason="they are at work again")
    ledger.enter(
        connection,
        here.posting.id,
        "taken",
        author=here.posting.platform,
        session_id=held.id,
        places=1,
        reference=reference,
        reason="taken again",
    )
    return back


def _is(connection: Connection, links: SignedLinks, participant_id: int | None, who: Arrival) -> bool:
    query = select(participant.c.fingerprint).where(participant.c.id == participant_id)
    return connection.execute(query).scalar() == links.fingerprint(who.platform, who.platform_id)


def enter(store: Store, links: SignedLinks, token: str, given: str) -> str:
    """Join by a ticket; returns the personal token. Entering twice is entering once."""
    number, person, reference, part, proven = links.read_arrival(given, seconds=TICKET_SECONDS)

    def join(connection: Connection) -> tuple[str, ComingBack | None]:
        here = open_posting(connection, links, token)
        found = here.posting
        if str(found.id) != number:
            raise ArrivalDenied(why=later("this is the way to something else"), platform=found.called)
        row = find_campaign(connection, here.campaign.name, hold=True)
        arrival = Arrival.from_outside(found.platform, person)
        known = know(connection, links, arrival)
        before = sessions.by_reference(connection, found.id, reference, hold=True)
        if before is not None and before.annotator_id is not None:
            who = connection.execute(select(annotator).where(annotator.c.id == before.annotator_id)).one()
            if who.participant_id != known:
                raise ArrivalDenied(why=later("this place belongs to somebody else"), platform=found.called)
            return links.person(who.id, who.link_nonce), None
        who_id, nonce, back = _annotator(connection, found, row, known, reference, proven=bool(proven))
        _begin(connection, found, before, who_id, reference, part, proven=bool(proven))
        return links.person(who_id, nonce), back

    personal, back = store.write(join)
    come_back(store, back)
    return personal


def _annotator(
    connection: Connection, found: Posting, row: CampaignRow, known: int, reference: str, *, proven: bool
) -> tuple[int, str, ComingBack | None]:
    """Who they are in the campaign: whom the platform vouches for goes on with what they had, others begin anew."""
    earlier = sessions.of_participant(connection, row.id, known)
    if any(one.state not in GONE and one.reference != reference for one in earlier):
        raise OnePlaceEach(platform=found.called)
    if found.state in (PLANNED, CLOSED) and not earlier:
        raise NotOnOffer(platform=found.called)
    mine = next((one.annotator_id for one in earlier if one.annotator_id is not None), None)
    if mine is not None and proven:
        back = take_back(connection, row, mine, author="recruiting", reason="they have taken a place again")
        who = connection.execute(select(annotator).where(annotator.c.id == mine)).one()
        return who.id, who.link_nonce, back
    if not earlier:
        _refuse_strangers_twice(connection, row, known)
    refuse_if_closed(connection, row, by_posting=True)
    if is_excluded(connection, row, known):
        raise ExcludedBefore
    made = add(connection, row, "", kind="annotator joined", author=found.platform, participant_id=known)
    return made.id, made.link_nonce, None


def _refuse_strangers_twice(connection: Connection, row: CampaignRow, known: int) -> None:
    """Whoever is in the campaign by another way, or in another one of its family, is not paid for it again."""
    here = select(annotator.c.id).where(annotator.c.campaign_id == row.id, annotator.c.participant_id == known)
    if connection.execute(here.limit(1)).first():
        raise TookPartBefore
    refuse_if_in_family(connection, row, known)


def _begin(
    connection: Connection,
    found: Posting,
    before: sessions.Session | None,
    annotator_id: int,
    reference: str,
    part: str,
    *,
    proven: bool,
) -> None:
    if before is not None:  # the platform had told us of it
        sessions.change(connection, before.id, annotator_id=annotator_id, proven=before.proven or proven)
        return
    made = connection.execute(
        insert(posting_session)
        .values(
            posting_id=found.id,
            reference=reference,
            part=part,
            annotator_id=annotator_id,
            state="open",
            proven=proven,
            outcome="",
            note="",
            arrived_at=datetime.now(UTC),
        )
        .returning(posting_session.c.id)
    ).scalar_one()
    ledger.enter(
        connection, found.id, "taken", author=found.platform, session_id=int(made), places=1, reference=reference
    )
