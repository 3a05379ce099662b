"""`goldmark crowd`: a campaign on a crowd platform, from the cost to the books."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter
from cyclopts.validators import Number

from goldmark.cli.options import Call, OnDatabase, Output, Public, Reason
from goldmark.cli.output import emit, talk
from goldmark.cli.store import author, links_of, opened, public_address

if TYPE_CHECKING:
    from goldmark.recruiting.offering.availability import Change
    from goldmark.recruiting.watching.look_after import Look
    from goldmark.store import Store

app = App(name="crowd")
Campaign = Annotated[str, Parameter(help="The campaign.")]
Live = Annotated[
    bool | None, Parameter(negative="--sandbox", help="Real people and real money, or not; as the campaign says.")
]
Confirm = Annotated[str | None, Parameter(help="The whole cost, as it was shown; without it nothing is done.")]


# Verbs of the module beside this one, which is loaded when they are called.
ELSEWHERE = ("approve", "reject", "ask_return", "message", "block", "bonus", "ledger", "reconcile", "settle")


def cents_of(given: str | None) -> int | None:
    if given is None:
        return None
    try:
        return int(Decimal(given) * 100)
    except (InvalidOperation, ValueError):
        return -1  # no amount, so it confirms nothing


def money_of(cents: int | None) -> float | None:
    return None if cents is None else cents / 100


@contextmanager
def on_platform(name: str, call: OnDatabase) -> Iterator[tuple[Store, Callable[[], Look]]]:
    """The database, and a way to have what was asked for sent to the platform at once."""
    from goldmark.campaigns.lifecycle import look_into
    from goldmark.recruiting.offering.postings import newest
    from goldmark.recruiting.watching.look_after import look_after

    with opened(call) as store:

        def go() -> Look:
            found = look_into(store, name, newest)

            def told(done: int, total: int | None, words: str) -> None:
                talk(f"{done} of {total} {words}")

            look = look_after(store, found.id, links=links_of(call), progress=told)
            if look.trouble:
                talk(f"it does not go on by itself: {look.trouble}")
            return look

        yield store, go


@app.command
def estimate(
    campaign: Campaign,
    /,
    *,
    live: Live = None,
    places: Annotated[
        int | None, Parameter(help="How many; as many as the plan needs.", validator=Number(gte=1))
    ] = None,
    call: Call = Call(),
) -> None:
    """What publishing would cost, fees included, and what is left to spend. The platform is asked; nothing changes."""
    from goldmark.recruiting.offering.publish import estimate as ask

    with opened(call) as store:
        found = ask(store, campaign, live=live, places=places)
    cost, balance = found.cost, found.balance
    lines = [
        f"places   {cost.places}",
        f"reward   {cost.reward / 100:.2f} {cost.currency} each"
        + (f" ({found.plan.hourly} an hour at {found.plan.offer.minutes:.1f} minutes)" if found.plan.hourly else ""),
        f"fee      {cost.fee / 100:.2f} {cost.currency} each",
        f"in all   {cost.total / 100:.2f} {cost.currency} at most",
        f"balance  {'not known' if balance is None else f'{balance / 100:.2f} {cost.currency}'}",
    ]
    facts = {"campaign": campaign, "live": found.live, "places": cost.places, "currency": cost.currency} | {
        "reward": money_of(cost.reward),
        "fee": money_of(cost.fee),
        "total": money_of(cost.total),
        "balance": money_of(balance),
        "budget": money_of(found.budget),
        "hourly": found.plan.hourly and float(found.plan.hourly),
    }
    where = "real people, real money" if found.live else "sandbox or draft"
    emit(call, facts, f"{where}; publish with --confirm {cost.total / 100:.2f}", lines=lines)


@app.command
def publish(
    campaign: Campaign,
    /,
    *,
    confirm: Confirm = None,
    live: Live = None,
    places: Annotated[
        int | None, Parameter(help="How many; as many as the plan needs.", validator=Number(gte=1))
    ] = None,
    at: Annotated[str | None, Parameter(help="When, such as 2026-03-02T10:00 (UTC); at once if left out.")] = None,
    public: Public = None,
    call: Call = Call(),
) -> int:
    """Put a campaign on offer. What `estimate` shows has to be confirmed. A draft that exists is made public."""
    from goldmark.recruiting.offering.publish import publish as make

    try:
        moment = datetime.fromisoformat(at) if at else None
    except ValueError:
        talk(f"{at!r} is no time; write one such as 2026-03-02T10:00")
        return 2
    when = moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment
    known = public_address(public, call)
    with on_platform(campaign, call) as (store, go):
        made = make(
            store,
            links_of(call),
            campaign,
            author=author(),
            confirm=cents_of(confirm),
            base=known if public or known.startswith("https://") else "",  # nobody reaches a local one
            live=live,
            places=places,
            at=when,
        )
        look = go() if when is None or when <= datetime.now(UTC) else None
    facts = {"campaign": campaign, "platform": made.platform, "live": made.live, "publish_at": made.publish_at}
    said = f"{campaign!r} is on its way to {made.where}" + (f" at {when:%Y-%m-%d %H:%M} UTC" if when else "")
    emit(call, {**facts, "orders_left": look.orders if look else None}, said)
    return 1 if look and look.trouble else 0


@app.command
def show(campaign: Campaign, /, *, call: Call = Call()) -> None:
    """How a campaign stands on its platform: places, people, money, and what waits for you."""
    from goldmark.campaigns.lifecycle import look_into
    from goldmark.recruiting.offering.overview import overview
    from goldmark.recruiting.offering.postings import newest

    with opened(call) as store:
        look_into(store, campaign, newest)  # or say that there is none
        found = look_into(store, campaign, overview)
    if found is None:
        return
    posting, money = found.posting, found.posting.offer.currency
    lines = [
        f"{posting.where}: {posting.state}",
        f"places    {found.places} in {found.parts} parts, {posting.offer.reward / 100:.2f} {money} each",
        *(f"{state:<12}{number}" for state, number in found.states.items()),
        f"spent     {found.spent.total / 100:.2f} {money} (rewards {found.spent.rewards / 100:.2f}, bonuses "
        f"{found.spent.bonuses / 100:.2f}, fees {found.spent.fees / 100:.2f})",
        f"reserved  {found.reserved / 100:.2f} of {posting.budget / 100:.2f} {money}",
        *(
            f"waits for you: {one.annotator or one.reference} ({one.note or one.outcome or 'left in the middle'})"
            for one in found.waiting
        ),
        *(f"order {one.id} ({one.verb}) got no answer: {one.problem}" for one in found.unsettled),
    ]
    facts = {
        "campaign": campaign,
        "platform": posting.platform,
        "live": posting.live,
        "state": posting.state,
        "places": found.places,
        "sessions": found.states,
        "currency": money,
        "spent": {key: money_of(value) for key, value in found.spent._asdict().items()},
        "reserved": money_of(found.reserved),
        "budget": money_of(posting.budget),
        "waiting": [one.annotator or one.reference for one in found.waiting],
        "unsettled": [one.id for one in found.unsettled],
        "trouble": posting.trouble,
    }
    emit(call, facts, *([f"it does not go on by itself: {posting.trouble}"] if posting.trouble else []), lines=lines)


@app.command
def sync(campaign: Campaign, /, *, call: Call = Call()) -> int:
    """Ask the platform how things stand, decide by rule, and send what is asked for. A worker does so every minute."""
    with on_platform(campaign, call) as (_, go):
        look = go()
    emit(
        call,
        {"campaign": campaign, "trouble": look.trouble, "orders_left": look.orders},
        f"{campaign!r} is up to date",
    )
    return 1 if look.trouble else 0


@app.command
def places(
    campaign: Campaign,
    number: Annotated[int, Parameter(help="How many more.", validator=Number(gte=1))],
    /,
    *,
    call: Call = Call(),
) -> None:
    """Put more places on offer, within the budget."""
    from goldmark.recruiting.offering.publish import add_places

    with on_platform(campaign, call) as (store, go):
        add_places(store, campaign, number, author=author())
        go()
    emit(call, {"campaign": campaign, "places": number}, f"{number} more places are on offer")


def _state(verb: Change, campaign: str, reason: str, call: Call, days: int = 0) -> None:
    from goldmark.recruiting.offering.availability import set_state

    with on_platform(campaign, call) as (store, go):
        made = set_state(store, campaign, verb, author=author(), reason=reason, days=days)
        go()
    emit(call, {"campaign": campaign, "asked": verb}, f"{verb} was asked of {made.where}")


@app.command
def pause(campaign: Campaign, /, *, reason: Reason = "", call: Call = Call()) -> None:
    """Let nobody begin for a while. Who is at work can finish."""
    _state("pause", campaign, reason, call)


@app.command
def resume(campaign: Campaign, /, *, reason: Reason = "", call: Call = Call()) -> None:
    """Put it on offer again."""
    _state("resume", campaign, reason, call)


@app.command
def extend(
    campaign: Campaign,
    /,
    *,
    days: Annotated[int, Parameter(help="From now.", validator=Number(gte=1, lte=365))] = 7,
    reason: Reason = "",
    call: Call = Call(),
) -> None:
    """Keep it on offer for longer, where the platform takes it away by itself."""
    _state("extend", campaign, reason, call, days)


@app.command
def close(campaign: Campaign, /, *, reason: Reason = "", call: Call = Call()) -> None:
    """Take it away. Who is at work can finish, and is paid."""
    _state("close", campaign, reason, call)


@app.command
def subscribe(
    platform: Annotated[str, Parameter(help="The connector, such as prolific.")],
    /,
    *,
    public: Annotated[str, Parameter(help="The address at which the platform reaches this server.")],
    output: Output = Output(),
) -> None:
    """Have a platform tell this server when something changes there. Prints a secret to be put among the keys."""
    from goldmark.recruiting.offering.postings import open_platform

    secret = open_platform(platform, live=True).subscribe(f"{public.rstrip('/')}/api/v1/hooks/{platform}")
    emit(output, {"platform": platform, "secret": secret}, "put this among the keys of the server", lines=[secret])


for verb in ELSEWHERE:
    app.command(f"goldmark.cli.campaigns.crowd_pay:{verb}", name=verb.replace("_", "-"))
