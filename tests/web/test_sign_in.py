"""Signing in: passwords, sessions, one-time links, the first owner, and what slows down those who guess."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from goldmark.accounts.credentials import SecretNotValid
from goldmark.accounts.rate_limits import ADDRESS, HERE
from goldmark.accounts.roles import Role
from goldmark.web.runtime.logs import JsonLines
from goldmark.web.services import Services
from goldmark.web.sign_in import SESSION
from tests.web.house import HTML, PASSWORD, House, Served, TestClient, build, hidden_token, one_app


def sign_in(client: TestClient, name: str, password: str, **more: str) -> Any:
    token = hidden_token(client.get("/signin").text)
    return client.post("/signin", data={"csrf": token, "name": name, "password": password, **more})


def use_link(client: TestClient, secret: str) -> Any:
    token = hidden_token(client.get("/signin").text)
    return client.post(f"/link/{secret}", data={"csrf": token, "name": "", "password": ""})


@pytest.fixture
def with_password(house: House) -> House:
    house.services.accounts.set_password(house.accounts["manager"].id, PASSWORD)
    return house


def test_a_password_opens_the_pages_and_signing_out_closes_them(with_password: House) -> None:
    client = with_password.client(headers=HTML)
    sent_away = client.get("/campaigns/zoo")
    assert sent_away.headers["location"] == "/signin?next=/campaigns/zoo"
    entered = sign_in(client, "manager", PASSWORD, next="/campaigns/zoo")
    assert (entered.status_code, entered.headers["location"]) == (303, "/campaigns/zoo")
    cookie = entered.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "secure" not in cookie  # this server's address is not https
    page = client.get("/campaigns/zoo")
    assert page.status_code == 200
    session = client.cookies[SESSION]
    assert client.post("/signout", data={"csrf": hidden_token(page.text)}).status_code == 303
    client.cookies.set(SESSION, session)  # even somebody who kept the cookie
    assert client.get("/campaigns/zoo").status_code == 303


def test_cookies_are_secure_when_the_public_address_is(sqlite_database: str) -> None:
    house = build(sqlite_database, public="https://eval.example.org")
    house.services.accounts.set_password(house.accounts["manager"].id, PASSWORD)
    client = house.client(headers=HTML, base_url="https://eval.example.org")
    cookie = sign_in(client, "manager", PASSWORD).headers["set-cookie"].lower()
    assert cookie.count("secure") >= 1
    assert client.get("/signin").headers["strict-transport-security"].startswith("max-age=")
    house.close()


def test_unknown_names_and_wrong_passwords_get_the_same_answer(with_password: House) -> None:
    answers = {
        sign_in(with_password.client(headers=HTML), name, password).text.replace(name, "")
        for name, password in (("manager", "wrong"), ("nobody", "wrong"), ("owner", PASSWORD))
    }
    bodies = {text.partition("<h1>")[2].partition("<form")[0] for text in answers}
    assert len(bodies) == 1
    assert "the name or the password is wrong" in bodies.pop()


def test_many_tries_have_to_wait_where_they_were_made(with_password: House) -> None:
    stranger = with_password.client(headers=HTML, client=("203.0.113.9", 1))
    statuses = [sign_in(stranger, "manager", "wrong").status_code for _ in range(HERE.free + 2)]
    assert statuses == [403] * (HERE.free + 1) + [429]
    assert sign_in(stranger, "manager", PASSWORD).status_code == 429  # the right one as well: nothing is learnt
    assert sign_in(with_password.client(headers=HTML), "manager", PASSWORD).status_code == 303


def test_bogus_links_keep_nobody_elsewhere_from_using_theirs(with_password: House) -> None:
    stranger = with_password.client(headers=HTML, client=("203.0.113.9", 1))
    accounts, limits = with_password.services.accounts, with_password.services.limits
    for _ in range(ADDRESS.free + 1):  # counted as the page does, without the page
        with pytest.raises(SecretNotValid):
            limits.one_time_link("203.0.113.9", lambda: accounts.enter_by_link("x", password=None))
    link = accounts.one_time_link(with_password.accounts["manager"].id)
    assert use_link(stranger, link).status_code == 429
    assert use_link(with_password.client(headers=HTML), link).status_code == 303


def test_foreign_host_names_are_refused_where_the_address_is_named(sqlite_database: str) -> None:
    house = build(sqlite_database, public="https://eval.example.org")
    hosts = ("eval.example.org", "eval.example.org:443", "localhost:8000", "evil.example", "")
    client = house.client()
    assert [client.get("/signin", headers={"host": host}).status_code for host in hosts] == [200, 200, 200, 421, 421]
    house.close()


def test_pages_allow_no_script_but_ours(house: House) -> None:
    for path in ("/signin", "/api/v1/me", "/static/js/theme.js", "/nowhere", "/docs/"):
        headers = house.client(headers=HTML).get(path).headers
        policy = headers["content-security-policy"]
        assert "script-src 'self'" in policy, path
        assert "frame-ancestors 'none'" in policy, path
        assert "unsafe" not in policy, path
        kept = {name: headers[name] for name in ("x-content-type-options", "referrer-policy", "x-frame-options")}
        assert list(kept.values()) == ["nosniff", "no-referrer", "DENY"], path
        assert "server" not in headers
        assert ("no-store" in headers.get("cache-control", "")) == (not path.startswith("/static/")), path


def test_the_sign_in_form_itself_cannot_be_sent_from_elsewhere(with_password: House) -> None:
    client = with_password.client(headers=HTML)
    reply = client.post("/signin", data={"name": "manager", "password": PASSWORD})
    assert reply.status_code == 403
    assert SESSION not in client.cookies


@pytest.mark.parametrize(
    "wanted", ["//evil.example", "/\\evil.example", "https://evil.example", "evil", "/a\nb", "/signin"]
)
def test_signing_in_leads_nowhere_else(with_password: House, wanted: str) -> None:
    assert sign_in(with_password.client(headers=HTML), "manager", PASSWORD, next=wanted).headers["location"] == "/"


def test_a_new_password_signs_out_other_browsers_and_keeps_this_one(with_password: House) -> None:
    here, elsewhere = (with_password.client(headers=HTML) for _ in range(2))
    for client in (here, elsewhere):
        sign_in(client, "manager", PASSWORD)
    token = hidden_token(here.get("/account").text)
    wrong = here.post("/account/password", data={"csrf": token, "current": "no", "new": "another good password"})
    assert wrong.status_code == 403
    short = here.post("/account/password", data={"csrf": token, "current": PASSWORD, "new": "short"})
    assert short.status_code == 422
    right = here.post("/account/password", data={"csrf": token, "current": PASSWORD, "new": "another good password"})
    assert right.status_code == 303
    assert here.get("/account").status_code == 200
    assert elsewhere.get("/account").status_code == 303
    assert sign_in(elsewhere, "manager", "another good password").status_code == 303


def test_shutting_an_account_out_ends_its_sessions_and_tokens(house: House) -> None:
    browser, program = house.browser("curator"), house.program("curator")
    assert browser.get("/").status_code == 200
    account = house.accounts["curator"].id
    reply = house.program("owner").patch(f"/api/v1/accounts/{account}", json={"disabled": True, "reason": "left"})
    assert reply.status_code == 200
    assert browser.get("/account").status_code == 303
    assert program.get("/api/v1/me").status_code == 401
    with_link = house.services.accounts.one_time_link(account)
    assert house.client(headers=HTML).get(f"/link/{with_link}").status_code == 403
    house.program("owner").patch(f"/api/v1/accounts/{account}", json={"disabled": False, "reason": "back"})
    assert browser.get("/account").status_code == 303  # what ended stays ended
    assert program.get("/api/v1/me").status_code == 401


def test_the_last_owner_stays(house: House) -> None:
    owner = house.accounts["owner"].id
    for change in ({"disabled": True}, {"role": "manager"}):
        reply = house.program("owner").patch(f"/api/v1/accounts/{owner}", json=change)
        assert (reply.status_code, reply.json()["code"]) == (409, "ACCOUNT-09")
    reply = house.browser("owner").post(f"/accounts/{owner}", {"disabled": "yes"})
    assert reply.status_code == 409
    assert "last owner" in reply.text


def test_a_token_notes_its_use_at_most_once_a_minute(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    program = house.program("curator")
    program.get("/api/v1/me")
    first = program.get("/api/v1/me/tokens").json()["tokens"][0]["used_at"]
    assert first is not None
    writes: list[object] = []
    monkeypatch.setattr(house.services.store, "write", writes.append)
    program.get("/api/v1/me")
    assert writes == []


def test_a_token_with_a_narrow_scope_changes_nothing_and_makes_no_wider_one(house: House) -> None:
    browser = house.browser("owner")
    page = browser.post("/account/tokens", {"name": "reads", "scope": "read", "days": "30"})
    found = re.search(r"gm_[\w-]+", page.text)
    assert found is not None
    assert "only read" in page.text
    reads = house.client(headers={"authorization": f"Bearer {found.group()}"})
    assert reads.get("/api/v1/accounts").status_code == 200
    refused = reads.post("/api/v1/me/tokens", json={"name": "more"})
    assert (refused.status_code, refused.json()["code"]) == (403, "ACCOUNT-12")
    assert reads.post("/api/v1/campaigns", json={}).status_code == 403
    owner = house.program("owner")
    curates = owner.post("/api/v1/me/tokens", json={"name": "curates", "role": "curator"}).json()["secret"]
    less = house.client(headers={"authorization": f"Bearer {curates}"})
    assert less.get("/api/v1/accounts").status_code == 403
    more = less.post("/api/v1/me/tokens", json={"name": "more", "role": "owner"}).json()["secret"]
    assert house.client(headers={"authorization": f"Bearer {more}"}).get("/api/v1/accounts").status_code == 403
    kinds = [(one["scope"], one["role"]) for one in owner.get("/api/v1/me/tokens").json()["tokens"]]
    assert kinds[-3:] == [("read", None), ("all", "curator"), ("all", "curator")]


def test_a_token_that_only_reads_is_shown_no_link_with_which_somebody_works(house: House) -> None:
    """Whoever has a personal link answers as that person, and whoever has an open one joins."""
    owner, here = house.accounts["owner"].id, "/api/v1/campaigns/zoo"
    house.program("owner").post(f"{here}/annotators", json={"accounts": ["owner"]})
    settings = house.program("owner").get(here).json()["settings"]
    opened = {"title": "Animals", "settings": {**settings, "join": {**settings["join"], "open": True}}}
    assert house.program("owner").put(f"{here}/settings", json=opened).status_code == 200
    reads = house.services.accounts.new_token(owner, "reads", scope="read")[1]
    shown = {}
    for name, token in (("all", house.tokens["owner"]), ("reads", reads)):
        client = house.client(headers={"authorization": f"Bearer {token}"})
        paths = (here, f"{here}/annotators", f"{here}/annotators/{house.annotator}", "/api/v1/me/campaigns")
        shown[name] = "".join(client.get(path).text for path in paths)
    assert (shown["all"].count("/a/"), shown["all"].count("/join/")) == (4, 1)
    assert (shown["reads"].count("/a/"), shown["reads"].count("/join/")) == (0, 0)


def test_a_token_that_is_less_than_its_account_signs_nobody_out(house: House) -> None:
    owner, browser = house.accounts["owner"].id, house.browser("owner")
    less = house.services.accounts.new_token(owner, "less", role=Role.ANNOTATOR)[1]
    client = house.client(headers={"authorization": f"Bearer {less}"})
    (session,) = house.services.accounts.sessions(owner)
    tokens = {one.name: one.id for one in house.services.accounts.tokens(owner)}
    for method, path in (
        ("POST", "/api/v1/me/sign-out"),
        ("DELETE", f"/api/v1/me/sessions/{session.id}"),
        ("DELETE", f"/api/v1/me/tokens/{tokens['test']}"),
    ):
        reply = client.request(method, path)
        assert (reply.status_code, reply.json()["code"]) == (403, "ACCOUNT-21")
    assert browser.get("/account").status_code == 200
    assert client.delete(f"/api/v1/me/tokens/{tokens['less']}").status_code == 200, "itself it may end"


def test_a_token_ends_unless_somebody_wants_it_otherwise(house: House) -> None:
    browser = house.browser("owner")
    endless = house.services.accounts.new_token(house.accounts["owner"].id, "endless", None)[1]
    owner = house.client(headers={"authorization": f"Bearer {endless}"})
    owner.post("/api/v1/me/tokens", json={"name": "said nothing"})
    owner.post("/api/v1/me/tokens", json={"name": "for ever", "days": None})
    owner.post("/api/v1/me/tokens", json={"name": "a week", "days": 7})
    chosen = re.search(r'<option value="([^"]*)" selected', browser.get("/account").text)
    assert chosen
    browser.post("/account/tokens", {"name": "as suggested", "days": chosen.group(1)})
    browser.post("/account/tokens", {"name": "for ever on the page", "days": ""})
    now = datetime.now(UTC)
    ends = {one["name"]: one["expires_at"] for one in owner.get("/api/v1/me/tokens").json()["tokens"]}
    days = {name: (datetime.fromisoformat(at) - now).days + 1 if at else None for name, at in ends.items()}
    del days["test"], days["endless"]
    assert days == {"said nothing": 90, "for ever": None, "a week": 7, "as suggested": 90, "for ever on the page": None}
    shown = browser.get("/account").text
    assert shown.count("soon") == 1
    assert re.search(r"a week.*?soon", shown, re.S), "it says which one needs to be made anew"


def test_a_token_that_ends_makes_none_that_lasts_longer(house: House) -> None:
    owner = house.program("owner")
    ends = owner.post("/api/v1/me/tokens", json={"name": "a day", "days": 1}).json()["secret"]
    asking = house.client(headers={"authorization": f"Bearer {ends}"})
    for wanted in ({}, {"days": 3650}):
        assert asking.post("/api/v1/me/tokens", json={"name": "for ever", **wanted}).status_code == 201
    tokens = owner.get("/api/v1/me/tokens").json()["tokens"][-3:]
    first, *others = (datetime.fromisoformat(one["expires_at"]) for one in tokens)
    assert max(others) <= first + timedelta(minutes=1)  # it takes a moment


FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def test_sessions_are_seen_and_ended_one_by_one(with_password: House) -> None:
    there = with_password.client(headers={"user-agent": FIREFOX})
    sign_in(there, "manager", PASSWORD)
    browser, other = with_password.browser("manager"), with_password.browser("owner")
    page = browser.get("/account").text
    assert "Firefox on Linux" in page
    assert page.count("this browser") == 1
    seen = there.get("/api/v1/me/sessions").json()["sessions"]
    assert [(one["name"], one["current"]) for one in seen] == [("browser", False), ("Firefox on Linux", True)]
    firefox = seen[1]["id"]
    assert other.post(f"/account/sessions/{firefox}/end").status_code == 303  # of somebody else: nothing happens
    assert there.get("/api/v1/me").status_code == 200
    assert browser.post(f"/account/sessions/{firefox}/end").status_code == 303
    assert there.get("/api/v1/me").status_code == 401
    assert browser.get("/account").status_code == 200
    assert "Firefox" not in browser.get("/account").text


def test_owners_see_who_signed_in_from_where(with_password: House) -> None:
    sign_in(with_password.client(), "manager", PASSWORD)
    browser = with_password.browser("owner")
    browser.post("/account/tokens", {"name": "laptop"})
    seen = with_password.program("owner").get("/api/v1/accounts/activity").json()["events"]
    assert [one["kind"] for one in seen[:2]] == ["token made", "signed in"]
    assert seen[1]["facts"] == {"from": "testclient"}
    page = browser.get("/accounts/activity").text
    assert "signed in" in page
    assert "laptop" in page
    assert ": signed in" not in browser.get("/accounts").text


def test_a_refused_sign_in_is_logged_with_whose_account_and_from_where(
    with_password: House, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("manager", "my secret pass phrase"):
        assert sign_in(with_password.client(), name, "wrong").status_code == 403
    told = [JsonLines().format(one) for one in caplog.records if one.getMessage() == "sign-in refused"]
    assert [json.loads(one)["account"] for one in told] == ["manager", None]
    assert [json.loads(one)["from"] for one in told] == ["testclient"] * 2
    assert "secret" not in "".join(told)
    assert "wrong" not in "".join(told)


def test_refused_access_is_logged_with_who_tried_what(house: House, caplog: pytest.LogCaptureFixture) -> None:
    assert house.program("curator").get("/api/v1/accounts").status_code == 403
    assert house.browser("curator").get("/campaigns/zoo/crowd").status_code == 403
    told = [json.loads(JsonLines().format(one)) for one in caplog.records if one.getMessage() == "access refused"]
    facts = [(one["account"], one["pattern"], one["from"]) for one in told]
    assert facts == [
        ("curator", "/api/v1/accounts", "testclient"),
        ("curator", "/campaigns/{name}/crowd", "testclient"),
    ]


def test_a_revoked_token_stops_at_once(house: House) -> None:
    made = house.program("manager").post("/api/v1/me/tokens", json={"name": "short", "days": 1}).json()
    program = house.client(headers={"authorization": f"Bearer {made['secret']}"})
    assert program.get("/api/v1/me").json()["name"] == "manager"
    assert program.delete(f"/api/v1/me/tokens/{made['id']}").status_code == 200
    assert program.get("/api/v1/me").status_code == 401
    # Nobody revokes a token of somebody else.
    mine = house.services.accounts.tokens(house.accounts["owner"].id)[0].id
    house.program("manager").delete(f"/api/v1/me/tokens/{mine}")
    assert house.program("owner").get("/api/v1/me").status_code == 200


# --- one-time links


@pytest.fixture
def empty(sqlite_database: str) -> Iterator[tuple[Services, TestClient]]:
    services = Services.open(sqlite_database)
    yield services, TestClient(Served(one_app(), services), headers=HTML, follow_redirects=False)
    services.store.close()


def use(client: TestClient, link: str, **data: str) -> Any:
    token = hidden_token(client.get(link).text)
    return client.post(link, data={"csrf": token, **data})


def test_the_first_link_makes_the_first_owner_once(empty: tuple[Services, TestClient]) -> None:
    services, client = empty
    first, second = (f"/link/{services.accounts.one_time_link(None)}" for _ in range(2))
    assert "terminal" in client.get("/signin").text  # a stranger learns where the link is
    refused = use(client, first, name="Ada", password="short")
    assert refused.status_code == 422  # and the link still works
    assert use(client, first, name="Ada", password=PASSWORD).headers["location"] == "/"
    assert "There are no campaigns yet" in client.get("/").text
    assert services.accounts.find("Ada").role.title == "owner"
    for used in (first, second):  # a second start of the server printed another link: it is worthless now
        assert client.get(used).status_code == 403
        assert client.post(used, data={"csrf": "x", "name": "Eve", "password": PASSWORD}).status_code == 403
    assert [one.name for one in services.accounts.accounts()] == ["Ada"]


def test_a_link_cannot_make_an_owner_when_there_is_one(empty: tuple[Services, TestClient]) -> None:
    services, client = empty
    link = f"/link/{services.accounts.one_time_link(None)}"
    page = client.get(link)

    services.accounts.create("Ada", Role.OWNER, None, author="test")
    reply = client.post(link, data={"csrf": hidden_token(page.text), "name": "Eve", "password": PASSWORD})
    assert reply.status_code == 403
    assert [one.name for one in services.accounts.accounts()] == ["Ada"]


def test_looking_at_a_link_does_not_use_it_up(house: House) -> None:
    link = f"/link/{house.services.accounts.one_time_link(house.accounts['spare'].id)}"
    client = house.client(headers=HTML)
    for _ in range(3):
        assert "spare" in client.get(link).text
    assert use(client, link, password=PASSWORD).status_code == 303
    assert client.get(link).status_code == 403
    assert sign_in(house.client(headers=HTML), "spare", PASSWORD).status_code == 303


def test_only_people_who_are_signed_in_may_send_large_bodies(house: House) -> None:
    large = [("files", ("texts.jsonl", b" " * 2_100_000))]
    path = "/api/v1/campaigns/zoo/units/upload"
    assert house.client().post(path, files=large).status_code == 401
    assert house.client(headers={"authorization": "Bearer gm_wrong"}).post(path, files=large).status_code == 401
    assert house.program("manager").post(path, files=large).status_code == 422  # read, and found empty
    browser = house.browser("manager")
    assert browser.post("/campaigns/zoo/texts", files=large).status_code == 422
    assert browser.post("/signout", {"csrf": "x" * 2_100_000}).status_code == 413


def test_ones_page_says_whether_one_is_told_by_mail(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    made = house.services.accounts.create("ada@example.org", Role.CURATOR, PASSWORD, author="test")
    client = house.client(headers=HTML)
    sign_in(client, made.name, PASSWORD)
    assert "are mailed to" not in client.get("/account").text
    monkeypatch.setenv("GOLDMARK_SMTP", "smtp://mail.example.org")
    monkeypatch.setenv("GOLDMARK_MAIL_FROM", "goldmark@example.org")
    assert "are mailed to ada@example.org" in client.get("/account").text
    assert "are mailed to" not in house.browser("owner").get("/account").text
