"""`goldmark crowd approve|reject|ask-return|message|block|bonus|ledger|reconcile|settle`: decisions and money."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from goldmark.cli.campaigns.crowd import Campaign, Confirm, cents_of, money_of, on_platform
from goldmark.cli.options import Call, Flag, TableCall
from goldmark.cli.output import emit, talk
from goldmark.cli.store import author, opened

if TYPE_CHECKING:
    from goldmark.store import Store

Person = Annotated[str, Parameter(help="The annotator's name in it, or the platform's own id of their place.")]
Words = Annotated[str, Parameter(help="What the person reads.")]


def _decided(campaign: str, call: Call, decide: Callable[[Store], Sequence[Any]], what: str) -> None:
    with on_platform(campaign, call) as (store, go):
        made = list(decide(store))
        go()
    emit(call, {"campaign": campaign, "decided": made}, f"{what}: {len(made)}")


def approve(
    campaign: Campaign,
    /,
    *people: Person,
    everybody: Annotated[Flag, Parameter(name="--all", help="All who have handed in.")] = False,
    words: Words = "",
    call: Call = Call(),
) -> int:
    """Pay people for their places."""
    from goldmark.recruiting.ordering import decisions

    if bool(people) == everybody:
        talk("name the people who are to be approved, or say --all")
        return 2
    chosen = None if everybody else people
    _decided(
        campaign,
        call,
        lambda store: decisions.approve(store, campaign, chosen, author=author(), words=words),
        "approved",
    )
    return 0


def reject(
    campaign: Campaign,
    person: Person,
    /,
    *,
    words: Words,
    category: Annotated[str, Parameter(help="One of the platform's reasons, where it has such.")] = "",
    call: Call = Call(),
) -> None:
    """Turn one person's work down: they are not paid. No rule ever does."""
    from goldmark.recruiting.ordering import decisions

    _decided(
        campaign,
        call,
        lambda store: [decisions.reject(store, campaign, person, author=author(), words=words, category=category)],
        "rejected",
    )


def ask_return(campaign: Campaign, person: Person, /, *, words: Words, call: Call = Call()) -> None:
    """Ask one person to give their place back, where the platform can."""
    from goldmark.recruiting.ordering import decisions

    _decided(
        campaign,
        call,
        lambda store: [decisions.ask_return(store, campaign, person, author=author(), words=words)],
        "asked",
    )


def message(
    campaign: Campaign,
    /,
    *people: Person,
    words: Words,
    subject: Annotated[str, Parameter(help="Of the mail, where the platform sends mails.")] = "",
    call: Call = Call(),
) -> int:
    """Write to people through the platform."""
    from goldmark.recruiting.ordering import decisions

    if not people:
        talk("name the people who are to be told")
        return 2
    _decided(
        campaign,
        call,
        lambda store: decisions.tell(store, campaign, people, subject=subject, words=words, author=author()),
        "told",
    )
    return 0


def block(
    campaign: Campaign,
    person: Person,
    /,
    *,
    words: Annotated[str, Parameter(help="Why; kept in the history, and on the platform.")],
    undo: Annotated[Flag, Parameter(help="No longer.")] = False,
    call: Call = Call(),
) -> None:
    """Bar one person from everything that you offer on the platform. It counts against them there."""
    from goldmark.recruiting.ordering import decisions

    _decided(
        campaign,
        call,
        lambda store: [decisions.block(store, campaign, person, author=author(), words=words, undo=undo)],
        "no longer blocked" if undo else "blocked",
    )


