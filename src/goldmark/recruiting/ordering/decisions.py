"""What managers decide: whom to pay, to ask, to tell, to turn down. Each is an order, and an event with its author.

Nobody is rejected but by a manager's word, with a reason that the person reads.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.errors import Conflict, GoldmarkError
from goldmark.people.platform import NotOffered, Platform, Verb
from goldmark.recruiting.offering.postings import Posting, newest, open_platform
from goldmark.recruiting.ordering import orders
from goldmark.recruiting.ordering.carry_out import settle_by_hand
from goldmark.recruiting.ordering.orders import OrderRow
from goldmark.recruiting.paying import budget
from goldmark.recruiting.paying.wages import Due, dues, dues_state
from goldmark.recruiting.visiting import sessions
from goldmark.recruiting.visiting.sessions import Session
from goldmark.recruiting.watching import rules, scheduler
from goldmark.store import Store, events, in_transaction
from goldmark.store.bulk import ReadyRows
from goldmark.store.pieces import InPieces, in_parts
from goldmark.store.transactions import prepared_beside

WORDS = {
    "approve": "approved on a platform",
    "reject": "rejected on a platform",
    "ask_return": "asked to give their place back",
    "message": "told something on a platform",
    "block": "blocked on a platform",
    "unblock": "no longer blocked on a platform",
}


POSSIBLE = {"ask_return": "ask people to give their place back", "block": "block people", "message": "write to people"}


class NotHandedIn(Conflict):
    code = "CROWD-80"
    message = "{name!r} has not handed in, or is decided on already: their place is {state}"


class RejectionReasonMissing(GoldmarkError):
    code = "CROWD-81"
    message = "{what} needs words that the person reads: {why}"


class CategoryMissing(GoldmarkError):
    code = "CROWD-82"
    message = "{platform} rejects for one of these reasons only: {known}"


class BonusNotConfirmed(Conflict):
    code = "CROWD-83"
    message = "{people} people are owed {total:.2f} {currency}, fees included, and {given}; confirm exactly that to pay"


class NothingOwed(Conflict):
    code = "CROWD-84"
    message = "nobody is owed a bonus: {why}"


@dataclass(frozen=True)
class PlacesDecided:
    """What was asked of the platform for somebody."""

    annotator: str | None
    session: str
    order: int
    verb: str


def _look(connection: Connection, name: str, *, hold: bool = False) -> tuple[CampaignRow, Posting]:
    row = find_campaign(connection, name, hold=hold)
    return row, newest(connection, row)


def approve(
    store: Store, name: str, people: Sequence[str] | None, *, author: str, words: str = ""
) -> list[PlacesDecided]:
    """Pay these people, or, if nobody is named, everybody who has handed in and is not decided on.

    Everybody is approved some at a time. If that breaks off, once more approves the rest.
    """

    campaign, posting = store.read(lambda connection: _look(connection, name))

    def these(connection: Connection) -> list[int]:
        return [_handed_in(connection, posting, one).id for one in people or ()]

    def everybody(connection: Connection) -> list[int]:
        waiting = {one.id for one in rules.waiting_for_manager(connection, posting, campaign)}
        handed_in = sessions.of_posting(connection, posting.id, "submitted")
        return [one.id for one in handed_in if one.outcome == "completed" or one.id in waiting]

    def piece(connection: Connection, some: Sequence[int]) -> list[PlacesDecided]:
        row = find_campaign(connection, name, hold=True)
        held = [sessions.by_id(connection, one) for one in some]
        still = [one for one in held if one.state == "submitted" and not _decided(connection, one)]
        made = _ask_all(connection, posting, row, still, "approve", author=author, words=words)
        scheduler.wake(connection, posting.id, row)
        return made

    chosen = store.read(everybody if people is None else these)
    return [one for made in InPieces(store).gathered(chosen, piece) for one in made]


@in_transaction
def reject(
    connection: Connection, name: str, person: str, *, author: str, words: str, category: str = ""
) -> PlacesDecided:
    """Turn somebody's work down: they are not paid. Only ever one person at a time, with a reason."""
    row, found = _look(connection, name, hold=True)
    held = _handed_in(connection, found, person)
    known = open_platform(found.platform, live=found.live).rejections()
    if not words.strip():
        raise RejectionReasonMissing(
            what="a rejection", why="say what was wrong with the work, so that they can answer"
        )
    if known and category not in known:
        raise CategoryMissing(platform=found.called, known=", ".join(known))
    made = _ask(connection, found, row, held, "reject", author=author, words=words, category=category)
    scheduler.wake(connection, found.id, row)
    return made


