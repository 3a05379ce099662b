"""The ledger: what happened to places and money, each with the platform's own reference. Appended, never changed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, func, insert, select, text

from goldmark.store.bulk import insert_rows
from goldmark.store.once import insert_once
from goldmark.store.tables import ledger, posting_session

Entry = Literal[
    "offered",
    "taken",
    "submitted",
    "returned",
    "timed out",
    "rejected",
    "screened out",
    "released",
    "reward",
    "bonus",
    "fee",
]
MONEY = ("reward", "bonus", "fee")
PLATFORM = "the platform"  # who did what we only saw


class LedgerRow(NamedTuple):
    """One event. Amounts are charged, in cents."""

    id: int
    at: datetime
    author: str
    kind: Entry
    places: int
    amount: int
    reference: str
    reason: str
    session: str  # the platform's session, where it is about one


class Spent(NamedTuple):
    """What was charged so far, in cents."""

    rewards: int
    bonuses: int
    fees: int

    @property
    def total(self) -> int:
        return self.rewards + self.bonuses + self.fees


def enter(
    connection: Connection,
    posting_id: int,
    kind: Entry,
    *,
    author: str,
    order_id: int | None = None,
    session_id: int | None = None,
    places: int = 0,
    amount: int = 0,
    reference: str = "",
    reason: str = "",
) -> bool:
    """Append an event. A session's reward is entered once, whoever says it again; False if it was there."""
    values: dict[str, Any] = {
        "posting_id": posting_id,
        "order_id": order_id,
        "session_id": session_id,
        "at": datetime.now(UTC),
        "author": author,
        "kind": kind,
        "places": places,
        "amount": amount,
        "reference": reference,
        "reason": reason,
    }
    if kind != "reward":
        connection.execute(insert(ledger).values(**values))
        return True
    once = insert_once(connection, ledger, values, by="session_id", where=text("kind = 'reward'"))
    return connection.execute(once.returning(ledger.c.id)).first() is not None


class NewEntry(NamedTuple):
    """One of many events."""

    kind: Entry
    session_id: int | None = None
    places: int = 0
    amount: int = 0
    reference: str = ""
    reason: str = ""


def enter_all(
    connection: Connection, posting_id: int, made: Sequence[NewEntry], *, author: str, order_id: int | None = None
) -> None:
    """Append many events, no rewards among them."""
    same = {"posting_id": posting_id, "order_id": order_id, "at": datetime.now(UTC), "author": author}
    insert_rows(connection, ledger, [{**same, **one._asdict()} for one in made])


def bonuses_of(connection: Connection, posting_id: int, references: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """What these sessions, by the platform's names for them, were paid beside their rewards."""
    query = (
        select(posting_session.c.reference, ledger.c.amount)
        .join(ledger, ledger.c.session_id == posting_session.c.id)
        .where(posting_session.c.posting_id == posting_id, posting_session.c.reference.in_(references))
        .where(ledger.c.kind == "bonus")
        .order_by(ledger.c.id)
    )
    found: dict[str, tuple[int, ...]] = dict.fromkeys(references, ())
    for reference, amount in connection.execute(query):
        found[reference] = (*found[reference], int(amount))
    return found


def entries(connection: Connection, posting_id: int, *, most: int = 1_000) -> list[LedgerRow]:
    """The newest events first."""
    query = (
        select(ledger, posting_session.c.reference.label("session"))
        .outerjoin(posting_session, posting_session.c.id == ledger.c.session_id)
        .where(ledger.c.posting_id == posting_id)
        .order_by(ledger.c.id.desc())
        .limit(most)
    )
    return [
        LedgerRow(
            one.id, one.at, one.author, one.kind, one.places, one.amount, one.reference, one.reason, one.session or ""
        )
        for one in connection.execute(query)
    ]


def spent(connection: Connection, *posting_ids: int) -> Spent:
    query = (
        select(ledger.c.kind, func.sum(ledger.c.amount))
        .where(ledger.c.posting_id.in_(posting_ids), ledger.c.kind.in_(MONEY))
        .group_by(ledger.c.kind)
    )
    found = {str(kind): int(amount) for kind, amount in connection.execute(query)}
    return Spent(found.get("reward", 0), found.get("bonus", 0), found.get("fee", 0))


def paid_by_session(connection: Connection, posting_id: int) -> dict[int, tuple[int, tuple[int, ...]]]:
    """Reward and bonuses of every session that was paid."""
    query = (
        select(ledger.c.session_id, ledger.c.kind, ledger.c.amount)
        .where(ledger.c.posting_id == posting_id, ledger.c.kind.in_(("reward", "bonus")))
        .order_by(ledger.c.id)
    )
    rewards: dict[int, int] = {}
    bonuses: dict[int, list[int]] = {}
    for session_id, kind, amount in connection.execute(query):
        if kind == "reward":
            rewards[session_id] = amount
        else:
            bonuses.setdefault(session_id, []).append(amount)
    return {one: (rewards.get(one, 0), tuple(bonuses.get(one, ()))) for one in {*rewards, *bonuses}}


def released(connection: Connection, posting_id: int) -> int:
    """Places that were offered and will not be used any more."""
    query = select(func.coalesce(func.sum(ledger.c.places), 0)).where(
        ledger.c.posting_id == posting_id, ledger.c.kind == "released"
    )
    return int(connection.execute(query).scalar_one())


def released_parts(connection: Connection, posting_id: int) -> set[str]:
    """The parts that are over, with places that nobody took."""
    query = select(ledger.c.reference).where(ledger.c.posting_id == posting_id, ledger.c.kind == "released")
    return set(connection.execute(query).scalars())
