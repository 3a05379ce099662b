"""Lessons over HTTP: the whole way to work, no key before its answer, and what managers see and decide."""

from __future__ import annotations

from typing import Any

import pytest

from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import create, move
from goldmark.people import annotators
from goldmark.protocols import parse
from tests.campaigns.house import unit
from tests.quality.classroom import RIGHT, TAUGHT, marks
from tests.web.house import House

REVIEWED = TAUGHT.replace("  attempts: 2", "  attempts: 2\n  decide: reviewer")


class Learner:
    """A program that learns; it keeps every byte that it received."""

    def __init__(self, house: House, token: str) -> None:
        self.client = house.client(headers={"authorization": f"Bearer {token}"})
        self.page = house.client().get(f"/a/{token}").content
        self.seen: list[bytes] = [self.page]
        self.count = 0

    def post(self, path: str, body: Any = None, status: int = 200) -> Any:
        reply = self.client.post(f"/api/v1/work{path}", json=body or {})
        assert reply.status_code == status, reply.text
        self.seen.append(reply.content)
        return reply.json()

    def get(self, path: str) -> Any:
        reply = self.client.get(f"/api/v1/work{path}")
        self.seen.append(reply.content)
        return reply.json()

    def answer(self, item: str, answers: Any = None) -> Any:
        self.count += 1
        given = RIGHT[item] if answers is None else answers
        return self.post("/lesson/answers", {"item": item, "answers": given, "client_key": f"key-{self.count:08}"})

    def received(self, word: str) -> bool:
        return any(word.encode() in one for one in self.seen)


@pytest.fixture
def learners(house: House) -> dict[str, Learner]:
    """Ada in a campaign that a rule decides, Bo in one that a reviewer decides."""
    services = house.services
    made = {}
    for name, campaign, source in (("Ada", "rule", TAUGHT), ("Bo", "reviewed", REVIEWED)):
        create(
            services.store,
            name=campaign,
            title="Class",
            protocol=parse(source),
            settings=Settings(),
            units=[unit("u1")],
            author="test",
        )
        move(services.store, campaign, "started", author="test")
        made[name] = Learner(house, annotators.invite(services.store, services.links, campaign, name, author="test")[1])
    return made


def test_no_byte_holds_a_key_before_it_was_answered(learners: dict[str, Learner]) -> None:
    ada = learners["Ada"]
    ada.get("")
    assert ada.post("/next")["finished"]["why"] == "learn"
    assert ada.post("/lesson")["item"]["html"] == "<p>Read <strong>this</strong>.</p>\n"
    example = ada.answer("1")["lesson"]["item"]
    assert not ada.received("KEY-")
    assert not ada.received("Herons")  # nor the texts of the test
    # The whole item: neither key nor explanation has a place in it.
    assert set(example) == {"id", "title", "html", "unit", "protocol"}
    assert set(example["unit"]) == {"texts", "context"}
    feedback = ada.answer("2.1", marks())["feedback"]
    assert feedback["explanation_html"] == "<p>KEY-explanation</p>\n"
    assert "KEY-because" in feedback["grade"]["parts"][0]["marks"][0]["sentence"]
    assert not ada.received("KEY-pair")
    pair = ada.post("/lesson")["item"]
    assert pair["protocol"]["steps"][0]["questions"][0]["options"][1]["id"] == "b"
    assert "answer" not in pair
    ada.answer("3.1")
    ada.answer("q1", marks())
    assert not ada.received("KEY-nine")
    ending = ada.answer("q2")["lesson"]
    assert ending["stage"] == "failed"
    assert ada.received("KEY-nine")  # this protocol tells those who failed what they missed


def test_failing_trying_again_and_working(learners: dict[str, Learner]) -> None:
    ada = learners["Ada"]
    for item in ("1", "2.1", "3.1", "q1"):
        ada.answer(item, marks() if item == "q1" else None)
    result = ada.answer("q2")["lesson"]["result"]
    assert (result["may_retry"], [row["met"] for row in result["rows"] if row["needed"]]) == (True, [False])
    assert ada.post("/next")["finished"]["why"] == "failed"
    assert ada.post("/lesson/again")["stage"] == "learn"
    for item in ("1", "2.1", "3.1", "q1", "q2"):
        reply = ada.answer(item)
    assert reply["lesson"]["stage"] == "work"
    assert ada.post("/next")["assignment"] is not None
    ada.post("/lesson/again")  # the training once more
    assert ada.post("/next")["finished"]["why"] == "learn"
    assert ada.post("/lesson/leave")["stage"] == "work"


def test_what_is_wrong_with_an_answer_is_told_beside_its_question(learners: dict[str, Learner]) -> None:
    ada = learners["Ada"]
    ada.answer("1")
    body = {"item": "2.1", "answers": marks((3, 300, "NAME")), "client_key": "a-key-of-mine"}
    refused = ada.post("/lesson/answers", body, status=422)
    assert refused["problems"][0]["where"] == "errors"
    assert ada.post("/lesson/answers", {**body, "item": "3.1"}, status=409)["code"] == "LEARN-02"


def test_a_reviewer_sees_everything_and_decides(house: House, learners: dict[str, Learner]) -> None:
    bo = learners["Bo"]
    for item in ("1", "2.1", "3.1", "q1", "q2"):
        bo.answer(item, marks() if item == "q1" else None)
    assert bo.post("/lesson")["stage"] == "awaiting"
    curator = house.program("curator")
    (listed,) = curator.get("/api/v1/campaigns/reviewed/training").json()["learners"]
    assert listed["stage"] == "awaiting"
    address = f"/api/v1/campaigns/reviewed/training/{listed['id']}"
    full = curator.get(address).json()
    assert [(one["item"], one["grade"]["right"]) for one in full["answers"]] == [
        ("2.1", True),
        ("3.1", True),
        ("q1", False),
        ("q2", True),
    ]
    assert full["answers"][2]["expected"]["errors"][0]["label"] == "NUMBER"
    assert curator.post(f"{address}/decision", json={"passed": True, "reason": " "}).json()["code"] == "LEARN-06"
    decided = curator.post(f"{address}/decision", json={"passed": True, "reason": "Good enough."}).json()
    assert decided["stage"] == "work"
    assert bo.post("/next")["assignment"] is not None
    events = curator.get("/api/v1/campaigns/reviewed/events").json()["events"]
    assert (events[0]["kind"], events[0]["author"], events[0]["reason"]) == (
        "qualification passed",
        "curator",
        "Good enough.",
    )


def test_the_managers_pages(house: House, learners: dict[str, Learner]) -> None:
    bo, browser = learners["Bo"], house.browser("curator")
    assert "Nobody" not in browser.get("/campaigns/reviewed/training").text
    for item in ("1", "2.1", "3.1", "q1", "q2"):
        bo.answer(item, marks() if item == "q1" else None)
    page = browser.get("/campaigns/reviewed/training").text
    assert "waits for your decision" in page
    assert "Passages found" in page
    number = house.program("curator").get("/api/v1/campaigns/reviewed/training").json()["learners"][0]["id"]
    address = f"/campaigns/reviewed/training/{number}"
    page = browser.get(address).text
    assert "KEY-nine" in page
    assert browser.post(address, {"passed": "yes", "reason": ""}).status_code == 422
    assert browser.post(address, {"passed": "no", "reason": "Too coarse."}).status_code == 303
    assert "Too coarse." in browser.get(address).text
    assert "has no training" in browser.get("/campaigns/zoo/training").text
