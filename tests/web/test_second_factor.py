"""The second factor on pages and through the API: set up, asked for, required, reset."""

from __future__ import annotations

import base64
import re
from datetime import UTC, datetime
from html import unescape

import pytest

from goldmark.accounts.one_time_codes import code_of, step_at
from goldmark.web.sign_in import HALF, SESSION, SET_UP
from tests.web.house import HTML, PASSWORD, Browser, House, TestClient, hidden_token
from tests.web.test_sign_in import sign_in


@pytest.fixture
def manager(house: House) -> Browser:
    house.services.accounts.set_password(house.accounts["manager"].id, PASSWORD)
    return house.browser("manager")


def code_for(secret: str, ahead: int = 0) -> str:
    return code_of(base64.b32decode(secret), step_at(datetime.now(UTC)) + ahead)


def set_up(browser: Browser) -> tuple[str, list[str]]:
    """The app's key and the recovery codes, as the pages show them."""
    shown = browser.post(SET_UP, {"password": PASSWORD}).text
    found = re.search(r'readonly value="([A-Z2-7]{32})"', shown)
    assert found
    assert '<svg xmlns="http://www.w3.org/2000/svg"' in shown
    done = browser.post(f"{SET_UP}/confirm", {"code": code_for(found.group(1))})
    listed = re.search(r"<textarea[^>]*>([^<]+)</textarea>", done.text)
    assert listed
    browser.session = done.cookies[SESSION]
    return found.group(1), unescape(listed.group(1)).split()


def give(client: TestClient, code: str, **more: str) -> int:
    token = hidden_token(client.get("/signin/code").text)
    return client.post("/signin/code", data={"csrf": token, "code": code, **more}).status_code


def test_from_setting_it_up_to_signing_in_with_it(house: House, manager: Browser) -> None:
    assert "Off" in manager.get("/account").text
    assert manager.post(SET_UP, {"password": "not it"}).status_code == 403
    secret, codes = set_up(manager)
    assert manager.get("/account").status_code == 200, "this browser stays signed in"
    own = manager.get("/account").text
    assert "10 recovery codes left" in own
    assert "second factor set up" in own, "they see what happened to their account"
    again = manager.get(SET_UP).text
    assert secret not in again
    assert not any(code in again for code in codes)

    client = house.client(headers=HTML)
    entered = sign_in(client, "manager", PASSWORD, next="/campaigns/zoo")
    assert entered.headers["location"] == "/signin/code?next=%2Fcampaigns%2Fzoo"
    cookie = next(one for one in entered.headers.get_list("set-cookie") if one.startswith(HALF)).lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert SESSION not in client.cookies
    assert client.get("/campaigns/zoo").status_code == 303, "half of a session opens nothing"
    page = client.get("/signin/code?next=/campaigns/zoo").text
    wrong = client.post("/signin/code", data={"csrf": hidden_token(page), "code": "12345"})
    assert wrong.status_code == 403
    assert "this code is wrong or was used before" in wrong.text
    assert client.post("/signin/code", data={"code": codes[0]}).status_code == 403, "sent from elsewhere"
    right = {"csrf": hidden_token(page), "code": code_for(secret, 1), "next": "/campaigns/zoo"}
    assert client.post("/signin/code", data=right).headers["location"] == "/campaigns/zoo"
    assert client.get("/campaigns/zoo").status_code == 200
    assert HALF not in client.cookies

    another = house.client(headers=HTML)
    sign_in(another, "manager", PASSWORD)
    assert give(another, codes[0], next="//evil.example") == 303
    assert another.get("/account").status_code == 200
    assert house.program("manager").get("/api/v1/me").json()["second_factor"] is True, "tokens go on working"
    off = manager.post(f"{SET_UP}/off", {"code": codes[1]})
    assert off.headers["location"] == "/account?done=factor-off"
    assert sign_in(house.client(headers=HTML), "manager", PASSWORD).headers["location"] == "/"


def test_without_a_right_password_there_is_no_second_step(house: House, manager: Browser) -> None:
    client = house.client(headers=HTML)
    assert client.get("/signin/code").headers["location"] == "/signin"
    token = hidden_token(client.get("/signin").text)
    for half in ("", "x", manager.session, house.tokens["owner"]):
        client.cookies.set(HALF, half)
        assert client.post("/signin/code", data={"csrf": token, "code": "123456"}).headers["location"] == "/signin"
    assert SESSION not in client.cookies


def test_whoever_must_have_one_is_asked_for_it_before_anything_else(house: House, manager: Browser) -> None:
    owner = house.browser("owner")
    assert owner.post("/accounts/second-factor", {"lowest_role": "manager"}).status_code == 303
    for browser in (owner, manager):
        for path in ("/", "/campaigns/zoo", "/account", "/signin"):
            assert browser.get(path).headers["location"] == SET_UP
        called = browser.client.get("/api/v1/campaigns")
        assert (called.status_code, called.json()["code"]) == (403, "ACCOUNT-18")
        sent = browser.post("/campaigns/zoo/move", {"move": "pause"})
        assert sent.headers["location"] == SET_UP
        assert browser.get("/leaderboards/zoo/manage").status_code == 303
        assert "Sign out" not in browser.get("/leaderboards/zoo").text, "as everybody sees it"
    assert house.browser("curator").get("/campaigns/zoo").status_code == 200
    assert house.program("manager").get("/api/v1/campaigns").status_code == 200
    assert "An owner of this server decided" in manager.get(SET_UP).text
    set_up(manager)
    assert manager.get("/campaigns/zoo").status_code == 200
    set_up_without_password = owner.post(SET_UP)
    assert set_up_without_password.status_code == 200, "nobody is asked for a password that they never chose"


def test_an_owner_resets_anothers_and_not_their_own(house: House, manager: Browser) -> None:
    set_up(manager)
    owner, number = house.program("owner"), house.accounts["manager"].id
    listed = house.browser("owner").get("/accounts").text
    assert f"/accounts/{number}/second-factor/reset" in listed
    reset = owner.post(f"/api/v1/accounts/{number}/second-factor/reset", json={"reason": "phone in the lake"})
    assert reset.json()["second_factor"] is False
    assert manager.get("/account").status_code == 303, "signed out everywhere"
    kinds = [one["kind"] for one in owner.get("/api/v1/accounts/activity").json()["events"]]
    assert kinds[:2] == ["second factor reset", "second factor set up"]
    mine = owner.post(f"/api/v1/accounts/{house.accounts['owner'].id}/second-factor/reset", json={})
    assert (mine.status_code, mine.json()["code"]) == (409, "ACCOUNT-19")


def test_through_the_api(house: House, manager: Browser) -> None:
    program = house.program("manager")
    begun = program.post("/api/v1/me/second-factor", json={"password": PASSWORD}).json()
    assert begun["secret"] in begun["address"]
    made = program.post("/api/v1/me/second-factor/confirm", json={"code": code_for(begun["secret"])}).json()
    assert program.get("/api/v1/me/second-factor").json()["recovery_codes_left"] == len(made["recovery_codes"])
    renewed = program.post("/api/v1/me/second-factor/recovery-codes", json={"code": code_for(begun["secret"], 1)})
    assert renewed.status_code == 200
    refused = program.post("/api/v1/me/second-factor/off", json={"code": made["recovery_codes"][0]})
    assert (refused.status_code, refused.json()["code"]) == (403, "ACCOUNT-13")
    codes = renewed.json()["recovery_codes"]
    assert program.post("/api/v1/me/second-factor/off", json={"code": codes[0]}).status_code == 200
    assert program.get("/api/v1/me/second-factor").json()["since"] is None
