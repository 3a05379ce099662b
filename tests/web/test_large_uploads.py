"""Campaigns in large uploads are read and created in a process of their own, and all is told as for small ones."""

from __future__ import annotations

import json
from typing import Any

import pytest

from goldmark.campaigns.definition import uploads
from goldmark.store.pieces import SMALL
from goldmark.texts.readers.confined import confined
from tests.web.house import House

HERE = "/api/v1/campaigns"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every upload counts as large; the names of those that were read elsewhere."""
    found: list[str] = []

    def watched(what: str, *given: Any, **limits: Any) -> Any:
        found.append(what)
        return confined(what, *given, **limits)

    monkeypatch.setattr(uploads, "SMALL", 0)
    monkeypatch.setattr(uploads, "confined", watched)
    return found


def files(name: str, rows: list[dict[str, Any]]) -> list[tuple[str, tuple[str, bytes]]]:
    about = f"campaign: {name}\nprotocol: rating-summary\ntexts: texts.jsonl\njoin: {{invite: [Ada]}}\n"
    texts = "".join(f"{json.dumps(row)}\n" for row in rows)
    return [("files", ("campaign.yaml", about.encode())), ("files", ("texts.jsonl", texts.encode()))]


def test_a_campaign_is_created_where_it_is_read(either_house: House, asked: list[str]) -> None:
    program = either_house.program("manager")
    rows = [{"id": f"u{number}", "text": f"Text {number}."} for number in range(SMALL + 1)]
    made = program.post(f"{HERE}/upload", files=files("large", rows))
    assert (made.status_code, made.json()["state"], list(made.json()["links"])) == (201, "draft", ["Ada"])
    assert program.get(f"{HERE}/large/progress").json()["units"] == SMALL + 1
    again = program.post(f"{HERE}/upload", files=files("large", rows))
    assert (again.status_code, again.json()["code"]) == (409, "CAMPAIGN-02")
    assert len(asked) == 2


def test_what_is_wrong_is_told_from_there_and_rows_are_read_there_too(house: House, asked: list[str]) -> None:
    program = house.program("manager")
    rows = [{"id": f"u{number}", "text": f"Text {number}."} for number in range(2)]
    wrong = program.post(f"{HERE}/upload", files=files("wrong", [*rows, rows[0], {"id": "x", "n": 2**70}]))
    assert wrong.status_code == 422
    assert [one["where"] for one in wrong.json()["problems"]] == ["texts.jsonl:3", "texts.jsonl:4"]
    more = {"texts": {"rows": [{"id": f"more{number}", "text": "More."} for number in range(3)]}}
    asked_for = program.post(HERE, json={"campaign": "small", "protocol": "rating-summary", **more})
    assert asked_for.status_code == 201
    assert len(asked) == 2
