"""Programs make clients from the API's description: names that are short and clear, who may call, which methods."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.web.house import House, TestClient, one_app

LONGEST = 48


def operations() -> dict[tuple[str, str], dict[str, Any]]:
    paths = one_app().openapi()["paths"]
    return {(method, path): call for path, calls in paths.items() for method, call in calls.items()}


def test_names_are_short_and_all_different() -> None:
    names = Counter(call["operationId"] for call in operations().values())
    assert {name: count for name, count in names.items() if count > 1} == {}
    assert [name for name in names if len(name) > LONGEST or "api_v1" in name] == []
    assert {"campaigns_create", "campaign_start", "units_list", "work_next_unit", "me_tokens_create"} <= set(names)


def test_no_two_schemas_have_one_title() -> None:
    schemas = one_app().openapi()["components"]["schemas"]
    titles = Counter(schema.get("title", name) for name, schema in schemas.items())
    assert {title: count for title, count in titles.items() if count > 1} == {}


def test_every_call_says_who_may_make_it() -> None:
    # One joins by an invitation and a platform signs what it tells: neither has a token.
    open_to_all = {("post", "/api/v1/join"), ("post", "/api/v1/hooks/{platform}")}
    assert {key for key, call in operations().items() if not call.get("security")} == open_to_all
    work = [call for (_, path), call in operations().items() if path.startswith("/api/v1/work")]
    assert all(call["security"] == [{"annotator": []}] for call in work)
    assert not any(one["name"] == "authorization" for call in work for one in call.get("parameters", []))


def test_a_wrong_method_is_told_which_are_right(shared_house: House) -> None:
    shared_house.app.state.services = shared_house.services
    client = TestClient(shared_house.app)
    told = {path: client.delete(path) for path in ("/api/v1/campaigns", "/api/v1/work", "/api/v1/join")}
    assert {path: reply.status_code for path, reply in told.items()} == dict.fromkeys(told, 405)
    assert told["/api/v1/campaigns"].headers["allow"] == "GET, POST"
    assert [told[path].headers["allow"] for path in ("/api/v1/work", "/api/v1/join")] == ["GET", "POST"]


@pytest.mark.slow  # it brings its own program, which takes a minute
def test_a_generated_client_makes_every_call(
    shared_house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "openapi.json").write_text(json.dumps(one_app().openapi()))
    made = tmp_path / "made"
    words = ["openapi-python-client", "generate", "--path", "openapi.json", "--output-path", str(made)]
    uvx = Path(sys.executable).with_name("uvx")
    done = subprocess.run([str(uvx), "--quiet", *words], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert made.exists(), done.stdout + done.stderr
    calls = {path.stem for path in (made / "goldmark_client/api").rglob("*.py")} - {"__init__"}
    assert calls == {call["operationId"] for call in operations().values()}
    monkeypatch.syspath_prepend(str(made))
    client = importlib.import_module("goldmark_client").AuthenticatedClient(
        base_url="http://testserver", token=shared_house.tokens["owner"]
    )
    shared_house.app.state.services = shared_house.services
    client.set_httpx_client(
        TestClient(shared_house.app, headers={"authorization": f"Bearer {shared_house.tokens['owner']}"})
    )
    listed = importlib.import_module("goldmark_client.api.campaigns.campaigns_list_all").sync(client=client)
    assert [one.name for one in listed.campaigns] == ["zoo"]
    shown = importlib.import_module("goldmark_client.api.campaigns.campaigns_show").sync("zoo", client=client)
    assert shown.name == "zoo"
    missing = importlib.import_module("goldmark_client.api.campaigns.campaigns_show").sync_detailed(
        "none", client=client
    )
    assert (missing.status_code, missing.parsed.code) == (404, "CAMPAIGN-01")
    client.set_httpx_client(TestClient(shared_house.app, headers={"authorization": f"Bearer {shared_house.person}"}))
    assert importlib.import_module("goldmark_client.api.annotators.work_work").sync(client=client) is not None
