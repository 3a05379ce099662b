"""What people on a platform were paid, and what is missing to the wage that is aimed at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from math import ceil
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from goldmark.campaigns.lifecycle import CampaignRow, look_into
from goldmark.people.pay import PayReport, pay_report
from goldmark.recruiting.offering.postings import Posting, of_campaign
from goldmark.recruiting.ordering import orders
from goldmark.recruiting.paying import ledger
from goldmark.recruiting.visiting import sessions
from goldmark.store import Store
from goldmark.store.tables import assignment, posting_order, posting_session, response
from goldmark.store.tables import ledger as table_ledger


class Due(NamedTuple):
    """Somebody who was paid less than their time is worth, in cents."""

    annotator: str
    session_id: int
    session: str
    seconds: float
    paid: int  # reward and bonuses, those under way among them
    fair: int
    owed: int


def dues(connection: Connection, row: CampaignRow, found: Posting) -> tuple[Due, ...]:
    """Whom to pay how much more. What is under way counts as paid, so that nobody is paid twice for it.

    It walks over all answers of the campaign, to add up what people took: not in the writer.
    """
    hourly = row.settings.pay.target_hourly
    if hourly is None:
        return ()
    paid = ledger.paid_by_session(connection, found.id)
    under_way = _bonuses_under_way(connection, found)
    seconds = _active_seconds(connection, row)
    owed = []
    for one in sessions.of_posting(connection, found.id):
        if one.state != "approved" or one.annotator_id is None or one.annotator is None or one.note:
            continue
        reward, bonuses = paid.get(one.id, (0, ()))
        had = reward + sum(bonuses) + under_way.get(one.reference, 0)
        took = seconds.get(one.annotator_id, 0.0)
        fair = ceil(round(hourly * took / 36, 6))
        if fair > had:
            owed.append(Due(one.annotator, one.id, one.reference, took, had, fair, fair - had))
    return tuple(owed)


def dues_state(connection: Connection, found: Posting) -> Hashable:
    """The same as long as nobody is owed anything else, but for the time that people take."""
    newest = select(func.max(table_ledger.c.id)).where(table_ledger.c.posting_id == found.id)
    approved = (
        select(posting_session.c.note, func.count())
        .where(posting_session.c.posting_id == found.id, posting_session.c.state == "approved")
        .group_by(posting_session.c.note)
    )
    bonuses = (
        select(posting_order.c.state, func.count())
        .where(posting_order.c.posting_id == found.id, posting_order.c.verb == "bonus")
        .group_by(posting_order.c.state)
    )
    counted = (frozenset(map(tuple, connection.execute(one))) for one in (approved, bonuses))
    return connection.scalar(newest), *counted


def _bonuses_under_way(connection: Connection, found: Posting) -> dict[str, int]:
    waiting = orders.of_posting(connection, found.id, orders.ASKED, orders.SENT, verb="bonus")
    sums: dict[str, int] = {}
    for order in waiting:
        for session, amount in order.facts.get("lines", ()):
            sums[str(session)] = sums.get(str(session), 0) + int(amount)
    return sums


def _active_seconds(connection: Connection, row: CampaignRow) -> dict[int, float]:
    """By the number of the annotator."""
    query = (
        select(assignment.c.annotator_id, func.sum(response.c.seconds_active))
        .join(response, response.c.assignment_id == assignment.c.id)
        .where(assignment.c.campaign_id == row.id)
        .group_by(assignment.c.annotator_id)
    )
    return {int(number): float(seconds) for number, seconds in connection.execute(query)}


def pay_of(store: Store, name: str) -> tuple[CampaignRow, PayReport]:
    """A campaign and what its work costs; on a platform, people earned what the ledger says and are owed `dues`."""

    def look(connection: Connection, row: CampaignRow) -> tuple[CampaignRow, PayReport]:
        report = pay_report(connection, row, paid=paid_by_name(connection, row))
        postings = _counted(connection, row)
        if not postings or row.settings.pay.target_hourly is None:
            return row, report
        owed: Counter[str] = Counter()
        for found in postings:
            owed.update({one.annotator: one.owed for one in dues(connection, row, found)})
        people = tuple(one._replace(bonus=owed[one.annotator] / 100) for one in report.earners)
        return row, report._replace(earners=people)

    return look_into(store, name, look)


def payments_state(connection: Connection, row: CampaignRow) -> Hashable:
    """The same as long as nobody was paid, came or left, and no payment was asked for or sent."""
    ids = [one.id for one in of_campaign(connection, row)]
    if not ids:
        return None
    newest = select(func.max(table_ledger.c.id)).where(table_ledger.c.posting_id.in_(ids))
    counted = (
        select(table.c.state, func.count()).where(table.c.posting_id.in_(ids)).group_by(table.c.state)
        for table in (posting_order, posting_session)
    )
    return connection.scalar(newest), *(frozenset(map(tuple, connection.execute(one))) for one in counted)


def _counted(connection: Connection, row: CampaignRow) -> list[Posting]:
    """All live postings or, without one, the sandbox's."""
    postings = of_campaign(connection, row)
    return [one for one in postings if one.live] or postings


def paid_by_name(connection: Connection, row: CampaignRow) -> dict[str, float] | None:
    """What everybody got, by name; None if the campaign is on no platform."""
    chosen = _counted(connection, row)
    if not chosen:
        return None
    sums: dict[str, float] = {}
    for found in chosen:
        paid = ledger.paid_by_session(connection, found.id)
        for one in sessions.of_posting(connection, found.id):
            if one.annotator is not None:
                reward, bonuses = paid.get(one.id, (0, ()))
                sums[one.annotator] = round(sums.get(one.annotator, 0.0) + (reward + sum(bonuses)) / 100, 2)
    return sums
