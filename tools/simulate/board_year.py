"""A year of a leaderboard through the real server: teams submit, people judge over HTTP, some answer at random.

Every month teams send systems of known quality through the API with tokens of their own. People come back month after
month; one in five never reads, answers at random, and tries to know test questions by what anybody can see: a text
that came before, a text that also stands beside it, its length, the size of the reply and how long it took. What they
think a test question is, they read after all. Who is excluded is replaced by somebody new, who may be like that again.

`year` runs on a real server. `quick_year` asks the same services without HTTP in between, so that many years can be
had; times and sizes of replies mean nothing there.

A rating is quality + the item's difficulty + the person's taste + chance, cut to five points, so the truth of a system
is known (`community.truth_of`).
"""

from __future__ import annotations

import io
import json
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, select

from goldmark.accounts.roles import Role
from goldmark.campaigns.assignments.responses import Submission
from goldmark.campaigns.definition.uploads import Uploaded
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.leaderboards.definition.actor import Actor
from goldmark.leaderboards.definition.boards import BoardRow, chosen_names, create_board, find_board
from goldmark.leaderboards.definition.file import board_from_files
from goldmark.leaderboards.human.money import planned_cost
from goldmark.leaderboards.human.readiness import look_once_more
from goldmark.leaderboards.human.rounds import rounds_of
from goldmark.leaderboards.human.scheduling.scheduler import tick
from goldmark.leaderboards.scores.standings import Standing, standings
from goldmark.leaderboards.submitted.submit import SystemDescription, submit
from goldmark.notebook.boards import RemoteLeaderboard
from goldmark.notebook.transport import Transport
from goldmark.people.annotators import invite
from goldmark.people.exclusions import exclude
from goldmark.store.engine import SqliteStore
from goldmark.store.tables import annotator, unit
from goldmark.store.writer import GroupWriter
from goldmark.web.runtime.rehearsal_server import RehearsalServer, forgotten_database, stage
from goldmark.web.services import Services
from tools.simulate.community import Community, truth_of

BOARD, AXIS = "year", "correct"
LIKERT = ("strongly_disagree", "disagree", "neutral", "agree", "strongly_agree")
SLIP = 0.03  # how often a careful person misreads a test question
WORDS = ("river", "garden", "engine", "market", "winter", "letter", "captain", "bridge", "orchard", "signal")


@dataclass(frozen=True)
class Year:
    """How many of everything."""

    months: int = 12
    systems: int = 2  # submitted each month
    people: int = 15
    at_random: float = 0.2
    judged: int = 60
    spare: int = 440  # eleven turns of forty
    labels: int = 2
    rate: float = 0.1  # of each sign of test questions
    price: float = 0.1
    taste: float = 0.06
    difficulty: float = 0.15
    chance: float = 0.2


class Seen(NamedTuple):
    """What anybody can see and time of a unit, and whether it was a test question."""

    seconds: float
    size: int
    length: int
    again: int  # how often the text came before, to any of those who share what they saw
    beside: bool  # whether it stands in the context as well
    test: bool


@dataclass
class Person:
    name: str
    spams: bool
    taste: float
    answered: int = 0


@dataclass
class Result:
    """What the board says after a year, and what is true."""

    truth: dict[str, float]
    rows: list[Standing]
    careful: int
    careful_excluded: int
    noisy: int
    noisy_excluded: int
    cost_planned: float
    cost: float
    seen: list[Seen] = field(default_factory=list)
    here: dict[str, float] = field(default_factory=dict)  # what those who judged would say of these items on average

    @property
    def drawn_apart(self) -> float:
        """How far the year's items and people lie from all there could be: its intervals miss together."""
        return float(np.mean([self.here[name] - truth for name, truth in self.truth.items()]))

    @property
    def unexplained(self) -> float:
        """How far scores lie from what careful people say of these items: chance of single labels, if all is well."""
        found = [one.scores[AXIS].value for one in self.rows]
        there = [self.here[one.submission.system] for one in self.rows]
        return float(np.mean([score - said for score, said in zip(found, there, strict=True) if score is not None]))

    @property
    def covered(self) -> int:
        """Systems whose interval holds the truth."""
        scores = ((self.truth[one.submission.system], one.scores[AXIS]) for one in self.rows)
        return sum(
            one.low is not None and one.high is not None and one.low <= truth <= one.high for truth, one in scores
        )

    @property
    def ranks_held(self) -> int:
        """Systems whose true rank is among those that remain possible."""
        better = {name: 1 + sum(other > truth for other in self.truth.values()) for name, truth in self.truth.items()}
        held = 0
        for one in self.rows:
            held += bool(one.best and one.worst and one.best <= better[one.submission.system] <= one.worst)
        return held

    def said(self) -> str:
        """What became of people and money, in a line."""
        out = (
            f"{self.noisy_excluded} of {self.noisy} at random and {self.careful_excluded} of {self.careful} careful out"
        )
        return f"{out}, cost {self.cost / self.cost_planned:.3f} of plan, seen before {self.recognised()['again']:.3f}"

    def recognised(self) -> dict[str, float]:
        """The area under the curve of each thing that could tell a test question: 0.5 tells nothing."""
        from scipy.stats import rankdata

        test = np.array([one.test for one in self.seen])
        found = {}
        for name in ("seconds", "size", "length", "again", "beside"):
            ranks = rankdata([float(getattr(one, name)) for one in self.seen])
            n = int(test.sum())
            found[name] = float((ranks[test].sum() - n * (n + 1) / 2) / (n * (len(test) - n)))
        return found


