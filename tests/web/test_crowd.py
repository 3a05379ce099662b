"""Crowd platforms over HTTP: publish with the cost confirmed, arrive, hand in, decide, pay; hooks; what never leaks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from sqlalchemy import select

from goldmark.campaigns.transfer.export import record_of
from goldmark.exchange.formats import FORMATS, export_bytes
from goldmark.jobs.queue import listing
from goldmark.jobs.worker import Worker
from goldmark.simulate.platforms.mturk import MTurkStandIn
from goldmark.simulate.platforms.prolific import ProlificStandIn
from goldmark.store.tables import metadata
from goldmark.web.runtime.handlers import load_handlers
from goldmark.web.security_headers import POLICY
from tests.recruiting.ground import BASE, NAME, Ground, Person, platform_of
from tests.web.house import HTML, House


@pytest.fixture
def mturk(monkeypatch: pytest.MonkeyPatch) -> Iterator[MTurkStandIn]:
    with platform_of("mturk", monkeypatch) as made:
        yield made


@pytest.fixture
def prolific(monkeypatch: pytest.MonkeyPatch) -> Iterator[ProlificStandIn]:
    with platform_of("prolific", monkeypatch) as made:
        yield made


def ground_in(house: House, there: Any, **settings: Any) -> Ground[Any]:
    """A campaign in this house that is still to be published."""
    services = house.services
    return Ground.build(services.store, there, publish_now=False, links=services.links, **settings)


def working(house: House) -> None:
    """What the worker beside the server does."""
    load_handlers()
    Worker(house.services.store, kinds=["crowd platform"]).run_until_empty()


def path_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def test_a_manager_confirms_the_cost_and_people_come_and_are_paid(house: House, mturk: MTurkStandIn) -> None:
    ground = ground_in(house, mturk, consent="We keep your answers.", recruit={"address": BASE})
    manager = house.browser("manager")
    page = manager.get(f"/campaigns/{NAME}/crowd/publish").text
    assert "7.20 USD" in page
    assert "10000.00 USD" in page
    confirm = re.search(r'name="confirm" value="([\d.]+)"', page)
    assert confirm
    stale = manager.post(f"/campaigns/{NAME}/crowd/publish", {"confirm": "7.19", "live": "yes", "places": "4"})
    assert (stale.status_code, "confirm exactly this amount" in stale.text) == (409, True)
    sent = manager.post(f"/campaigns/{NAME}/crowd/publish", {"confirm": confirm.group(1), "live": "yes", "places": "4"})
    assert sent.status_code == 303, sent.text
    working(house)
    assert [one.places for one in mturk.hits.values()] == [4]
    assert "open" in manager.get(f"/campaigns/{NAME}/crowd").text

    person = ground.person(1)
    client = house.client(headers=HTML)
    preview = client.get(path_of(mturk.url(None, next(iter(mturk.hits)))))
    assert "This is a preview" in preview.text
    door = client.get(path_of(person.url))
    assert "We keep your answers." in door.text
    ticket = re.search(r'name="ticket" value="([^"]+)"', door.text)
    assert ticket
    joined = client.post(path_of(person.url), data={"ticket": ticket.group(1)})
    assert joined.status_code == 303, joined.text
    assert client.get(path_of(person.url)).headers["location"] == joined.headers["location"]
    person.token = joined.headers["location"].removeprefix("/a/")
    assert f"/done/{person.token}" in client.get(joined.headers["location"]).text
    assert client.get(f"/done/{person.token}").status_code == 303, "there is still work to do"
    ground.work(person.token)
    done = client.get(f"/done/{person.token}")
    assert f'action="{mturk.address}/mturk/externalSubmit"' in done.text
    # This page alone may send a form to the platform, and to nothing else.
    assert done.headers["content-security-policy"].endswith(f"form-action {mturk.address}")
    for other in (path_of(person.url), f"/a/{person.token}", f"/campaigns/{NAME}/crowd"):
        assert client.get(other).headers["content-security-policy"].startswith(POLICY.decode())
    person.hand_in()
    house.program("manager").post(f"/api/v1/campaigns/{NAME}/crowd/look")
    working(house)
    program = house.program("manager")
    found = program.get(f"/api/v1/campaigns/{NAME}/crowd").json()
    assert (found["states"], found["spent"]["total"]) == ({"approved": 1}, "1.80")
    books = program.get(f"/api/v1/campaigns/{NAME}/crowd/books").json()
    assert books["agrees"] is True
    for path in ("", "/books", "/bonus"):
        page = manager.get(f"/campaigns/{NAME}/crowd{path}")
        assert page.status_code == 200, page.text
    assert "They agree to the cent." in manager.get(f"/campaigns/{NAME}/crowd/books").text


def test_somebody_elses_place_and_a_ticket_of_ones_own_making(house: House, prolific: ProlificStandIn) -> None:
    ground = ground_in(house, prolific)
    ground.publish()
    person = ground.person(1)
    person.come()
    client = house.client(headers=HTML)
    assert client.get(path_of(person.url)).status_code == 303
    wrong = client.get(path_of(person.url.replace(person.name, "f" * 24)))
    assert (wrong.status_code, "somebody else" in wrong.text) == (403, True)
    assert client.get(urlsplit(person.url).path).status_code == 403, "whom the platform does not name"
    forged = client.post(urlsplit(person.url).path, data={"ticket": "e30.made.up"})
    assert forged.status_code == 403
    prolific.faults["GET /submissions/ID/"] = ["error"]
    later = client.get(path_of(person.url))
    assert (later.status_code, later.headers["refresh"]) == (503, "5"), "the page asks again by itself"


def test_hooks_are_believed_only_if_signed_and_only_as_a_hint(house: House, prolific: ProlificStandIn) -> None:
    ground = ground_in(house, prolific)
    ground.publish()

    def sent(secret: str, body: bytes = b'{"event_type": "submission.status.change"}', at: str = "") -> int:
        import time

        from goldmark.connectors.prolific.hooks import signed

        moment = at or str(int(time.time()))
        headers = {
            "x-prolific-request-timestamp": moment,
            "x-prolific-request-signature": signed(secret, moment, body),
        }
        return int(house.client().post("/api/v1/hooks/prolific", content=body, headers=headers).status_code)

    def jobs() -> int:
        return len(house.services.store.read(lambda connection: listing(connection, kind="crowd platform")))

    working(house)
    ground.person(1).whole()
    before = jobs()
    assert sent("another secret") == 403
    assert sent(prolific.hook_secret, at="1000000000") == 403, "years old"
    assert sent(prolific.hook_secret, at="soon") == 403
    assert jobs() == before
    assert sent(prolific.hook_secret) == 204
    assert jobs() == before + 1
    for _ in range(5):  # repeated, and late
        assert sent(prolific.hook_secret, b'{"resource_id": "nonsense", "status": "REJECTED"}') == 204
    assert ground.states() == ["open"], "what a hook says changes nothing"
    working(house)
    assert ground.states() == ["approved"]
    assert house.client().post("/api/v1/hooks/mturk", content=b"{}").status_code == 403
    assert house.client().post("/api/v1/hooks/nobody", content=b"{}").status_code == 404


def test_keys_and_ids_of_people_are_nowhere_but_where_they_belong(house: House, mturk: MTurkStandIn) -> None:
    ground = ground_in(house, mturk, pay={"target_hourly": 30.0})
    ground.publish()
    person: Person = ground.person("SECRETIVE")
    person.whole(seconds=120.0)
    ground.look()
    ground.look()

    def everything(connection: Any) -> dict[str, str]:
        return {table.name: repr(connection.execute(select(table)).all()) for table in metadata.sorted_tables}

    rows = house.services.store.read(everything)
    assert [name for name, text in rows.items() if person.name in text] == ["participant"]
    secrets = ("a-secret-access-key-that-no-page-shows", "AKIAREHEARSAL0000000")
    assert not [name for name, text in rows.items() if any(one in text for one in secrets)]
    exported = export_bytes(record_of(house.services.store, NAME), next(iter(FORMATS)))[1]
    browser, program = house.browser("owner"), house.program("owner")
    shown = [browser.get(f"/campaigns/{NAME}/{path}").text for path in ("crowd", "crowd/books", "crowd/bonus", "pay")]
    shown += [
        program.get(f"/api/v1/campaigns/{NAME}/crowd{path}").text for path in ("", "/sessions", "/ledger", "/books")
    ]
    for text in (*shown, exported.decode(errors="replace")):
        assert person.name not in text
        assert not any(one in text for one in secrets)
    assert person.name in browser.get(f"/campaigns/{NAME}/participants").text
    # Erased, they are paid all the same: the platform knows whose place it was.
    browser.post(f"/campaigns/{NAME}/participants/erase", {"reason": "asked for it"})
    plan = program.get(f"/api/v1/campaigns/{NAME}/crowd/bonus").json()
    assert program.post(f"/api/v1/campaigns/{NAME}/crowd/bonus", json={"confirm": plan["total"]}).status_code == 200
    working(house)
    assert [str(one.amount) for one in mturk.bonuses] == ["1.50"]
    rows = house.services.store.read(everything)
    assert [name for name, text in rows.items() if person.name in text] == []


def test_terms_are_changed_on_the_page(house: House, mturk: MTurkStandIn) -> None:
    ground = ground_in(house, mturk)
    manager = house.browser("manager")
    form = {
        "platform": "mturk",
        "live": "no",
        "reward": "2.25",
        "minutes": "8",
        "minutes_allowed": "45",
        "budget": "50",
        "approve.rule": "by hand",
        "approve.after_hours": "12",
        "replace": "no",
        "options": "locales: [US, GB]\napproved_percent: 97",
    }
    assert manager.post(f"/campaigns/{NAME}/crowd", form).status_code == 303
    given = ground.row.settings.recruit
    assert given is not None
    assert (str(given.reward), given.live, given.replace, given.approve.rule) == ("2.25", False, False, "by hand")
    assert given.options == {"locales": ["US", "GB"], "approved_percent": 97}
    for changed, words in (
        ({"options": "locales: [Utopia]"}, "options"),
        ({"options": "a: [b"}, "no YAML"),
        ({"reward": "1.005"}, "no whole number of cents"),
        ({"minutes": "soon"}, "number"),
        ({"platform": "link"}, "only says who people are"),
    ):
        refused = manager.post(f"/campaigns/{NAME}/crowd", {**form, **changed})
        assert refused.status_code == 422, refused.text
        assert words in refused.text
    page = manager.get(f"/campaigns/{NAME}/crowd/publish").text
    assert "no real money" in page
