"""A campaign's posting at a glance: places, people, money, what waits for a manager, and what went wrong."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.recruiting.offering.postings import Posting, newest, of_campaign
from goldmark.recruiting.ordering import orders
from goldmark.recruiting.ordering.orders import OrderRow
from goldmark.recruiting.paying import budget, ledger
from goldmark.recruiting.visiting import sessions
from goldmark.recruiting.visiting.sessions import Session
from goldmark.recruiting.watching import rules


class Overview(NamedTuple):
    """How a posting stands."""

    posting: Posting
    parts: int  # hits, or a study
    places: int  # that were offered
    states: dict[str, int]  # sessions in each state
    spent: ledger.Spent
    reserved: int  # spent or still to be paid at most
    waiting: tuple[Session, ...]  # for a manager's decision
    unsettled: tuple[OrderRow, ...]  # orders whose answers were lost
    under_way: int  # orders still to be sent
    refused: tuple[OrderRow, ...]


def overview(connection: Connection, row: CampaignRow) -> Overview | None:
    """The newest posting of a campaign; None if it was never published."""
    return None if not of_campaign(connection, row) else _overview(connection, row, newest(connection, row))


def _overview(connection: Connection, row: CampaignRow, found: Posting) -> Overview:
    people = sessions.of_posting(connection, found.id)
    return Overview(
        found,
        len(orders.parts_of(connection, found.id)),
        orders.places_of(connection, found.id),
        dict(Counter(one.state for one in people)),
        ledger.spent(connection, found.id),
        budget.reserved(connection, found).total,
        tuple(rules.waiting_for_manager(connection, found, row)),
        tuple(orders.of_posting(connection, found.id, orders.SENT)),
        len(orders.of_posting(connection, found.id, orders.ASKED)),
        tuple(orders.of_posting(connection, found.id, orders.REFUSED)[-20:]),
    )
