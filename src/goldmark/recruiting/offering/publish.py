"""Putting a campaign on offer: what it would cost, what is there to spend, and, once that is confirmed, the orders."""

from __future__ import annotations

import secrets
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import NamedTuple

from sqlalchemy import Connection, insert

from goldmark.accounts.links import CODE_LETTERS, SignedLinks, new_nonce
from goldmark.campaigns.definition.settings import Recruit, Settings
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.errors import Conflict, GoldmarkError
from goldmark.people.platform import Cost, NotOffered, Offer, Platform
from goldmark.recruiting.offering.offers import NotRecruiting, Plan, base_address, places_needed, plan_of
from goldmark.recruiting.offering.postings import (
    CLOSED,
    OPEN,
    PLANNED,
    Posting,
    change,
    find,
    newest,
    of_campaign,
    open_platform,
)
from goldmark.recruiting.ordering import orders
from goldmark.recruiting.paying import budget
from goldmark.recruiting.watching import scheduler
from goldmark.store import Store, events
from goldmark.store.tables import posting


class NotConfirmed(Conflict):
    code = "CROWD-60"
    message = (
        "{places} places cost {total:.2f} {currency} on {platform}, fees included, and {given}; confirm exactly this "
        "amount to publish"
    )


class NotEnoughMoney(Conflict):
    code = "CROWD-61"
    message = "{places} places cost {total:.2f} {currency}, and only {balance:.2f} are left on {platform}"


class OtherCurrency(GoldmarkError):
    code = "CROWD-62"
    message = "{platform} pays in {theirs}, but the campaign in {ours}; say pay: {{currency: {theirs}}}"


class NothingToPublish(Conflict):
    code = "CROWD-63"
    message = "campaign {name!r} needs nobody: every unit has its labels, or all places are filled"


class NotRunning(Conflict):
    code = "CROWD-64"
    message = "campaign {name!r} is {state}; start it before people are sent to it"


class OnOfferAlready(Conflict):
    code = "CROWD-65"
    message = "campaign {name!r} is on offer on {where} already; add places to it, or close it first"


class Estimated(NamedTuple):
    """What publishing would cost, beside what there is to spend."""

    plan: Plan
    cost: Cost
    balance: int | None
    live: bool
    budget: int | None  # as the file says
    platform: str


def recruit_of(row: CampaignRow) -> Recruit:
    if row.settings.recruit is None:
        raise NotRecruiting(name=row.name)
    return row.settings.recruit


def estimate(store: Store, name: str, *, live: bool | None = None, places: int | None = None) -> Estimated:
    """Ask the platform what a campaign would cost; nothing is changed there."""
    row, plan = store.read(lambda connection: (find_campaign(connection, name), plan_of(connection, name)))
    given = recruit_of(row)
    real = given.live if live is None else live
    platform = open_platform(given.platform, live=real)
    if platform.currency != plan.offer.currency:
        raise OtherCurrency(platform=given.platform, theirs=platform.currency, ours=plan.offer.currency)
    wanted = plan.places if places is None else places
    if wanted < 1:
        raise NothingToPublish(name=name)
    cost = platform.estimate(plan.offer, wanted)
    limit = None if given.budget is None else int(given.budget * 100)
    return Estimated(plan._replace(places=wanted), cost, platform.balance(), real, limit, given.platform)


