"""Curation over the API and as pages: what a curator receives, sends and is told."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import pytest

from tests.web.house import House

HERE = "/api/v1/campaigns/zoo"


@pytest.fixture
def here(either_house: House) -> tuple[Any, str]:
    """A curator's program and the address of the unit that Ann has answered: "six" is a NUMBER, she says."""
    return either_house.program("curator"), f"{HERE}/curation/{either_house.unit}"


def take(program: Any, address: str, after: int, kind: str, **facts: Any) -> Any:
    body = {"after": after, "kind": kind, "facts": facts, "reason": "because"}
    return program.post(f"{address}/steps", json=body)


def test_the_desk_in_one_reply(here: tuple[Any, str]) -> None:
    program, address = here
    workspace = program.get(address).json()
    assert workspace["people"] == ["Annotator 1"]  # whose marks they are is not told
    (mark,) = workspace["marks"]["Annotator 1"]
    assert (mark["start"], mark["end"], mark["label"], mark["correction"]) == (3, 4, "NUMBER", "four")
    (entry,) = workspace["state"]["entries"]
    # One person saw it, so she agrees with everybody.
    assert (entry["status"], entry["found_by"], entry["span_agreed_by"]) == ("accepted", 1, 1)
    assert [(step["number"], step["kind"], step["at"]) for step in workspace["steps"]] == [(1, "begin", None)]
    assert workspace["agreement"]["token_alpha"]["value"] is None
    assert workspace["agreement"]["token_alpha"]["reason"] == "fewer than two people have finished this text"
    assert workspace["question"]["id"] == "mistakes"


def test_other_names_stay_while_a_curator_works(here: tuple[Any, str]) -> None:
    """Under the server's key they are the same at every visit; the step says on which of them its proposal rests."""
    program, address = here
    shown = program.get(address).json()
    body = {"after": 1, "kind": "add", "facts": {"start": 0, "end": 1, "label": "WORD"}, "basis": shown["basis"]}
    assert shown["basis"] == program.get(address).json()["basis"] == ["Annotator 1/2"]
    assert program.post(f"{address}/steps", json=body | {"basis": ["Annotator 2/2"]}).json()["code"] == "CURATE-12"
    assert program.post(f"{address}/steps", json=body).status_code == 201


def test_steps_finish_and_versions(here: tuple[Any, str]) -> None:
    program, address = here
    added = take(program, address, 1, "add", start=0, end=1, label="WORD")
    assert added.status_code == 201
    assert added.json()["steps"][0]["author"] == "curator"
    assert [one["id"] for one in added.json()["state"]["entries"]] == ["2.1", "1.1"]
    assert take(program, address, 2, "finish").json()["state"]["finished"]
    assert take(program, address, 3, "reopen").status_code == 201
    assert take(program, address, 4, "drop", mark="2.1").status_code == 201
    assert take(program, address, 5, "finish").status_code == 201
    changes = program.get(f"{address}/versions/2", params={"against": 1}).json()
    assert [(one["kind"], one["old"]["label"]) for one in changes["changes"]] == [("removed", "WORD")]
    assert [one["label"] for one in changes["mistakes"]] == ["NUMBER"]
    assert program.get(f"{address}/versions/3").json()["code"] == "CURATE-14"
    listed = program.get(f"{HERE}/curation", params={"state": "finished"}).json()
    assert (listed["finished"], listed["total_units"], listed["units"][0]["version"]) == (1, 3, 2)
    gold = program.get(f"{HERE}/gold")
    assert gold.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(gold.text)))
    assert [(row["TOKENS"], row["TYPE"], row["FOUND_BY"], row["ANNOTATORS"]) for row in rows] == [
        ("six", "NUMBER", "1", "1")
    ]
    events = program.get(f"{HERE}/events").json()
    assert [one["kind"] for one in events["events"]][:2] == ["gold list finished"] * 2


