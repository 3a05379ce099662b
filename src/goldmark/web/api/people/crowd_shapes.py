"""The requests and replies of the calls about crowd platforms. Money is in the posting's currency, to the cent."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Annotated

from pydantic import BeforeValidator, Field

from goldmark.campaigns.definition.settings import Money, PersonName
from goldmark.recruiting.ordering.decisions import PlacesDecided
from goldmark.web.api.inputs import In, Out, PageOut, ReasonIn, Words, part


def in_money(cents: int | None) -> Decimal | None:
    """Whole cents as an amount of money."""
    return None if cents is None else (Decimal(cents) / 100).quantize(Decimal("0.01"))


Cents = Annotated[Decimal, BeforeValidator(in_money)]  # our records count whole cents


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
    places: int = part("cost.places")
    currency: str = part("cost.currency")
    reward: Cents = part("cost.reward")
    fee: Cents = part("cost.fee")
    total: Cents = part("cost.total")
    balance: Cents | None
    budget: Cents | None
    hourly: Decimal | None = part("plan.hourly")
    minutes: float = part("plan.offer.minutes")


class SpentOut(Out):
    rewards: Cents
    bonuses: Cents
    fees: Cents
    total: Cents


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

    platform: str = part("posting.platform")
    live: bool = part("posting.live")
    state: str = part("posting.state")
    publish_at: datetime = part("posting.publish_at")
    synced_at: datetime | None = part("posting.synced_at")
    trouble: str = part("posting.trouble")
    parts: int
    places: int
    states: dict[str, int]
    currency: str = part("posting.offer.currency")
    reward: Cents = part("posting.offer.reward")
    budget: Cents = part("posting.budget")
    reserved: Cents
    spent: SpentOut
    waiting: Annotated[int, BeforeValidator(len)]
    under_way: int
    unsettled: list[OrderOut]
    refused: list[OrderOut]


class SessionOut(Out):
    """One person at one place, by their name in the campaign."""

    annotator: str | None
    session: str = part("reference")
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


class DecidedList(Out):
    decided: list[PlacesDecided]


class DueOut(Out):
    annotator: str
    session: str
    seconds: float
    paid: Cents
    fair: Cents
    owed: Cents


class BonusOut(Out):
    """What is missing to the wage aimed at; `total` is what has to be confirmed."""

    currency: str
    amount: Cents
    fee: Cents
    total: Cents
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
    amount: Cents
    session: str
    reference: str
    reason: str


class LedgerOut(Out):
    currency: str
    entries: list[EntryOut]


class BooksLine(Out):
    annotator: str | None = part("session.annotator")
    session: str = part("session.reference")
    state: str = part("session.state")
    reward: Cents
    bonuses: list[Cents]
    reward_there: Cents
    bonuses_there: list[Cents]
    agrees: bool


class BooksOut(Out):
    """Ledger and platform beside each other."""

    agrees: bool
    currency: str = part("posting.offer.currency")
    budget: Cents = part("posting.budget")
    reserved: Cents = part("planned.total")
    spent: SpentOut
    rewards_there: Cents
    bonuses_there: Cents
    fees_there: Cents | None
    unsettled: int
    sessions: list[BooksLine] = part("lines")


class AdoptedOut(Out):
    payments: int


class SettleIn(In):
    done: bool = Field(description="Whether the order was carried out, as you have seen on the platform.")
    reference: str = Field(default="", max_length=200, pattern=r"^[^\x00]*$")
