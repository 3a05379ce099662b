"""What a crowd platform can be asked for: the protocol that a connector speaks, and the records that pass.

A platform knows no campaign and no database. Money is in whole cents of its currency. Whatever changes something there
is an `Order`; the room `recruiting` writes it down before it is sent and, if the answer is lost, has it looked up.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple

from goldmark.errors import Conflict, Failed

PACE = "GOLDMARK_REHEARSAL_PACE"

Verb = Literal[
    "publish",
    "start",
    "pause",
    "resume",
    "extend",
    "close",
    "approve",
    "reject",
    "ask_return",
    "bonus",
    "message",
    "block",
    "unblock",
    "enlist",
]
SessionState = Literal["open", "submitted", "approved", "rejected", "returned", "timed out", "screened out"]
Outcome = Literal["completed", "failed", "screened"]  # how somebody left us


class PlatformRefused(Conflict):
    """The platform said no: nothing was changed there, and asking again would not help."""

    code = "CROWD-01"
    message = "{platform} refused: {why}"


class PlatformBusy(Failed):
    """The request was not taken, as when there are too many: nothing was changed there, and it may be sent again."""

    code = "CROWD-02"
    message = "{platform} cannot be asked just now: {why}"


class PlatformSilent(Failed):
    """A request was sent and no answer came: whether it was carried out has to be looked up."""

    code = "CROWD-03"
    message = "{platform} did not answer: {why}"


class NotOffered(Conflict):
    code = "CROWD-04"
    message = "{platform} has no way to {what}"


class Cost(NamedTuple):
    """What places cost. `fee` is a place's, never too low; `total` is what so many places can cost at most."""

    reward: int
    fee: int
    places: int
    currency: str
    extra: int = 0  # what else may be charged at most, such as for people who are screened out

    @property
    def total(self) -> int:
        return self.places * (self.reward + self.fee) + self.extra


@dataclass(frozen=True)
class Offer:
    """What people find on the platform. Fixed when it is published."""

    name: str  # ours, to find it again
    title: str
    description: str
    keywords: tuple[str, ...]
    address: str  # where the work is
    reward: int
    currency: str
    minutes: float  # that it should take
    minutes_allowed: int  # that people have
    days: int  # that it is on offer
    approve_days: int  # after which the platform approves by itself, where it can
    fee: int = 0  # of a place, as it was estimated
    codes: Mapping[str, str] = field(default_factory=dict)  # completion codes by outcome
    only: tuple[str, ...] = ()  # the platform's lists of people who may come; none: everybody
    never: tuple[str, ...] = ()  # and of those who may not
    lists: Mapping[str, str] = field(default_factory=dict)  # ours by name: the platform's ids of them
    options: Mapping[str, Any] = field(default_factory=dict)  # in the connector's own words


@dataclass(frozen=True)
class PlatformOrder:
    """One thing asked of a platform."""

    verb: Verb
    token: str  # ours; two orders never share one
    offer: Offer
    sent_at: datetime
    parts: tuple[str, ...] = ()  # hits or studies that there are so far, or that it is about
    places: int = 0  # to publish
    total: int = 0  # places that there are then
    session: str = ""
    person: str = ""  # the platform's id of somebody; filled in for the call and kept nowhere
    lines: tuple[tuple[str, int], ...] = ()  # of bonuses: session and amount
    paid: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # bonuses that these sessions had before
    subject: str = ""
    words: str = ""  # for people to read
    category: str = ""
    list: str = ""  # of people
    days: int = 0


class LookedUp(NamedTuple):
    """What became of an order whose answer was lost."""

    state: Literal["done", "absent", "unknown"]
    reference: str = ""


class PartReport(NamedTuple):
    """A hit or a study as the platform describes it."""

    reference: str
    places: int
    free: int  # that somebody could still take; 0 once it is no longer on offer
    at_work: int | None  # people who have taken a place and not handed in, where the platform says so
    on_offer: bool


class SessionReport(NamedTuple):
    """A session as the platform describes it."""

    reference: str
    part: str
    person: str
    state: SessionState
    at: datetime | None = None  # when it came to be so, where that is known
    code: str = ""
    paid: int | None = None  # if it is another amount than the reward


class Snapshot(NamedTuple):
    parts: tuple[PartReport, ...]
    sessions: tuple[SessionReport, ...]


class PaidSession(NamedTuple):
    """What somebody was paid according to the platform."""

    session: str
    reward: int
    bonuses: tuple[int, ...]


class Statement(NamedTuple):
    """What was paid according to the platform. `fees` is None where it does not tell them."""

    sessions: tuple[PaidSession, ...]
    fees: int | None


class Arriving(NamedTuple):
    """Somebody at the door of a posting, as the platform's parameters name them."""

    person: str
    session: str
    part: str
    preview: bool = False  # looks at it before taking a place
    proof: str = ""  # what the platform signed


