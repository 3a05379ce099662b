"""Pages that need all of a large campaign leave that to another process: the same figures, shown with their age."""

from __future__ import annotations

from typing import Any

import pytest

from goldmark.campaigns import suggestion_changes
from goldmark.curation.verification import followup
from goldmark.datasets import of_campaign
from goldmark.followups import create
from goldmark.people.annotators import invite
from goldmark.people.exclusions import exclude
from goldmark.results import campaign_tables
from goldmark.reviews import final_spot_check
from goldmark.web.computing import computing
from goldmark.web.computing.computing import Computing
from tests.web.house import House
from tests.web.test_reviews import nothing_wrong, second_annotator

API = "/api/v1/campaigns"
VERIFIED = f"{API}/zoo-verified/verified"
BODY = {"kind": "verification", "campaign": "zoo-verified", "labels_per_unit": 2}
# What reads all of a campaign: nothing of it may happen in the server.
ELSEWHERE = (
    (followup, "verified_gold"),
    (create, "create_follow_up"),
    (campaign_tables, "quality_protocol"),
    (final_spot_check, "draw"),
    (of_campaign, "dataset_facts"),
    (of_campaign, "pack_dataset"),
    (suggestion_changes, "as_list"),
)


def not_here(*_: Any, **__: Any) -> None:
    raise AssertionError("the server itself reads all of a large campaign")


def test_the_server_itself_computes_nothing_of_a_large_campaign(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    second_annotator(house)
    manager, browser = house.program("manager"), house.browser("manager")
    assert manager.post(f"{API}/zoo/follow-up", json=BODY).status_code == 201
    asked = (VERIFIED, f"{API}/zoo/status", f"{API}/zoo/dataset/facts")
    here = [manager.get(one).json() for one in asked]
    archive = manager.get(f"{API}/zoo/dataset").content
    files = "zoo-verified/verified/gold.csv", "zoo/suggestions/suggestions.csv"
    listed = [browser.get(f"/campaigns/{one}").content for one in files]

    monkeypatch.setattr(computing, "LARGE", 0)
    for room, name in ELSEWHERE:
        monkeypatch.setattr(room, name, not_here)
    # Nobody has verified anything yet: that campaign is small, but the one whose errors it looks at is large.
    assert [manager.get(one).json() for one in asked] == here
    assert manager.get(f"{API}/zoo/dataset").content == archive
    assert [browser.get(f"/campaigns/{one}").content for one in files] == listed
    assert manager.post(f"{API}/zoo/follow-up", json={**BODY, "campaign": "again"}).status_code == 201
    assert manager.post(f"{API}/zoo/follow-up", json={**BODY, "campaign": "again"}).status_code == 409
    drawn = manager.post(f"{API}/zoo/status/spot-check", json={"size": 2})
    assert (drawn.status_code, drawn.json()["size"]) == (201, 2)
    assert "0 of 2 judged" in browser.get("/campaigns/zoo/status").text  # a draw is a decision: it is there at once
    assert "of 0 mistakes of" in browser.get("/campaigns/again/verified").text
    assert "Benchmark tasks" in browser.get("/campaigns/zoo/dataset?show=yes").text
    assert "There is nothing to show here" in browser.get("/campaigns/zoo/verified").text


def test_pages_say_how_old_their_figures_are_and_know_decisions_in_the_source(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager, browser = house.program("manager"), house.browser("manager")
    _, ben = invite(house.services.store, house.services.links, "zoo", "Ben", author="test")
    assert manager.post(f"{API}/zoo/follow-up", json=BODY).status_code == 201
    monkeypatch.setattr(computing, "LARGE", 0)
    monkeypatch.setattr(computing, "OLDER", 1e9)
    monkeypatch.setattr(Computing, "_run", lambda self, large, work, name, asked: work(self._opened, name, *asked))
    pages = ("zoo-verified/verified", "zoo/status", "zoo/status/agreement", "zoo/dataset?show=yes")
    assert not any("Figures of" in browser.get(f"/campaigns/{one}").text for one in pages)
    before = manager.get(VERIFIED).json()
    nothing_wrong(house, ben)
    assert all("Figures of" in browser.get(f"/campaigns/{one}").text for one in pages)
    later = manager.get(VERIFIED).json()
    assert later.pop("as_of")
    assert later == {key: value for key, value in before.items() if key != "as_of"}
    exclude(house.services.store, "zoo", "Ben", author="test", reason="", rule="")
    assert manager.get(VERIFIED).json()["as_of"] is None
    assert not any("Figures of" in browser.get(f"/campaigns/{one}").text for one in pages)


def test_whether_a_campaign_verifies_is_known_before_anything_is_read(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(followup, "record_of", not_here)
    refused = house.program("curator").get(f"{API}/zoo/verified")
    assert (refused.status_code, refused.json()["code"]) == (422, "CURATION-21")
