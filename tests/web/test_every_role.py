"""Every route and every role: who may, who may not, and who is sent to sign in. The tables stand in `roles.py`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute

from goldmark.accounts.roles import Role
from goldmark.web import routes
from goldmark.web.runtime.route_groups import RouteGroup
from tests.web.house import PASSWORD, House
from tests.web.roles import BY_PERSONAL_LINK, CALLS, FILE, GUARDED, OF_PEOPLE, OPEN_CALLS, PAGES, TWICE, UPLOADS


def accepted(reply: Any, method: str, path: str) -> bool:
    return reply.status_code in (200, 201, 303) or reply.status_code == TWICE.get((method, path))


def routes_of(groups: Iterable[RouteGroup]) -> Iterator[tuple[str, str]]:
    for group in groups:
        for route in group.routes:
            assert isinstance(route, APIRoute)
            for method in route.methods or ():
                yield method, route.path


def filled(house: House, path: str) -> str:
    return path.format(
        name="zoo",
        unit_id=house.unit,
        annotator_id=house.annotator,
        response_id=house.response,
        account_id=house.accounts["spare"].id,
        token_id=1,
        session_id=1,
        job_id=1,
        version=1,
        case="0123456789abcdef",
        coding="zoo",
        format_name="jsonl",
        table="coverage" if path.endswith("{table}") else "errors",
        status="waiting",
        submission_id=1,
        system_id=1,
        number=1,
        verb="publish",
        form="csv",
        secret="x",
        order=1,
    )


def test_every_call_is_in_the_table() -> None:
    assert set(routes_of(group for group in routes.API if group not in BY_PERSONAL_LINK)) == set(CALLS) | OPEN_CALLS


def test_every_page_is_in_the_table() -> None:
    assert set(routes_of(group for group in routes.PAGES if group not in OF_PEOPLE)) == set(PAGES)


def test_the_application_has_no_other_routes(shared_house: House) -> None:
    app: FastAPI = shared_house.app
    described = {(method.upper(), path) for path, methods in app.openapi()["paths"].items() for method in methods}
    assert described == set(CALLS) | OPEN_CALLS | set(routes_of(BY_PERSONAL_LINK))


def call(house: House, client: Any, method: str, path: str) -> Any:
    body = CALLS[method, path][1]
    sent = {"files": body} if body is FILE else {} if body is None else {"json": body}
    return client.request(method, filled(house, path), **sent)


# Before the calls of which some end the session of whoever makes them.
@pytest.mark.parametrize(("method", "path"), sorted(OPEN_CALLS))
def test_calls_that_are_open_to_everybody(shared_house: House, method: str, path: str) -> None:
    expected = 404 if "{system_id}" in path else 422 if method == "POST" else 200  # a registration without a name
    for client in (shared_house.client(), *(shared_house.program(role.title) for role in Role)):
        assert client.request(method, filled(shared_house, path)).status_code == expected
    wrong = shared_house.client(headers={"authorization": "Bearer gm_wrong"})
    assert wrong.request(method, filled(shared_house, path)).status_code == 401


@pytest.mark.parametrize(("method", "path"), CALLS)
def test_calls(shared_house: House, method: str, path: str) -> None:
    lowest = CALLS[method, path][0]
    for role in Role:
        if path == "/api/v1/me/password":
            shared_house.services.accounts.set_password(shared_house.accounts[role.title].id, PASSWORD)
        reply = call(shared_house, shared_house.program(role.title), method, path)
        if role >= lowest:
            assert accepted(reply, method, path), (role, reply.text)
        else:
            assert (reply.status_code, reply.json()["code"]) == (403, "ACCOUNT-01"), (role, reply.text)
    nobody = call(shared_house, shared_house.client(), method, path)
    assert (nobody.status_code, nobody.json()["code"]) == (401, "HTTP-401")
    wrong = call(shared_house, shared_house.client(headers={"authorization": "Bearer gm_wrong"}), method, path)
    assert wrong.status_code == 401
    annotator = shared_house.client(headers={"authorization": f"Bearer {shared_house.person}"})
    assert call(shared_house, annotator, method, path).status_code == 401


def send(house: House, browser: Any, method: str, path: str) -> Any:
    if method == "GET":
        return browser.get(filled(house, path))
    files = FILE if path in UPLOADS else None
    return browser.post(filled(house, path), {"current": PASSWORD, "new": PASSWORD}, files=files)


@pytest.mark.parametrize(("method", "path"), GUARDED)
def test_pages(shared_house: House, method: str, path: str) -> None:
    for role in Role:
        if path == "/account/password":
            shared_house.services.accounts.set_password(shared_house.accounts[role.title].id, PASSWORD)
        reply = send(shared_house, shared_house.browser(role.title), method, path)
        if role >= GUARDED[method, path]:
            assert accepted(reply, method, path), (role, reply.text)
        else:
            assert reply.status_code == 403, (role, reply.text)
            assert "ACCOUNT-01" in reply.text
    stranger = shared_house.client(headers={"accept": "text/html"}).request(method, filled(shared_house, path))
    assert stranger.status_code == 303
    assert stranger.headers["location"].startswith("/signin?next=/")


@pytest.mark.parametrize(("method", "path"), [key for key in GUARDED if key[0] == "POST"])
def test_a_form_without_its_token_changes_nothing(shared_house: House, method: str, path: str) -> None:
    browser = shared_house.browser("owner")
    others = shared_house.browser("owner").csrf  # of another session of the same person
    for token in ("", "0" * 64, others):
        reply = browser.post(filled(shared_house, path), {"csrf": token}, files=FILE if path in UPLOADS else None)
        assert reply.status_code == 403
        assert "FORM-01" in reply.text


@pytest.mark.parametrize(("method", "path"), [key for key in CALLS if key[0] != "GET"])
def test_a_call_with_a_cookie_needs_the_token_too(shared_house: House, method: str, path: str) -> None:
    if path == "/api/v1/me/password":
        shared_house.services.accounts.set_password(shared_house.accounts["owner"].id, PASSWORD)
    browser = shared_house.browser("owner")
    refused = call(shared_house, browser.client, method, path)
    assert (refused.status_code, refused.json()["code"]) == (403, "FORM-01")
    browser.client.headers["x-csrf-token"] = browser.csrf
    allowed = call(shared_house, browser.client, method, path)
    assert accepted(allowed, method, path), allowed.text


def test_curators_see_no_links_that_would_let_them_work_as_somebody_else(shared_house: House) -> None:
    for role, shown in (("curator", False), ("manager", True)):
        program = shared_house.program(role)
        seen = [
            program.get("/api/v1/campaigns/zoo").text,
            program.get("/api/v1/campaigns").text,
            program.get("/api/v1/campaigns/zoo/annotators").text,
            shared_house.browser(role).get("/campaigns/zoo").text,
            shared_house.browser(role).get("/campaigns/zoo/annotators").text,
        ]
        assert [("/join/" in text or "/a/" in text) for text in seen] == [shown] * 5
