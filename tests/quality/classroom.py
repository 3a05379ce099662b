"""A campaign whose protocol teaches and tests, and people who go through it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.assignments.work_service import WorkService
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import create, move
from goldmark.people import annotators
from goldmark.protocols import parse
from goldmark.quality.training.service import Feedback, Lesson, LessonAnswer, TrainingService
from goldmark.store import Store
from tests.campaigns.house import unit

TAUGHT = """protocol: taught/1
title: Find the errors
instructions: Mark what is wrong.
taxonomies: {t: [{id: NAME}, {id: NUMBER}]}
steps:
  - id: mark
    questions:
      - {id: errors, kind: spans, labels: {tree: t}}
training:
  lessons:
    - {title: First, instructions: "Read **this**."}
    - examples:
        - text: The Foxes won on Friday.
          expected: {errors: [{quote: Friday, label: NAME, because: KEY-because}]}
          explanation: KEY-explanation
    - comparison:
        ask: Which of the two is longer?
        pairs: [{a: "One.", b: "One and two.", answer: b, explanation: KEY-pair}]
  nothing: []
qualification:
  name: errors-1
  accepts: [errors-0]
  units:
    - {text: The Herons won by nine., expected: {errors: [{quote: nine, label: NUMBER, because: KEY-nine}]}}
    - {text: The Millers lost by two., expected: {errors: [{quote: Millers, label: NAME}]}}
  pass: {spans: {errors: {recall: 0.7}}}
  attempts: 2
  thanks: Thank you **all the same**.
"""


def marks(*places: tuple[int, int, str]) -> dict[str, Any]:
    return {
        "errors": [
            {"id": f"e{number}", "start": start, "end": end, "label": label}
            for number, (start, end, label) in enumerate(places, start=1)
        ]
    }


RIGHT: Mapping[str, dict[str, Any]] = {
    "1": {},
    "2.1": marks((4, 5, "NAME")),
    "3.1": {"pick": "b"},
    "q1": marks((4, 5, "NUMBER")),
    "q2": marks((1, 2, "NAME")),
}


@dataclass
class Classroom:
    store: Store
    links: SignedLinks
    work: WorkService
    training: TrainingService
    name: str = "class"

    @classmethod
    def build(cls, store: Store, source: str = TAUGHT, name: str = "class", **settings: Any) -> Classroom:
        links = SignedLinks(b"a key for tests")
        work = WorkService(store, links, ContentCache(store))
        create(
            store,
            name=name,
            title="Class",
            protocol=parse(source),
            settings=Settings(**settings),
            units=[unit("u1"), unit("u2")],
            author="test",
        )
        move(store, name, "started", author="test")
        return cls(store, links, work, TrainingService(work), name)

    def person(self, name: str = "Ada") -> str:
        return annotators.invite(self.store, self.links, self.name, name, author="test")[1]

    def give(
        self, token: str, item: str, answers: dict[str, Any] | None = None, key: str = ""
    ) -> tuple[Feedback | None, Lesson]:
        given = LessonAnswer(item, RIGHT[item] if answers is None else answers, key or uuid.uuid4().hex, 5.0)
        return self.training.answer(token, given)

    def go_through(self, token: str, until: str = "work", wrong: tuple[str, ...] = ()) -> Lesson:
        """Answer everything rightly, but for some items, until a stage or an ending."""
        lesson = self.training.lesson(token)
        while lesson.item is not None and lesson.stage != until:
            item = lesson.item.id
            answers = marks() if item in wrong else None
            _, lesson = self.give(token, item, answers)
        return lesson