class Confirmation(NamedTuple):
    """How far the platform vouches for an arrival; for a plausible one, how many people can be at work at that part."""

    level: Literal["proven", "plausible", "denied", "not yet"]
    why: str = ""
    at_work: int = 0


class Farewell(NamedTuple):
    """How somebody hands in: a form or a link, to one host."""

    address: str
    button: str
    words: str
    fields: Mapping[str, str] | None = None  # of a form; None: a link

    @property
    def host(self) -> str:
        scheme, _, rest = self.address.partition("://")
        return f"{scheme}://{rest.partition('/')[0]}"


class Platform:
    """A connector's way to its platform. What it cannot do it leaves out."""

    name: str = ""
    currency: str = "USD"
    starts: bool = False  # a publication is begun by an order of its own, and is a draft until then
    longest_bonus_list: int = 1  # people in one order

    def close_connections(self) -> None:
        """Let go of what is kept open to speak with it."""

    def offers(self, verb: Verb) -> bool:
        """Whether it can do this at all."""
        return getattr(type(self), verb) is not getattr(Platform, verb)

    def _cannot(self, what: str) -> NotOffered:
        return NotOffered(platform=self.name, what=what)

    # What it would cost.

    def balance(self) -> int | None:
        """What is left to spend; None where that is not known."""
        return None

    def estimate(self, offer: Offer, places: int) -> Cost:
        raise NotImplementedError

    def bonus_fee(self, amount: int) -> int:
        """What the platform takes for a bonus, never too low."""
        raise NotImplementedError

    # What it charges with each payment, where that can be told to the cent; else `statement` tells all fees together.

    def fee_of_place(self, reward: int, offer: Offer) -> int:
        return 0

    def fee_of_bonus(self, amount: int) -> int:
        return 0

    def sizes(self, places: int) -> Sequence[int]:
        """In which parts so many places are published."""
        return [places]

    # Orders: each gives the platform's own reference.

    def publish(self, order: PlatformOrder) -> str:
        """Put places on offer; gives the part."""
        raise self._cannot("publish")

    def start(self, order: PlatformOrder) -> str:
        """Make a draft public."""
        raise self._cannot("publish a draft")

    def pause(self, order: PlatformOrder) -> str:
        raise self._cannot("pause")

    def resume(self, order: PlatformOrder) -> str:
        raise self._cannot("resume")

    def extend(self, order: PlatformOrder) -> str:
        """Keep it on offer for so many days from now."""
        raise self._cannot("extend an offer")

    def close(self, order: PlatformOrder) -> str:
        """Let nobody begin any more. Who is at work can finish."""
        raise self._cannot("close")

    def approve(self, order: PlatformOrder) -> str:
        """Pay a session."""
        raise self._cannot("approve")

    def reject(self, order: PlatformOrder) -> str:
        raise self._cannot("reject")

    def ask_return(self, order: PlatformOrder) -> str:
        """Ask somebody to give their place back."""
        raise self._cannot("ask people to return")

    def bonus(self, order: PlatformOrder) -> str:
        raise self._cannot("pay a bonus")

    def message(self, order: PlatformOrder) -> str:
        raise self._cannot("send messages")

    def block(self, order: PlatformOrder) -> str:
        """Bar somebody from all our work."""
        raise self._cannot("block people")

    def unblock(self, order: PlatformOrder) -> str:
        raise self._cannot("unblock people")

    def enlist(self, order: PlatformOrder) -> str:
        """Put somebody on a list of people."""
        raise self._cannot("keep lists of people")

    def look_up(self, order: PlatformOrder) -> LookedUp:
        """Whether an order that may have been carried out was."""
        raise NotImplementedError

    # What there is.

    def list_of(self, name: str, about: str) -> str:
        """The platform's id of the list of this name, made if there is none. Said twice, made once."""
        raise self._cannot("keep lists of people")

    def sync(self, parts: Sequence[str]) -> Snapshot:
        raise NotImplementedError

    def fees(self, parts: Sequence[str]) -> int | None:
        """All fees so far, where the platform tells them together and not with each payment."""
        return None

    def statement(self, parts: Sequence[str]) -> Statement:
        raise NotImplementedError

    def subscribe(self, address: str) -> str:
        """Have changes told to this address; gives the secret by which web hooks are known."""
        raise self._cannot("tell of changes")

    # People.

    def confirm(self, arriving: Arriving, offer: Offer) -> Confirmation:
        raise NotImplementedError

    def farewell(self, session: str, outcome: Outcome, code: str, offer: Offer) -> Farewell | None:
        """Where somebody hands in who leaves us so; None: they are to give their place back."""
        raise NotImplementedError

    def rejections(self) -> Mapping[str, str]:
        """The reasons for which a session may be rejected, each with what it means; none: any words will do."""
        return {}


def waits(how_long: timedelta) -> timedelta:
    """So long is waited for platforms, or so many times shorter as a rehearsal says: those let time pass faster."""
    given = os.environ.get(PACE, "")
    return how_long / float(given) if given else how_long
