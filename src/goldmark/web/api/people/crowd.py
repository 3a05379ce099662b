"""A campaign on a crowd platform: what it costs, publishing, who is there, decisions, bonuses, books."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path

from goldmark.campaigns.lifecycle import find_campaign
from goldmark.recruiting.offering import availability, publish
from goldmark.recruiting.offering.overview import Overview, overview
from goldmark.recruiting.offering.postings import newest, open_platform
from goldmark.recruiting.ordering import decisions
from goldmark.recruiting.paying import ledger, reconcile
from goldmark.recruiting.visiting import sessions
from goldmark.recruiting.watching.scheduler import wake
from goldmark.results.inputs.selection import in_utc
from goldmark.web.api.calls import Calls
from goldmark.web.api.inputs import CampaignName, ReasonIn, page_of
from goldmark.web.api.listing import Listed
from goldmark.web.api.people.crowd_shapes import (
    AdoptedOut,
    ApproveIn,
    AskReturnIn,
    BlockIn,
    BonusIn,
    BonusOut,
    BooksOut,
    DecidedList,
    EstimateOut,
    ExtendIn,
    LedgerOut,
    MessageIn,
    OrderOut,
    PlacesIn,
    PostingOut,
    PublishIn,
    RejectIn,
    SessionList,
    SettleIn,
)
from goldmark.web.sign_in import CallsAsManager, CallsAsProvenManager
from goldmark.web.visits import Visit

router = Calls("/api/v1/campaigns/{name}/crowd", "crowd platforms")

OrderNumber = Annotated[int, Path(ge=1, le=2**31 - 1)]
MOST_ENTRIES = 500


def _posting(visit: Visit, name: str) -> Overview | None:
    """How the newest posting stands; an error if there is none."""
    visit.look_into(name, newest)
    return visit.look_into(name, overview)


@router.get("", response_model=PostingOut)
def show(visit: CallsAsManager, name: CampaignName) -> Overview | None:
    """How the campaign's newest posting stands."""
    return _posting(visit, name)


@router.get("/estimate", response_model=EstimateOut)
def estimate(
    visit: CallsAsManager, name: CampaignName, live: bool | None = None, places: int | None = None
) -> publish.Estimated:
    """What publishing would cost with fees, and what is left to spend. The platform is asked; nothing is changed."""
    return publish.estimate(visit.store, name, live=live, places=places)


@router.post("/publish", status_code=201, response_model=PostingOut)
def publish_now(visit: CallsAsProvenManager, name: CampaignName, body: PublishIn) -> Overview | None:
    """Put the campaign on offer, at once or at an hour. Refused unless exactly the estimated total is confirmed."""
    publish.publish(
        visit.store,
        visit.links,
        name,
        author=visit.name,
        confirm=int(body.confirm * 100),
        base=visit.base,
        live=body.live,
        places=body.places,
        at=in_utc(body.at),
    )
    return _posting(visit, name)


@router.post("/places", response_model=PostingOut)
def add_places(visit: CallsAsProvenManager, name: CampaignName, body: PlacesIn) -> Overview | None:
    """More places of what is on offer, within its budget."""
    publish.add_places(visit.store, name, body.places, author=visit.name)
    return _posting(visit, name)


@router.post("/pause", response_model=PostingOut)
def pause(visit: CallsAsManager, name: CampaignName, body: ReasonIn) -> Overview | None:
    """Let nobody begin for a while. Who is at work can finish."""
    return _state(visit, name, "pause", body.reason)


@router.post("/resume", response_model=PostingOut)
def resume(visit: CallsAsManager, name: CampaignName, body: ReasonIn) -> Overview | None:
    """Put it on offer again."""
    return _state(visit, name, "resume", body.reason)


@router.post("/extend", response_model=PostingOut)
def extend(visit: CallsAsManager, name: CampaignName, body: ExtendIn) -> Overview | None:
    """Keep it on offer for so many days from now, where the platform takes it away by itself."""
    return _state(visit, name, "extend", body.reason, days=body.days)


@router.post("/close", response_model=PostingOut)
def close(visit: CallsAsManager, name: CampaignName, body: ReasonIn) -> Overview | None:
    """Take it away. Who is at work can finish, and is paid."""
    return _state(visit, name, "close", body.reason)


def _state(visit: Visit, name: str, verb: availability.Change, reason: str, days: int = 0) -> Overview | None:
    availability.set_state(visit.store, name, verb, author=visit.name, reason=reason, days=days)
    return _posting(visit, name)


