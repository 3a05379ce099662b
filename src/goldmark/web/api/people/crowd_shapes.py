"""The requests and replies of the calls about crowd platforms. Money is in the posting's currency, to the cent."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from pydantic import Field

from goldmark.campaigns.definition.settings import Money, PersonName
from goldmark.recruiting.offering import publish
from goldmark.recruiting.offering.overview import Overview
from goldmark.recruiting.ordering import decisions
from goldmark.recruiting.paying import ledger, reconcile
from goldmark.web.api.inputs import In, Out, PageOut, ReasonIn, Words


def in_utc(moment: datetime | None) -> datetime | None:
    """A moment with its time zone; without one it is meant in UTC."""
    if moment is None:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def in_money(cents: int | None) -> Decimal | None:
    """Whole cents as an amount of money."""
    return None if cents is None else (Decimal(cents) / 100).quantize(Decimal("0.01"))


class PublishIn(In):
    """What is confirmed: the whole cost, fees included, as the estimate gives it."""

    confirm: Money
    live: bool | None = Field(default=None, description="As the campaign says, unless given.")
    places: int | None = Field(default=None, ge=1, le=100_000)
    at: datetime | None = Field(default=None, description="When; none: at once.")


class EstimateOut(Out):
    """Money is in `currency`; `total` is what has to be confirmed."""

    platform: str
    live: bool
    places: int
    currency: str
    reward: Decimal
    fee: Decimal
    total: Decimal
    balance: Decimal | None
    budget: Decimal | None
    hourly: Decimal | None
    minutes: float


class SpentOut(Out):
    rewards: Decimal
    bonuses: Decimal
    fees: Decimal
    total: Decimal


class OrderOut(Out):
    id: int
    verb: str
    state: str
    author: str
    asked_at: datetime
    sent_at: datetime | None
    attempts: int
    problem: str


class PostingOut(Out):
    """A campaign on offer. `states` counts sessions: people who took a place."""

    platform: str
    live: bool
    state: str
    publish_at: datetime
    synced_at: datetime | None
    trouble: str
    parts: int
    places: int
    states: dict[str, int]
    currency: str
    reward: Decimal
    budget: Decimal
    reserved: Decimal
    spent: SpentOut
    waiting: int
    under_way: int
    unsettled: list[OrderOut]
    refused: list[OrderOut]


class SessionOut(Out):
    """One person at one place, by their name in the campaign."""

    annotator: str | None
    session: str
    state: str
    outcome: str
    proven: bool
    note: str
    arrived_at: datetime
    submitted_at: datetime | None


class SessionList(PageOut):
    sessions: list[SessionOut]


class PlacesIn(In):
    places: int = Field(ge=1, le=100_000)


class ExtendIn(ReasonIn):
    days: int = Field(default=7, ge=1, le=365)


class ApproveIn(In):
    people: list[PersonName] | None = Field(
        default=None, max_length=10_000, description="By name or session; nobody named: all who have handed in."
    )
    words: Words = Field(default="", description="For them to read, where the platform shows it.")


class RejectIn(In):
    person: PersonName
    words: Words = Field(description="What was wrong with the work; the person reads it.")
    category: str = Field(default="", max_length=60, description="One of the platform's reasons, where it has such.")


class AskReturnIn(In):
    person: PersonName
    words: Words


class MessageIn(In):
    people: list[PersonName] = Field(min_length=1, max_length=1_000)
    subject: str = Field(default="", max_length=200, pattern=r"^[^\x00]*$")
    words: Words


class BlockIn(In):
    person: PersonName
    words: Words
    undo: bool = False


class DecidedOut(Out):
    annotator: str | None
    session: str
    order: int
    verb: str


class DecidedList(Out):
    decided: list[DecidedOut]


class DueOut(Out):
    annotator: str
    session: str
    seconds: float
    paid: Decimal
    fair: Decimal
    owed: Decimal


class BonusOut(Out):
    """What is missing to the wage aimed at; `total` is what has to be confirmed."""

    currency: str
    amount: Decimal
    fee: Decimal
    total: Decimal
    dues: list[DueOut]


class BonusIn(In):
    confirm: Money
    words: Words = ""
    people: list[PersonName] | None = Field(default=None, max_length=10_000, description="Nobody named: all.")


class EntryOut(Out):
    at: datetime
    author: str
    kind: str
    places: int
    amount: Decimal
    session: str
    reference: str
    reason: str


class LedgerOut(Out):
    currency: str
    entries: list[EntryOut]


class BooksLine(Out):
    annotator: str | None
    session: str
    state: str
    reward: Decimal
    bonuses: list[Decimal]
    reward_there: Decimal
    bonuses_there: list[Decimal]
    agrees: bool


class BooksOut(Out):
    """Ledger and platform beside each other."""

    agrees: bool
    currency: str
    budget: Decimal
    reserved: Decimal
    spent: SpentOut
    rewards_there: Decimal
    bonuses_there: Decimal
    fees_there: Decimal | None
    unsettled: int
    sessions: list[BooksLine]


class AdoptedOut(Out):
    payments: int


class SettleIn(In):
    done: bool = Field(description="Whether the order was carried out, as you have seen on the platform.")
    reference: str = Field(default="", max_length=200, pattern=r"^[^\x00]*$")


def spent_out(spent: ledger.Spent) -> dict[str, Any]:
    return {"rewards": in_money(spent.rewards), "bonuses": in_money(spent.bonuses)} | {
        "fees": in_money(spent.fees),
        "total": in_money(spent.total),
    }


def posting_out(found: Overview) -> dict[str, Any]:
    posting = found.posting
    return {
        **posting._asdict(),
        "parts": found.parts,
        "places": found.places,
        "states": found.states,
        "currency": posting.offer.currency,
        "reward": in_money(posting.offer.reward),
        "budget": in_money(posting.budget),
        "reserved": in_money(found.reserved),
        "spent": spent_out(found.spent),
        "waiting": len(found.waiting),
        "under_way": found.under_way,
        "unsettled": found.unsettled,
        "refused": found.refused,
    }


def estimated(found: publish.Estimated, settings: Any) -> dict[str, Any]:
    cost = found.cost
    return {
        "platform": settings.recruit.platform,
        "live": found.live,
        "places": cost.places,
        "currency": cost.currency,
        "reward": in_money(cost.reward),
        "fee": in_money(cost.fee),
        "total": in_money(cost.total),
        "balance": in_money(found.balance),
        "budget": in_money(found.budget),
        "hourly": found.plan.hourly,
        "minutes": found.plan.offer.minutes,
    }


def bonus_out(plan: decisions.BonusPlan) -> dict[str, Any]:
    dues = [
        {**one._asdict(), "paid": in_money(one.paid), "fair": in_money(one.fair), "owed": in_money(one.owed)}
        for one in plan.dues
    ]
    return {
        "currency": plan.currency,
        "amount": in_money(plan.amount),
        "fee": in_money(plan.fee),
        "total": in_money(plan.total),
        "dues": dues,
    }


def books_out(found: reconcile.Reconciled) -> dict[str, Any]:
    return {
        "agrees": found.agrees,
        "currency": found.posting.offer.currency,
        "budget": in_money(found.posting.budget),
        "reserved": in_money(found.planned.total),
        "spent": spent_out(found.spent),
        "rewards_there": in_money(found.rewards_there),
        "bonuses_there": in_money(found.bonuses_there),
        "fees_there": in_money(found.fees_there),
        "unsettled": found.unsettled,
        "sessions": [
            {
                "annotator": one.session.annotator,
                "session": one.session.reference,
                "state": one.session.state,
                "reward": in_money(one.reward),
                "bonuses": [in_money(amount) for amount in one.bonuses],
                "reward_there": in_money(one.reward_there),
                "bonuses_there": [in_money(amount) for amount in one.bonuses_there],
                "agrees": one.agrees,
            }
            for one in found.lines
        ],
    }
