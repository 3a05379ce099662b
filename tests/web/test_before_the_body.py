"""Whoever may not is told so before anything of what they send is read, at every address that takes something."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest
from starlette.types import Message

from goldmark.accounts.roles import Role
from goldmark.web.runtime import before_body
from goldmark.web.runtime.before_body import MOST_OF_ALL, MOST_OF_ONE, PATIENCE, Coming
from goldmark.web.security_headers import LARGEST_JSON, LARGEST_UPLOAD
from goldmark.web.sign_in import SESSION, form_token
from tests.web.house import House, Served
from tests.web.roles import CALLS, GUARDED
from tests.web.test_every_role import filled

CHANGING = [key for key in CALLS if key[0] != "GET"]
SENDING = [key for key in GUARDED if key[0] == "POST"]
Result = TypeVar("Result")
HEAD = {"content-type": "multipart/form-data; boundary=x", "content-length": str(LARGEST_UPLOAD)}


class BodyRead(Exception):
    """Somebody waits for the body."""


async def broken_off() -> Message:
    raise BodyRead


async def answered(
    house: House,
    method: str,
    path: str,
    headers: dict[str, str],
    receive: Callable[[], Awaitable[Message]] = broken_off,
) -> tuple[int, dict[str, str]]:
    """What is answered to the head of a request that announces a large body of which nothing ever comes."""
    replies: list[Message] = []

    async def send(message: Message) -> None:
        replies.append(message)

    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "scheme": "http",
        "server": ("testserver", 80),
        "client": ("testclient", 50000),
        "headers": [(key.encode(), value.encode()) for key, value in {"host": "testserver", **HEAD, **headers}.items()],
    }
    await Served(house.app, house.services)(scope, receive, send)
    start = replies[0]
    return start["status"], {key.decode(): value.decode() for key, value in start["headers"]}


def asked(house: House, method: str, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str]]:
    return in_a_loop(answered(house, method, filled(house, path), headers))


def in_a_loop(work: Coroutine[Any, Any, Result]) -> Result:
    """What `work` gives, in a thread of its own: a browser that an earlier test drove keeps a loop in this one."""
    with ThreadPoolExecutor(1) as own:
        return own.submit(asyncio.run, work).result()


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def too_small(lowest: Role) -> Iterator[Role]:
    return (role for role in Role if role < lowest)


@pytest.mark.parametrize(("method", "path"), CHANGING)
def test_calls_are_refused_by_their_head(shared_house: House, method: str, path: str) -> None:
    house = shared_house
    assert asked(house, method, path, {})[0] == 401
    assert asked(house, method, path, bearer("gm_wrong"))[0] == 401
    for role in too_small(CALLS[method, path][0]):
        assert asked(house, method, path, bearer(house.tokens[role.title]))[0] == 403
    owner = house.accounts["owner"].id
    reads = house.services.accounts.new_token(owner, "reads", scope="read")[1]
    assert asked(house, method, path, bearer(reads))[0] == 403
    if CALLS[method, path][0] > Role.ANNOTATOR:
        less = house.services.accounts.new_token(owner, "less", role=Role.ANNOTATOR)[1]
        assert asked(house, method, path, bearer(less))[0] == 403
    session = house.services.accounts.session_for(owner)
    without_token = {"cookie": f"{SESSION}={session}"}
    assert asked(house, method, path, without_token)[0] == 403


@pytest.mark.parametrize(("method", "path"), SENDING)
def test_forms_are_refused_by_their_head(shared_house: House, method: str, path: str) -> None:
    house = shared_house
    html = {"accept": "text/html"}
    status, headers = asked(house, method, path, html)
    assert (status, headers["location"]) == (303, "/signin?next=/")
    for role in too_small(GUARDED[method, path]):
        session = house.services.accounts.session_for(house.accounts[role.title].id)
        assert asked(house, method, path, {**html, "cookie": f"{SESSION}={session}"})[0] == 403


def test_who_may_is_read(shared_house: House) -> None:
    """The test of the tests above: somebody waits for the body."""
    house, files = shared_house, "/api/v1/campaigns/upload"
    session = house.services.accounts.session_for(house.accounts["manager"].id)
    cookie = {"cookie": f"{SESSION}={session}", "x-csrf-token": form_token(session)}
    for path, headers in ((files, bearer(house.tokens["manager"])), (files, cookie), ("/campaigns/new", cookie)):
        assert asked(house, "POST", path, headers)[0] == 400  # what the framework makes of a body that breaks off


def test_what_nobody_may_send_is_refused_at_once(shared_house: House) -> None:
    much = {**bearer(shared_house.tokens["manager"]), "content-length": str(LARGEST_UPLOAD + 1)}
    assert asked(shared_house, "POST", "/api/v1/campaigns/upload", much)[0] == 413


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/signin", HEAD["content-type"]),
        ("/leaderboards/zoo/register", HEAD["content-type"]),
        ("/api/v1/join", "application/json"),
        ("/api/v1/hooks/mturk", "application/json"),
    ],
)
def test_what_is_open_to_everybody_takes_no_large_bodies(shared_house: House, path: str, kind: str) -> None:
    """Not even announced, and also from those who may send them elsewhere."""
    for headers in ({}, bearer(shared_house.tokens["owner"])):
        assert asked(shared_house, "POST", path, {"content-type": kind, **headers})[0] == 413


def test_the_limit_is_told_alike_before_and_while_a_body_comes(shared_house: House) -> None:
    client, path = shared_house.client(headers={"content-type": "application/json"}), "/api/v1/join"
    announced = client.post(path, content=b" " * 2_100_000)
    coming = client.post(path, content=iter([b" " * 2_100_000]))  # of which no length is announced
    assert (announced.status_code, announced.json()["code"]) == (413, "LIMIT-02")
    assert (coming.status_code, coming.json()["code"]) == (413, "LIMIT-02")


@pytest.mark.parametrize("path", ["/teams/remove", "/teams/invitation", "/submissions/1/publish"])
def test_participants_send_large_bodies_only_with_submissions(shared_house: House, path: str) -> None:
    json = {**bearer(shared_house.tokens["annotator"]), "content-type": "application/json"}
    assert asked(shared_house, "POST", f"/api/v1/leaderboards/zoo{path}", json)[0] == 413
    session = shared_house.services.accounts.session_for(shared_house.accounts["annotator"].id)
    assert asked(shared_house, "POST", f"/leaderboards/zoo{path}", {"cookie": f"{SESSION}={session}"})[0] == 413


def test_a_participant_sends_a_few_files_at_the_same_time(shared_house: House) -> None:
    path, house = "/api/v1/leaderboards/zoo/submissions", shared_house

    async def many(role: str) -> list[int]:
        waits, reading = asyncio.Event(), []

        async def slow() -> Message:
            reading.append(role)
            await waits.wait()
            raise BodyRead

        coming = [
            asyncio.create_task(answered(house, "POST", path, bearer(house.tokens[role]), slow))
            for _ in range(MOST_OF_ONE + 2)
        ]
        while len(reading) + sum(one.done() for one in coming) < len(coming):
            await asyncio.sleep(0.01)
        early = [one.result()[0] for one in coming if one.done()]
        waits.set()
        await asyncio.gather(*coming)
        return early

    assert in_a_loop(many("annotator")) == [429, 429]
    assert in_a_loop(many("curator")) == []
    assert asked(house, "POST", path, bearer(house.tokens["annotator"]))[0] == 400  # others have arrived


def test_many_participants_together_wait_but_not_for_ever(shared_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    path, participant = "/api/v1/leaderboards/zoo/submissions", bearer(shared_house.tokens["annotator"])
    now = time.monotonic()
    monkeypatch.setattr(before_body, "_coming", [Coming(-one, now) for one in range(1, MOST_OF_ALL + 1)])
    assert asked(shared_house, "POST", path, participant)[0] == 429
    slow = [Coming(-one, now - PATIENCE) for one in range(1, MOST_OF_ALL + 1)]  # they send a byte now and then
    monkeypatch.setattr(before_body, "_coming", slow)
    assert asked(shared_house, "POST", path, participant)[0] == 400


def test_of_two_types_the_first_says_how_much_is_read(shared_house: House) -> None:
    """What is read as JSON is no larger because a second header calls it files."""
    types = [("content-type", "application/json"), ("content-type", HEAD["content-type"])]
    reply = shared_house.program("manager").post("/api/v1/campaigns", content=b"[" + b" " * LARGEST_JSON, headers=types)
    assert reply.status_code == 413