def publish(
    store: Store,
    links: SignedLinks,
    name: str,
    *,
    author: str,
    confirm: int | None,
    base: str = "",
    live: bool | None = None,
    places: int | None = None,
    at: datetime | None = None,
) -> Posting:
    """Put a campaign on offer, at once or at an hour. `confirm` is the whole cost in cents, as `estimate` gives it.

    A draft that there is already is made public instead.
    """
    found = estimate(store, name, live=live, places=places)
    row = store.read(lambda connection: find_campaign(connection, name))
    given = recruit_of(row)
    if row.state != "running":
        raise NotRunning(name=name, state=row.state)
    _refuse_unconfirmed(given.platform, found, confirm)
    platform = open_platform(given.platform, live=found.live)
    offer = _with_lists(platform, found.plan, replace(found.plan.offer, fee=found.cost.fee, codes=_codes()))
    address = base_address(given, base)
    when = at or datetime.now(UTC)
    limit = found.cost.total if found.budget is None else found.budget

    def make(connection: Connection) -> Posting:
        held = find_campaign(connection, name, hold=True)
        draft = _draft_of(connection, held, platform, found)
        if draft is None:
            draft = _insert(connection, held, offer, live=found.live, limit=limit, when=when, author=author)
            draft = _addressed(connection, draft, links, address)
            _ask_for_places(connection, draft, name, platform, found.cost, author=author)
        else:
            change(connection, draft.id, live=True, budget=limit, publish_at=when)
        if platform.starts and found.live:
            orders.ask(connection, draft.id, "start", author=author)
        facts = {"platform": given.platform, "live": found.live, "places": found.cost.places}
        facts["cost"] = found.cost.total / 100
        events.record(connection, held.id, author=author, kind="campaign published", subject=name, facts=facts)
        scheduler.wake(connection, draft.id, held, at=when)
        return find(connection, draft.id)

    return store.write(make)


class Ready(NamedTuple):
    """What was found out beside the writer about a campaign that is put on offer as it starts."""

    settings: Settings
    offer: Offer | None = None  # None: it was on offer before
    needs_people: bool = False  # more than have a place


class NotReady(Exception):
    """A campaign is another than when that was found out."""


def starts_with_campaign(settings: Settings) -> bool:
    given = settings.recruit
    return given is not None and given.start == "with the campaign" and given.budget is not None


def ready_to_start(connection: Connection, name: str) -> Ready | None:
    """None if a campaign is not put on offer by being started."""
    row = find_campaign(connection, name)
    if not starts_with_campaign(row.settings):
        return None
    if of_campaign(connection, row):
        return Ready(row.settings, needs_people=places_needed(connection, row) > 0)
    return Ready(row.settings, offer=plan_of(connection, name).offer)


def start_with_campaign(connection: Connection, row: CampaignRow, ready: Ready | None, *, author: str) -> None:
    """For campaigns that are published when they start: a posting, whose cost the scheduler asks for, in the budget.

    A campaign that is started again, because somebody was excluded, is put on offer again. Is it `NotReady`, what is
    `ready_to_start` has to be found out anew.
    """
    given = row.settings.recruit
    if given is None or given.budget is None or not starts_with_campaign(row.settings):
        return
    before = of_campaign(connection, row)
    if ready is None or ready.settings != row.settings or bool(before) == bool(ready.offer):
        raise NotReady
    if before and (before[0].state != CLOSED or not ready.needs_people):
        return
    if ready.offer is None:
        change(connection, before[0].id, state=OPEN)
        scheduler.wake(connection, before[0].id, row)
        return
    offer = replace(ready.offer, codes=_codes())
    now, limit = datetime.now(UTC), int(given.budget * 100)
    made = _insert(connection, row, offer, live=given.live, limit=limit, when=now, author=author)
    scheduler.wake(connection, made.id, row, at=now)


def complete(store: Store, links: SignedLinks, found: Posting, name: str, platform: Platform) -> None:
    """For a posting that was made without asking the platform: its address, its lists, its cost and its orders."""
    if found.state != PLANNED or store.read(lambda connection: orders.of_posting(connection, found.id)):
        return
    row = store.read(lambda connection: find_campaign(connection, name))
    address = base_address(recruit_of(row))
    asked = estimate(store, name, live=found.live)
    if asked.balance is not None and asked.balance < asked.cost.total and found.live:
        raise _not_enough(found.platform, asked)
    offer = _with_lists(platform, asked.plan, replace(found.offer, fee=asked.cost.fee))

    def make(connection: Connection) -> None:
        change(connection, found.id, offer=offer)
        ready = _addressed(connection, find(connection, found.id), links, address)
        _ask_for_places(connection, ready, name, platform, asked.cost, author=found.created_by)
        if platform.starts and found.live:
            orders.ask(connection, found.id, "start", author=found.created_by)

    store.write(make)


