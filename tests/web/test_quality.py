"""Quality over HTTP: notices to annotators, evidence for managers, exclusions and their undoing, pay."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import select

from goldmark.campaigns.lifecycle import find_campaign, move
from goldmark.people.annotators import invite
from goldmark.people.invitations import open_campaign
from goldmark.store.tables import assignment, unit
from tests.campaigns.plans import plan_from_parts
from tests.databases import fresh
from tests.web.house import House, build

SETTINGS = {
    "campaign": "crowd",
    "title": "Crowd",
    "protocol": "rating-qa-binary",
    "test_questions": {"positive": 0.25, "negative": 0.25},
    "quality": {"rules": [{"when": "noisy", "do": "exclude"}]},
    "pay": {"per_unit": 0.1, "target_hourly": 12.0},
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    address = fresh(tmp_path_factory.mktemp("quality"))
    made = build(address)
    _crowd(made)
    yield made
    made.close()


def _crowd(house: House) -> None:
    """A campaign with test questions in which Yes says yes to everything and Ada is careful."""
    rows: list[dict[str, Any]] = [_row(f"u{number}") for number in range(40)]
    rows += [_row(f"p{n}", test="positive", expected={"correct": "yes"}) for n in range(15)]
    rows += [_row(f"n{n}", test="negative", expected={"correct": "no"}) for n in range(15)]
    plan = plan_from_parts(SETTINGS, rows=rows)
    open_campaign(house.services.store, house.services.links, plan, author="test")
    move(house.services.store, "crowd", "started", author="test")
    for name in ("Yes", "Ada"):
        _, token = invite(house.services.store, house.services.links, "crowd", name, author="test")
        _work(house, token, careful=name == "Ada")


def _row(name: str, **hidden: Any) -> dict[str, Any]:
    context = dict.fromkeys(("question", "passage", "source"), "Something to know.")
    return {"id": name, "text": "It is so.", **context, **hidden}


def _work(house: House, token: str, *, careful: bool) -> None:
    """Answer over HTTP. The careful one knows what is expected of a test question, as a careful reader would."""
    client = house.client(headers={"authorization": f"Bearer {token}"})
    following = client.post("/api/v1/work/next", json={}).json()
    for number in range(40):
        given = following["assignment"]
        if given is None:
            return
        answer = "no" if careful and _is_negative(house, given["id"]) else "yes"
        body = {"answers": {"correct": answer}, "client_key": f"{token[:10]}-{number:03d}", "seconds_active": 30.0}
        reply = client.post(f"/api/v1/work/assignments/{given['id']}/responses", json=body)
        assert reply.status_code == 200, reply.text
        following = reply.json()["next"]


def _is_negative(house: House, assignment_id: int) -> bool:
    name = house.services.store.read(
        lambda connection: connection.execute(
            select(unit.c.name)
            .join(assignment, assignment.c.unit_id == unit.c.id)
            .where(assignment.c.id == assignment_id)
        ).scalar_one()
    )
    return str(name).startswith("n")


def _numbers(house: House) -> dict[str, int]:
    found = house.program("manager").get("/api/v1/campaigns/crowd/annotators").json()["annotators"]
    return {one["name"]: one["id"] for one in found}


def test_who_says_yes_to_everything_was_excluded_by_the_rule_and_the_careful_one_was_not(house: House) -> None:
    found = house.program("curator").get("/api/v1/campaigns/crowd/quality").json()
    yes, ada = found["annotators"]
    assert (yes["state"], ada["state"]) == ("excluded", "active")
    assert yes["flagged"]
    assert not ada["flagged"]
    assert [one["rule"] for one in found["exclusions"]] == ["noisy at 99 %"]
    assert found["notes"][0].startswith("1 annotator with ")
    assert yes["course"][-1]["noisy"] >= 0.99
    signs = {one["sign"]: one for one in yes["test_questions"]}
    assert signs["negative"]["right"] == 0
    assert signs["positive"]["right"] == signs["positive"]["asked"]
    assert yes["cost_labels"] == 0, "nothing of theirs counts any more"
    assert ada["cost_money"] == pytest.approx(0.1 * ada["cost_labels"])


def test_one_person_in_full_and_what_was_decided(house: House) -> None:
    number = _numbers(house)["Yes"]
    found = house.program("curator").get(f"/api/v1/campaigns/crowd/quality/{number}").json()
    assert len(found["test_answers"]) == sum(one["asked"] for one in found["evidence"]["test_questions"])
    assert all(one["sentences"] for one in found["test_answers"] if not one["right"])
    page = house.browser("manager").get(f"/campaigns/crowd/quality/{number}").text
    assert "Undo the exclusion" in page
    assert "noisy at 99 %" in page
    assert house.program("curator").get("/api/v1/campaigns/crowd/quality/999999").status_code == 404


def test_an_exclusion_is_undone_and_made_again_over_the_api(house: House) -> None:
    number, manager = _numbers(house)["Yes"], house.program("manager")
    base = f"/api/v1/campaigns/crowd/annotators/{number}"
    undone = manager.post(f"{base}/restore", json={"reason": "a mistake"}).json()
    assert undone["changed"]
    assert undone["labels"] + undone["extra"] > 0
    assert manager.post(f"{base}/restore", json={}).json()["changed"] is False
    done = manager.post(f"{base}/exclude", json={"reason": "yes to everything", "rule": "by eye"}).json()
    assert done["labels"] == undone["labels"]
    found = manager.get("/api/v1/campaigns/crowd/quality").json()["exclusions"]
    assert [(one["rule"], one["reason"]) for one in found] == [("by eye", "yes to everything")]
    assert manager.post(f"{base}/pause", json={}).json()["code"] == "JOIN-05"


def test_a_warning_is_seen_until_it_is_read_and_only_by_the_person(house: House) -> None:
    number = _numbers(house)["Ada"]
    base = f"/api/v1/campaigns/crowd/annotators/{number}"
    house.program("manager").post(f"{base}/warn", json={"message": "Slower, please.", "reason": "haste"})
    ada, yes = (
        invite(house.services.store, house.services.links, "crowd", name, author="test")[1] for name in ("Ada", "Yes")
    )
    mine = house.client(headers={"authorization": f"Bearer {ada}"})
    other = house.client(headers={"authorization": f"Bearer {yes}"})
    notice = mine.post("/api/v1/work/next", json={}).json()["notices"][0]
    assert notice["message"] == "Slower, please."
    assert set(notice) == {"id", "kind", "message", "at"}
    assert other.post("/api/v1/work/next", json={}).json()["notices"] == []
    assert other.post(f"/api/v1/work/notices/{notice['id']}/read", json={}).status_code == 404
    assert mine.post(f"/api/v1/work/notices/{notice['id']}/read", json={}).json()["read"]
    assert mine.post("/api/v1/work/next", json={}).json()["notices"] == []


def test_an_excluded_person_gets_a_polite_end_and_the_code_for_what_they_did(house: House) -> None:
    _, yes = invite(house.services.store, house.services.links, "crowd", "Yes", author="test")
    mine = house.client(headers={"authorization": f"Bearer {yes}"})
    finished = mine.post("/api/v1/work/next", json={}).json()["finished"]
    assert finished["why"] == "excluded"
    assert finished["code"]
    states = {one["state"] for one in mine.get("/api/v1/work/assignments").json()["assignments"]}
    assert "excluded" not in states, "their own list shows their work as it was"


def test_rules_are_changed_on_the_page_and_mistakes_are_told(house: House) -> None:
    browser = house.browser("manager")
    form: dict[str, Any] = {
        "criterion": "rate",
        "flag_at": "95",
        "when": ["too_fast", "noisy"],
        "do": ["warn", ""],
        "at": ["60", ""],
        "after": ["10", ""],
        "reason": "trying",
    }
    assert browser.post("/campaigns/crowd/quality/rules", form).status_code == 303
    quality = house.services.store.read(lambda connection: find_campaign(connection, "crowd")).settings.quality
    assert (quality.criterion, quality.flag_at) == ("rate", 0.95)
    assert [(rule.when, rule.do, rule.at, rule.after) for rule in quality.rules] == [("too_fast", "warn", 0.6, 10)]
    refused = browser.post("/campaigns/crowd/quality/rules", {**form, "at": ["600", ""]})
    assert refused.status_code == 422
    assert "less than or equal to 1" in refused.text or "at most 1" in refused.text
    assert browser.post("/campaigns/crowd/quality/rules", {**form, "flag_at": "99", "do": ["", ""]}).status_code == 303


def test_pay_by_page_and_api_and_the_bonus_list(house: House) -> None:
    found = house.program("manager").get("/api/v1/campaigns/crowd/pay").json()
    assert found["seconds"]["value"] == 30.0
    assert found["suggested"]["value"] == 0.1, "30 s at 12 an hour"
    assert "one annotator" in found["seconds"]["reason"], "the other one is excluded"
    assert found["spent"]["value"] == pytest.approx(0.1 * found["answers"])
    browser = house.browser("manager")
    assert (
        browser.post("/campaigns/crowd/pay", {"currency": "eur", "per_unit": "0.05", "target_hourly": "12"}).status_code
        == 303
    )
    bonus = browser.get("/campaigns/crowd/pay/bonus.csv").text
    lines = bonus.strip().splitlines()
    assert lines[0].startswith("annotator,state,answers")
    # At 0.05 a unit everybody earns half of 12 an hour: the bonus is as much again.
    ada = dict(zip(lines[0].split(","), next(line for line in lines if line.startswith("Ada")).split(","), strict=True))
    assert float(ada["bonus"]) == pytest.approx(float(ada["earned"]))
    refused = browser.post("/campaigns/crowd/pay", {"currency": "EURO", "per_unit": "-1"})
    assert refused.status_code == 422


def test_pages_of_a_campaign_nobody_has_worked_in_say_what_to_do(house: House) -> None:
    plan = plan_from_parts({"campaign": "quiet", "protocol": "accuracy"}, rows=[{"id": "a", "text": "So."}])
    open_campaign(house.services.store, house.services.links, plan, author="test")
    browser = house.browser("manager")
    assert "Invite people" in browser.get("/campaigns/quiet/quality").text
    assert "Nobody has answered yet" in browser.get("/campaigns/quiet/pay").text
