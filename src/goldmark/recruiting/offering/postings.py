"""Postings: campaigns on offer on a platform, and who may work on one at the moment."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from sqlalchemy import Connection, Row, or_, select, update

from goldmark.accounts.links import LinkNotValid, SignedLinks
from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.errors import Conflict, GoldmarkError, Missing
from goldmark.people.connector import CONNECTORS
from goldmark.store import Store
from goldmark.store.tables import campaign, posting

if TYPE_CHECKING:
    from goldmark.people.platform import Offer, Platform

PLANNED, OPEN, PAUSED, CLOSED = "planned", "open", "paused", "closed"
LEASE = timedelta(seconds=120)  # longer than any request to a platform may take, so that none is under way when it ends
_PROCESS = uuid4().hex[:12]


class NotOnPlatform(Missing):
    code = "CROWD-10"
    message = "campaign {name!r} is on no crowd platform; say `recruit` in its file, and publish it"


class PlatformNotReady(GoldmarkError):
    code = "CROWD-11"
    message = "{name!r} only says who people are; it cannot publish or pay"


class HeldElsewhere(Conflict):
    code = "CROWD-12"
    message = "another process is at work on this posting; try again in {seconds} seconds"


class Posting(NamedTuple):
    """A campaign on offer."""

    id: int
    campaign_id: int
    platform: str
    live: bool
    state: str  # planned, open, paused, closed
    offer: Offer
    budget: int
    nonce: str
    publish_at: datetime
    created_by: str
    created_at: datetime
    synced_at: datetime | None
    trouble: str

    @property
    def called(self) -> str:
        """The platform's name as people know it."""
        return CONNECTORS.find(self.platform).purpose

    @property
    def where(self) -> str:
        return self.called if self.live else f"{self.called} (sandbox or draft)"


_columns = tuple(posting.c[name] for name in Posting._fields)


def offer_from(stored: dict[str, Any]) -> Offer:
    lists = {name: tuple(stored[name]) for name in ("keywords", "only", "never")}
    from goldmark.people.platform import Offer

    return Offer(**{**stored, **lists})


def _posting(row: Row[Any]) -> Posting:
    return Posting(**{**row._mapping, "offer": offer_from(row.offer)})


def find(connection: Connection, posting_id: int) -> Posting:
    return _posting(connection.execute(select(*_columns).where(posting.c.id == posting_id)).one())


def of_campaign(connection: Connection, row: CampaignRow) -> list[Posting]:
    """A campaign's postings, the newest first."""
    query = select(*_columns).where(posting.c.campaign_id == row.id).order_by(posting.c.id.desc())
    return [_posting(one) for one in connection.execute(query)]


def newest(connection: Connection, row: CampaignRow) -> Posting:
    found = of_campaign(connection, row)
    if not found:
        raise NotOnPlatform(name=row.name)
    return found[0]


def unfinished(connection: Connection) -> list[int]:
    """Postings on which there may be something to do."""
    return list(connection.execute(select(posting.c.id).where(posting.c.state != CLOSED)).scalars())


def campaign_name(connection: Connection, campaign_id: int) -> str:
    return str(connection.execute(select(campaign.c.name).where(campaign.c.id == campaign_id)).scalar_one())


def change(connection: Connection, posting_id: int, **values: Any) -> None:
    if "offer" in values:
        values["offer"] = asdict(values["offer"])
    connection.execute(update(posting).where(posting.c.id == posting_id).values(**values))


def by_token(connection: Connection, links: SignedLinks, token: str) -> Posting:
    """The posting to which a link on a platform leads."""
    parts = links.read_posting(token)
    row = connection.execute(select(*_columns).where(posting.c.id == parts.id)).first()
    if row is None or row.nonce != parts.nonce:
        raise LinkNotValid
    return _posting(row)


def open_platform(name: str, *, live: bool) -> Platform:
    """The way to a platform, with the keys that this process has."""
    connector = CONNECTORS.find(name)
    if connector.opens is None or not connector.recruits:
        raise PlatformNotReady(name=name)
    return connector.opens(live)


@contextmanager
def held(store: Store, posting_id: int) -> Iterator[None]:
    """Work on a posting while nobody else does. Who was killed at it is replaced at once on the same machine."""
    holder = f"{socket.gethostname()}:{os.getpid()}:{_PROCESS}:{uuid4().hex[:8]}"

    def take(connection: Connection) -> bool:
        now = datetime.now(UTC)
        query = select(posting.c.holder, posting.c.held_until).where(posting.c.id == posting_id)
        before = connection.execute(query.with_for_update(key_share=True)).one()
        if before.holder and before.held_until > now and not _is_gone(before.holder):
            return False
        values = {"holder": holder, "held_until": now + LEASE}
        connection.execute(update(posting).where(posting.c.id == posting_id).values(**values))
        return True

    if not store.write(take):
        raise HeldElsewhere(seconds=int(LEASE.total_seconds()))
    try:
        yield
    finally:
        let_go = update(posting).where(posting.c.id == posting_id, posting.c.holder == holder)
        store.write(lambda connection: connection.execute(let_go.values(holder=None, held_until=None)))


def keep_holding(connection: Connection, posting_id: int) -> None:
    """Said with every step, so that a long piece of work is not taken for a dead one; refused where it was."""
    mine = or_(posting.c.holder.is_(None), posting.c.holder.contains(f":{_PROCESS}:"))
    values = {"held_until": datetime.now(UTC) + LEASE}
    if connection.execute(update(posting).where(posting.c.id == posting_id, mine).values(**values)).rowcount != 1:
        raise HeldElsewhere(seconds=int(LEASE.total_seconds()))


def _is_gone(holder: str) -> bool:
    """Whether the process that holds it is known to have ended: it ran here, and runs no more."""
    host, pid, process, _ = holder.rsplit(":", 3)
    if host != socket.gethostname():
        return False
    if int(pid) == os.getpid():
        return process != _PROCESS
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
