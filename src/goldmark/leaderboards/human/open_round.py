"""Opening a round: its campaign is made from the board's plan, the same for every system, and started."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, select, update

from goldmark.campaigns import lifecycle
from goldmark.campaigns.definition.settings import Order, Recruit, Settings
from goldmark.campaigns.lifecycle import CampaignExists, CampaignRow
from goldmark.errors import Conflict
from goldmark.leaderboards.definition.boards import BoardRow, board_of_id, count_chosen, find_board, items_of, note
from goldmark.leaderboards.human.money import planned_cost, spent_on
from goldmark.leaderboards.human.rounds import Round, RoundEntry, find_round
from goldmark.leaderboards.human.scheduling.jobs import EVERY, wake_again
from goldmark.leaderboards.human.units import JudgedSystem, units_of_round
from goldmark.people.annotators import invite_now
from goldmark.people.platform import Offer
from goldmark.protocols import Protocol, parse
from goldmark.records.units import Unit
from goldmark.recruiting.offering import begin
from goldmark.recruiting.offering.offers import offer_of
from goldmark.recruiting.offering.postings import of_campaign
from goldmark.recruiting.offering.publish import Ready, starts_with_campaign
from goldmark.recruiting.paying.budget import give_up_rest, still_needed
from goldmark.recruiting.paying.wages import payments_state
from goldmark.store import Store
from goldmark.store.tables import board_item, board_output, board_round, board_submission, campaign, protocol


class NothingToEvaluate(Conflict):
    code = "ROUND-01"
    message = "nothing waits for a human evaluation on {board!r}"


class RoundNotPlanned(Conflict):
    code = "ROUND-02"
    message = "round {number} of {board!r} is {state}; only a planned round can be opened"


class OverBudget(Conflict):
    code = "ROUND-03"
    message = (
        "round {number} would cost about {cost:,.2f} {currency}; with {spent:,.2f} for other rounds that is more than "
        "the budget of {budget:,.2f}"
    )


class _Changed(Exception):
    """The board or its submissions changed while the texts of a round were written."""


class _Decided(NamedTuple):
    """What a round will be. It is decided before its texts are written and once more when they are there."""

    board: BoardRow
    round: Round
    entries: tuple[RoundEntry, ...]  # those that were not withdrawn
    settings: Settings
    cost: Decimal


def open_round(store: Store, board_name: str, number: int, *, who: str, now: datetime, force: bool = False) -> Round:
    """Make the campaign of a planned round and start it; refused if the board's budget does not allow it.

    Its texts are made beside the writer and come in pieces; nobody sees the campaign before all of them are there.
    """
    while True:
        over = store.read(partial(_rounds_over, board_name=board_name))
        decide = partial(_decide, board_name=board_name, number=number, force=force, over=over)
        with suppress(_Changed):
            return _open(store, decide, who=who, now=now)


def _open(store: Store, decide: Callable[[Connection], _Decided], *, who: str, now: datetime) -> Round:
    decided = store.write(decide)
    row, number = decided.board, decided.round.number
    asked, units = store.snapshot(partial(_asked, decided=decided))
    name = f"{row.name[:50]}-round-{number}"
    offered = partial(offer_of, name=name, title=asked.title, settings=decided.settings, asked=asked)
    offer = store.read(offered) if starts_with_campaign(decided.settings) else None

    def begin_it(connection: Connection, made: CampaignRow) -> None:
        if decide(connection) != decided:
            raise _Changed
        _begin(connection, decided, made, offer, units=len(units), who=who, now=now)

    try:
        lifecycle.create(
            store,
            name=name,
            title=asked.title,  # annotators see it: it names neither the board nor a system
            protocol=asked,
            settings=decided.settings,
            units=units,
            author=who,
            noting=begin_it,
        )
    except CampaignExists:
        store.write(decide)  # which says so if somebody else has opened the round meanwhile
        raise
    return store.read(lambda connection: find_round(connection, row, number))


class _Over(NamedTuple):
    """A round on a platform that is over: what it still needs, as long as nobody is paid, comes or goes."""

    payments: Hashable
    needs: int


def _rounds_over(connection: Connection, *, board_name: str) -> dict[int, _Over]:
    """By the number of the campaign. It adds up what people took: not in the writer."""
    row, over = find_board(connection, board_name), {}
    if row.settings.human.pay.budget is None:
        return {}
    for _, name in connection.execute(_other_rounds(row)).all():
        there = lifecycle.find_campaign(connection, name) if name else None
        if there is not None and (given := _recruited(connection, there)):
            state = payments_state(connection, there)  # first: what changes after it is seen by whoever compares
            over[there.id] = _Over(state, still_needed(connection, there, live=given.live))
    return over


def _recruited(connection: Connection, there: CampaignRow) -> Recruit | None:
    """How the people of a round came that is over, if they came from a platform."""
    return there.settings.recruit if there.state == "closed" and of_campaign(connection, there) else None


def _decide(
    connection: Connection, *, board_name: str, number: int, force: bool, over: Mapping[int, _Over]
) -> _Decided:
    row = find_board(connection, board_name, hold=True)
    found = find_round(connection, row, number)
    if found.state != "planned":
        raise RoundNotPlanned(number=number, board=row.name, state=found.state)
    entries = tuple(one for one in found.entries if _stands(connection, one.submission_id))
    if not any(one.why == "new" for one in entries):
        raise NothingToEvaluate(board=row.name)
    left = _left(connection, row, over)
    cost = planned_cost(row.settings, len(entries), count_chosen(connection, row))
    if not force:
        _within_budget(row, number, cost, left)
    recruit = round_recruit(row.settings.human.recruit, left)
    if recruit is not None and recruit.budget is not None:
        cost = recruit.budget  # which the round cannot exceed, whatever happens
    return _Decided(row, found, entries, _campaign_settings(row, number, recruit), cost)


def _asked(connection: Connection, *, decided: _Decided) -> tuple[Protocol, list[Unit]]:
    """What people are asked, and about what."""
    row = decided.board
    items = items_of(connection, row)
    chosen = [one.item for one in items if one.chosen]
    spare = [one.item for one in items if not one.chosen]
    asked = protocol_of(connection, row)
    judged = [_judged(connection, one) for one in decided.entries]
    number = decided.round.number
    return asked, units_of_round(chosen, spare, judged, asked, row.settings, row.data, number=number)


def _begin(
    connection: Connection,
    decided: _Decided,
    made: CampaignRow,
    offer: Offer | None,
    *,
    units: int,
    who: str,
    now: datetime,
) -> None:
    row, found = decided.board, decided.round
    begin.move_in(connection, made.name, "started", author=who, ready=Ready(made.settings, offer))
    connection.execute(
        update(board_round)
        .where(board_round.c.id == found.id)
        .values(campaign_id=made.id, state="open", opened_at=now, facts={"cost planned": float(decided.cost)})
    )
    for name in row.settings.human.join.invite:  # their links are made when somebody asks for them
        invite_now(connection, made, name, author=who)
    wake_again(connection, now + EVERY)
    facts = {"campaign": made.name, "systems": len(decided.entries), "units": units}
    note(connection, row, author=who, kind="round opened", subject=f"round {found.number}", facts=facts, at=now)


def protocol_of(connection: Connection, row: BoardRow) -> Protocol:
    """The protocol that this board's people are asked by."""
    source = connection.execute(select(protocol.c.source).where(protocol.c.id == row.protocol_id)).scalar_one()
    return parse(str(source), file=row.protocol)


