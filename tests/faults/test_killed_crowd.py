"""A round of a leaderboard and a study, each run wholly on a stand-in for a platform by a real server that is killed
while it publishes, approves and pays: every place is used once, nobody is paid twice or not at all, the books agree.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import httpx
import numpy as np
import pytest

from goldmark.accounts.links import SignedLinks
from goldmark.accounts.signing_keys import signing_key
from goldmark.campaigns.lifecycle import find_campaign, list_campaigns
from goldmark.campaigns.progress import progress_of
from goldmark.leaderboards.definition.actor import Actor
from goldmark.leaderboards.definition.boards import find_board
from goldmark.leaderboards.human.rounds import approve, find_round
from goldmark.leaderboards.human.scheduling.scheduler import tick
from goldmark.recruiting.offering import begin
from goldmark.recruiting.offering.postings import CLOSED, Posting, newest, of_campaign, open_platform
from goldmark.recruiting.ordering import decisions, orders
from goldmark.recruiting.paying.reconcile import Reconciled, reconcile
from goldmark.recruiting.visiting import sessions
from goldmark.recruiting.watching import scheduler
from goldmark.simulate.platforms.mturk import MTurkStandIn
from goldmark.simulate.platforms.prolific import ProlificStandIn
from goldmark.simulate.platforms.server import Moment, served
from goldmark.simulate.platforms.visitors import NotLetIn, Platform, Visitor
from goldmark.store import Store, open_store
from goldmark.studies.design.create import create_study
from tests.faults.programs import PATIENCE, Server
from tests.leaderboards import ground as boards
from tests.recruiting.ground import keys_to
from tests.studies.small import HUMANLIKE, changed
from tools.simulate.study import guesser, work_through

Found = TypeVar("Found")
pytestmark = pytest.mark.slow  # servers are started nine times
PACE = "600"  # a minute of waiting for the platform is a tenth of a second here


@dataclass
class Killer:
    """Kills the server when the platform gets the planned request for the so-many-th time."""

    server: Server
    planned: dict[tuple[str, Moment], int]
    seen: Counter[tuple[str, Moment]] = field(default_factory=Counter)
    kills: int = 0

    def __call__(self, operation: str, moment: Moment) -> bool:
        key = (operation, moment)
        self.seen[key] += 1
        if self.planned.get(key) != self.seen[key]:
            return False
        self.server.kill()
        self.kills += 1
        return True  # nobody is there to hear the answer


@dataclass
class Scene:
    """A server, a platform, and people who go from the one to the other."""

    store: Store
    there: Platform
    server: Server
    killer: Killer
    name: str

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    def call(self, method: str, path: str, body: Any = None, token: str = "") -> Any:
        """The annotators' API, again and again while the server is away."""

        def ask() -> Any:
            headers = {"authorization": f"Bearer {token}"}
            reply = httpx.request(method, f"{self.base}/api/v1{path}", json=body, headers=headers, timeout=60)
            reply.raise_for_status()
            return reply.json()

        return self.stubborn(ask)

    def stubborn(self, do: Callable[[], Found]) -> Found:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return do()
            except (ConnectionError, httpx.TransportError, NotLetIn) as error:
                if isinstance(error, NotLetIn) and error.facts["status"] not in (502, 503):
                    raise
                if time.monotonic() > deadline:
                    raise
                self.revive()
                time.sleep(0.1)

    def revive(self) -> None:
        """Start the server again if it was killed; whoever starts it looks after what was interrupted."""
        if not self.server.is_alive():
            self.server.start()

    def wake(self) -> None:
        def ask(connection: Any) -> None:
            row = find_campaign(connection, self.name)
            for found in of_campaign(connection, row):
                scheduler.wake(connection, found.id, row)

        self.store.write(ask)

    def until(self, true: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not true():
            if time.monotonic() > deadline:
                raise AssertionError(f"{what}: {self.posting.trouble!r}, {self.states()}, {self._orders()}")
            self.revive()
            self.wake()
            time.sleep(0.2)

    @property
    def posting(self) -> Posting:
        return self.store.read(lambda connection: newest(connection, find_campaign(connection, self.name)))

    def has_posting(self) -> bool:
        return bool(self.store.read(lambda connection: of_campaign(connection, find_campaign(connection, self.name))))

    def states(self) -> Counter[str]:
        number = self.posting.id
        return Counter(one.state for one in self.store.read(lambda open_: sessions.of_posting(open_, number)))

    def is_quiet(self) -> bool:
        """Nothing is asked for or under way."""
        number = self.posting.id
        return not self.store.read(lambda open_: orders.of_posting(open_, number, orders.ASKED, orders.SENT))

    def _orders(self) -> list[tuple[str, str, str]]:
        number = self.posting.id
        found = self.store.read(lambda open_: orders.of_posting(open_, number))
        return [(one.verb, one.state, one.problem) for one in found]

    def is_complete(self) -> bool:
        found = self.store.read(lambda open_: progress_of(open_, find_campaign(open_, self.name)))
        return found.labels_done >= found.labels_wanted

    def books(self) -> Reconciled:
        return reconcile(self.store, self.name)

    def visitor(self, number: int) -> Visitor:
        return Visitor(self.there, f"A{number}WORKER" if isinstance(self.there, MTurkStandIn) else f"{number:024x}")

    def pay_bonuses(self) -> None:
        platform = open_platform(self.posting.platform, live=True)
        plan = self.store.read(lambda connection: decisions.bonus_plan(connection, self.name, platform))
        assert plan.dues
        decisions.pay_bonuses(self.store, self.name, author="test", confirm=plan.total)


@contextmanager
def scene(
    database: str, there: Platform, name: str, planned: dict[tuple[str, Moment], int], patch: pytest.MonkeyPatch
) -> Iterator[Scene]:
    store = open_store(database)
    with served(there) as address:
        for key, value in {**keys_to("", there, address), "GOLDMARK_REHEARSAL_PACE": PACE}.items():
            patch.setenv(key, value)
        server = Server(database, 1)  # knows the environment of when it is made, so the platform's keys come first
        killer = Killer(server, planned)
        made = Scene(store, there, server, killer, name)
        server.start()
        there.watch = killer
        try:
            yield made
        finally:
            there.watch = lambda operation, moment: None
            server.kill()
            open_platform("mturk" if isinstance(there, MTurkStandIn) else "prolific", live=True).close_connections()
            store.close()


def charged(there: Platform) -> int:
    return 1_000_000 - (int(there.balance * 100) if isinstance(there, MTurkStandIn) else there.balance)


def rate(scene: Scene, token: str, most: int = 1_000, seconds: float = 60.0) -> int:
    """Somebody answers what they get, up to so many units."""
    following = scene.call("POST", "/work/next", {}, token)
    done = 0
    while following["assignment"] and done < most:
        held = following["assignment"]
        body = {"answers": {"correct": "agree"}, "client_key": f"answer-{held['id']:08}", "seconds_active": seconds}
        following = scene.call("POST", f"/work/assignments/{held['id']}/responses", body, token)["next"]
        done += 1
    return done


def test_a_round_on_mechanical_turk(sqlite_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = MTurkStandIn()
    planned: dict[tuple[str, Moment], int] = {
        ("CreateHITWithHITType", "after"): 1,
        ("ApproveAssignment", "after"): 2,
        ("ApproveAssignment", "before"): 4,
        ("SendBonus", "after"): 1,
    }
    human = {
        "start": "approval",
        "batch": {"size": 2, "per_person": 1},
        "pay": {"per_unit": 0.5, "target_hourly": 60.0},
        "recruit": {
            "platform": "mturk",
            "live": True,
            "start": "with the campaign",
            "budget": 40,
            "approve": {"after_hours": 0},
        },
    }
    with scene(sqlite_database, there, "questions-round-1", planned, monkeypatch) as stage:
        store = stage.store
        boards.make_board(store, tmp_path, boards.items(20), human=human)
        sent = boards.send(store, "alder", boards.outputs(20), now=datetime.now(UTC))
        # From here on the clock opens the round, and the round is put on offer by itself.
        approve(store, boards.NAME, sent.id, who=Actor("operator", None, True), now=datetime.now(UTC))
        deadline = time.monotonic() + PATIENCE
        while "questions-round-1" not in _campaigns(store):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        stage.until(lambda: stage.has_posting() and stage.posting.state == "open" and stage.is_quiet(), "not published")
        assert sorted(one.places for one in there.hits.values()) == [1, 9], "ten places, and no hit twice"

        dropped, slow = stage.visitor(100), stage.visitor(101)
        for one in (dropped, slow):
            stage.stubborn(one.enter)
            rate(stage, one.token, most=1)
        dropped.give_back()
        there.pass_time(hours=2)  # the slow one's time runs out
        number = 0
        while not stage.is_complete():
            assert number < 40
            visitor = stage.visitor(number)
            number += 1
            if visitor.place is None:
                stage.until(lambda: bool(there.open_hits("A999WORKER")) or stage.is_complete(), "no place is free")
                continue
            stage.stubborn(visitor.enter)
            rate(stage, visitor.token, seconds=90.0)  # two units of 90 s at 60.00 an hour: worth 3.00, paid 1.00
            stage.stubborn(lambda visitor=visitor: visitor.hand_in(stage.base))  # type: ignore[misc]
        stage.until(lambda: stage.states()["approved"] == 10 and stage.is_quiet(), "not everybody was paid")
        assert set(stage.states()) <= {"approved", "returned", "timed out"}

        assert [one.what for one in tick(store, datetime.now(UTC))] == ["scored"]
        stage.until(lambda: stage.posting.state == CLOSED and stage.is_quiet(), "it was not taken away")
        stage.pay_bonuses()
        stage.until(lambda: stage.is_quiet(), "bonuses were not paid")

        assert stage.killer.kills == len(planned)
        assert sum(one.state == "Approved" for one in there.assignments.values()) == 10
        assert Counter(one.assignment for one in there.bonuses).most_common(1)[0][1] == 1, "nobody twice"
        assert len(there.bonuses) == 10
        assert sum(one.places for one in there.hits.values()) == 10, "places that were given back were used again"
        books = stage.books()
        assert books.agrees
        assert books.spent.total == charged(there) <= 4_000
        assert (books.spent.rewards, books.spent.bonuses) == (1_000, 2_000)
        facts = store.read(lambda open_: find_round(open_, find_board(open_, boards.NAME), 1)).facts
        assert (facts["labels"], facts["cost"]) == (20, 12.0), "the round knows what it really cost, with fees"


def _campaigns(store: Store) -> list[str]:
    return [row.name for row in store.read(list_campaigns)]


def test_a_study_on_prolific(sqlite_database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    there = ProlificStandIn()
    planned: dict[tuple[str, Moment], int] = {
        ("POST /studies/", "after"): 1,
        ("POST /studies/ID/transition/", "after"): 1,
        ("POST /submissions/ID/transition/", "after"): 1,
        ("POST /submissions/ID/transition/", "before"): 4,
        ("POST /bulk-bonus-payments/ID/pay/", "after"): 1,
    }
    made = changed(
        HUMANLIKE,
        study="who-wrote-it",
        factors={"domain": ["stories"], "model": ["newer"], "training": ["none", "instructions"]},
        cells=None,
        training={"factor": "training", "kits": {"none": "none", "instructions": "instructions"}},
        participants=2,
        tests=[{"compare": "training", "to": "none"}],
        tables=[],
        pay={"currency": "USD", "each": 2.0, "minutes": 10},
        recruit={
            "platform": "prolific",
            "live": True,
            "start": "with the campaign",
            "budget": 30,
            "approve": {"after_hours": 0},
        },
    )
    units = tuple(
        unit for unit in made.units if unit.hidden["domain"] == "stories" and unit.hidden["writer"] != "older"
    )
    made = replace(made, units=units)
    truth = {unit.shown.texts["text"].text.characters: unit.hidden.get("writer") != "human" for unit in units}
    rng = np.random.default_rng(4)

    def take_part(stage: Scene, visitor: Visitor, most: int | None = None) -> None:
        stage.stubborn(visitor.enter)
        work_through(stage.call, visitor.token, guesser(truth, 0.7, rng), stop_after=most, seconds=180.0)

    with scene(sqlite_database, there, "who-wrote-it", planned, monkeypatch) as stage:
        links = SignedLinks(signing_key(sqlite_database))
        create_study(stage.store, links, made, author="test")
        begin.move(stage.store, "who-wrote-it", "started", author="test")
        stage.until(lambda: stage.posting.state == "open" and stage.is_quiet(), "not published")
        (study,) = there.studies.values()
        assert (study.status, study.given["total_available_places"], study.given["reward"]) == ("ACTIVE", 4, 200)

        dropped, slow = stage.visitor(100), stage.visitor(101)
        take_part(stage, dropped, most=2)
        take_part(stage, slow, most=1)
        dropped.give_back()
        there.pass_time(hours=2)
        stage.until(lambda: stage.states()["returned"] == 1 and stage.states()["timed out"] == 1, "not noticed")
        number = 0
        while stage.states()["approved"] < 4:
            assert number < 20
            visitor = stage.visitor(number)
            number += 1
            if visitor.place is not None:
                take_part(stage, visitor)  # five texts of three minutes at 12.00 an hour: worth 3.00, paid 2.00
                stage.stubborn(lambda visitor=visitor: visitor.hand_in(stage.base))  # type: ignore[misc]
                continue
            stage.until(
                lambda: stage.states()["approved"] == 4 or bool(there.open_studies("e" * 24)), "no place is free"
            )
        begin.move(stage.store, "who-wrote-it", "closed", author="test")
        stage.until(lambda: stage.posting.state == CLOSED and stage.is_quiet(), "it was not taken away")
        stage.pay_bonuses()
        stage.until(lambda: stage.killer.kills == len(planned), "no kill at the payment")
        there.pass_time(minutes=5)  # Prolific pays a little later
        stage.until(lambda: stage.is_quiet(), "bonuses were not paid")
        there.pass_time(minutes=5)
        stage.until(lambda: stage.books().agrees, "the books differ")

        people = list(there.submissions.values())
        assert Counter(one.status for one in people) == {"APPROVED": 4, "RETURNED": 1, "TIMED-OUT": 1}
        assert sorted(len(one.bonuses) for one in people) == [0, 0, 1, 1, 1, 1], "everybody once"
        books = stage.books()
        assert books.spent.total == charged(there) <= 3_000
        assert (books.spent.rewards, books.spent.bonuses) == (800, 400)
        found = stage.store.read(lambda open_: progress_of(open_, find_campaign(open_, "who-wrote-it")))
        assert found.labels_done == 20, "five texts of each of four people, and of nobody else"
