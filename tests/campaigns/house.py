"""A small campaign to play with: units of a few words, a protocol, people, a clock of one's own."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.assignments.responses import AcceptedResponse, ResponseService, Submission
from goldmark.campaigns.assignments.work_service import AssignedUnit, NextUnit, WorkService
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import create, find_campaign, move
from goldmark.people import annotators
from goldmark.protocols import Protocol, load
from goldmark.records.units import ShownText, ShownUnit, Unit
from goldmark.reviews.review import ReviewRemark, ReviewResult, Verdict, WaitingResponse, judge, queue
from goldmark.store import Store
from goldmark.store.tables import assignment
from goldmark.texts.segmentation.text import make_text

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
    work: WorkService
    responses: ResponseService
    links: SignedLinks

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
        links = SignedLinks(b"a key for tests")
        work = WorkService(store, links, ContentCache(store))
        return cls(store, work, ResponseService(work), links)

    def person(self, name: str) -> str:
        return annotators.invite(self.store, self.links, NAME, name, author="test")[1]

    def next(self, token: str) -> NextUnit:
        return self.work.next(token)

    def task(self, token: str) -> AssignedUnit:
        task = self.next(token).task
        assert task is not None
        return task

    def submit(
        self,
        token: str,
        task: AssignedUnit | int,
        answers: dict[str, Any] | None = None,
        key: str | None = None,
        reply: str = "",
    ) -> tuple[AcceptedResponse, NextUnit]:
        number = task if isinstance(task, int) else task.id
        submission = Submission(
            answers if answers is not None else {"mistakes": []}, key or uuid.uuid4().hex, None, 10.0, reply
        )
        return self.responses.submit(token, number, submission)

    def waiting(self, reviewer: str) -> list[WaitingResponse]:
        """What waits for this reviewer."""
        return self.store.read(lambda connection: list(queue(connection, find_campaign(connection, NAME), reviewer)))

    def judge(
        self,
        number: int,
        verdict: Verdict,
        reviewer: str,
        comment: str = "look again",
        remarks: Sequence[ReviewRemark] = (),
        revision: int | None = None,
    ) -> ReviewResult:
        """Someone judges the newest revision, or the one they name."""
        if revision is None:
            held = select(assignment.c.revision).where(assignment.c.id == number)
            revision = self.store.read(lambda connection: connection.execute(held).scalar_one())
        return judge(
            self.store,
            self.work.content,
            NAME,
            number,
            revision=revision,
            verdict=verdict,
            comment=comment,
            remarks=remarks,
            reviewer=reviewer,
        )