def _stands(connection: Connection, submission_id: int) -> bool:
    state = connection.execute(select(board_submission.c.state).where(board_submission.c.id == submission_id)).scalar()
    return state != "withdrawn"


def _left(connection: Connection, row: BoardRow, over: Mapping[int, _Over]) -> Decimal | None:
    """What other rounds leave of the board's budget; None without one."""
    budget = row.settings.human.pay.budget
    if budget is None:
        return None
    others = connection.execute(_other_rounds(row)).all()
    return budget - sum((_takes(connection, *one, over=over) for one in others), Decimal(0))


def _other_rounds(row: BoardRow) -> Select[Any]:
    return (
        select(board_round.c.facts, campaign.c.name)
        .outerjoin(campaign, campaign.c.id == board_round.c.campaign_id)
        .where(board_round.c.board_id == row.id, board_round.c.state != "planned")
        .order_by(board_round.c.number)
    )


def _takes(
    connection: Connection, facts: Mapping[str, Any], campaign_name: str | None, *, over: Mapping[int, _Over]
) -> Decimal:
    """What one round takes of the board's budget; once it is over, what people on a platform got and are owed."""
    held = lifecycle.find_campaign(connection, campaign_name, hold=True) if campaign_name else None
    given = None if held is None else _recruited(connection, held)
    if held is None or given is None:
        return spent_on(facts)
    known = over.get(held.id)
    if known is None or known.payments != payments_state(connection, held):
        raise _Changed
    return Decimal(give_up_rest(connection, held, known.needs, live=given.live)) / 100


def round_recruit(given: Recruit | None, left: Decimal | None) -> Recruit | None:
    """How a round is put on a platform: within its own budget and what is left of the board's."""
    if given is None or left is None:
        return given
    return given.model_copy(update={"budget": left if given.budget is None else min(given.budget, left)})


def _within_budget(row: BoardRow, number: int, cost: Decimal, left: Decimal | None) -> None:
    if left is None or cost <= left:
        return
    pay = row.settings.human.pay
    budget = pay.budget or Decimal(0)
    raise OverBudget(number=number, cost=cost, spent=budget - left, currency=pay.currency, budget=budget)


def _judged(connection: Connection, entry: RoundEntry) -> JudgedSystem:
    outputs = connection.execute(
        select(board_item.c.name, board_output.c.output)
        .join(board_item, board_item.c.id == board_output.c.item_id)
        .where(board_output.c.submission_id == entry.submission_id, board_item.c.chosen)
    )
    shown = {one.name: one.output for one in outputs}
    return JudgedSystem(entry.submission_id, entry.system, shown, gold=entry.why == "gold")


def _campaign_settings(row: BoardRow, number: int, recruit: Recruit | None) -> Settings:
    human = row.settings.human
    return Settings(
        labels_per_unit=human.labels_per_unit,
        batch=human.batch,
        # Another order in every round, and the systems of a round interleaved in it.
        order=Order(seed=row.settings.scores.seed + number),
        lease_minutes=human.lease_minutes,
        consent=human.consent,
        language=human.language,
        join=human.join,
        test_questions=human.test_questions,
        quality=human.quality.of_campaign(row.name),
        pay=human.pay.of_campaign(),
        recruit=recruit,
    )


def planned_rounds(connection: Connection, now: datetime) -> list[tuple[BoardRow, int]]:
    """Rounds whose time has come."""
    due = select(board_round.c.board_id, board_round.c.number).where(
        board_round.c.state == "planned", board_round.c.opens_at <= now
    )
    found = connection.execute(due.order_by(board_round.c.opens_at, board_round.c.id)).all()
    return [(board_of_id(connection, one.board_id), one.number) for one in found]