def add_places(store: Store, name: str, places: int, *, author: str) -> Posting:
    """More places of what a campaign has on offer, within its budget."""
    found = store.read(lambda connection: newest(connection, find_campaign(connection, name)))
    platform = open_platform(found.platform, live=found.live)
    cost = platform.estimate(found.offer, places)._replace(extra=0)

    def make(connection: Connection) -> Posting:
        row = find_campaign(connection, name, hold=True)
        _ask_for_places(connection, found, name, platform, cost, author=author)
        facts = {"places": places, "cost": cost.total / 100}
        events.record(connection, row.id, author=author, kind="places added", subject=name, facts=facts)
        scheduler.wake(connection, found.id, row)
        return find(connection, found.id)

    return store.write(make)


def _refuse_unconfirmed(platform: str, found: Estimated, confirm: int | None) -> None:
    cost = found.cost
    if found.live and found.balance is not None and found.balance < cost.total:
        raise _not_enough(platform, found)
    if confirm != cost.total:
        given = "nothing was confirmed" if confirm is None else f"{confirm / 100:.2f} was confirmed"
        raise NotConfirmed(
            places=cost.places, total=cost.total / 100, currency=cost.currency, platform=platform, given=given
        )


def _not_enough(platform: str, found: Estimated) -> NotEnoughMoney:
    cost, balance = found.cost, found.balance or 0
    return NotEnoughMoney(
        places=cost.places, total=cost.total / 100, currency=cost.currency, balance=balance / 100, platform=platform
    )


def _draft_of(connection: Connection, row: CampaignRow, platform: Platform, found: Estimated) -> Posting | None:
    """A draft of this campaign that can be made public; refuses a second offer beside the first."""
    for one in of_campaign(connection, row):
        if one.state == CLOSED or one.platform != platform.name:
            continue
        if one.live == found.live:
            raise OnOfferAlready(name=row.name, where=one.where)
        if platform.starts and not one.live:
            return one
    return None


def _insert(
    connection: Connection, row: CampaignRow, offer: Offer, *, live: bool, limit: int, when: datetime, author: str
) -> Posting:
    made = connection.execute(
        insert(posting)
        .values(
            campaign_id=row.id,
            platform=recruit_of(row).platform,
            live=live,
            state=PLANNED,
            offer=asdict(offer),
            budget=limit,
            nonce=new_nonce(),
            publish_at=when,
            created_by=author,
            created_at=datetime.now(UTC),
            trouble="",
        )
        .returning(posting.c.id)
    ).scalar_one()
    return find(connection, int(made))


def _addressed(connection: Connection, found: Posting, links: SignedLinks, base: str) -> Posting:
    """The posting with a name of its own and the address at which people reach it."""
    address = f"{base}/crowd/{links.posting(found.id, found.nonce)}"
    change(connection, found.id, offer=replace(found.offer, name=f"{found.offer.name} #{found.id}", address=address))
    return find(connection, found.id)


def _ask_for_places(
    connection: Connection, found: Posting, name: str, platform: Platform, cost: Cost, *, author: str
) -> None:
    sizes = platform.sizes(cost.places)
    budget.ask_for_places(connection, found, name, sizes, cost.reward, cost.fee, extra=cost.extra, author=author)


def _with_lists(platform: Platform, plan: Plan, offer: Offer) -> Offer:
    """The platform's ids of the lists that decide who may come."""
    try:
        ids = {one: platform.list_of(name, f"Kept by Goldmark: {one}") for one, name in plan.lists.items()}
    except NotOffered:
        return offer
    return replace(
        offer,
        lists=ids,
        only=tuple(ids[one] for one in plan.only),
        never=tuple(ids[one] for one in plan.never),
    )


def _codes() -> dict[str, str]:
    """Completion codes of a posting by outcome; each is secret, and none proves anything by itself."""

    def code() -> str:
        return "".join(secrets.choice(CODE_LETTERS) for _ in range(8))

    return {outcome: code() for outcome in ("completed", "failed", "screened")}