@in_transaction
def ask_return(connection: Connection, name: str, person: str, *, author: str, words: str) -> PlacesDecided:
    """Ask somebody to give their place back instead of rejecting them, which would stay with them."""
    row, found = _look(connection, name, hold=True)
    if not words.strip():
        raise RejectionReasonMissing(what="a request", why="say why they should give their place back")
    made = _ask(connection, found, row, _handed_in(connection, found, person), "ask_return", author=author, words=words)
    scheduler.wake(connection, found.id, row)
    return made


def tell(
    store: Store, name: str, people: Sequence[str], *, subject: str, words: str, author: str
) -> list[PlacesDecided]:
    """A message to each of these people, through the platform: to all of them or, if that fails, to nobody."""
    if not words.strip():
        raise RejectionReasonMissing(what="a message", why="say what they should know")

    def these(connection: Connection) -> tuple[Posting, list[Session]]:
        _, found = _look(connection, name)
        return found, [sessions.by_name(connection, found, one) for one in people]

    found, chosen = store.read(these)

    def make(connection: Connection) -> list[PlacesDecided]:
        row = find_campaign(connection, name, hold=True)
        made = _ask_all(connection, found, row, chosen, "message", author=author, words=words, subject=subject)
        scheduler.wake(connection, found.id, row)
        return made

    return store.write(make)


@in_transaction
def block(
    connection: Connection, name: str, person: str, *, author: str, words: str, undo: bool = False
) -> PlacesDecided:
    """Bar somebody from everything that we offer on the platform, or no longer. It counts against them there."""
    row, found = _look(connection, name, hold=True)
    held = sessions.by_name(connection, found, person)
    if not words.strip() and not undo:
        raise RejectionReasonMissing(what="a block", why="say what it is for; it stays in the history")
    made = _ask(connection, found, row, held, "unblock" if undo else "block", author=author, words=words)
    scheduler.wake(connection, found.id, row)
    return made


def _handed_in(connection: Connection, found: Posting, name: str) -> Session:
    held = sessions.by_name(connection, found, name)
    if held.state != "submitted" or _decided(connection, held):
        state = "being decided on" if held.state == "submitted" else held.state
        raise NotHandedIn(name=name, state=state)
    return held


def _decided(connection: Connection, held: Session) -> bool:
    return any(orders.standing(connection, held.id, verb) for verb in ("approve", "reject"))


def _refuse_impossible(found: Posting, verb: Verb) -> None:
    """What the platform cannot do is said at once, and not when it is sent."""
    if not open_platform(found.platform, live=found.live).offers(verb):
        raise NotOffered(platform=found.called, what=POSSIBLE.get(verb, verb))


def _ask(
    connection: Connection, found: Posting, row: CampaignRow, held: Session, verb: Verb, *, author: str, **facts: str
) -> PlacesDecided:
    return _ask_all(connection, found, row, [held], verb, author=author, **facts)[0]


def _ask_all(
    connection: Connection,
    found: Posting,
    row: CampaignRow,
    chosen: Sequence[Session],
    verb: Verb,
    *,
    author: str,
    **facts: str,
) -> list[PlacesDecided]:
    _refuse_impossible(found, verb)
    wanted = [orders.WantedOrder(session_id=one.id, facts=facts) for one in chosen]
    numbers = orders.ask_all(connection, found.id, verb, wanted, author=author)
    category = {"category": facts["category"]} if facts.get("category") else {}
    said = [(one.annotator or one.reference, {"session": one.reference, **category}) for one in chosen]
    events.record_all(connection, row.id, said, author=author, kind=WORDS[verb], reason=facts.get("words", ""))
    return [
        PlacesDecided(one.annotator, one.reference, number, verb) for one, number in zip(chosen, numbers, strict=True)
    ]


# Bonuses.


class BonusPlan(NamedTuple):
    """Who is owed how much, and what that costs."""

    dues: tuple[Due, ...]
    amount: int
    fee: int
    currency: str

    @property
    def total(self) -> int:
        return self.amount + self.fee


