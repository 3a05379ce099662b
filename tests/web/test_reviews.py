"""Reviewing and deriving through the API and the pages: the whole loop, and what annotators never learn of it."""

from __future__ import annotations

from typing import Any

import pytest

from goldmark.campaigns.assignments.responses import Submission
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.settings_change import change_settings
from goldmark.people.annotators import invite
from tests.web.house import MISTAKE, House

REVIEWS = "/api/v1/campaigns/zoo/reviews"
REMARK = {"where": "mistakes", "part": "e1", "comment": "Count again."}


def review(house: House, **settings: Any) -> None:
    row = house.services.store.read(lambda connection: find_campaign(connection, "zoo"))
    changed = Settings.model_validate({**row.settings.model_dump(), "review": settings})
    change_settings(house.services.store, "zoo", changed, title=row.title, author="test", reason="")


def annotator(house: House) -> Any:
    return house.client(headers={"authorization": f"Bearer {house.person}"})


def test_the_loop_through_the_api(either_house: House) -> None:
    house = either_house
    program, ann = house.program("curator"), annotator(house)
    (waiting,) = program.get(REVIEWS).json()["waiting"]
    assert (waiting["id"], waiting["revision"], waiting["amended"]) == (house.response, 2, False)
    assert (waiting["unit"], waiting["annotator"]) == (None, None)  # blind unless told otherwise
    path = f"{REVIEWS}/{house.response}"
    case = program.get(path).json()
    assert case["answers"] == {"mistakes": [MISTAKE]}
    assert "alder" not in str(case["shown"])

    outdated = program.post(path, json={"revision": 1, "verdict": "approved"})
    assert (outdated.status_code, outdated.json()["code"]) == (409, "REVIEW-01")
    silent = program.post(path, json={"revision": 2, "verdict": "returned"})
    assert (silent.status_code, silent.json()["code"]) == (422, "REVIEW-02")
    for part, said in (("e9.label", "no span 'e9'"), ("e1.colour", "no part 'colour'")):
        wrong = program.post(path, json={"revision": 2, "verdict": "returned", "remarks": [{**REMARK, "part": part}]})
        assert (wrong.status_code, wrong.json()["problems"][0]["part"]) == (422, part)
        assert said in wrong.json()["problems"][0]["what"]
    remarks = [REMARK, {**REMARK, "part": "e1.correction"}]
    returned = program.post(path, json={"revision": 2, "verdict": "returned", "comment": "Nearly.", "remarks": remarks})
    assert returned.json()["state"] == "returned"
    assert program.get(REVIEWS).json()["waiting"] == []

    following = ann.post("/api/v1/work/next")
    assignment = following.json()["assignment"]
    assert (assignment["id"], assignment["state"]) == (house.response, "returned")
    assert assignment["returned"] == {"comment": "Nearly.", "remarks": remarks, "decided": False}
    assert "curator" not in following.text
    amended = {"answers": {"mistakes": []}, "client_key": "client-key-3", "seconds_active": 5}
    reply = ann.post(f"/api/v1/work/assignments/{house.response}/responses", json=amended).json()
    assert (reply["accepted"]["revision"], reply["next"]["assignment"]["returned"]) == (3, None)

    (again,) = program.get(REVIEWS).json()["waiting"]
    assert (again["id"], again["revision"], again["amended"]) == (house.response, 3, True)
    assert [word["verdict"] for word in program.get(path).json()["words"]] == ["returned"]
    assert program.post(path, json={"revision": 3, "verdict": "approved"}).json()["state"] == "done"
    assert program.get("/api/v1/campaigns/zoo/progress").json()["labels_approved"] == 1
    tables = {table["title"]: table for table in program.get(f"{REVIEWS}/figures").json()["tables"]}
    assert "Accuracy of first versions" in tables
    stages = {row["stage"]: row["right"] for row in tables["Accuracy of first versions by stage"]["rows"]}
    assert (stages["mistakes.span"], stages["mistakes.label"], stages["mistakes.correction"]) == (0, 1, 0)


def test_reviewers_who_may_know_are_told_whose_it_is(house: House) -> None:
    review(house, blind=False)
    (waiting,) = house.program("curator").get(REVIEWS).json()["waiting"]
    assert waiting["annotator"] == "Ann"
    assert "by <bdi>Ann</bdi>" in house.browser("curator").get("/campaigns/zoo/review").text
    review(house, blind=True)
    page = house.browser("curator").get("/campaigns/zoo/review").text
    assert "Ann<" not in page
    assert "alder" not in page


