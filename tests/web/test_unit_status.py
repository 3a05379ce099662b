"""The quality protocol through the API and the pages."""

from __future__ import annotations

from typing import Any

from goldmark.campaigns.assignments.responses import Submission
from goldmark.campaigns.lifecycle import move
from goldmark.people.annotators import invite
from goldmark.people.invitations import open_campaign
from tests.campaigns.plans import plan_from_parts
from tests.web.house import House

ERRONEOUS = {
    "verdict": "erroneous",
    "errors": [
        {
            "id": "e1",
            "start": 1,
            "end": 2,
            "label": "combination.predicate_object",
            "links": {"associated": [{"start": 3, "end": 4}]},
            "correction": "approved",
            "rationale": "A plan cannot be drunk.",
        }
    ],
}
CALLS = "/api/v1/campaigns/errors/status"


def errors(house: House, answers: list[dict[str, Any]], **settings: Any) -> None:
    """A campaign of the protocol tgea in which Ada gave these answers, one text more than she has done."""
    rows = [{"id": f"t{number}", "text": f"They drank the plan number {number}."} for number in range(len(answers) + 1)]
    parts = {"campaign": "errors", "title": "Errors <b>", "protocol": "tgea", **settings}
    open_campaign(house.services.store, house.services.links, plan_from_parts(parts, rows=rows), author="test")
    move(house.services.store, "errors", "started", author="test")
    _, token = invite(house.services.store, house.services.links, "errors", "Ada", author="test")
    following = house.services.work.next(token)
    for number, given in enumerate(answers):
        assert following.task is not None
        submission = Submission(given, f"ada-{number:08}", None, 9.0)
        _, following = house.services.responses.submit(token, following.task.id, submission)


def test_from_the_first_answer_to_the_spot_check(house: House) -> None:
    errors(
        house,
        [{"verdict": "fine"}, ERRONEOUS, {"verdict": "ambiguous"}],
        review={"required": True},
        candidates={"above": 0.9, "after": 1},
    )
    curator, manager, browser = house.program("curator"), house.program("manager"), house.browser("manager")
    page = browser.get("/campaigns/errors/status").text
    assert "3 wait for a reviewer" in page
    assert "No two reviewers have judged the same answer yet" in page
    assert "The finished work has not been checked yet" in page
    assert manager.post(f"{CALLS}/spot-check", json={"size": 2}).json()["code"] == "SPOTCHECK-01"
    for waiting in curator.get("/api/v1/campaigns/errors/reviews").json()["waiting"]:
        path = f"/api/v1/campaigns/errors/reviews/{waiting['id']}"
        wrong = "errors" in curator.get(path).json()["answers"]
        remark = {"where": "errors", "part": "e1.rationale", "comment": "Why?"}
        body = {"revision": 1, "verdict": "returned" if wrong else "approved", "remarks": [remark] if wrong else []}
        assert curator.post(path, json=body).status_code == 200
    found = curator.get(CALLS).json()
    assert {status: count for status, count in found["statuses"].items() if count} == {
        "in_progress": 1,
        "returned": 1,
        "approved": 1,
        "discarded": 1,
    }
    assert found["set_aside"] == {"ambiguous": 1}
    assert found["candidates"] == [{"annotator": "Ada", "outcome": "does not pass", "reviewed": 3}]
    (returned,) = curator.get(f"{CALLS}/returned").json()["texts"]
    assert (returned["annotators"], returned["returned"]) == (["Ada"], 1)
    assert returned["name"] in browser.get("/campaigns/errors/status/returned").text
    assert "No text has this status" in browser.get("/campaigns/errors/status/waiting").text
    assert browser.get("/campaigns/errors/status/nowhere").headers["location"] == "/campaigns/errors/status"
    assert curator.get(f"{CALLS}/nowhere").status_code == 422

    drawn = manager.post(f"{CALLS}/spot-check", json={"size": 10, "seed": 5}).json()
    assert (drawn["size"], drawn["of"], drawn["judged"]) == (2, 2, 0)
    number = curator.get(f"{CALLS}/spot-check/next").json()["response"]
    case = curator.get(f"{CALLS}/spot-check/{number}")
    assert "Ada" not in case.text  # it is blind
    silent = curator.post(f"{CALLS}/spot-check/{number}", json={"right": False})
    assert (silent.status_code, silent.json()["code"]) == (422, "SPOTCHECK-03")
    wrong_word = {"right": False, "remarks": [{"where": "verdict", "comment": "It is not."}]}
    assert curator.post(f"{CALLS}/spot-check/{number}", json=wrong_word).json() == {"id": number, "right": False}
    other = curator.get(f"{CALLS}/spot-check/next").json()["response"]
    reader = house.browser("curator")
    assert "1 of 2 judged" in reader.get("/campaigns/errors/status/spot-check").text
    refused = reader.post(f"/campaigns/errors/status/spot-check/{other}", {"verdict": "returned"})
    assert refused.status_code == 422
    assert "say at which stage it is wrong" in refused.text
    assert reader.post(f"/campaigns/errors/status/spot-check/{other}", {"verdict": "approved"}).status_code == 303
    assert "Everything that was drawn is judged" in reader.get("/campaigns/errors/status/spot-check").text
    again = manager.post(f"{CALLS}/spot-check", json={"size": 10})
    assert (again.status_code, again.json()["code"]) == (409, "SPOTCHECK-05")
    checked = curator.get(CALLS).json()
    rows = {row["stage"]: (row["right"], row["reviewed"]) for row in checked["spot_check_table"]["rows"]}
    assert rows == {"verdict": (1, 2), "(whole response)": (1, 2)}
    page = browser.get("/campaigns/errors/status").text
    assert 'name="replace" value="yes"' in page
    assert "2 of 2 judged" in page
    assert "Errors &lt;b&gt;" in page
    assert browser.post("/campaigns/errors/status/spot-check", {"size": "all", "seed": "0"}).status_code == 422


def test_agreement_on_the_page_and_through_the_api(house: House) -> None:
    errors(house, [{"verdict": "fine"}], labels_per_unit=2)
    curator, browser = house.program("curator"), house.browser("curator")
    (table,) = curator.get(f"{CALLS}/agreement").json()["tables"]
    assert [row["stage"] for row in table["rows"]][:2] == ["erroneous or fine", "verdict, every answer"]
    assert all(row["reason"] for row in table["rows"])  # nobody has read the same text yet
    refused = curator.get(f"{CALLS}/agreement", params={"by_condition": True})
    assert (refused.status_code, refused.json()["code"]) == (409, "STAGES-02")
    assert "Agreement by stage" in browser.get("/campaigns/errors/status/agreement").text
    assert browser.get("/campaigns/errors/status/agreement?by_condition=true").status_code == 409
    assert "How far people who read the same texts agree" in browser.get("/campaigns/errors/status").text