def bonus_plan(connection: Connection, name: str, platform: Platform) -> BonusPlan:
    """What is missing to the wage aimed at, of everybody who was paid and is still owed something."""
    row, found = _look(connection, name)
    owed, fees = dues(connection, row, found), dict[int, int]()
    _ask_fees(fees, owed, platform)
    return _plan(owed, fees, found.offer.currency)


def _ask_fees(known: dict[int, int], owed: Sequence[Due], platform: Platform) -> None:
    """Of each amount. Some platforms are asked for them: once, and never while others wait for the writer."""
    for amount in sorted({one.owed for one in owed} - known.keys()):
        known[amount] = platform.bonus_fee(amount)


def _plan(owed: tuple[Due, ...], fees: Mapping[int, int], currency: str) -> BonusPlan:
    return BonusPlan(owed, sum(one.owed for one in owed), sum(fees[one.owed] for one in owed), currency)


def pay_bonuses(
    store: Store, name: str, *, author: str, confirm: int | None, words: str = "", people: Sequence[str] | None = None
) -> BonusPlan:
    """Pay what is missing to the wage aimed at. `confirm` is the whole cost in cents, as `bonus_plan` gives it.

    All of it is found out beside the writer, and again if meanwhile somebody was approved or paid.
    """
    asked: dict[int, dict[int, int]] = {}  # fees, by posting
    told = words or "For the time that you took: your pay is brought up to the hourly wage that we aim at. Thank you!"

    def look(connection: Connection) -> tuple[CampaignRow, Posting, Hashable]:
        row, found = _look(connection, name, hold=True)
        return row, found._replace(synced_at=None, trouble=""), dues_state(connection, found)

    def prepare(seen: tuple[CampaignRow, Posting, Hashable]) -> tuple[BonusPlan, ReadyRows]:
        row, found, _ = seen
        owed = store.read(lambda connection: dues(connection, row, found))
        if people is not None:
            owed = tuple(one for one in owed if one.annotator in people)
        if not owed:
            why = "everybody has the wage aimed at, or nobody was approved yet"
            raise NothingOwed(
                why=why if row.settings.pay.target_hourly else "the campaign does not say what an hour should earn"
            )
        platform = open_platform(found.platform, live=found.live)
        fees = asked.setdefault(found.id, {})
        _ask_fees(fees, owed, platform)
        plan = _plan(owed, fees, found.offer.currency)
        if confirm != plan.total:
            given = "nothing was confirmed" if confirm is None else f"{confirm / 100:.2f} was confirmed"
            raise BonusNotConfirmed(people=len(plan.dues), total=plan.total / 100, currency=plan.currency, given=given)
        size = platform.longest_bonus_list
        wanted = [
            orders.WantedOrder(
                amount=sum(one.owed for one in some),
                fee=sum(fees[one.owed] for one in some),
                session_id=some[0].session_id if size == 1 else None,
                facts={"lines": [[one.session, one.owed] for one in some], "words": told},
            )
            for some in in_parts(owed, size)
        ]
        return plan, orders.ready_to_ask(store.engine().dialect, found.id, "bonus", wanted, author=author)

    def keep(connection: Connection, seen: Any, made: tuple[BonusPlan, ReadyRows]) -> BonusPlan:
        row, found, _ = seen
        plan, wanted = made
        budget.refuse_beyond(connection, row, found, plan.total)
        orders.ask_ready(connection, wanted)
        facts = {"people": len(plan.dues), "amount": plan.amount / 100, "fee": plan.fee / 100}
        events.record(connection, row.id, author=author, kind="bonuses paid", subject=name, facts=facts)
        scheduler.wake(connection, found.id, row)
        return plan

    return prepared_beside(store, look, prepare, keep)


def settle_order(store: Store, name: str, number: int, *, was_done: bool, reference: str = "", author: str) -> OrderRow:
    """Say of an order whose answer was lost, and that cannot be looked up, whether it was carried out."""
    found = store.read(lambda connection: _look(connection, name)[1])
    platform = open_platform(found.platform, live=found.live)

    def make(connection: Connection) -> OrderRow:
        row, here = _look(connection, name, hold=True)
        made = settle_by_hand(connection, here, number, was_done=was_done, reference=reference, platform=platform)
        said = "carried out" if was_done else "not carried out"
        events.record(
            connection,
            row.id,
            author=author,
            kind="order settled by hand",
            subject=f"order {number}",
            facts={"verb": made.verb, "said": said},
        )
        scheduler.wake(connection, here.id, row)
        return made

    return store.write(make)
