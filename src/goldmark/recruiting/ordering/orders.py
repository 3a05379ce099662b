"""The journal of orders: what is asked of a platform, and how far it is.

An order is `asked` in the transaction that decides it, `sent` before its request leaves, and then `done` or `refused`.
Whatever is found `sent` by somebody else was interrupted: it is looked up before anything is repeated.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Dialect, Select, func, insert, select, update

from goldmark.errors import Conflict, Missing
from goldmark.people.platform import Verb
from goldmark.store import bulk
from goldmark.store.tables import posting_order

ASKED, SENT, DONE, REFUSED, DROPPED = "asked", "sent", "done", "refused", "dropped"
STANDING = (ASKED, SENT, DONE)  # what counts as spent or about to be


class UnknownOrder(Missing):
    code = "CROWD-20"
    message = "there is no order {number} of this campaign"


class OrderSettled(Conflict):
    code = "CROWD-21"
    message = "order {number} is {state}; only one whose answer was lost is settled by hand"


class OrderRow(NamedTuple):
    """An order as it stands."""

    id: int
    posting_id: int
    token: str
    verb: Verb
    state: str
    session_id: int | None
    part: str
    places: int
    amount: int
    fee: int
    facts: Mapping[str, Any]
    author: str
    asked_at: datetime
    sent_at: datetime | None
    ended_at: datetime | None
    attempts: int
    reference: str
    problem: str


_columns = tuple(posting_order.c[name] for name in OrderRow._fields)


def _order(row: Any) -> OrderRow:
    return OrderRow(*row)


def ask(
    connection: Connection,
    posting_id: int,
    verb: Verb,
    *,
    author: str,
    session_id: int | None = None,
    part: str = "",
    places: int = 0,
    amount: int = 0,
    fee: int = 0,
    **facts: Any,
) -> OrderRow:
    """Write down what is to be asked of the platform. What can spend, `budget` looks at first."""
    made = connection.execute(
        insert(posting_order)
        .values(
            posting_id=posting_id,
            token=f"gm-{secrets.token_hex(14)}",
            verb=verb,
            state=ASKED,
            session_id=session_id,
            part=part,
            places=places,
            amount=amount,
            fee=fee,
            facts=facts,
            author=author,
            asked_at=datetime.now(UTC),
            attempts=0,
            reference="",
            problem="",
        )
        .returning(*_columns)
    )
    return _order(made.one())


class WantedOrder(NamedTuple):
    """One of many of a kind."""

    amount: int = 0
    fee: int = 0
    session_id: int | None = None
    facts: Mapping[str, Any] = {}
    part: str = ""
    places: int = 0


def ask_all(
    connection: Connection, posting_id: int, verb: Verb, wanted: Sequence[WantedOrder], *, author: str
) -> Sequence[int]:
    """The same for many, which somebody who may has looked at together; their numbers."""
    return ask_ready(connection, ready_to_ask(connection.dialect, posting_id, verb, wanted, author=author))


def ready_to_ask(
    dialect: Dialect, posting_id: int, verb: Verb, wanted: Sequence[WantedOrder], *, author: str
) -> bulk.ReadyRows:
    """What `ask_all` writes, for who has thousands to ask for and need not make anybody wait for that."""
    now = datetime.now(UTC)
    same: dict[str, Any] = {
        "posting_id": posting_id,
        "verb": verb,
        "state": ASKED,
        "author": author,
    }
    same |= {"asked_at": now, "attempts": 0, "reference": "", "problem": ""}
    rows = [{**same, "token": f"gm-{secrets.token_hex(14)}", **one._asdict()} for one in wanted]
    return bulk.ready(dialect, posting_order, rows)


def ask_ready(connection: Connection, made: bulk.ReadyRows) -> Sequence[int]:
    return bulk.insert_ready(connection, posting_order, made)


def of_posting(connection: Connection, posting_id: int, *states: str, verb: str = "") -> list[OrderRow]:
    """Orders in the order in which they were asked for; of all states if none is named."""
    query = select(*_columns).where(posting_order.c.posting_id == posting_id).order_by(posting_order.c.id)
    if states:
        query = query.where(posting_order.c.state.in_(states))
    if verb:
        query = query.where(posting_order.c.verb == verb)
    return [_order(one) for one in connection.execute(query)]


def find(connection: Connection, posting_id: int, number: int) -> OrderRow:
    query = select(*_columns).where(posting_order.c.posting_id == posting_id, posting_order.c.id == number)
    row = connection.execute(query).first()
    if row is None:
        raise UnknownOrder(number=number)
    return _order(row)


def standing(connection: Connection, session_id: int, verb: str) -> bool:
    """Whether this is asked for, under way or done already."""
    query = _standing(verb).where(posting_order.c.session_id == session_id)
    return connection.execute(query.limit(1)).first() is not None


def with_standing(connection: Connection, posting_id: int, verb: str) -> set[int]:
    """The sessions of which this is asked for, under way or done already."""
    query = _standing(verb).where(posting_order.c.posting_id == posting_id)
    return {int(one) for one in connection.execute(query).scalars() if one is not None}


def _standing(verb: str) -> Select[Any]:
    return select(posting_order.c.session_id).where(posting_order.c.verb == verb, posting_order.c.state.in_(STANDING))


def parts_of(connection: Connection, posting_id: int) -> tuple[str, ...]:
    """The hits or studies that were published."""
    done = _of_verb(posting_id, "publish", DONE)
    found = connection.execute(select(posting_order.c.reference).where(done).order_by(posting_order.c.id)).scalars()
    return tuple(dict.fromkeys(found))


def places_of(connection: Connection, posting_id: int, *states: str) -> int:
    query = select(func.coalesce(func.sum(posting_order.c.places), 0))
    return int(connection.execute(query.where(_of_verb(posting_id, "publish", *(states or STANDING)))).scalar_one())


def others_wait(connection: Connection, order: OrderRow) -> bool:
    """Whether the same is still to be done with other parts."""
    same = _of_verb(order.posting_id, order.verb, ASKED, SENT) & (posting_order.c.id != order.id)
    return connection.execute(select(posting_order.c.id).where(same).limit(1)).first() is not None


def _of_verb(posting_id: int, verb: str, *states: str) -> ColumnElement[bool]:
    of_posting = (posting_order.c.posting_id == posting_id) & (posting_order.c.verb == verb)
    return of_posting & posting_order.c.state.in_(states)


def _move(connection: Connection, order: OrderRow, before: tuple[str, ...], **values: Any) -> bool:
    """From one of these states on, unless somebody else was quicker."""
    moved = connection.execute(
        update(posting_order).where(posting_order.c.id == order.id, posting_order.c.state.in_(before)).values(**values)
    )
    return moved.rowcount == 1


def sending(connection: Connection, order: OrderRow) -> bool:
    """From here on the platform may have it; False if it is no longer ours to send."""
    values = {"state": SENT, "sent_at": datetime.now(UTC), "attempts": order.attempts + 1, "problem": ""}
    return _move(connection, order, (ASKED,), **values)


def done(connection: Connection, order: OrderRow, reference: str) -> bool:
    values = {"state": DONE, "ended_at": datetime.now(UTC), "reference": reference[:200], "problem": ""}
    return _move(connection, order, (SENT,), **values)


def refused(connection: Connection, order: OrderRow, why: str) -> bool:
    return _move(connection, order, (SENT, ASKED), state=REFUSED, ended_at=datetime.now(UTC), problem=why[:2_000])


def again(connection: Connection, order: OrderRow, why: str) -> bool:
    """It surely was not carried out: to be sent once more, with the same token."""
    return _move(connection, order, (SENT,), state=ASKED, problem=why[:2_000])


def doubt(connection: Connection, order: OrderRow, why: str) -> bool:
    """Nobody knows whether it was carried out; it stays `sent`, and is looked up again."""
    return _move(connection, order, (SENT,), problem=why[:2_000])


def drop_all(connection: Connection, posting_id: int, verbs: Sequence[Verb], why: str) -> None:
    """What of these is asked for is not to be sent after all."""
    waiting = posting_order.c.verb.in_(verbs) & (posting_order.c.state == ASKED)
    connection.execute(
        update(posting_order)
        .where(posting_order.c.posting_id == posting_id, waiting)
        .values(state=DROPPED, ended_at=datetime.now(UTC), problem=why[:2_000])
    )
