"""A small campaign to play with: units of a few words, a protocol, people, a clock of one's own."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from goldmark.campaigns import people
from goldmark.campaigns.answers import Accepted, AnswerDesk, Submission
from goldmark.campaigns.library import Library
from goldmark.campaigns.lifecycle import create, find_campaign, move
from goldmark.campaigns.reviewing import Remark, ReviewResult, Verdict, Waiting, judge, queue
from goldmark.campaigns.settings import Settings
from goldmark.campaigns.work import Next, Task, Workbench
from goldmark.connectors.links import Links
from goldmark.protocols import Protocol, load
from goldmark.records.units import ShownText, ShownUnit, Unit
from goldmark.store import Store
from goldmark.store.tables import assignment
from goldmark.texts.making import make_text

NAME = "small"


def unit(name: str, words: str = "The Foxes won on Friday night .", **hidden: object) -> Unit:
    return Unit(name, ShownUnit({"text": ShownText(make_text(name, words))}), hidden)


def pair(name: str, a: str = "The Foxes won .", b: str = "The Foxes lost on Friday .", **hidden: object) -> Unit:
    """Two texts to compare."""
    texts = {role: ShownText(make_text(f"{name}/{role}", words)) for role, words in (("a", a), ("b", b))}
    return Unit(name, ShownUnit(texts), hidden)


@dataclass
class House:
    """A running campaign, seen from the annotators' side."""

    store: Store
    bench: Workbench
    desk: AnswerDesk
    links: Links

    @classmethod
    def build(
        cls, store: Store, units: int | Sequence[Unit] = 3, protocol: str | Protocol = "accuracy", **settings: Any
    ) -> House:
        house = cls.over(store)
        made = [unit(f"u{number}") for number in range(units)] if isinstance(units, int) else units
        create(
            store,
            name=NAME,
            title="Small",
            protocol=load(protocol) if isinstance(protocol, str) else protocol,
            settings=Settings(**settings),
            units=made,
            author="test",
        )
        move(store, NAME, "started", author="test")
        return house

    @classmethod
    def over(cls, store: Store) -> House:
        """What another server process would have: the same database and key, and nothing remembered."""
        links = Links(b"a key for tests")
        bench = Workbench(store, links, Library(store))
        return cls(store, bench, AnswerDesk(bench), links)

    def person(self, name: str) -> str:
        return people.invite(self.store, self.links, NAME, name, author="test")[1]

    def next(self, token: str) -> Next:
        return self.bench.next(token)

    def task(self, token: str) -> Task:
        task = self.next(token).task
        assert task is not None
        return task

    def submit(
        self, token: str, task: Task | int, answers: dict[str, Any] | None = None, key: str | None = None
    ) -> tuple[Accepted, Next]:
        number = task if isinstance(task, int) else task.id
        submission = Submission(
            answers if answers is not None else {"mistakes": []}, key or uuid.uuid4().hex, None, 10.0
        )
        return self.desk.submit(token, number, submission)

    def waiting(self, reviewer: str) -> list[Waiting]:
        """What waits for this reviewer."""
        return self.store.read(lambda connection: list(queue(connection, find_campaign(connection, NAME), reviewer)))

    def judge(
        self,
        number: int,
        verdict: Verdict,
        reviewer: str,
        comment: str = "look again",
        remarks: Sequence[Remark] = (),
        revision: int | None = None,
    ) -> ReviewResult:
        """Someone judges the newest revision, or the one they name."""
        if revision is None:
            held = select(assignment.c.revision).where(assignment.c.id == number)
            revision = self.store.read(lambda connection: connection.execute(held).scalar_one())
        return judge(
            self.store,
            self.bench.library,
            NAME,
            number,
            revision=revision,
            verdict=verdict,
            comment=comment,
            remarks=remarks,
            reviewer=reviewer,
        )
