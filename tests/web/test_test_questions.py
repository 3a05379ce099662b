"""Test questions: nothing that an annotator receives tells them from other units, and managers see all of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Connection, select

from goldmark.campaigns.lifecycle import find_campaign, move
from goldmark.people.annotators import invite
from goldmark.people.invitations import open_campaign
from goldmark.store.tables import assignment, unit
from goldmark.web.services import Services
from tests.campaigns.plans import plan_from_parts
from tests.web.house import House, Served, TestClient, one_app

# Equally long, so that nothing but these very words can differ between two units.
ROWS = [
    {
        "id": f"unit-{number}",
        "item": f"item-{number}",
        "system": "alder",
        "text": f"Answer number {number:02} says so .",
        "context": {"Question": f"Which number is {number:02} ?", "Source": f"https://example.org/{number:02}"},
        "reference": f"Golden number {number:02} says so .",
        "language": "en",
    }
    for number in range(40)
]
WORDS = re.compile(rb"(Answer|Golden) number \d\d says so \.|Which number is \d\d|example\.org/\d\d")
VARIES = (
    (re.compile(rb'"(id|assignment)":\d+'), rb'"id":0'),
    (re.compile(rb'"(lease_until|saved_at|finished_at)":"[^"]*"'), rb'"time":""'),
    (re.compile(rb'"(done|batch_done|left_in_batch)":\d+'), rb'"count":0'),
    (re.compile(rb'"seconds_active":[0-9.]+'), rb'"seconds_active":0'),
    (re.compile(rb"20\d\d-\d\d-\d\dT[0-9:.]+(Z|\+00:00)"), b"time"),
)


@pytest.fixture
def services(database: str) -> Iterator[Services]:
    opened = Services.open(database)
    settings = {
        "campaign": "quiz",
        "protocol": "rating-qa",
        "test_questions": {"positive": 0.2, "negative": 0.2, "gold": "reference"},
        "batch": {"size": 25},
        "review": {"required": True},
    }
    open_campaign(opened.store, opened.links, plan_from_parts(settings, rows=ROWS), author="test")
    move(opened.store, "quiz", "started", author="test")
    yield opened
    opened.store.close()


class Listener:
    """An annotator's browser that remembers every byte, unit by unit."""

    def __init__(self, services: Services, token: str) -> None:
        self.client = TestClient(Served(one_app(), services), follow_redirects=False)
        self.headers = {"Authorization": f"Bearer {token}"}
        self.heard: dict[int, list[bytes]] = {}

    def fetch(self, number: int, method: str, path: str, **more: Any) -> Any:
        reply = self.client.request(method, path, headers=self.headers, **more)
        # The length is told by the body itself, which is compared.
        head = sorted((key, value) for key, value in reply.headers.items() if key != "content-length")
        address = path.replace(f"/{number}", "/N")
        said = b"\n".join((address.encode(), str(reply.status_code).encode(), repr(head).encode(), reply.content))
        self.heard.setdefault(number, []).append(_plain(said))
        return reply.json()

    def work(self, number: int) -> dict[str, Any]:
        """Everything one can do with a unit: look, draft, answer wrongly, answer, answer again, look back."""
        base = f"/api/v1/work/assignments/{number}"
        right = {"answers": {"correct": "agree"}, "client_key": f"key-{number:06}", "seconds_active": 9.5}
        self.fetch(number, "POST", "/api/v1/work/next")
        self.fetch(number, "GET", base)
        self.fetch(number, "PUT", f"{base}/draft", json={"answers": {"correct": "agree"}, "version": 0})
        self.fetch(number, "PUT", f"{base}/draft", json={"answers": {"correct": "agree"}, "version": 0})
        self.fetch(number, "POST", f"{base}/responses", json={**right, "answers": {"correct": "maybe"}})
        submitted = self.client.post(f"{base}/responses", headers=self.headers, json=right)
        self.fetch(number, "GET", base)
        again = {**right, "client_key": f"again-{number:06}", "answers": {"correct": "disagree"}}
        accepted = self.client.post(f"{base}/responses", headers=self.headers, json=again).json()["accepted"]
        self.heard[number].append(repr({**accepted, "assignment": number == accepted["assignment"]}).encode())
        following: dict[str, Any] = submitted.json()["next"]
        return following


def _plain(said: bytes) -> bytes:
    said = WORDS.sub(b"WORDS", said)
    for pattern, instead in VARIES:
        said = pattern.sub(instead, said)
    return said


