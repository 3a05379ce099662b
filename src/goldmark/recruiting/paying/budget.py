"""The budget: what may be spent at most, looked at before anything that could spend is asked of a platform.

All postings of a campaign share it; play money of a sandbox and real money are counted apart. Whoever asks holds the
campaign, so that two who ask at once are looked at one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.errors import Conflict
from goldmark.people.platform import Verb
from goldmark.recruiting.offering.postings import CLOSED, Posting, change, of_campaign
from goldmark.recruiting.ordering import orders
from goldmark.recruiting.paying import ledger
from goldmark.recruiting.paying.wages import dues
from goldmark.recruiting.visiting import sessions
from goldmark.store.tables import posting_order


class CampaignOverBudget(Conflict):
    code = "CROWD-40"
    message = (
        "this could cost {cost:.2f} {currency}; with {reserved:.2f} that is spent or reserved already it would be more "
        "than the budget of {budget:.2f}"
    )


class Reserved(NamedTuple):
    """What is spent or may still have to be, in cents."""

    places: int  # rewards and fees of places
    bonuses: int

    @property
    def total(self) -> int:
        return self.places + self.bonuses


def reserved(connection: Connection, posting: Posting) -> Reserved:
    """What one posting can cost at most, as things stand."""
    if posting.state == CLOSED:
        return incurred(connection, posting)  # nobody can begin any more
    unit = posting.offer.reward + posting.offer.fee
    asked = _standing(connection, posting.id, "publish")
    places = asked - ledger.released(connection, posting.id) * unit
    return Reserved(places, _standing(connection, posting.id, "bonus"))


def incurred(connection: Connection, posting: Posting) -> Reserved:
    """What was paid, and what those may still have to be paid who have a place."""
    waiting = sum(sessions.count(connection, posting.id, sessions.ALIVE).values())
    spent = ledger.spent(connection, posting.id)
    places = spent.rewards + _place_fees(connection, posting, spent)
    unit = posting.offer.reward + posting.offer.fee
    return Reserved(places + waiting * unit, _standing(connection, posting.id, "bonus"))


def _place_fees(connection: Connection, posting: Posting, spent: ledger.Spent) -> int:
    """Fees without those of bonuses, which are reserved with them."""
    query = select(func.coalesce(func.sum(posting_order.c.fee), 0)).where(
        posting_order.c.posting_id == posting.id, posting_order.c.verb == "bonus", posting_order.c.state == orders.DONE
    )
    return max(0, spent.fees - int(connection.execute(query).scalar_one()))


def _standing(connection: Connection, posting_id: int, verb: Verb) -> int:
    query = select(func.coalesce(func.sum(posting_order.c.amount + posting_order.c.fee), 0)).where(
        posting_order.c.posting_id == posting_id,
        posting_order.c.verb == verb,
        posting_order.c.state.in_(orders.STANDING),
    )
    return int(connection.execute(query).scalar_one())


def reserved_in_campaign(connection: Connection, row: CampaignRow, *, live: bool) -> int:
    return sum(reserved(connection, one).total for one in of_campaign(connection, row) if one.live == live)


def incurred_in_campaign(connection: Connection, row: CampaignRow, *, live: bool) -> int:
    return sum(incurred(connection, one).total for one in of_campaign(connection, row) if one.live == live)


def still_needed(connection: Connection, row: CampaignRow, *, live: bool) -> int:
    """What a campaign that is over needs of its budget at most. It adds up what people took: not in the writer."""
    need = reserved_in_campaign(connection, row, live=live)
    for one in of_campaign(connection, row):
        if one.live == live:
            share = one.offer.fee / one.offer.reward if one.offer.reward else 0.0  # no bonus has a higher fee
            need += sum(due.owed + ceil(due.owed * share) + 1 for due in dues(connection, row, one))
    return need


def give_up_rest(connection: Connection, row: CampaignRow, need: int, *, live: bool) -> int:
    """A campaign that is over keeps what is `still_needed`: others may have the rest, and it never will.

    People who are owed a bonus can still get it.
    """
    postings = [one for one in of_campaign(connection, row) if one.live == live]
    for one in postings:
        if need < one.budget:
            change(connection, one.id, budget=need)
    return min([need, *(one.budget for one in postings)])


def left(connection: Connection, row: CampaignRow, posting: Posting) -> int:
    """What may still be asked for."""
    return posting.budget - reserved_in_campaign(connection, row, live=posting.live)


def refuse_beyond(connection: Connection, row: CampaignRow, posting: Posting, cost: int) -> None:
    """Whether so many cents more may be asked for. The caller holds the campaign."""
    rest = left(connection, row, posting)
    if cost > rest:
        raise CampaignOverBudget(
            cost=cost / 100,
            currency=posting.offer.currency,
            reserved=(posting.budget - rest) / 100,
            budget=posting.budget / 100,
        )


def ask_for_places(
    connection: Connection,
    posting: Posting,
    campaign: str,
    sizes: Iterable[int],
    reward: int,
    fee: int,
    *,
    extra: int = 0,
    author: str,
) -> None:
    """Orders for places, in parts of these sizes, or `CampaignOverBudget`; `extra` is charged once."""
    total, wanted = orders.places_of(connection, posting.id), list[orders.WantedOrder]()
    for place, size in enumerate(sizes):
        total += size
        charged = size * fee + (0 if place else extra)
        wanted.append(orders.WantedOrder(size * reward, charged, places=size, facts={"total": total}))
    if wanted:
        row = find_campaign(connection, campaign, hold=True)
        refuse_beyond(connection, row, posting, sum(one.amount + one.fee for one in wanted))
        orders.ask_all(connection, posting.id, "publish", wanted, author=author)
