"""Routes that are built when they are first asked for answer exactly what they would answer if all had been built."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute, iter_route_contexts
from starlette.routing import Match, NoMatchFound

from goldmark.web import failures, routes
from goldmark.web.api.description import one_title_each
from goldmark.web.api.operation_ids import operation_id
from goldmark.web.runtime.route_groups import BuildRoutes, RouteGroup
from tests.web.client import TestClient
from tests.web.house import House, one_app

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
# Not built at the start of a server: what they import takes long or holds much.
FOR_LATER = (
    "alembic",
    "cyclopts",
    "difflib",
    "numpy",
    "polars",
    "scipy",
    "sqlalchemy.dialects.postgresql",
    "statistics",
    "yaml",
    "goldmark.campaigns.unit_overview",
    "goldmark.cli.output",
    "goldmark.curation",
    "goldmark.leaderboards",
    "goldmark.observations.rows",
    "goldmark.people.platform",
    "goldmark.protocols.loader",
    "goldmark.records.campaigns",
    "goldmark.studies",
    "goldmark.texts",
    "goldmark.web.computing.computed",
)


def unbuilt() -> list[RouteGroup]:
    return [RouteGroup(group.module, group.beginnings) for group in (*routes.API, *routes.PAGES)]


@pytest.fixture(scope="module")
def eager() -> FastAPI:
    """All routers, put together by FastAPI itself."""
    app = FastAPI(openapi_url=None, generate_unique_id_function=operation_id)
    for group in unbuilt():
        app.include_router(import_module(group.module).router)
    return app


def addresses() -> Iterator[str]:
    """One for every route, with other words in the places of names; also some that no route takes."""
    for group in (*routes.API, *routes.PAGES):
        for route in group.routes:
            for word in ("zoo", "new"):
                words = [word if one.startswith("{") else one for one in route.path.split("/")]
                yield "/".join(words)
                yield "/".join([*words, "more"])
    yield from ("/", "//", "/nothing", "/a", "/api", "/api/v1", "/campaigns", "/api/docs/x", "/signin\n", "/signinx")


def scope_of(path: str, method: str, kind: str = "http") -> dict[str, Any]:
    return {"type": kind, "path": path, "method": method, "root_path": "", "headers": [], "query_string": b""}


def found_among(asked: Any, path: str, method: str) -> list[tuple[Match, Any, Any]]:
    """What routes say of an address, up to the first that takes it all."""
    found = []
    for one in asked:
        scope = scope_of(path, method)
        match, more = one.matches(scope)
        if match is not Match.NONE:
            found.append((match, more["endpoint"], more["path_params"]))
        if match is Match.FULL:
            break
    return found


def test_all_routes_of_a_group_stand_beneath_its_beginnings_and_none_is_for_nothing() -> None:
    for group in (*routes.API, *routes.PAGES):
        words = [one.rstrip("/").split("/") for one in group.beginnings]
        beneath = dict.fromkeys(group.beginnings, 0)
        for route in group.routes:
            path = route.path.rstrip("/").split("/")
            over = [
                place for place, begins in zip(group.beginnings, words, strict=True) if path[: len(begins)] == begins
            ]
            assert over, f"{group.module} has {route.path}: say in goldmark/web/routes.py where it begins"
            for place in over:
                beneath[place] += 1
        assert all(beneath.values()), f"{group.module}: nothing is beneath one of {group.beginnings}"


def test_the_same_routes_in_the_same_order_under_the_same_names(eager: FastAPI) -> None:
    built = [one for one in iter_route_contexts(eager.routes) if isinstance(one.original_route, APIRoute)]
    together = [(one.path, one.methods, one.name) for one in built]
    assert [(one.path, one.methods, one.name) for group in unbuilt() for one in group.routes] == together
    assert len(together) > 350
    calls = {(one.path, *(one.methods or ())): one.unique_id for group in routes.API for one in group.routes}
    assert calls == {(one.path, *(one.methods or ())): one.unique_id for one in built if one.include_in_schema}


def test_the_description_is_the_same_to_the_byte(eager: FastAPI) -> None:
    app = one_app()
    eager.title, eager.version, eager.description = app.title, app.version, app.description
    assert json.dumps(app.openapi()) == json.dumps(one_title_each(eager.openapi()))


def test_an_address_is_answered_by_the_same_route() -> None:
    """Group by group: one that is not built passes over no address of its routes; one that is answers as a router."""
    pairs = [(group, RouteGroup(group.module, group.beginnings)) for group in (*routes.API, *routes.PAGES)]
    paths = sorted(set(addresses()))
    assert len(paths) > 1_000
    taken = 0
    for group, fresh in pairs:
        router = import_module(group.module).router.routes
        for path in paths:
            if not fresh.may_take(scope_of(path, "GET")):
                assert found_among(router, path, "GET") == found_among([group], path, "GET") == [], (path, group.module)
                continue
            taken += 1
            for method in METHODS:
                among = found_among(router, path, method)
                # The one that takes it all, else the first that takes the address.
                expected = among[-1:] if among and among[-1][0] is Match.FULL else among[:1]
                assert found_among([group], path, method) == expected, (path, method)
    assert taken > len(paths)
    assert pairs[0][0].matches(scope_of("/api/v1/work", "", "websocket")) == (Match.NONE, {})


def test_replies_outside_of_routes_are_the_same(eager: FastAPI, house: House) -> None:
    """Nothing there, another method, an address with one slash too many or too few."""
    failures.install(eager)
    eager.state.services = house.services
    one, other = house.client(), TestClient(eager, follow_redirects=False)
    seen = set()
    for path in ("/nothing", "/signin/", "/docs", "/jobs/", "/campaigns/zoo/", "/api/v1/campaigns/zoo/", "/api/v1/me"):
        for method in METHODS:
            ours, theirs = one.request(method, path), other.request(method, path)
            kept = ("allow", "location", "content-type")
            assert ours.status_code == theirs.status_code, (method, path)
            assert [ours.headers.get(key) for key in kept] == [theirs.headers.get(key) for key in kept], (method, path)
            seen.add(ours.status_code)
    assert {404, 405, 307} <= seen


def test_names_lead_to_addresses() -> None:
    app = one_app()
    assert app.url_path_for("work") == "/api/v1/work"
    assert app.url_path_for("describe_api") == "/api/docs"
    with pytest.raises(NoMatchFound):
        app.url_path_for("nothing-of-this-name")


def test_a_server_starts_with_what_annotators_need_and_little_else() -> None:
    told = subprocess.run(
        [
            sys.executable,
            "-c",
            "import json, sys\n"
            "from goldmark.web.app import create_app\n"
            "from goldmark.web.routes import API, PAGES\n"
            "import goldmark.cli.server.run_server, goldmark.web.runtime.server\n"
            "create_app(None)\n"
            "import goldmark.web.pages.server.entrance\n"
            "built = [group.module for group in (*API, *PAGES) if group.is_built]\n"
            "print(json.dumps([built, sorted(sys.modules)]))",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    built, modules = json.loads(told.stdout)
    assert tuple(built) == routes.FOR_ANNOTATORS
    assert [one for one in FOR_LATER if one in modules] == []


# Built when the test says so.
SLOW = """
import sys
from fastapi import APIRouter