def test_the_traffic_of_test_questions_is_that_of_any_unit(services: Services) -> None:
    _, token = invite(services.store, services.links, "quiz", "Ada", author="test")
    listener = Listener(services, token)
    following = listener.client.post("/api/v1/work/next", headers=listener.headers).json()
    while following["assignment"]:
        following = listener.work(following["assignment"]["id"])
    tests = services.store.read(_tests)
    kinds = {number: tests[number] for number in listener.heard}
    assert sorted(set(kinds.values())) == ["n", "p", "w"]
    assert len(kinds) == 25
    # Byte for byte the same, apart from the words of the text and what varies from unit to unit in any case.
    for together in zip(*listener.heard.values(), strict=True):
        assert set(together) == {together[0]}

    earlier = listener.client.get("/api/v1/work/assignments", headers=listener.headers).json()["assignments"]
    assert len({_plain(repr({**one, "id": 0, "finished_at": ""}).encode()) for one in earlier}) == 1

    # Neither the page nor the campaign's description changes with what is in progress, and none of them says "test".
    page = listener.client.get(f"/a/{token}", headers=listener.headers)
    work = listener.client.get("/api/v1/work", headers=listener.headers)
    for told in (*listener.heard[next(iter(kinds))], page.content, work.content):
        assert b"test-" not in told
        assert b"gold_of" not in told
        assert b"unit-" not in told


def _tests(connection: Connection) -> dict[int, str]:
    """Assignments by whether they are of work, or of a positive or negative test question."""
    rows = connection.execute(select(assignment.c.id, unit.c.stratum).join(unit, unit.c.id == assignment.c.unit_id))
    return {id_: stratum.removeprefix("test-")[0] for id_, stratum in rows}


GOLD = [{"id": f"g{number}", "item": f"z{number + 1}", "text": f"Gold {number} ."} for number in range(3)]
TEST = {
    "id": "t1",
    "test": "negative",
    "text": "The zebra has seven legs.",
    "expected": {"mistakes": [{"quote": "seven", "label": "NUMBER"}]},
}


def test_a_manager_adds_test_questions_and_sees_them_marked(house: House) -> None:
    program = house.program("manager")
    here = "/api/v1/campaigns/zoo/test-questions"
    refused = program.post(here, json={"rates": {"negative": 0.2}, "rows": GOLD}).json()
    assert "nothing says what is right" in refused["problems"][0]["what"]
    nothing = program.post(here, json={"rates": {"negative": 0.2}})
    assert (nothing.status_code, nothing.json()["code"]) == (422, "TEST-05")
    too_often = program.post(here, json={"rates": {"negative": 0.9}, "rows": [TEST]})
    assert too_often.status_code == 422
    added = program.post(here, json={"rates": {"negative": 0.2}, "rows": [TEST]})
    assert (added.status_code, added.json()) == (201, {"added": 1})
    told = program.get(here).json()
    assert told["rates"]["negative"] == 0.2
    (only,) = told["questions"]
    assert (only["sign"], only["expected"]["mistakes"][0]["start"]) == ("negative", 3)
    assert program.get("/api/v1/campaigns/zoo/progress").json()["units"] == 3
    browser = house.browser("manager")
    page = browser.get("/campaigns/zoo/test-questions").text
    assert "bad output" in page
    assert "test question" in browser.get("/campaigns/zoo/units?state=test").text
    assert "This is a" in browser.get(f"/campaigns/zoo/units/{only['id']}").text
    assert browser.get(f"/campaigns/zoo/curation/{only['id']}").status_code == 404
    assert "t1" not in browser.get("/campaigns/zoo/curation").text


def test_the_pages_forms_do_the_same(house: House) -> None:
    browser = house.browser("manager")
    here = "/campaigns/zoo/test-questions"
    file = ("tests.jsonl", b'{"id": "t1", "test": "negative", "text": "A cat barks.", "expected": {"mistakes": []}}')
    refused = browser.post(here, {"positive": "0", "negative": "90"}, files=[("files", file)])
    assert refused.status_code == 422
    assert "at most half" in refused.text
    assert browser.post(here, {"positive": "0", "negative": "5"}, files=[("files", file)]).status_code == 303
    assert browser.post(f"{here}/rates", {"negative": "7.5", "reason": "more"}).status_code == 303
    row = house.services.store.read(lambda connection: find_campaign(connection, "zoo"))
    assert (row.settings.test_questions.positive, row.settings.test_questions.negative) == (0.0, 0.075)
    assert 'value="7.5"' in browser.get(here).text
