"""Sending orders to a platform, one by one, so that none is lost and none is sent twice.

What is found `sent` here was interrupted: one process at a time holds a posting, so whoever sent it is gone.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

from sqlalchemy import Connection

from goldmark.people.platform import (
    NotOffered,
    Platform,
    PlatformBusy,
    PlatformOrder,
    PlatformRefused,
    PlatformSilent,
)
from goldmark.recruiting.offering.postings import CLOSED, OPEN, PAUSED, Posting, change, keep_holding
from goldmark.recruiting.ordering import orders
from goldmark.recruiting.ordering.orders import OrderRow
from goldmark.recruiting.paying import ledger
from goldmark.recruiting.visiting import sessions
from goldmark.store import Store

Step = Callable[[], None]
STATES = {"pause": PAUSED, "resume": OPEN, "extend": OPEN, "close": CLOSED, "start": OPEN}


def settle(store: Store, found: Posting, platform: Platform) -> int:
    """Find out what became of orders whose answers were lost; returns of how many nobody knows yet."""
    unknown = 0
    for row in store.read(lambda connection: orders.of_posting(connection, found.id, orders.SENT)):
        order = store.read(partial(_order, found=found, row=row))
        result = platform.look_up(order)
        if result.state == "done":
            store.write(partial(_done, found=found, row=row, reference=result.reference, platform=platform))
        elif result.state == "absent":
            why = "the platform knows nothing of it; it is sent again"
            store.write(partial(orders.again, order=row, why=why))
        else:
            unknown += 1
            why = "no answer came, and the platform cannot say yet whether it was carried out"
            store.write(partial(orders.doubt, order=row, why=why))
    return unknown


def send_all(store: Store, found: Posting, platform: Platform, after: Step = lambda: None) -> None:
    """Send what is asked for, in its order. A refused order is noted; one that got no answer stops it for now."""
    for row in store.read(lambda connection: orders.of_posting(connection, found.id, orders.ASKED)):
        send(store, found, platform, row)
        after()


def send(store: Store, found: Posting, platform: Platform, row: OrderRow) -> None:
    """Send one order. Whatever happens, the journal knows at least as much as the platform."""

    def begin(connection: Connection) -> bool:
        keep_holding(connection, found.id)
        return orders.sending(connection, row)

    order = store.read(partial(_order, found=found, row=row._replace(sent_at=datetime.now(UTC))))
    if not store.write(begin):  # committed before the request leaves
        return
    try:
        reference = getattr(platform, order.verb)(order)
    except PlatformBusy as error:
        store.write(partial(orders.again, order=row, why=str(error)))
        raise
    except (PlatformRefused, NotOffered) as error:
        store.write(partial(_refused, found=found, row=row, why=str(error)))
        return
    except PlatformSilent as error:
        store.write(partial(orders.doubt, order=row, why=str(error)))
        raise
    store.write(partial(_done, found=found, row=row, reference=str(reference), platform=platform))


def _order(connection: Connection, found: Posting, row: OrderRow) -> PlatformOrder:
    """An order as its platform gets it."""
    session = sessions.by_id(connection, row.session_id) if row.session_id is not None else None
    lines = tuple((str(one[0]), int(one[1])) for one in row.facts.get("lines", ()))
    return PlatformOrder(
        verb=row.verb,
        token=row.token,
        offer=found.offer,
        sent_at=row.sent_at or datetime.now(UTC),
        parts=(row.part,) if row.part else orders.parts_of(connection, found.id),
        places=row.places,
        total=int(row.facts.get("total", 0)),
        session=session.reference if session else "",
        person=sessions.person_of(connection, session) if session else "",
        lines=lines,
        paid=ledger.bonuses_of(connection, found.id, [reference for reference, _ in lines]),
        subject=str(row.facts.get("subject", "")),
        words=str(row.facts.get("words", "")),
        category=str(row.facts.get("category", "")),
        list=found.offer.lists.get(str(row.facts.get("list", "")), ""),
        days=int(row.facts.get("days", 0) or 0),
    )


def _done(connection: Connection, found: Posting, row: OrderRow, reference: str, platform: Platform) -> None:
    """Note that an order was carried out, and what that means, in one transaction."""
    if not orders.done(connection, row, reference):
        return  # somebody settled it by hand
    enter: Any = partial(ledger.enter, connection, found.id, author=row.author, order_id=row.id)
    if row.verb == "publish":
        enter("offered", places=row.places, reference=reference)
        if not platform.starts:
            change(connection, found.id, state=OPEN)
    elif row.verb in STATES:
        if not orders.others_wait(connection, row):
            change(connection, found.id, state=STATES[row.verb])
    elif row.verb == "bonus":
        _bonuses_paid(connection, found, row, reference, platform)
    elif row.verb in ("approve", "reject") and row.session_id is not None:
        held = sessions.by_id(connection, row.session_id)
        if row.verb == "approve":
            enter_reward(connection, found, held, platform, author=row.author, order_id=row.id)
        else:
            enter("rejected", session_id=held.id, reference=held.reference, reason=row.facts.get("words", ""))
        state = "approved" if row.verb == "approve" else "rejected"
        sessions.change(connection, held.id, state=state, ended_at=datetime.now(UTC))


def _bonuses_paid(connection: Connection, found: Posting, row: OrderRow, reference: str, platform: Platform) -> None:
    """A list of hundreds of people may be one order."""
    lines = row.facts.get("lines", ())
    numbers = sessions.numbers(connection, found.id, [session for session, _ in lines])
    made = list[ledger.NewEntry]()
    for session, amount in lines:
        paid = ledger.NewEntry("bonus", numbers.get(session), 0, amount, reference, row.facts.get("words", ""))
        made.append(paid)
        if fee := platform.fee_of_bonus(amount):
            made.append(paid._replace(kind="fee", amount=fee, reason="of a bonus"))
    ledger.enter_all(connection, found.id, made, author=row.author, order_id=row.id)


def enter_reward(
    connection: Connection,
    found: Posting,
    held: sessions.Session,
    platform: Platform,
    *,
    author: str,
    order_id: int | None = None,
    amount: int | None = None,
) -> None:
    """A session was paid: its reward and, where the platform's fee is known, that too. Said twice, entered once."""
    reward = found.offer.reward if amount is None else amount
    enter: Any = partial(
        ledger.enter,
        connection,
        found.id,
        author=author,
        order_id=order_id,
        session_id=held.id,
        reference=held.reference,
    )
    if enter("reward", amount=reward, places=1):
        fee = platform.fee_of_place(reward, found.offer)
        if fee:
            enter("fee", amount=fee, reason="of a reward")


def _refused(connection: Connection, found: Posting, row: OrderRow, why: str) -> None:
    if orders.refused(connection, row, why) and row.verb not in ("enlist", "pause"):
        change(connection, found.id, trouble=why)


def settle_by_hand(
    connection: Connection, found: Posting, number: int, *, was_done: bool, reference: str, platform: Platform
) -> OrderRow:
    """A manager has looked on the platform and says whether an order was carried out."""
    row = orders.find(connection, found.id, number)
    if row.state != orders.SENT:
        raise orders.OrderSettled(number=number, state=row.state)
    if was_done:
        _done(connection, found, row, reference, platform)
    else:
        orders.again(connection, row, "a manager says that it was not carried out")
    return orders.find(connection, found.id, number)
