"""A small campaign on a stand-in for a platform, and people who take places there and work here."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit
from urllib.request import urlopen

import pytest

from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.assignments.responses import ResponseService
from goldmark.campaigns.assignments.responses import Submission as Given
from goldmark.campaigns.assignments.work_service import WorkService
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import CampaignRow, create, find_campaign, move
from goldmark.people.connector import CONNECTORS
from goldmark.people.platform import Platform
from goldmark.protocols import Protocol, load
from goldmark.records.units import Unit
from goldmark.recruiting.offering import postings, publish
from goldmark.recruiting.ordering import orders
from goldmark.recruiting.paying import ledger
from goldmark.recruiting.paying.reconcile import Reconciled, reconcile
from goldmark.recruiting.visiting import arrivals, leaving, sessions
from goldmark.recruiting.watching.look_after import Look, look_after
from goldmark.simulate.platforms.mturk import MTurkStandIn
from goldmark.simulate.platforms.prolific import ProlificStandIn
from goldmark.simulate.platforms.server import StandIn, served
from goldmark.store import Store
from tests.campaigns.house import House, unit

NAME = "crowded"
BASE = "https://goldmark.example.org"
There = TypeVar("There", bound=StandIn)


@contextmanager
def platform_of(name: str, monkeypatch: pytest.MonkeyPatch, **given: Any) -> Iterator[Any]:
    """A stand-in, with the keys to it in the environment."""
    made: StandIn = MTurkStandIn(**given) if name == "mturk" else ProlificStandIn(**given)
    with served(made) as address:
        for key, value in keys_to(name, made, address).items():
            monkeypatch.setenv(key, value)
        yield made
        postings.open_platform(name, live=False).close_connections()


def keys_to(name: str, made: StandIn, address: str) -> dict[str, str]:
    if isinstance(made, ProlificStandIn):
        return {
            "GOLDMARK_PROLIFIC_ENDPOINT": address,
            "PROLIFIC_TOKEN": made.token,
            "PROLIFIC_HOOK_SECRET": made.hook_secret,
        }
    return {
        "GOLDMARK_MTURK_ENDPOINT": address,
        "AWS_ACCESS_KEY_ID": "AKIAREHEARSAL0000000",
        "AWS_SECRET_ACCESS_KEY": "a-secret-access-key-that-no-page-shows",
    }


def recruit(platform: str, **more: Any) -> dict[str, Any]:
    """Paid at once, unless said otherwise, so that tests need not wait a day."""
    given = {"platform": platform, "live": True, "reward": "1.50", "minutes": 10.0, "approve": {"after_hours": 0.0}}
    return {**given, **more}


def house_with(store: Store, links: SignedLinks | None) -> House:
    """The annotators' side, with a server's own links if it has one."""
    house = House.over(store)
    if links is None:
        return house
    bench = WorkService(store, links, ContentCache(store))
    return House(store, bench, ResponseService(bench), links)


@dataclass
class Ground(Generic[There]):
    """A campaign that is on offer, seen from all sides."""

    house: House
    there: There
    name: str = NAME
    confirmed: int = 0

    @classmethod
    def build(
        cls,
        store: Store,
        there: There,
        units: int | list[Unit] = 6,
        protocol: str | Protocol = "accuracy",
        name: str = NAME,
        *,
        publish_now: bool = True,
        links: SignedLinks | None = None,
        **settings: Any,
    ) -> Ground[There]:
        platform = "mturk" if isinstance(there, MTurkStandIn) else "prolific"
        given = {
            "labels_per_unit": 2,
            "batch": {"size": 3, "per_person": 1},
            **settings,
            "recruit": recruit(platform, **{"budget": "100", **settings.get("recruit", {})}),
        }
        made = [unit(f"u{number}") for number in range(units)] if isinstance(units, int) else units
        create(
            store,
            name=name,
            title="A crowded campaign",
            protocol=load(protocol) if isinstance(protocol, str) else protocol,
            settings=Settings.model_validate(given),
            units=made,
            author="test",
        )
        move(store, name, "started", author="test")
        ground = cls(house_with(store, links), there, name)
        if publish_now:
            ground.publish()
        return ground

    @property
    def store(self) -> Store:
        return self.house.store

    @property
    def row(self) -> CampaignRow:
        return self.store.read(lambda connection: find_campaign(connection, self.name))

    @property
    def posting(self) -> postings.Posting:
        return self.store.read(lambda connection: postings.newest(connection, find_campaign(connection, self.name)))

    @property
    def platform(self) -> Platform:
        return postings.open_platform(self.posting.platform, live=self.posting.live)

    def publish(self, look: bool = True, **more: Any) -> postings.Posting:
        cost = publish.estimate(self.store, self.name, live=more.get("live"), places=more.get("places")).cost
        self.confirmed = cost.total
        made = publish.publish(
            self.store, self.house.links, self.name, author="test", confirm=cost.total, base=BASE, **more
        )
        if look:
            self.look()
        return made

    def look(self, **later: float) -> Look:
        """Look after the posting, now or so much later."""
        now = datetime.now(UTC) + self.there.ahead + timedelta(**later)
        return look_after(self.store, self.posting.id, now=now, links=self.house.links)

    def door(self) -> arrivals.OpenPosting:
        token = self.posting.offer.address.rpartition("/")[2]
        return self.store.read(lambda connection: arrivals.open_posting(connection, self.house.links, token))

    def come(self, url: str) -> str:
        """Somebody opens the address that the platform gives them, and joins; gives their personal token."""
        here = self.door()
        reads = CONNECTORS[self.posting.platform].reads
        assert reads is not None
        arriving = reads(dict(parse_qsl(urlsplit(url).query)))
        assert arriving is not None
        token, proven = arrivals.examine(self.store, self.house.links, here, arriving)
        if token is not None:
            return token
        ticket = arrivals.ticket(self.house.links, here, arriving, proven=proven)
        place = self.posting.offer.address.rpartition("/")[2]
        token = arrivals.enter(self.store, self.house.links, place, ticket)
        self.house.work.consent(token)
        return token

    def work(self, token: str, most: int = 1_000, seconds: float = 60.0) -> int:
        """Answer what is handed out; how many units that were."""
        done = 0
        following = self.house.next(token)
        while following.task is not None and done < most:
            given = Given({"mistakes": []}, uuid.uuid4().hex, None, seconds)
            _, following = self.house.responses.submit(token, following.task.id, given)
            done += 1
        return done

    def leave(self, token: str) -> leaving.Leaving:
        finished = self.house.next(token).finished
        found = leaving.leave(
            self.store,
            self.house.links,
            token,
            finished=finished is not None,
            code=(finished.code or "") if finished else "",
        )
        assert found is not None
        return found

    def person(self, number: int | str) -> Person:
        return Person(self, f"A{number}WORKER" if isinstance(self.there, MTurkStandIn) else f"{number:0>24}")

    def sessions(self) -> list[sessions.Session]:
        return self.store.read(lambda connection: sessions.of_posting(connection, self.posting.id))

    def states(self) -> list[str]:
        return [one.state for one in self.sessions()]

    def orders(self, *states: str, verb: str = "") -> list[orders.OrderRow]:
        return self.store.read(lambda connection: orders.of_posting(connection, self.posting.id, *states, verb=verb))

    def spent(self) -> ledger.Spent:
        return self.store.read(lambda connection: ledger.spent(connection, self.posting.id))

    def books(self) -> Reconciled:
        return reconcile(self.store, self.name)


class Person:
    """Somebody on a platform, who takes a place, works here and hands in there."""

    def __init__(self, ground: Ground[Any], name: str) -> None:
        self.ground, self.there, self.name = ground, ground.there, name
        self.token = ""
        self.place: Any = self.there.take(name)

    @property
    def has_place(self) -> bool:
        return self.place is not None

    @property
    def state(self) -> str:
        """As the platform has it, in our words."""
        known = {"Accepted": "open", "ACTIVE": "open", "AWAITING REVIEW": "submitted", "TIMED-OUT": "timed out"}
        word = str(self.place.state if isinstance(self.there, MTurkStandIn) else self.place.status)
        return known.get(word, word.lower())

    @property
    def url(self) -> str:
        return str(self.there.url(self.place))

    def come(self) -> str:
        self.token = self.ground.come(self.url)
        return self.token

    def hand_in(self) -> None:
        """As the page does it: a form, or a link with a code."""
        farewell = self.ground.leave(self.token).farewell
        assert farewell is not None
        if farewell.fields is None:
            self.there.complete(self.place.id, farewell.address.rpartition("cc=")[2])
            return
        data = urlencode(farewell.fields).encode()
        with urlopen(farewell.address, data) as reply:
            assert reply.status == 200

    def whole(self, **how: Any) -> str:
        self.come()
        self.ground.work(self.token, **how)
        self.hand_in()
        return self.token

    def give_back(self) -> None:
        self.there.give_back(self.place.id)