@router.post("/look", status_code=202, response_model=PostingOut)
def look(visit: CallsAsManager, name: CampaignName) -> Overview | None:
    """Have a worker ask the platform how things stand and send what is asked for, as it does every minute."""

    def ask(connection: Any) -> None:
        row = find_campaign(connection, name)
        wake(connection, newest(connection, row).id, row)

    visit.store.write(ask)
    return _posting(visit, name)


@router.get("/sessions")
def list_sessions(visit: CallsAsManager, name: CampaignName, listed: Listed) -> SessionList:
    """Everybody who took a place, by their name in the campaign."""
    rows = visit.look_into(name, lambda connection, row: sessions.of_posting(connection, newest(connection, row).id))
    some = listed.of(rows, lambda one: one.annotator or "")
    return SessionList.model_validate({**page_of(some), "sessions": some.items})


@router.post("/approve")
def approve(visit: CallsAsManager, name: CampaignName, body: ApproveIn) -> DecidedList:
    """Pay these people for their places, or all who have handed in."""
    return DecidedList(decided=decisions.approve(visit.store, name, body.people, author=visit.name, words=body.words))


@router.post("/reject")
def reject(visit: CallsAsManager, name: CampaignName, body: RejectIn) -> decisions.PlacesDecided:
    """Turn one person's work down. No rule ever does."""
    words, category = body.words, body.category
    return decisions.reject(visit.store, name, body.person, author=visit.name, words=words, category=category)


@router.post("/ask-return")
def ask_return(visit: CallsAsManager, name: CampaignName, body: AskReturnIn) -> decisions.PlacesDecided:
    """Ask one person to give their place back, where the platform can."""
    return decisions.ask_return(visit.store, name, body.person, author=visit.name, words=body.words)


@router.post("/message")
def message(visit: CallsAsManager, name: CampaignName, body: MessageIn) -> DecidedList:
    """Send people a message through the platform."""
    told = decisions.tell(visit.store, name, body.people, subject=body.subject, words=body.words, author=visit.name)
    return DecidedList(decided=told)


@router.post("/block")
def block(visit: CallsAsManager, name: CampaignName, body: BlockIn) -> decisions.PlacesDecided:
    """Bar one person from everything that you offer on the platform, or no longer."""
    return decisions.block(visit.store, name, body.person, author=visit.name, words=body.words, undo=body.undo)


@router.get("/bonus", response_model=BonusOut)
def bonus(visit: CallsAsManager, name: CampaignName) -> decisions.BonusPlan:
    """Who is owed how much to reach the wage aimed at, and what paying it costs."""
    return owed(visit, name)


def owed(visit: Visit, name: str) -> decisions.BonusPlan:
    found = visit.look_into(name, newest)
    platform = open_platform(found.platform, live=found.live)
    return visit.read(lambda connection: decisions.bonus_plan(connection, name, platform))


@router.post("/bonus", response_model=BonusOut)
def pay_bonus(visit: CallsAsProvenManager, name: CampaignName, body: BonusIn) -> decisions.BonusPlan:
    """Pay it. Refused unless exactly the total is confirmed; nobody is paid twice for the same time."""
    confirm = int(body.confirm * 100)
    return decisions.pay_bonuses(
        visit.store, name, author=visit.name, confirm=confirm, words=body.words, people=body.people
    )


@router.get("/ledger", response_model=LedgerOut)
def entries(visit: CallsAsManager, name: CampaignName) -> Any:
    """What happened to places and money, the newest first. People are not named in it."""
    posting = visit.look_into(name, newest)
    rows = visit.read(lambda connection: ledger.entries(connection, posting.id, most=MOST_ENTRIES))
    return {"currency": posting.offer.currency, "entries": rows}


@router.get("/books", response_model=BooksOut)
def books(visit: CallsAsManager, name: CampaignName) -> reconcile.Reconciled:
    """Ask the platform for what was paid and lay the ledger beside it, to the cent."""
    return reconcile.reconcile(visit.store, name)


@router.post("/books/adopt")
def adopt(visit: CallsAsManager, name: CampaignName) -> AdoptedOut:
    """Enter bonuses into the ledger that were paid on the platform's own site."""
    found = reconcile.reconcile(visit.store, name)
    return AdoptedOut(payments=reconcile.adopt(visit.store, found, author=visit.name))


@router.post("/orders/{order}/settle")
def settle(visit: CallsAsManager, name: CampaignName, order: OrderNumber, body: SettleIn) -> OrderOut:
    """Say of an order whose answer was lost, and that cannot be looked up, whether it was carried out."""
    found = decisions.settle_order(
        visit.store, name, order, was_done=body.done, reference=body.reference, author=visit.name
    )
    return OrderOut.model_validate(found)
