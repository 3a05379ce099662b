"""What would do most harm in other hands asks for the password or a code again; and sessions end by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html import unescape
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi.dependencies.models import Dependant
from sqlalchemy import select, update

from goldmark.accounts.credentials import hash_secret
from goldmark.accounts.rate_limits import HERE
from goldmark.accounts.session_times import (
    IDLE,
    LONGEST,
    PROOF,
    SessionTimeNotUsable,
    SessionTimes,
    said,
    session_times,
)
from goldmark.cli.server import demo
from goldmark.store.tables import credential
from goldmark.web import routes, sign_in
from goldmark.web.pages.server.confirm import ACTS
from goldmark.web.services import Services
from goldmark.web.sign_in import HALF, SESSION, SET_UP, STRANGER
from goldmark.web.visits import BY_ITSELF, FRAGMENT
from tests.web.house import HTML, PASSWORD, Browser, House, build
from tests.web.test_second_factor import code_for, set_up
from tests.web.test_sign_in import sign_in as enter

ASKED = "is it still you?"
FIELD = sign_in.PROOF


def age(house: House, session: str, by: timedelta, *, used: timedelta | None = None) -> None:
    """As if somebody had signed in so long ago, and used it last so long ago."""
    now = datetime.now(UTC)
    older = {"created_at": now - by, "used_at": now - (used if used is not None else timedelta())}
    wanted = update(credential).where(credential.c.hash == hash_secret(session)).values(**older)
    house.services.store.write(lambda connection: connection.execute(wanted))


def long_ago(house: House, role: str) -> Browser:
    house.services.accounts.set_password(house.accounts[role].id, PASSWORD)
    browser = house.browser(role)
    age(house, browser.session, timedelta(hours=1))
    return browser


@pytest.fixture
def owner(house: House) -> Browser:
    return long_ago(house, "owner")


def hidden_fields(page: str) -> list[tuple[str, str]]:
    forms = re.findall(r"<form.*?</form>", page, re.S)
    asking = next(one for one in forms if f'name="{FIELD}"' in one)
    return [
        (name, unescape(value))
        for name, value in re.findall(r'type="hidden" name="([^"]+)"[^>]*? value="([^"]*)"', asking)
    ]


def names(house: House) -> set[str]:
    return {one.name for one in house.services.accounts.accounts()}


HOSTILE = '<b>"Eve"</b> & co'


def test_what_was_typed_is_kept_until_somebody_shows_that_it_is_they(house: House, owner: Browser) -> None:
    asked = owner.post("/accounts", {"name": HOSTILE, "role": "owner"})
    assert asked.status_code == 200
    assert ASKED in asked.text
    assert HOSTILE not in asked.text, "escaped"
    assert HOSTILE not in names(house), "nothing was done"
    sent = dict(hidden_fields(asked.text))
    assert (sent["name"], sent["role"]) == (HOSTILE, "owner")

    wrong = owner.client.post("/accounts", data={**sent, FIELD: "not it"})
    assert wrong.status_code == 403
    assert "the name or the password is wrong" in wrong.text
    assert hidden_fields(wrong.text)[1:] == hidden_fields(asked.text)[1:], "nor is it lost by a mistake, or doubled"
    assert dict(hidden_fields(wrong.text))["name"] == HOSTILE
    assert HOSTILE not in names(house)

    done = owner.client.post("/accounts", data={**sent, FIELD: PASSWORD})
    assert done.status_code == 200
    assert "/link/" in done.text
    assert HOSTILE in names(house)
    assert FIELD not in done.text
    # For a while nobody is asked again.
    assert owner.post("/accounts", {"name": "Bo", "role": "curator"}).status_code == 200
    assert "Bo" in names(house)
    proofs = select(credential.c.id, credential.c.expires_at).where(credential.c.kind == "proof")
    assert len(house.services.store.read(lambda connection: connection.execute(proofs).all())) == 1
    over = update(credential).where(credential.c.kind == "proof").values(expires_at=datetime.now(UTC))
    house.services.store.write(lambda connection: connection.execute(over))
    assert ASKED in owner.post("/accounts", {"name": "Cy", "role": "curator"}).text
    assert "Cy" not in names(house)


def test_an_empty_or_foreign_proof_is_none(house: House, owner: Browser) -> None:
    for given in ("", " ", "x" * 5_000, "\U0001f511" * 50, house.tokens["owner"], owner.session):
        assert owner.post("/accounts", {"name": "Eve", "role": "owner", FIELD: given}).status_code in (403, 429)
    other = long_ago(house, "manager")
    assert ASKED in other.post("/account/tokens", {"name": "x"}).text
    assert other.post("/account/tokens", {"name": "x", FIELD: PASSWORD}).status_code == 200
    assert ASKED in owner.post("/accounts", {"name": "Eve", "role": "owner"}).text, "of another account, and session"
    assert "Eve" not in names(house)


def test_a_proof_is_of_one_session(house: House, owner: Browser) -> None:
    stolen = house.browser("owner")
    age(house, stolen.session, timedelta(hours=1))
    assert owner.post("/account/tokens", {"name": "x", FIELD: PASSWORD}).status_code == 200
    assert ASKED in stolen.post("/account/tokens", {"name": "y"}).text
    # Nor does one get a new session, which would be one that signed in just now.
    assert stolen.post("/account/sign-out").status_code == 303
    assert ASKED in stolen.post("/account/tokens", {"name": "y"}).text
    assert owner.get("/account").status_code == 303, "all other browsers have to sign in again"


def test_wrong_proofs_have_to_wait_like_wrong_passwords(house: House, owner: Browser) -> None:
    tries = [owner.post("/account/tokens", {"name": "x", FIELD: "wrong"}).status_code for _ in range(HERE.free + 2)]
    assert tries == [403] * (HERE.free + 1) + [429]
    waits = owner.post("/account/tokens", {"name": "x", FIELD: PASSWORD})
    assert waits.status_code == 429
    assert "too many tries" in waits.text
    assert dict(hidden_fields(waits.text))["name"] == "x"


def test_whoever_has_a_second_factor_gives_a_code(house: House) -> None:
    browser = long_ago(house, "manager")
    secret, codes = set_up(browser)
    age(house, browser.session, timedelta(hours=1))
    asked = browser.post("/account/tokens", {"name": "x"})
    assert "Code of your app" in asked.text
    assert "Your password" not in asked.text
    assert browser.post("/account/tokens", {"name": "x", FIELD: PASSWORD}).status_code == 403
    assert "gm_" in browser.post("/account/tokens", {"name": "x", FIELD: code_for(secret, 1)}).text
    age(house, browser.session, timedelta(hours=1))
    over = update(credential).where(credential.c.kind == "proof").values(expires_at=datetime.now(UTC))
    house.services.store.write(lambda connection: connection.execute(over))
    assert browser.post("/account/tokens", {"name": "y", FIELD: code_for(secret, 1)}).status_code == 403, "was used"
    assert "gm_" in browser.post("/account/tokens", {"name": "y", FIELD: codes[0]}).text


def test_whoever_can_show_nothing_is_told_how_they_can(house: House) -> None:
    browser = house.browser("owner")
    age(house, browser.session, timedelta(hours=1))
    asked = browser.post("/accounts", {"name": "Eve", "role": "owner"})
    assert "goldmark user link NAME" in asked.text
    assert f'name="{FIELD}"' not in asked.text
    refused = browser.post("/accounts", {"name": "Eve", "role": "owner", FIELD: ""})
    assert refused.status_code == 403
    # Nor do they make themselves something by which to tell it.
    begun = browser.post(SET_UP)
    assert begun.status_code == 403
    assert "goldmark user link NAME" in begun.text
    link = house.services.accounts.one_time_link(house.accounts["owner"].id)
    fresh = house.services.accounts.enter_by_link(link, password=PASSWORD).secret
    assert Browser(house, fresh).post("/accounts", {"name": "Di", "role": "owner"}).status_code == 200
    assert names(house) & {"Di", "Eve"} == {"Di"}


def test_the_demo_asks_nobody_again(sqlite_database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = SimpleNamespace(id=1, name="zoo", title="Animals", invite_nonce="x")  # making real ones takes seconds
    monkeypatch.setattr("goldmark.samples.campaigns.fill", lambda *_, **__: [sample])
    monkeypatch.setattr("goldmark.samples.boards.fill_board", lambda *_, **__: sample)
    services = Services.open(sqlite_database)
    link = demo.prepare(services, "")[-3].rpartition("/")[2]
    session = services.accounts.enter_by_link(link, password=None).secret
    long_since = update(credential).values(created_at=datetime.now(UTC) - timedelta(hours=3))
    services.store.write(lambda connection: connection.execute(long_since))
    assert services.proofs.is_fresh(session)
    services.store.close()


def test_calls_of_browsers_need_a_proof_and_those_of_programs_do_not(either_house: House) -> None:
    house = either_house
    browser = long_ago(house, "owner")
    headers = {"x-csrf-token": browser.csrf}

    def make(name: str) -> Any:
        return browser.client.post("/api/v1/accounts", json={"name": name, "role": "owner"}, headers=headers)

    refused = make("Eve")
    assert (refused.status_code, refused.json()["code"]) == (403, "ACCOUNT-22")
    assert browser.client.get("/api/v1/accounts").status_code == 200, "looking needs none"
    wrong = browser.client.post("/api/v1/me/proof", json={"password": "wrong"}, headers=headers)
    assert (wrong.status_code, wrong.json()["code"]) == (403, "ACCOUNT-03")
    assert browser.client.post("/api/v1/me/proof", json={"password": PASSWORD}).status_code == 403, "without its token"
    for _ in range(2):  # a second time it goes on from then
        given = browser.client.post("/api/v1/me/proof", json={"password": PASSWORD}, headers=headers)
        assert given.json() == {"ok": True}
    assert make("Ada").status_code == 201
    assert house.program("owner").post("/api/v1/accounts", json={"name": "Bo", "role": "owner"}).status_code == 201
    assert names(house) & {"Ada", "Bo", "Eve"} == {"Ada", "Bo"}


def test_a_proof_ends_with_the_sessions(either_house: House) -> None:
    house = either_house
    browser = long_ago(house, "owner")
    assert browser.post("/account/tokens", {"name": "x", FIELD: PASSWORD}).status_code == 200
    house.services.accounts.set_password(house.accounts["owner"].id, "another good phrase")
    left = select(credential.c.id).where(credential.c.kind.in_(("session", "proof")), credential.c.revoked_at.is_(None))
    left = left.where(credential.c.account_id == house.accounts["owner"].id)
    assert house.services.store.read(lambda connection: connection.execute(left).all()) == []


PROVEN_FORMS = [sign_in.SendsAsProvenAnyone, sign_in.SendsAsProvenManager, sign_in.SendsAsProvenOwner]
PROVEN_CALLS = [sign_in.CallsAsProvenAnyone, sign_in.CallsAsProvenManager, sign_in.CallsAsProvenOwner]
# What would do most harm in other hands: who may do what, what opens doors later, what is gone for good, what costs.
HARMFUL = {
    ("POST", "/accounts"),
    ("PATCH", "/accounts/{account_id}"),
    ("POST", "/accounts/{account_id}/link"),
    ("POST", "/accounts/{account_id}/second-factor/reset"),
    ("PUT", "/accounts/second-factor"),
    ("POST", "/me/tokens"),
    ("POST", "/campaigns/{name}/participants/erase"),
    ("POST", "/campaigns/{name}/crowd/publish"),
    ("POST", "/campaigns/{name}/crowd/places"),
    ("POST", "/campaigns/{name}/crowd/bonus"),
}


def depending_on(groups: Any, proofs: list[Any]) -> Iterator[tuple[str, str]]:
    wanted = {one.__metadata__[0].dependency for one in proofs}

    def all_of(dependant: Dependant) -> Iterator[Any]:
        for one in dependant.dependencies:
            yield one.call
            yield from all_of(one)

    for group in groups:
        for route in group.routes:
            if wanted & set(all_of(route.dependant)):
                for method in route.methods:
                    yield method, route.path


def test_what_does_most_harm_asks_again_on_pages_and_in_the_api() -> None:
    calls = set(depending_on(routes.API, PROVEN_CALLS))
    assert calls == {(method, f"/api/v1{path}") for method, path in HARMFUL}
    forms = {path for _, path in depending_on(routes.PAGES, PROVEN_FORMS)}
    assert forms == set(ACTS), "each says what it is that is confirmed"
    assert forms == {path.replace("/me/", "/account/") for _, path in HARMFUL}


def test_a_new_password_is_no_code(house: House) -> None:
    """It takes the old one, which browsers fill in by themselves: so it opens nothing for which a code is asked."""
    browser = long_ago(house, "owner")
    secret, _ = set_up(browser)
    age(house, browser.session, timedelta(hours=1))
    given = {"current": PASSWORD, "new": "another good password"}
    assert browser.post("/account/password", given).status_code == 303
    assert browser.get("/account").status_code == 200, "this browser stays signed in"
    assert "Code of your app" in browser.post("/account/tokens", {"name": "x"}).text
    assert "gm_" in browser.post("/account/tokens", {"name": "x", FIELD: code_for(secret, 1)}).text


# --- how long a session lasts


def test_a_session_ends_that_nobody_uses_and_one_that_is_old(either_house: House) -> None:
    house, times = either_house, SessionTimes()
    browser = house.browser("owner")
    for begun, used, status in (
        (times.longest - timedelta(hours=1), times.idle - timedelta(hours=1), 200),
        (times.longest - timedelta(hours=1), times.idle, 303),
        (times.longest, timedelta(), 303),
    ):
        age(house, browser.session, begun, used=used)
        assert browser.get("/account").status_code == status
        seen = house.services.accounts.sessions(house.accounts["owner"].id)
        assert len(seen) == (status == 200), "nor is it among those that go on"


def test_a_page_that_follows_a_campaign_keeps_nobody_signed_in(house: House) -> None:
    """It asks every few seconds without a click."""
    browser, idle = house.browser("owner"), timedelta(hours=23)
    noted = select(credential.c.used_at).where(credential.c.hash == hash_secret(browser.session))

    def unused(headers: dict[str, str]) -> timedelta:
        age(house, browser.session, timedelta(hours=26), used=idle)
        assert browser.client.get("/jobs", headers=headers).status_code == 200
        used: datetime = house.services.store.read(lambda connection: connection.execute(noted).scalar_one())
        return datetime.now(UTC) - used

    assert unused({FRAGMENT: BY_ITSELF}) >= idle
    assert unused({FRAGMENT: "inside"}) < idle
    assert unused({}) < idle


def test_how_long_is_set_by_whoever_runs_the_server(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (said(SessionTimes().idle), said(SessionTimes().longest), said(SessionTimes().proof)) == ("1d", "14d", "15m")
    monkeypatch.setenv(IDLE, "30m")
    monkeypatch.setenv(LONGEST, "12h")
    monkeypatch.setenv(PROOF, "1m")
    assert session_times() == (timedelta(minutes=30), timedelta(hours=12), timedelta(minutes=1))
    assert session_times().note_every == timedelta(minutes=3), "used is noted oftener"
    house.services.accounts.set_password(house.accounts["manager"].id, PASSWORD)
    client = house.client(headers=HTML)
    assert "max-age=43200" in enter(client, "manager", PASSWORD).headers["set-cookie"].lower()
    session = client.cookies[SESSION]
    age(house, session, timedelta(minutes=40), used=timedelta(minutes=29))
    assert client.get("/account").status_code == 200, "that it was used is noted now"
    age(house, session, timedelta(minutes=40), used=timedelta(minutes=31))
    assert client.get("/account").status_code == 303


@pytest.mark.parametrize("wrong", ["12", "h", "0m", "-1h", "1.5h", "12 hours", "400d", "٣h", "1d12h"])
def test_a_time_that_is_none_is_told(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(IDLE, wrong)
    with pytest.raises(SessionTimeNotUsable, match="such as 30m, 12h or 14d"):
        session_times()


# --- what the cookies are called


def test_cookies_of_an_https_address_are_set_by_no_other_host(sqlite_database: str) -> None:
    """A browser takes a cookie called so only from the host itself, encrypted, for all of its paths."""
    house = build(sqlite_database, public="https://eval.example.org")
    house.services.accounts.set_password(house.accounts["manager"].id, PASSWORD)
    client = house.client(headers=HTML, base_url="https://eval.example.org")
    replies = [client.get("/signin"), enter(client, "manager", PASSWORD), client.get("/account")]
    replies.append(client.post("/signout", data={"csrf": sign_in.form_token(client.cookies[f"__Host-{SESSION}"])}))
    cookies = [one for reply in replies for one in reply.headers.get_list("set-cookie")]
    assert {one.partition("=")[0] for one in cookies} == {f"__Host-{name}" for name in (SESSION, STRANGER, HALF)}
    for one in cookies:
        parts = {part.strip().lower() for part in one.split(";")}
        assert {"secure", "path=/"} <= parts, "or the browser ignores it, also where it takes the cookie away"
        assert not any(part.startswith("domain") for part in parts)
    session = house.services.accounts.session_for(house.accounts["manager"].id)
    for name, status in ((SESSION, 303), (f"__Host-{SESSION}", 200)):
        planted = house.client(headers=HTML, base_url="https://eval.example.org", cookies={name: session})
        assert planted.get("/account").status_code == status
    house.close()
