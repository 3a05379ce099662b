"""The door for answers and the documented endpoint behind it say the same, byte for byte, to whatever is sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from goldmark.errors import Problem
from goldmark.protocols import Protocol, loader, validate
from goldmark.web.api import answer_door
from goldmark.web.security_headers import Message
from goldmark.web.services import Services
from tests.web.house import MISTAKE, House, build

GOOD = {"answers": {"mistakes": []}, "client_key": "a-key-of-mine", "seconds_active": 3}
HUGE = "1" + "0" * 30

WRONG = {
    "no JSON": b"{",
    "nothing": b"",
    "no object": b"[]",
    "an unknown field": json.dumps({**GOOD, "extra": 1}).encode(),
    "a short key": json.dumps({**GOOD, "client_key": "k"}).encode(),
    "seconds in words": json.dumps({**GOOD, "seconds_active": "3"}).encode(),
    "no number of seconds": json.dumps({**GOOD, "seconds_active": float("nan")}).encode(),
    "half a character": json.dumps({**GOOD, "answers": {"mistakes": [{**MISTAKE, "correction": "\ud800"}]}}).encode(),
    "no number in an answer": json.dumps({**GOOD, "answers": {"mistakes": float("nan")}}).encode(),
    "a number past all": json.dumps({**GOOD, "answers": {"mistakes": 0}}).replace("0", "1e999").encode(),
    "a huge number": json.dumps({**GOOD, "answers": {"mistakes": 0}}).replace("0", HUGE).encode(),
    "an unknown question": json.dumps({**GOOD, "answers": {"nothing": 1}}).encode(),
    "a span past the text": json.dumps({**GOOD, "answers": {"mistakes": [{**MISTAKE, "end": 999}]}}).encode(),
}


def _both(house: House, monkeypatch: pytest.MonkeyPatch, number: int | str, body: bytes, **headers: str) -> list[Any]:
    """What comes back through the door, and what if nobody enters by it."""
    sent = {"authorization": f"Bearer {house.person}", "content-type": "application/json", **headers}
    client = house.client(headers={name: value for name, value in sent.items() if value})
    replies = []
    for closed in (False, True):
        with monkeypatch.context() as patched:
            if closed:
                patched.setattr(answer_door, "_asked", lambda scope: None)
            replies.append(client.post(f"/api/v1/work/assignments/{number}/responses", content=body))
    return replies


def _same(replies: list[Any]) -> Any:
    first, second = replies
    assert first.status_code == second.status_code, (first.text, second.text)
    assert first.content == second.content
    assert sorted(first.headers.items()) == sorted(second.headers.items())
    return first


@pytest.mark.parametrize("what", WRONG)
@pytest.mark.parametrize("language", ["en", "de"])
def test_what_is_wrong_is_told_alike(
    shared_house: House, monkeypatch: pytest.MonkeyPatch, what: str, language: str
) -> None:
    headers = {"accept-language": language}
    reply = _same(_both(shared_house, monkeypatch, shared_house.response, WRONG[what], **headers))
    assert reply.status_code == 422


@pytest.mark.parametrize(
    ("number", "headers", "status"),
    [
        ("0", {}, 422),
        ("99999999999999999999", {}, 422),
        ("word", {}, 422),
        ("424242", {}, 404),
        ("own", {"authorization": ""}, 401),
        ("own", {"authorization": "Bearer "}, 401),
        ("own", {"authorization": "Basic abc"}, 401),
        ("own", {"authorization": "Bearer 1-abc.forged"}, 403),
        ("own", {"content-type": "text/plain"}, 415),
        ("own", {"content-type": ""}, 415),
    ],
)
def test_who_may_not_is_refused_alike(
    shared_house: House, monkeypatch: pytest.MonkeyPatch, number: str, headers: dict[str, str], status: int
) -> None:
    wanted = shared_house.response if number == "own" else number
    reply = _same(_both(shared_house, monkeypatch, wanted, json.dumps(GOOD).encode(), **headers))
    assert reply.status_code == status, reply.text


def test_an_answer_is_kept_once_whichever_way_it_comes(either_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house = either_house
    seen: list[Any] = []
    whole = answer_door._of_documented_form

    def noted(messages: Sequence[Message]) -> Any:
        seen.append(messages)
        return whole(messages)

    monkeypatch.setattr(answer_door, "_of_documented_form", noted)
    body = json.dumps({**GOOD, "client_time": "2026-01-02T03:04:05+01:00", "language": "de", "reply": ""}).encode()
    replies = _both(house, monkeypatch, house.response, body)
    assert len(seen) == 1, "the first came by the door"
    assert [one.status_code for one in replies] == [200, 200], replies[0].text
    first, second = (one.json() for one in replies)
    assert first["accepted"] == second["accepted"] == {"assignment": house.response, "revision": 3}
    assert first["next"]["assignment"]["unit"] == second["next"]["assignment"]["unit"]
    assert set(first["next"]["assignment"]) == set(second["next"]["assignment"])
    for one in replies:
        assert one.headers["x-content-type-options"] == "nosniff"
        assert one.headers["cache-control"] == "no-store"
        assert "default-src 'self'" in one.headers["content-security-policy"]


@pytest.mark.parametrize("said", ["0001-01-01T00:00:00", "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00"])
def test_a_clock_that_is_wrong_by_centuries_loses_no_answer(
    house: House, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    for one in _both(house, monkeypatch, house.response, json.dumps({**GOOD, "client_time": said}).encode()):
        assert one.status_code == 200, one.text
    kept = house.program("manager").get(f"/api/v1/campaigns/zoo/responses/{house.response}").json()["revisions"]
    assert kept[-1]["client_time"] is None


def test_after_a_restart_a_protocol_is_read_beside_the_loop(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever submits first would make everybody else wait for it."""
    on_the_loop: list[bool] = []
    parse = loader.parse

    def noted(source: str) -> Protocol:
        on_the_loop.append(asyncio._get_running_loop() is not None)
        return parse(source)

    monkeypatch.setattr(loader, "parse", noted)
    again = replace(house, services=Services.open(str(house.services.store.url.database)))
    client = again.client(headers={"authorization": f"Bearer {house.person}"})
    sent = client.post(f"/api/v1/work/assignments/{house.response}/responses", json=GOOD)
    assert sent.status_code == 200, sent.text
    assert on_the_loop == [False]
    again.close()