def bonus(campaign: Campaign, /, *, confirm: Confirm = None, words: Words = "", call: TableCall = TableCall()) -> None:
    """Who is owed how much to reach the wage aimed at; with --confirm, pay it."""
    from goldmark.campaigns.lifecycle import look_into
    from goldmark.records.tables import Table
    from goldmark.recruiting.offering.postings import newest, open_platform
    from goldmark.recruiting.ordering import decisions

    with on_platform(campaign, call) as (store, go):
        if confirm is None:
            found = look_into(store, campaign, newest)
            platform = open_platform(found.platform, live=found.live)
            plan = store.read(lambda connection: decisions.bonus_plan(connection, campaign, platform))
        else:
            plan = decisions.pay_bonuses(store, campaign, author=author(), confirm=cents_of(confirm), words=words)
            go()
    columns = ("annotator", "active_minutes", "paid", "worth", "bonus")
    rows = tuple(
        (one.annotator, round(one.seconds / 60, 1), one.paid / 100, one.fair / 100, one.owed / 100) for one in plan.dues
    )
    told = f"{plan.amount / 100:.2f} to people, {plan.fee / 100:.2f} in fees"
    said = f"paid {plan.total / 100:.2f} {plan.currency}" if confirm else f"pay with --confirm {plan.total / 100:.2f}"
    facts = {
        "currency": plan.currency,
        "amount": money_of(plan.amount),
        "fee": money_of(plan.fee),
        "total": money_of(plan.total),
    }
    emit(
        call,
        {**facts, "paid": confirm is not None, "dues": plan.dues},
        f"{told}; {said}" if plan.dues else "nobody is owed a bonus",
        tables=[Table("Bonuses to the wage aimed at", columns, rows)],
    )


def ledger(campaign: Campaign, /, *, call: TableCall = TableCall()) -> None:
    """What happened to places and money. People are not named in it."""
    from goldmark.campaigns.lifecycle import look_into
    from goldmark.records.tables import Table
    from goldmark.recruiting.offering.postings import newest
    from goldmark.recruiting.paying.ledger import entries

    with opened(call) as store:
        found = look_into(store, campaign, newest)
        rows = store.read(lambda connection: entries(connection, found.id, most=100_000))
    columns = ("at", "what", "places", "amount", "reference", "by", "reason")
    cells = tuple(
        (
            one.at.isoformat(timespec="seconds"),
            one.kind,
            one.places or None,
            one.amount / 100,
            one.reference,
            one.author,
            one.reason,
        )
        for one in reversed(rows)
    )
    emit(
        call,
        {"currency": found.offer.currency, "entries": rows},
        tables=[Table(f"Ledger of {campaign}", columns, cells)],
    )


def reconcile(
    campaign: Campaign,
    /,
    *,
    adopt: Annotated[Flag, Parameter(help="Enter bonuses that were paid on the platform's own site.")] = False,
    call: TableCall = TableCall(),
) -> int:
    """Lay the ledger beside the platform's books, to the cent; exit code 1 if they differ."""
    from goldmark.recruiting.paying.reconcile import adopt as take_over
    from goldmark.recruiting.paying.reconcile import reconcile as compare
    from goldmark.recruiting.paying.reconcile import sessions_table, sums_table

    with opened(call) as store:
        books = compare(store, campaign)
        if adopt and take_over(store, books, author=author()):
            books = compare(store, campaign)
    facts = {"agrees": books.agrees, "currency": books.posting.offer.currency, "unsettled": books.unsettled} | {
        "spent": {key: money_of(value) for key, value in books.spent._asdict().items()},
        "rewards_there": money_of(books.rewards_there),
        "bonuses_there": money_of(books.bonuses_there),
        "fees_there": money_of(books.fees_there),
    }
    emit(call, facts, tables=[sums_table(books), sessions_table(books)])
    return 0 if books.agrees else 1


def settle(
    campaign: Campaign,
    order: Annotated[int, Parameter(help="The number of an order whose answer was lost.")],
    /,
    *,
    done: Annotated[bool, Parameter(negative="--not-done", help="Whether it was carried out, as you saw there.")],
    reference: Annotated[str, Parameter(help="The platform's own id of what came of it.")] = "",
    call: Call = Call(),
) -> None:
    """Say what became of an order that cannot be looked up. What was not carried out is sent again."""
    from goldmark.recruiting.ordering.decisions import settle_order

    with opened(call) as store:
        found = settle_order(store, campaign, order, was_done=done, reference=reference, author=author())
    emit(call, {"order": found.id, "state": found.state}, f"order {found.id} is {found.state}")
