"""What managers and looks do to a campaign on a crowd platform with a place for everybody in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, cast

from sqlalchemy import Connection, insert, select, update

from benchmarks._filled import NOW
from benchmarks._held_by import NAME
from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.people import exclusions
from goldmark.people.platform import PaidSession, PartReport, Platform, SessionReport, Snapshot, Statement
from goldmark.recruiting.offering import availability, begin, publish
from goldmark.recruiting.offering.postings import Posting, newest
from goldmark.recruiting.ordering import decisions, orders
from goldmark.recruiting.ordering.carry_out import send
from goldmark.recruiting.paying import reconcile
from goldmark.recruiting.visiting import arrivals, sessions
from goldmark.recruiting.watching import look_after
from goldmark.recruiting.watching.sync import take_over
from goldmark.store import Store
from goldmark.store.tables import annotator, campaign, posting, posting_order, posting_session
from goldmark.store.tables import ledger as ledger_table

Act = Callable[[], Any]
PLACES, PAID_THERE, NAMED, LIST = 3_000, 300, 200, 200
KEYS = {"AWS_ACCESS_KEY_ID": "AKIAREHEARSAL0000000", "AWS_SECRET_ACCESS_KEY": "nobody-is-asked"}
SETTINGS = {
    "batch": {"size": 335, "per_person": 1},
    "pay": {"target_hourly": 30.0, "currency": "USD"},
    "recruit": {
        "platform": "mturk",
        "reward": "1.50",
        "budget": "1000000",
        "start": "with the campaign",
        "address": "https://eval.example.org",
    },
}


class Telling(Platform):
    """A platform that says what it is told to say, and does what it is asked at once."""

    starts = False

    def __init__(self, snapshot: Snapshot | None = None) -> None:
        self.snapshot = snapshot or Snapshot((), ())

    def sync(self, parts: object) -> Snapshot:
        return self.snapshot

    def bonus(self, order: object) -> str:
        return "paid"

    def fee_of_bonus(self, amount: int) -> int:
        return 1


def acts(store: Store, name: str = NAME) -> Iterator[tuple[str, Act]]:
    """Prepared when it is asked for the next one."""
    os.environ.update(KEYS)
    links = SignedLinks(b"a benchmark has nothing to hide from anybody")
    store.write(partial(_recruiting, name=name))
    yield "a campaign on a platform is started", partial(begin.move, store, name, "started", author="bench")
    people = store.write(partial(_places, name=name))
    found = _posting(store, name)
    yield (
        f"{PLACES:,} places are asked for, {PLACES // 9 + 1} hits",
        partial(publish.add_places, store, name, PLACES, author="bench"),
    )
    parts = store.write(partial(_published, found=found))
    yield "all hits are paused", partial(availability.set_state, store, name, "pause", author="bench")
    store.write(partial(_drop_asked, found=found))
    over = Snapshot(tuple(PartReport(one, 9, 0, 0, on_offer=False) for one in parts), ())
    yield "a look: all hits have ended", partial(_look, store, links, found, over)
    yield "a look: nothing is new", partial(_look, store, links, found, over)
    yield "a look: rules and replacements", partial(_decide, store, name)
    yield "somebody joins from the platform", partial(_join, store, links, name)
    part = parts[0]
    for state, name_of in (("returned", "gives the place back"), ("submitted", "has not given it back after all")):
        report = SessionReport("s-0", part, "p-0", cast("Any", state))
        yield (
            f"somebody with 335 answers {name_of}",
            partial(_look, store, links, found, Snapshot((), (report,))),
        )
        exclusions._set_aside_in_pieces(store, [store.read(partial(_first, found=found))])  # a worker's, a minute later
    yield "payments to 300 people are taken over", partial(_adopt, store, name)
    some = people[1 : 1 + min(NAMED, len(people) // 3)]
    store.write(partial(_handed_in, found=found, many=len(some)))
    yield (
        f"{len(some)} people are approved by name",
        partial(decisions.approve, store, name, some, author="bench"),
    )
    yield (
        f"{len(some)} people are told something",
        partial(decisions.tell, store, name, some, subject="Hello", words="Thank you.", author="bench"),
    )
    cost = _cost(store, name)
    yield "bonuses of everybody are paid", partial(decisions.pay_bonuses, store, name, author="bench", confirm=cost)
    order = store.write(partial(_long_list, found=found))
    yield f"a list of {LIST} bonuses was paid", partial(send, store, found, Telling(), order)


def _posting(store: Store, name: str) -> Posting:
    return store.read(lambda connection: newest(connection, find_campaign(connection, name)))


def _look(store: Store, links: SignedLinks, found: Posting, snapshot: Snapshot) -> None:
    take_over(store, links, found, Telling(snapshot), datetime.now(UTC))


def _decide(store: Store, name: str) -> None:
    found = _posting(store, name)
    report = Snapshot((PartReport("part-0", 9, 0, 0, on_offer=True),), ())
    look_after._follow_rules(store, found, name, report, Telling(), datetime.now(UTC))


def _join(store: Store, links: SignedLinks, name: str) -> None:
    found = _posting(store, name)
    ticket = links.arrival((str(found.id), "newcomer", "s-new", "part-0", "proven"))
    arrivals.enter(store, links, links.posting(found.id, found.nonce), ticket)


def _adopt(store: Store, name: str) -> None:
    def books(connection: Connection) -> reconcile.Reconciled:
        found = newest(connection, find_campaign(connection, name))
        paid = [PaidSession(f"s-{number}", 150, (25,)) for number in range(PAID_THERE)]
        assert found is not None
        return reconcile.beside(connection, name, Statement(tuple(paid), 0), Telling())

    reconcile.adopt(store, store.read(books), author="bench")


def _cost(store: Store, name: str) -> int:
    with suppress(decisions.NothingOwed):
        try:
            decisions.pay_bonuses(store, name, author="bench", confirm=None)
        except decisions.BonusNotConfirmed as error:
            return round(100 * float(str(error.facts["total"])))
    return 0


def _recruiting(connection: Connection, name: str) -> None:
    row = find_campaign(connection, name)
    told = Settings.model_validate({**row.settings.model_dump(mode="json"), **SETTINGS})
    values = {"settings": told.model_dump_json(), "state": "paused"}
    connection.execute(update(campaign).where(campaign.c.id == row.id).values(**values))


def _places(connection: Connection, name: str) -> list[str]:
    """Everybody has a place and was paid for it; their names."""
    row = find_campaign(connection, name)
    found = newest(connection, row)
    connection.execute(update(posting).where(posting.c.id == found.id).values(state="open", budget=10**9))
    people = connection.execute(
        select(annotator.c.id, annotator.c.name).where(annotator.c.campaign_id == row.id).order_by(annotator.c.id)
    ).all()
    about = {"posting_id": found.id, "part": "part-0", "proven": True, "outcome": "completed", "note": ""}
    times = {"arrived_at": NOW, "submitted_at": NOW, "ended_at": NOW}
    rows = [
        {**about, **times, "reference": f"s-{number}", "annotator_id": one.id, "state": "approved"}
        for number, one in enumerate(people)
    ]
    connection.execute(insert(posting_session), rows)
    ids = connection.execute(select(posting_session.c.id).order_by(posting_session.c.id)).scalars()
    entry = {"posting_id": found.id, "at": NOW, "author": "the platform", "places": 1, "reference": "", "reason": ""}
    kinds = (("taken", 0), ("submitted", 0), ("reward", 150), ("fee", 30))
    connection.execute(
        insert(ledger_table),
        [{**entry, "session_id": one, "kind": kind, "amount": cents} for one in ids for kind, cents in kinds],
    )
    return [one.name for one in people]


def _published(connection: Connection, found: Posting) -> list[str]:
    """What was asked for is there."""
    asked = orders.of_posting(connection, found.id, orders.ASKED, verb="publish")
    for one in asked:
        values = {"state": "done", "reference": f"part-{one.id}", "ended_at": NOW}
        connection.execute(update(posting_order).where(posting_order.c.id == one.id).values(**values))
    return [f"part-{one.id}" for one in asked]


def _drop_asked(connection: Connection, found: Posting) -> None:
    asked = (posting_order.c.posting_id == found.id) & (posting_order.c.state == "asked")
    connection.execute(update(posting_order).where(asked).values(state="dropped"))


def _handed_in(connection: Connection, found: Posting, many: int) -> None:
    some = [one.id for one in sessions.of_posting(connection, found.id)][1 : many + 1]
    these = posting_session.c.id.in_(some)
    connection.execute(update(posting_session).where(these).values(state="submitted"))


def _long_list(connection: Connection, found: Posting) -> orders.OrderRow:
    lines = [[f"s-{number}", 10] for number in range(LIST)]
    connection.execute(
        update(posting_order)
        .where(posting_order.c.posting_id == found.id, posting_order.c.state == "asked")
        .values(state="dropped", ended_at=NOW + timedelta(days=1))
    )
    return orders.ask(
        connection, found.id, "bonus", author="bench", amount=10 * LIST, fee=LIST, lines=lines, words="Thank you."
    )


def _first(connection: Connection, found: Posting) -> int:
    return int(sessions.of_posting(connection, found.id)[0].annotator_id or 0)