def test_what_comes_in_pieces_is_put_together() -> None:
    messages: list[Message] = [
        {"type": "http.request", "body": json.dumps(GOOD).encode()[:20], "more_body": True},
        {"type": "http.request", "body": json.dumps(GOOD).encode()[20:]},
    ]
    found = answer_door._of_documented_form(messages)
    assert found is not None
    assert found.client_key == GOOD["client_key"]
    assert answer_door._of_documented_form([messages[0], {"type": "http.disconnect"}]) is None


def test_the_door_is_behind_the_host_check_and_the_limit(sqlite_database: str) -> None:
    house = build(sqlite_database, public="https://eval.example.org")
    address = f"/api/v1/work/assignments/{house.response}/responses"
    named = {"authorization": f"Bearer {house.person}", "content-type": "application/json"}
    assert house.client(headers={**named, "host": "elsewhere"}).post(address, json=GOOD).status_code == 421
    large = house.client(headers=named).post(address, content=b" " * 2_000_001)
    assert large.status_code == 413
    assert large.headers["strict-transport-security"]
    assert house.client(headers=named).post(address, json=GOOD).status_code == 200
    house.close()


@pytest.mark.parametrize(("characters", "beside"), [(10, False), (answer_door.SMALL, True)])
def test_a_large_answer_is_checked_beside_the_loop(
    house: House, monkeypatch: pytest.MonkeyPatch, characters: int, beside: bool
) -> None:
    """A hostile one takes long, and nobody else would be answered meanwhile."""
    on_the_loop: list[bool] = []

    def noted(*given: Any) -> list[Problem]:
        on_the_loop.append(asyncio._get_running_loop() is not None)
        return validate(*given)

    monkeypatch.setattr("goldmark.campaigns.assignments.responses.validate", noted)
    client = house.client(headers={"authorization": f"Bearer {house.person}"})
    body = {**GOOD, "answers": {"nothing": "a" * characters}}
    for _ in range(2):  # the first time the assignment itself has to be read
        assert client.post(f"/api/v1/work/assignments/{house.response}/responses", json=body).status_code == 422
    assert on_the_loop[1] is not beside
