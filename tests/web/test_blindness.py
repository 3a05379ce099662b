"""No byte that an annotator can fetch holds a hidden fact.

Every hidden fact of the campaign carries a marker. An annotator then fetches all there is to fetch: every page, every
script, every reply of the API through a whole campaign, errors included.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import create, find_campaign, move
from goldmark.people import annotators
from goldmark.protocols import load
from goldmark.records.units import ShownText, ShownUnit, Unit
from goldmark.reviews import review
from goldmark.texts.segmentation.text import make_text
from goldmark.web.pages.render import WEB
from goldmark.web.services import Services
from tests.web.house import Served, TestClient, one_app

MARKER = "hidden-fact-7f3a"
HIDDEN = {"system": f"{MARKER}-system", MARKER: "a key", "stratum": f"{MARKER}-stratum"}
CONDITION = {"name": f"{MARKER}-condition", "factors": {MARKER: MARKER}, "mix": {f"{MARKER}-stratum": 1}}


def _unit(number: int) -> Unit:
    # The id carries the marker too: people put system names into ids.
    name = f"{MARKER}-unit-{number}"
    shown = ShownUnit({"text": ShownText(make_text(name, f"Text number {number} is here ."))})
    return Unit(name, shown, {**HIDDEN, "expected": {"mistakes": [MARKER]}})


@pytest.fixture
def services(database: str) -> Iterator[Services]:
    opened = Services.open(database)
    create(
        opened.store,
        name=f"{MARKER}-campaign",
        title="What people see",
        protocol=load("accuracy"),
        settings=Settings(labels_per_unit=2, batch={"size": 2}, consent="Fine?", conditions=[CONDITION]),
        units=[_unit(number) for number in range(4)],
        author=f"{MARKER}-author",
    )
    move(opened.store, f"{MARKER}-campaign", "started", author=MARKER, reason=MARKER)
    yield opened
    opened.store.close()


def test_nothing_hidden_reaches_an_annotator(services: Services) -> None:
    client = TestClient(Served(one_app(), services), raise_server_exceptions=False)
    row = services.store.read(lambda connection: find_campaign(connection, f"{MARKER}-campaign"))
    annotators.invite(services.store, services.links, row.name, f"{MARKER}-colleague", author="test")
    invite = services.links.invite(row.id, row.invite_nonce)
    seen: list[bytes] = []

    def fetch(method: str, path: str, **more: Any) -> dict[str, Any]:
        reply = client.request(method, path, follow_redirects=False, **more)
        seen.append(reply.content + str(reply.headers).encode() + str(reply.url).encode())
        is_json = reply.headers.get("content-type", "").startswith("application/json")
        return reply.json() if is_json else {"location": reply.headers.get("location", "")}

    fetch("GET", f"/join/{invite}")
    place = str(fetch("POST", f"/join/{invite}", data={"name": "Ada"})["location"])
    fetch("GET", place)
    credentials = {"headers": {"Authorization": f"Bearer {place.removeprefix('/a/')}"}}
    for path in ("/api/v1/work", "/api/v1/work/assignments"):
        fetch("GET", path, **credentials)
    following = fetch("POST", "/api/v1/work/next", **credentials)
    answered = 0
    while following["assignment"] or following["finished"]["another"]:
        if not following["assignment"]:
            following = fetch("POST", "/api/v1/work/batch", **credentials)
            continue
        number = following["assignment"]["id"]
        base = f"/api/v1/work/assignments/{number}"
        fetch("PUT", f"{base}/draft", json={"answers": {"mistakes": []}, "version": 0}, **credentials)
        fetch("PUT", f"{base}/draft", json={"answers": {"mistakes": []}, "version": 0}, **credentials)  # a conflict
        wrong = {"mistakes": [{"id": "e1", "start": 0, "end": 99, "label": "NOPE"}]}
        fetch("POST", f"{base}/responses", json={"answers": wrong, "client_key": "12345678"}, **credentials)
        right = {"answers": {"mistakes": []}, "client_key": f"key-{number:06}"}
        following = fetch("POST", f"{base}/responses", json=right, **credentials)["next"]
        fetch("GET", base, **credentials)
        answered += 1
    assert answered == 4
    review.judge(
        services.store,
        services.content,
        row.name,
        number,
        revision=1,
        verdict="returned",
        comment="Look again.",
        reviewer=f"{MARKER}-reviewer",
    )
    returned = fetch("POST", "/api/v1/work/next", **credentials)["assignment"]
    assert (returned["id"], returned["returned"]["comment"]) == (number, "Look again.")
    fetch("GET", base, **credentials)
    for path in ("/api/v1/work", "/api/v1/work/assignments", "/api/v1/work/assignments/9999", "/api/v1/work/nope"):
        fetch("GET", path, **credentials)
    for path in _everything_a_manager_has(row.name):
        fetch("GET", path, **credentials)
    for file in sorted((WEB / "static").rglob("*")):
        if file.is_file():
            fetch("GET", f"/static/{file.relative_to(WEB / 'static')}")
    # The pages' own addresses hold the campaign's name, so they are left out of what is searched here.
    told = b"\n".join(seen).replace(row.name.encode(), b"")
    assert MARKER.encode() not in told
    assert len(seen) > 40


def _everything_a_manager_has(name: str) -> list[str]:
    """Addresses that an annotator may try with their own token."""
    return [
        "/",
        f"/campaigns/{name}",
        f"/campaigns/{name}/units",
        f"/campaigns/{name}/responses",
        f"/campaigns/{name}/review",
        f"/api/v1/campaigns/{name}",
        f"/api/v1/campaigns/{name}/units",
        f"/api/v1/campaigns/{name}/responses",
        f"/api/v1/campaigns/{name}/reviews",
        f"/api/v1/campaigns/{name}/annotators",
        f"/api/v1/campaigns/{name}/export",
    ]


def test_the_table_of_hidden_facts_is_read_only_by_managers_code() -> None:
    """Blind by construction: the annotators' modules do not even name the table."""
    import goldmark.campaigns as campaigns

    folder = Path(str(campaigns.__file__)).parent / "assignments"
    for module in ("allocation", "responses", "content_cache", "work_service"):
        assert "unit_secret" not in (folder / f"{module}.py").read_text()