def year(plan: Year, rng: np.random.Generator) -> Result:
    """Run a year on a server of its own."""
    with stage() as place:
        return _Run(plan, rng, place).all_months()


def quick_year(plan: Year, rng: np.random.Generator) -> Result:
    """Run a year with the same services and a database of its own, but no server."""
    with desk() as place:
        return _Run(plan, rng, place).all_months()


@contextmanager
def desk() -> Iterator[RehearsalServer]:
    """What a server does with a request for work and with an answer, without the request."""
    with forgotten_database() as address:
        services = Services.open(address)
        if isinstance(services.store, SqliteStore):
            services.store._writer = _AtOnce(services.store.engine(), services.store._log)

        def ask(method: str, path: str, token: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
            if path == "/work/next":
                given = services.work.next(token).task
                if given is None:
                    return {"assignment": None}
                return {"assignment": {"id": given.id, "unit": json.loads(services.content.shown_json(given.unit_id))}}
            sent = Submission(body["answers"], body["client_key"], None, body["seconds_active"])
            services.responses.submit(token, int(path.split("/")[3]), sent)
            return {}

        try:
            yield RehearsalServer(services, ask, "")
        finally:
            services.close()


class _AtOnce(GroupWriter):
    """Writes in the thread that asks: there is only one, and every change of threads takes longer than its write."""

    def submit(self, work: Callable[[Connection], Any]) -> Future[Any]:
        done: Future[Any] = Future()
        [(result, failure)] = self._write([(work, done)])
        if failure is None:
            done.set_result(result)
        else:
            done.set_exception(failure)
        self._log.look()
        return done


class _Run:
    def __init__(self, plan: Year, rng: np.random.Generator, place: RehearsalServer) -> None:
        self.plan, self.rng, self.place = plan, rng, place
        self.store = place.services.store
        self.names = [f"item-{number:03}" for number in range(plan.judged + plan.spare)]
        self.difficulty = dict(zip(self.names, rng.normal(0, plan.difficulty, len(self.names)), strict=True))
        self.quality: dict[str, float] = {}
        self.people: list[Person] = []
        self.texts: Counter[str] = Counter()
        self.seen: list[Seen] = []
        self.gone: list[Person] = []
        self.latent: dict[str, float] = {}  # what those who read find in a text
        self.wrote: dict[str, str] = {}  # the system whose output it is
        self.judged: Counter[tuple[str, str]] = Counter()  # labels of a system by a person

    def all_months(self) -> Result:
        self._board()
        self._hire()
        now = datetime.now(UTC)  # the server's own clock stands still, but for what is done each month
        for month in range(self.plan.months):
            self._submit(month)
            now = datetime.now(UTC) + timedelta(days=30 * month)
            self._judge(now)
        self._judge(now + timedelta(days=30))  # what somebody's exclusion opened again at the end
        return self._result()

    def _board(self) -> None:
        plan = self.plan
        items = [
            {"id": name, "context": {"Question": f"Question {name}?"}, "references": [self._written(name, "reference")]}
            for name in self.names
        ]
        settings = {
            "leaderboard": BOARD,
            "protocol": "rating-qa",
            "data": "items.jsonl",
            "public": True,
            "subset": {"size": plan.judged, "seed": int(self.rng.integers(2**31))},
            "submit": {"results": "when scored"},
            "human": {
                "start": "automatic",
                "together": plan.systems,
                "labels_per_unit": plan.labels,
                "test_questions": {"positive": plan.rate, "negative": plan.rate},
                "pay": {"per_unit": plan.price},
            },
        }
        lines = "\n".join(json.dumps(row) for row in items)
        files = [
            Uploaded("leaderboard.yaml", io.BytesIO(json.dumps(settings).encode())),
            Uploaded("items.jsonl", io.BytesIO(lines.encode())),
        ]
        create_board(self.store, board_from_files(files), author="owner")

    def _written(self, item: str, by: str) -> str:
        """A text that says neither who wrote it nor what it is."""
        number = zlib.crc32(f"{item} {by}".encode())
        return f"{' '.join(WORDS[int(digit)] for digit in f'{number:08}'[:8])} {number % 10**6:06}"

    def _hire(self) -> None:
        while len(self.people) < self.plan.people:
            at_random = [one.spams for one in self.people].count(True) < round(self.plan.at_random * self.plan.people)
            number = len(self.people) + 1
            self.people.append(Person(f"person {number}", at_random, float(self.rng.normal(0, self.plan.taste))))

    def _submit(self, month: int) -> None:
        """Teams send their systems through the API, each with a token of its own."""
        accounts = self.place.services.accounts
        for number in range(self.plan.systems):
            name = f"System {1 + month * self.plan.systems + number}"
            self.quality[name] = float(self.rng.uniform(0.3, 0.9))
            account = accounts.create(f"team {name}", Role.ANNOTATOR, None, author="owner")
            outputs = [{"id": item, "output": self._written(item, name)} for item in self.names]
            for row in outputs:
                self.wrote[row["output"]] = name
                self.latent[row["output"]] = self.quality[name] + self.difficulty[row["id"]]
            if not self.place.address:
                self._send(name, outputs, account.id)
                continue
            board = RemoteLeaderboard(Transport(self.place.address, accounts.new_token(account.id, "x")[1]), BOARD)
            board.submit(name, outputs, team=f"Team {name}")

    def _send(self, name: str, outputs: list[dict[str, str]], account: int) -> None:
        file = io.BytesIO("\n".join(map(json.dumps, outputs)).encode())
        who = Actor(f"team {name}", account)
        submit(self.store, BOARD, SystemDescription(name, f"Team {name}"), file, "outputs.jsonl", who=who)

    def _judge(self, now: datetime) -> None:
        """Let people work until the clock has nothing to wait for: rounds open, are filled, reopened, scored."""
        for _ in range(60):
            tick(self.store, now)
            campaigns = self._open_campaigns()
            if not campaigns:
                return
            if not sum(self._work(campaign) for campaign in campaigns):
                for campaign in campaigns:
                    self._decide(campaign)
                self._replace()
        raise RuntimeError("a round never came to its end")

    def _decide(self, campaign: str) -> None:
        """The owner follows the flag of those for whom the rule wants more test questions than they have had."""
        row = self.store.read(lambda connection: find_campaign(connection, campaign))
        for name in look_once_more(self.store, row).undecided:
            exclude(self.store, campaign, name, author="owner", reason="flagged as noisy")

    def _open_campaigns(self) -> list[str]:
        found = self.store.read(lambda connection: rounds_of(connection, find_board(connection, BOARD)))
        return [
            one.campaign for one in found if one.state == "open" and one.campaign and one.campaign_state == "running"
        ]

    def _work(self, campaign: str) -> int:
        """Everybody in turns, so that all share the work."""
        tokens = {
            person.name: invite(self.store, self.place.services.links, campaign, person.name, author="owner")[1]
            for person in self.people
        }
        tests = self._tests_of(campaign)
        done = 0
        busy = list(self.people)
        while busy:
            for person in list(busy):
                started = time.perf_counter()
                reply = self.place.ask("POST", "/work/next", tokens[person.name], {})
                seconds = time.perf_counter() - started
                if reply.get("assignment") is None:
                    busy.remove(person)
                    continue
                self._answer(person, tokens[person.name], reply, seconds, tests)
                done += 1
        return done

    def _answer(
        self, person: Person, token: str, reply: Mapping[str, Any], seconds: float, tests: Mapping[str, str]
    ) -> None:
        assignment = reply["assignment"]
        text = str(assignment["unit"]["texts"]["text"]["characters"])
        context = json.dumps(assignment["unit"]["context"])
        sign = tests.get(f"{text}|{context}", "")
        seen = Seen(seconds, len(json.dumps(reply)), len(text), self.texts[text], text in context, bool(sign))
        self.seen.append(seen)
        self.texts[text] += 1
        suspects = seen.again > self.plan.labels or seen.beside
        point = int(self.rng.integers(0, 5)) if person.spams and not suspects else self._read(person, text, sign)
        body = {
            "answers": {AXIS: LIKERT[point]},
            "client_key": f"{person.name.replace(' ', '-')}-{person.answered:06d}",
            "seconds_active": 20.0,
        }
        self.place.ask("POST", f"/work/assignments/{assignment['id']}/responses", token, body)
        person.answered += 1
        if not sign:
            self.judged[self.wrote[text], person.name] += 1

    def _read(self, person: Person, text: str, sign: str) -> int:
        if sign:
            right = self.rng.random() >= SLIP
            return int(self.rng.integers(3, 5) if right == (sign == "positive") else self.rng.integers(0, 2))
        latent = self.latent[text] + person.taste + self.rng.normal(0, self.plan.chance)
        return int(np.clip(np.rint(4 * latent), 0, 4))

    def _tests_of(self, campaign: str) -> dict[str, str]:
        """What only those who read know: of which units a reference is the text, and whether it belongs there."""
        number = self.store.read(lambda connection: find_campaign(connection, campaign)).id
        query = select(unit.c.shown, unit.c.stratum).where(unit.c.campaign_id == number, unit.c.stratum != "work")
        found = {}
        for one in self.store.read(lambda connection: connection.execute(query).all()):
            shown = json.loads(one.shown) if isinstance(one.shown, str) else one.shown
            key = f"{shown['texts']['text']['characters']}|{json.dumps(shown['context'])}"
            found[key] = str(one.stratum).removeprefix("test-")
        return found

    def _replace(self) -> None:
        """Somebody new in the place of those who may not work any more."""
        for place, person in enumerate(self.people):
            if self._excluded(person.name):
                spams = bool(self.rng.random() < self.plan.at_random)
                name = f"person {place + 1} after {person.name.count('after') + 1}"
                self.people[place] = Person(name, spams, float(self.rng.normal(0, self.plan.taste)))
                self.gone.append(person)

    def _excluded(self, name: str) -> bool:
        """An exclusion holds in all rounds; this server has no other campaigns."""
        query = select(annotator.c.id).where(annotator.c.name == name, annotator.c.state == "excluded").limit(1)
        return self.store.read(lambda connection: connection.execute(query).first()) is not None

    def _result(self) -> Result:
        board = self.store.read(lambda connection: find_board(connection, BOARD))
        rows = self.store.read(lambda connection: standings(connection, board, AXIS))
        rounds = self.store.read(lambda connection: rounds_of(connection, board))
        community = Community(
            qualities=tuple(self.quality.values()),
            difficulty=self.plan.difficulty,
            taste=self.plan.taste,
            chance=self.plan.chance,
        )
        everybody = [*self.people, *self.gone]
        out = {person.name for person in self.gone} | {one.name for one in self.people if self._excluded(one.name)}
        spams = [person for person in everybody if person.spams]
        careful = [person for person in everybody if not person.spams]
        return Result(
            dict(zip(self.quality, truth_of(community).tolist(), strict=True)),
            rows,
            len(careful),
            sum(person.name in out for person in careful),
            len(spams),
            sum(person.name in out for person in spams),
            float(planned_cost(board.settings, len(self.quality), self.plan.judged)),
            float(sum(one.facts.get("cost", 0.0) for one in rounds)),
            self.seen,
            self._here(board, [person for person in careful if person.name not in out]),
        )

    def _here(self, board: BoardRow, people: list[Person]) -> dict[str, float]:
        """The expected rating of each system by these people, as often as each judged it, on the items that count."""
        items = self.store.read(lambda connection: chosen_names(connection, board))
        difficulty = np.array([self.difficulty[name] for name in items])
        taste = np.array([person.taste for person in people])
        found = {}
        for name, quality in self.quality.items():
            latent = quality + difficulty[:, None] + taste[None, :]
            every = Community(tuple(latent.ravel()), difficulty=0, taste=0, chance=self.plan.chance)
            by_person = truth_of(every).reshape(latent.shape).mean(axis=0)
            found[name] = float(np.average(by_person, weights=[self.judged[name, one.name] for one in people]))
        return found
