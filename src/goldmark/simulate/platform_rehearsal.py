"""A rehearsal through a crowd platform: the simulated crowd finds the campaign on a stand-in, comes in by its pages,
works, drops out, hands in there and is paid there, by the very connector that will speak to the real platform.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import numpy as np

from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.progress import progress_of
from goldmark.errors import Conflict
from goldmark.recruiting.offering.postings import newest, open_platform
from goldmark.recruiting.offering.publish import estimate, publish
from goldmark.recruiting.paying.reconcile import Reconciled, reconcile
from goldmark.recruiting.watching.look_after import look_after
from goldmark.simulate.crowd import HABITS, Ask, HabitName, Simulated, hire, work
from goldmark.simulate.platforms.mturk import MTurkStandIn
from goldmark.simulate.platforms.prolific import ProlificStandIn
from goldmark.simulate.platforms.server import served
from goldmark.simulate.platforms.visitors import Platform, Visitor
from goldmark.simulate.rehearsal import RehearsalPlan, RehearsalResult, outcome_of, started
from goldmark.store import Store

AT_ONCE = 8  # people who work at the same time
MOST_WAVES = 400


class NoStandIn(Conflict):
    code = "REHEARSE-03"
    message = "there is no stand-in for the platform {name!r}; rehearse without `recruit`"


class PlatformRehearsal(NamedTuple):
    """What a rehearsal on a platform showed, beside what it showed of the plan."""

    result: RehearsalResult
    books: Reconciled
    confirmed: int  # what would have had to be confirmed, in cents
    taken: int  # places
    returned: int
    timed_out: int
    undecided: int  # handed in, and no rule decides: a manager has to
    charged: int  # by the platform in all, in cents

    def to_json(self) -> dict[str, Any]:
        spent = self.books.spent
        return {
            "platform": self.books.posting.platform,
            "currency": self.books.posting.offer.currency,
            "confirmed": self.confirmed / 100,
            "spent": {name: amount / 100 for name, amount in spent._asdict().items()} | {"total": spent.total / 100},
            "books_agree": self.books.agrees,
            "places_taken": self.taken,
            "returned": self.returned,
            "timed_out": self.timed_out,
            "undecided": self.undecided,
        }

    def __str__(self) -> str:
        spent, currency = self.books.spent.total / 100, self.books.posting.offer.currency
        agree = "agree to the cent" if self.books.agrees else "DIFFER"
        return (
            f"on the platform: {self.taken} places taken, {self.returned} given back, {self.timed_out} ran out of "
            f"time, {self.undecided} wait for your decision; {spent:.2f} {currency} with fees, "
            f"{self.confirmed / 100:.2f} confirmed; ledger and platform {agree}"
        )


@contextmanager
def standing_in(name: str) -> Iterator[Platform]:
    """A stand-in for a platform, with the keys to it in the environment for as long as it lasts."""
    there: Platform
    if name == "mturk":
        there = MTurkStandIn()
    elif name == "prolific":
        there = ProlificStandIn()
    else:
        raise NoStandIn(name=name)
    with served(there) as address:
        before = dict(os.environ)
        os.environ.update(keys_to(there, address))
        try:
            yield there
        finally:
            open_platform(name, live=False).close_connections()
            os.environ.clear()
            os.environ.update(before)


def keys_to(there: Platform, address: str) -> dict[str, str]:
    """What the environment must hold for a connector to speak to this stand-in. None of it opens anything else."""
    if isinstance(there, ProlificStandIn):
        return {
            "GOLDMARK_PROLIFIC_ENDPOINT": address,
            "PROLIFIC_TOKEN": there.token,
            "PROLIFIC_HOOK_SECRET": there.hook_secret,
        }
    return {
        "GOLDMARK_MTURK_ENDPOINT": address,
        "AWS_ACCESS_KEY_ID": "AKIAREHEARSAL0000000",
        "AWS_SECRET_ACCESS_KEY": "opens-nothing",
    }


def rehearse_on_platform(
    store: Store,
    links: SignedLinks,
    ask: Ask,
    base: str,
    setup: RehearsalPlan,
    there: Platform,
    *,
    name: str,
    rng: np.random.Generator,
) -> PlatformRehearsal:
    """Publish the plan on the stand-in, let people come until nothing is left, pay them, and compare the books."""
    units, quality = started(store, setup, name, rng)
    before = _balance(there)
    cost = estimate(store, name, live=True).cost
    publish(store, links, name, author="rehearsal", confirm=cost.total, base=base, live=True)
    stage = _Stage(store, links, name, there, base, ask)
    stage.look()
    people: list[Simulated] = []
    for number in range(MOST_WAVES):
        wave = stage.wave(number, setup, rng)
        if not wave:
            stage.let_time_run_out()
            wave = stage.wave(number, setup, rng)
        if not wave:
            break
        work(ask, [one for one, _ in wave], quality.__getitem__, rng, setup.most)
        for person, visitor in wave:
            stage.end(person, visitor, rng)
        people += [one for one, _ in wave]
        stage.look()
        if stage.is_complete():
            break
    there.pass_time(hours=24 * 8)  # whoever let their time run out, and the delay before people are paid
    for _ in range(3):
        stage.look()
    result = outcome_of(store, name, people, units, quality, rng)
    books = reconcile(store, name)
    states = [one.session.state for one in books.lines]
    return PlatformRehearsal(
        result,
        books,
        cost.total,
        len(states),
        states.count("returned"),
        states.count("timed out"),
        states.count("submitted"),
        before - _balance(there),
    )


class _Stage(NamedTuple):
    """Where it takes place."""

    store: Store
    links: SignedLinks
    name: str
    there: Platform
    base: str
    ask: Ask

    def look(self) -> None:
        """What the worker beside the server does, at the time that it is on the platform."""
        now = datetime.now(UTC) + self.there.ahead
        number = self.store.read(lambda connection: newest(connection, find_campaign(connection, self.name)).id)
        look_after(self.store, number, now=now + timedelta(minutes=3), links=self.links)

    def let_time_run_out(self) -> None:
        """Whoever has left without giving their place back loses it now."""
        found = self.store.read(lambda connection: newest(connection, find_campaign(connection, self.name)))
        self.there.pass_time(minutes=found.offer.minutes_allowed + 6)
        self.look()

    def wave(self, number: int, setup: RehearsalPlan, rng: np.random.Generator) -> list[tuple[Simulated, Visitor]]:
        """Some people who find a place now, drawn from the crowd's mix. Drop-outs leave in the middle."""
        habits: list[HabitName] = list(setup.crowd)
        weights = np.array([setup.crowd[one] for one in habits], dtype=float)
        batch = setup.settings.batch.size
        found = []
        for place in range(AT_ONCE):
            visitor = Visitor(self.there, f"A{number:04}{place:02}REHEARSAL")
            if visitor.place is None:
                continue
            token = visitor.enter()
            habit = habits[int(rng.choice(len(habits), p=weights / weights.sum()))]
            known = str(self.ask("GET", "/work", token, {})["annotator"]["name"])
            person = hire(known, HABITS[habit], token, rng)
            if person.leaves_after is not None and batch:
                person.leaves_after = int(rng.integers(0, batch))
            found.append((person, visitor))
        return found

    def end(self, person: Simulated, visitor: Visitor, rng: np.random.Generator) -> None:
        """Who has done their part hands in; who has left in the middle gives their place back, or lets it run out."""
        if not person.works and person.following.get("assignment") is None:
            visitor.hand_in(self.base)
        elif rng.random() < 0.5:
            visitor.give_back()

    def is_complete(self) -> bool:
        found = self.store.read(lambda connection: progress_of(connection, find_campaign(connection, self.name)))
        return found.labels_done >= found.labels_wanted


def _balance(there: Platform) -> int:
    return int(there.balance * 100) if isinstance(there, MTurkStandIn) else there.balance