BUILT = globals().get("BUILT", 0) + 1
sys.modules["tests.web.test_route_groups"].GOES_ON.wait(60)
router = APIRouter()

@router.get("/slow/{name}")
async def slow(name: str) -> str:
    return f"{name} {BUILT}"
"""


GOES_ON = threading.Event()


@pytest.fixture
def slow_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RouteGroup]:
    (tmp_path / "slow_routes_of_a_test.py").write_text(SLOW)
    monkeypatch.syspath_prepend(tmp_path)
    GOES_ON.clear()
    yield RouteGroup("slow_routes_of_a_test", ["/slow"])
    sys.modules.pop("slow_routes_of_a_test", None)


def test_many_who_ask_first_at_once_get_the_same(slow_group: RouteGroup) -> None:
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(lambda: slow_group.routes) for _ in range(8)]
        GOES_ON.set()
        found = [one.result() for one in asked]
    assert all(one is found[0] for one in found)
    assert len(found[0]) == 1


def test_nobody_waits_while_others_routes_are_built(slow_group: RouteGroup) -> None:
    """The first request for the slow ones is still waiting when another is answered."""
    app = FastAPI()
    app.router.routes.append(slow_group)

    @app.get("/quick")
    async def quick() -> str:
        return "quick"

    app.add_middleware(cast(Any, BuildRoutes), groups=[slow_group])
    answered: list[str] = []

    async def ask(path: str) -> None:
        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.body":
                answered.append(message["body"].decode())

        await app(scope_of(path, "GET"), receive, send)

    async def all_at_once() -> None:
        slow = [asyncio.create_task(ask(f"/slow/{name}")) for name in "ab"]
        await asyncio.sleep(0)
        await ask("/quick")
        GOES_ON.set()
        await asyncio.gather(*slow)

    # In a thread of its own: where a browser was driven before, this one still has its loop.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, all_at_once()).result()
    assert answered[0] == '"quick"'
    assert sorted(answered[1:]) == ['"a 1"', '"b 1"']
