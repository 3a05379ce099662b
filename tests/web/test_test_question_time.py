"""Nothing that an annotator can time tells a test question: every reply runs the same statements for every unit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, select

from goldmark.campaigns.lifecycle import move
from goldmark.people.annotators import invite
from goldmark.people.invitations import open_campaign
from goldmark.quality.quality_check import QualityCheck
from goldmark.store.engine import SqliteStore
from goldmark.store.tables import assignment, test_answer, unit
from goldmark.web.runtime.deferred_checks import DeferredChecks
from goldmark.web.services import Services
from tests.campaigns.plans import plan_from_parts
from tests.databases import fresh
from tests.web.house import Served, TestClient, one_app

ROWS = [
    {
        "id": f"unit-{number}",
        "item": f"item-{number}",
        "text": f"Answer number {number:02} says so .",
        "context": {"Question": f"Which number is {number:02} ?"},
        "reference": f"Golden number {number:02} says so .",
    }
    for number in range(40)
]
SETTINGS = {
    "campaign": "quiz",
    "protocol": "rating-qa",
    "labels_per_unit": 2,
    "test_questions": {"positive": 0.2, "negative": 0.2, "gold": "reference"},
    "quality": {"rules": [{"when": "noisy", "do": "exclude", "after": 20}]},
    "review": {"required": True, "share": 0.5},
}


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    opened = Services.open(fresh(tmp_path), checks_later=True)
    open_campaign(opened.store, opened.links, plan_from_parts(SETTINGS, rows=ROWS), author="test")
    move(opened.store, "quiz", "started", author="test")
    yield opened
    opened.store.close()


class Statements:
    """What the database is asked, request by request."""

    def __init__(self, services: Services) -> None:
        self.asked: list[str] = []

        def listen(connection: Any, *_: object) -> None:
            connection.set_trace_callback(self.asked.append)

        store = services.store
        assert isinstance(store, SqliteStore)
        for engine in (store.engine(), store._reading):
            event.listen(engine, "checkout", listen)

    def since(self) -> tuple[str, ...]:
        """The statements since the last time, without their values.

        Which part of the ring has work left is the same question for every unit; how often it is asked, is not.
        """
        plain = (re.sub(r"'[^']*'|\b\d+(\.\d+)?\b", "?", one) for one in self.asked if "stratum = 'work'" not in one)
        found = tuple(plain)
        self.asked.clear()
        return found


def _difference(one: tuple[str, ...], other: tuple[str, ...]) -> list[str]:
    return [line for line in unified_diff(one, other, lineterm="", n=0) if line[0] in "+-"]


def is_test(services: Services) -> dict[int, bool]:
    query = select(assignment.c.id, ~unit.c.counts).join(unit, unit.c.id == assignment.c.unit_id)
    return {number: bool(test) for number, test in services.store.read(lambda open_: open_.execute(query).all())}


def test_every_reply_asks_the_database_the_same_for_every_unit(services: Services) -> None:
    # Somebody was here before, so that what others have met is no news to the server.
    for name in ("Ada", "Eve"):
        _, token = invite(services.store, services.links, "quiz", name, author="test")
        client = TestClient(Served(one_app(), services))
        client.headers["Authorization"] = f"Bearer {token}"
        statements = Statements(services)
        seen: dict[str, dict[int, tuple[str, ...]]] = {}
        following = client.post("/api/v1/work/next").json()
        number, done = following["assignment"]["id"], 0
        while done < 20:
            here = f"/api/v1/work/assignments/{number}"
            answer = {"answers": {"correct": "agree"}, "client_key": f"key-{number:06}"}
            statements.since()
            for what, method, path, body in (
                ("resume", "POST", "/api/v1/work/next", None),
                ("look", "GET", here, None),
                ("draft", "PUT", f"{here}/draft", {"answers": {"correct": "agree"}, "version": 0}),
                ("wrong", "POST", f"{here}/responses", {**answer, "answers": {"correct": "maybe"}}),
                ("submit", "POST", f"{here}/responses", answer),
                ("repeat", "POST", f"{here}/responses", answer),
                ("revise", "POST", f"{here}/responses", {**answer, "client_key": f"again-{number:06}"}),
                ("look back", "GET", here, None),
            ):
                reply = client.request(method, path, json=body).json()
                # After every fifth answer the words of rules are looked for, whatever the unit.
                told = f"{what} {(done + (what != 'wrong')) % 5 < 2}" if "next" in reply else what
                seen.setdefault(told, {})[number] = statements.since()
                if what == "submit":
                    following = reply["next"]
            done += 1
            number = following["assignment"]["id"]
    kinds = is_test(services)
    for what, by_unit in seen.items():
        different = set(by_unit.values())
        assert len(different) == 1, (what, _difference(*list(different)[:2]))
    # The unit that a submit brings differs too, and all of them ran the same.
    assert {True, False} == {kinds[number] for number in seen["submit False"]}
    assert {True, False} == {kinds.get(number + 1, False) for number in seen["submit False"]}


def test_a_grade_is_made_after_the_reply_and_a_stopped_server_loses_none(services: Services) -> None:
    _, token = invite(services.store, services.links, "quiz", "Ada", author="test")
    client = TestClient(Served(one_app(), services))
    client.headers["Authorization"] = f"Bearer {token}"
    following = client.post("/api/v1/work/next").json()
    for _ in range(20):
        number = following["assignment"]["id"]
        answer = {"answers": {"correct": "agree"}, "client_key": f"key-{number:06}"}
        following = client.post(f"/api/v1/work/assignments/{number}/responses", json=answer).json()["next"]

    def graded() -> int:
        return len(services.store.read(lambda open_: open_.execute(select(test_answer.c.assignment_id)).all()))

    answered = sum(is_test(services).values())
    answered -= is_test(services)[following["assignment"]["id"]]
    assert answered >= 8
    assert graded() == 0, "no reply waits for a grade"
    # The server is stopped here: its notes are gone. Another one finds what is to be graded in the answers.
    another = DeferredChecks(QualityCheck(services.store, services.content))
    another.start()
    another.stop()
    assert graded() == answered


def test_how_many_units_there_are_does_not_count_test_questions(services: Services) -> None:
    _, token = invite(services.store, services.links, "quiz", "Ada", author="test")
    client = TestClient(Served(one_app(), services), headers={"Authorization": f"Bearer {token}"})
    assert client.get("/api/v1/work").json()["campaign"]["units"] == len(ROWS)