def test_the_loop_on_the_pages(house: House) -> None:
    browser = house.browser("curator")
    page = browser.get("/campaigns/zoo/review")
    assert "1 response waits for you" in page.text
    path = f"/campaigns/zoo/review/{house.response}"
    refused = browser.post(path, {"revision": "2", "verdict": "returned"})
    assert refused.status_code == 422
    assert "say what is to be amended" in refused.text
    sent = {
        "revision": "2",
        "verdict": "returned",
        "comment": "<b>Nearly</b>",
        "where": ["mistakes/e1", "mistakes"],
        "said": ["Count again.", ""],
    }
    accepted = browser.post(path, sent)
    assert (accepted.status_code, accepted.headers["location"]) == (
        303,
        f"/campaigns/zoo/review?after={house.response}&done=returned",
    )
    assert "Nothing waits for your review" in browser.get(accepted.headers["location"]).text
    task = annotator(house).post("/api/v1/work/next").json()["assignment"]
    assert task["returned"] == {"comment": "<b>Nearly</b>", "remarks": [REMARK], "decided": False}
    # Thinking again: one's own words are there to be changed, and hostile ones are only text.
    mine = browser.get(path).text
    assert "Count again." in mine
    assert "&lt;b&gt;Nearly" in mine
    assert browser.post(path, {"revision": "2", "verdict": "approved"}).status_code == 303
    assert "Accuracy of first versions" in browser.get("/campaigns/zoo/review/figures").text


def test_progress_tells_what_waits_for_approval(house: House) -> None:
    review(house, required=True)
    ann = annotator(house)
    task = ann.post("/api/v1/work/next").json()["assignment"]
    body = {"answers": {"mistakes": []}, "client_key": "client-key-9", "seconds_active": 5}
    ann.post(f"/api/v1/work/assignments/{task['id']}/responses", json=body)
    progress = house.program("curator").get("/api/v1/campaigns/zoo/progress").json()
    assert (progress["labels_waiting"], progress["labels_done"]) == (1, 1)
    assert "1 waits for approval" in house.browser("curator").get("/campaigns/zoo").text


def test_review_is_set_up_on_the_settings_page(house: House) -> None:
    manager = house.browser("manager")
    form = {"title": "Animals", "labels_per_unit": "2", "lease_minutes": "60", "join.open": "yes", "editing": "yes"}
    chosen = {"review.required": "yes", "review.blind": "no", "review.share": "0.25", "review.twice": "0.1"}
    assert manager.post("/campaigns/zoo/settings", form | chosen).status_code == 303
    settings = house.program("manager").get("/api/v1/campaigns/zoo").json()["settings"]["review"]
    assert settings == {"required": True, "share": 0.25, "blind": False, "twice": 0.1, "seed": 0}
    refused = manager.post("/campaigns/zoo/settings", form | chosen | {"review.share": "1.5"})
    assert refused.status_code == 422
    assert 'id="review-share-wrong"' in refused.text


def second_annotator(house: House) -> None:
    _, token = invite(house.services.store, house.services.links, "zoo", "Ben", author="test")
    nothing_wrong(house, token)


def nothing_wrong(house: House, token: str) -> None:
    """Someone works through the campaign and marks nothing."""
    following = house.services.work.next(token)
    while following.task is not None:
        submission = Submission({"mistakes": []}, f"ben-{following.task.id:08}", None, 9.0)
        _, following = house.services.responses.submit(token, following.task.id, submission)


def test_a_verification_campaign_through_the_api_and_the_pages(house: House) -> None:
    second_annotator(house)
    manager = house.program("manager")
    body = {"kind": "verification", "campaign": "zoo-verified", "labels_per_unit": 2}
    made = manager.post("/api/v1/campaigns/zoo/follow-up", json=body)
    assert made.status_code == 201, made.text
    assert (made.json()["protocol"], made.json()["settings"]["labels_per_unit"]) == ("verification/1", 2)
    found = manager.get("/api/v1/campaigns/zoo-verified/verified").json()
    # Ann marked one passage in one text, Ben nothing: no majority, so nothing is gold and one report is judged.
    assert (found["source"], found["gold"], found["kept"]) == ("zoo", 0, 0)
    page = house.browser("curator").get("/campaigns/zoo-verified/verified").text
    assert "0</strong> of 0 mistakes" in page
    csv = house.browser("curator").get("/campaigns/zoo-verified/verified/gold.csv")
    assert csv.text.startswith("TEXT_ID,")
    assert "There is nothing to show here" in house.browser("curator").get("/campaigns/zoo/verified").text


@pytest.mark.parametrize(
    ("form", "status", "said"),
    [
        ({"kind": "responses", "campaign": "zoo-again", "labels_per_unit": "3"}, 303, ""),
        ({"kind": "responses", "campaign": "Zoo again"}, 422, "use small letters, digits and hyphens"),
        (
            {"kind": "responses", "campaign": "zoo-again", "labels_per_unit": "many"},
            422,
            "Must be a whole number",
        ),
        ({"kind": "explanation-coding", "campaign": "zoo-again"}, 422, "has no free-text question"),
    ],
)
def test_deriving_by_form(house: House, form: dict[str, str], status: int, said: str) -> None:
    browser = house.browser("manager")
    assert "explanation-coding" in browser.get("/campaigns/zoo/follow-up").text
    reply = browser.post("/campaigns/zoo/follow-up", form)
    assert reply.status_code == status
    assert said in reply.text


def test_a_request_never_makes_the_server_open_a_file(house: House) -> None:
    body = {"kind": "responses", "campaign": "zoo-again", "protocol": "/etc/passwd.yaml"}
    reply = house.program("manager").post("/api/v1/campaigns/zoo/follow-up", json=body)
    assert (reply.status_code, reply.json()["code"]) == (404, "PROTOCOL-01")