def test_the_second_curator_gets_the_steps_of_the_first(here: tuple[Any, str], either_house: House) -> None:
    program, address = here
    assert take(program, address, 1, "drop", mark="1.1").status_code == 201
    late = take(either_house.program("manager"), address, 1, "note", note="too late")
    assert late.status_code == 409
    assert late.json()["code"] == "CURATE-13"
    assert [(one["number"], one["kind"], one["author"]) for one in late.json()["steps"]] == [(2, "drop", "curator")]
    assert late.json()["steps"][0]["reason"] == "because"
    assert take(program, address, 2, "begin").status_code == 201  # the proposal once more, which names its sources
    later = take(either_house.program("manager"), address, 1, "note", note="too late")
    assert [one["kind"] for one in later.json()["steps"]] == ["drop", "begin"]
    assert "Annotator 1" in later.text
    assert "Ann" not in later.text.replace("Annotator", "")  # whose marks they are is not told here either


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"after": 1, "kind": "dance"}, 422, "CURATE-02"),
        ({"after": 1, "kind": "accept", "facts": {"mark": "nonsense"}}, 422, "CURATE-03"),
        ({"after": 1, "kind": "add", "facts": {"start": 9, "end": 99, "label": "NAME"}}, 422, "CURATE-04"),
        ({"after": 1, "kind": "add", "facts": {"start": 3, "end": 4, "label": "NAME"}}, 409, "CURATE-05"),
        ({"after": 1, "kind": "add", "facts": {"start": 0, "end": 1, "label": "x"}}, 422, "CURATE-06"),
        ({"after": 1, "kind": "note", "facts": {"note": "x"}, "basis": ["9.9"]}, 409, "CURATE-12"),
        ({"after": 0, "kind": "note", "facts": {"note": "x"}}, 422, "REQUEST-01"),
        ({"after": 1, "kind": "note", "facts": {"note": "x"}, "more": 1}, 422, "REQUEST-01"),
    ],
)
def test_refused(house: House, body: dict[str, Any], status: int, code: str) -> None:
    address = f"{HERE}/curation/{house.unit}"
    reply = house.program("curator").post(f"{address}/steps", json=body)
    assert (reply.status_code, reply.json()["code"]) == (status, code)
    assert len(house.program("curator").get(address).json()["steps"]) == 1


def test_a_unit_that_nobody_has_finished(house: House) -> None:
    other = next(number for number in (1, 2, 3) if number != house.unit)
    page = house.browser("curator").get(f"/campaigns/zoo/curation/{other}")
    assert "Nobody has finished this text yet" in page.text
    refused = take(house.program("curator"), f"{HERE}/curation/{other}", 1, "note", note="x")
    assert refused.json()["code"] == "CURATE-11"
    assert house.browser("curator").get("/campaigns/zoo/curation/999").status_code == 404


def test_pages(house: House) -> None:
    browser = house.browser("curator")
    listed = browser.get("/campaigns/zoo/curation").text
    assert "0" in listed
    assert "waits for answers" in listed
    workspace = browser.get(f"/campaigns/zoo/curation/{house.unit}").text
    found = re.search(r'id="workspace-config">(.*?)</script>', workspace)
    assert found
    config = json.loads(found.group(1))
    assert config["csrf"] == browser.csrf
    assert config["address"] == f"{HERE}/curation/{house.unit}"
    assert "1 of 2 people has finished this text" in workspace
    versions = browser.get(f"/campaigns/zoo/curation/{house.unit}/versions").text
    assert "never finished" in versions
    assert browser.get(f"/campaigns/zoo/curation/{house.unit}/versions?old=1&new=2").status_code == 404


def test_hostile_words_stay_words(house: House) -> None:
    program, address = house.program("curator"), f"{HERE}/curation/{house.unit}"
    evil = "</script><script>alert(1)</script>"
    assert take(program, address, 1, "note", mark="1.1", note=evil).status_code == 201
    assert take(program, address, 2, "finish").status_code == 201
    assert take(program, address, 3, "reopen").status_code == 201
    assert take(program, address, 4, "note", mark="1.1", note="").status_code == 201
    assert take(program, address, 5, "finish").status_code == 201
    browser = house.browser("curator")
    for page in (f"/campaigns/zoo/curation/{house.unit}", f"/campaigns/zoo/curation/{house.unit}/versions"):
        assert "<script>alert" not in browser.get(page).text


def test_finish_all_that_were_marked_alike(either_house: House) -> None:
    """One answer is no agreement: with a single annotator nothing is unanimous."""
    program = either_house.program("curator")
    assert program.get(f"{HERE}/curation").json()["unanimous"] == 0
    assert program.post(f"{HERE}/curation/unanimous").json()["texts"] == 0
    refused = program.delete(f"{HERE}/curation/unanimous")
    assert (refused.status_code, refused.json()["code"]) == (409, "CURATE-17")
    page = either_house.browser("curator").get("/campaigns/zoo/curation?order=disagreement")
    assert "most to decide first" in page.text
