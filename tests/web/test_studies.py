"""Studies over HTTP: plan, create, take part, decide blind, report; and people who come from platforms."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select

from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.lifecycle import find_campaign, move
from goldmark.store.tables import annotator, participant
from tests.studies.small import HUMANLIKE, Running, changed
from tests.web.house import HTML, House
from tools.simulate.study import guesser

FILES = [("files", (name, (HUMANLIKE.parent / name).read_bytes())) for name in ("study.yaml", "texts.jsonl")]


def test_a_study_is_planned_and_made_from_its_files(house: House) -> None:
    manager = house.program("manager")
    plan = manager.post("/api/v1/studies/plan", files=FILES)
    assert plan.status_code == 200, plan.text
    assert (plan.json()["participants"], plan.json()["answers"]) == (1950, 9750)
    assert plan.json()["warnings"] == []
    loose = [FILES[0], ("files", ("texts.jsonl", FILES[1][1][1].replace(b'"item"', b'"was_item"')))]
    (warned,) = manager.post("/api/v1/studies/plan", files=loose).json()["warnings"]
    assert "prompts have several texts that name no common `item`" in warned
    made = manager.post("/api/v1/studies", files=FILES)
    assert made.status_code == 201, made.text
    assert made.json()["digest"] == plan.json()["digest"]
    kept = manager.get("/api/v1/campaigns/who-wrote-it/study/plans").json()["plans"]
    assert [one["created"] for one in kept] == [False, True]
    broken = [("files", ("study.yaml", b"study: x\nalpha: 7\n")), FILES[1]]
    refused = manager.post("/api/v1/studies/plan", files=broken)
    assert refused.status_code == 422
    assert {one["where"] for one in refused.json()["problems"]} >= {"study.yaml:2"}
    browser = house.browser("manager")
    page = browser.post("/studies/new", {"action": "plan"}, files=FILES)
    assert "1,950 people, 9,750 answers" in page.text
    assert "1,755.00" in page.text  # money has two digits
    assert "p-values" not in page.text  # nothing is tested before it is answered


def test_the_report_and_the_blind_list_of_exclusions(house: House) -> None:
    running = Running(house.services, changed(HUMANLIKE, participants=2))
    rng = np.random.default_rng(5)
    fair = running.guess(lambda levels: 0.6, rng)
    for number in range(14):
        running.send(f"prolific-{number}", fair)
    guess = guesser(running.truth, 0.5, rng)

    def same_words(unit: Mapping[str, Any]) -> Mapping[str, Any]:
        return {question: said if question == "source" else "hm, rather odd" for question, said in guess(unit).items()}

    condition = running.condition(running.send("prolific-lazy", lambda token: same_words))
    curator, manager = house.program("curator"), house.program("manager")
    report = curator.get("/api/v1/campaigns/who-wrote-it/study").json()
    assert report["flow"]["analysed"] == 15
    assert report["plan"]["before_first_answer"] is True
    reply = curator.get("/api/v1/campaigns/who-wrote-it/study/exclusions")
    cases = reply.json()
    assert len(cases["waiting"]) == 1
    # Who it is, in which condition and what is true is no part of a case.
    told = reply.text + house.browser("curator").get("/campaigns/who-wrote-it/study/exclusions").text
    main = re.sub(r"<nav.*?</nav>", "", told, flags=re.DOTALL)
    ids = [unit.id for unit in running.made.units]  # which say who wrote a text
    for secret in (condition, "prolific-lazy", "annotator-15", '"older"', '"newer"', "writer", *ids):
        assert secret not in main
    assert "written before, about the text" in main
    key = cases["waiting"][0]["key"]
    # Who knows everybody's name, the study's and how keys are made still cannot tell whose case it is.
    guesses = {SignedLinks(guess).case_key("who-wrote-it", "annotator-15") for guess in (b"", b"who-wrote-it")}
    digests = {hashlib.sha256(f"who-wrote-it{gap}annotator-15".encode()).hexdigest()[:16] for gap in ("", " ", "\x1f")}
    assert key not in guesses | digests
    assert key == curator.get("/api/v1/campaigns/who-wrote-it/study/exclusions").json()["waiting"][0]["key"]
    decided = manager.post(
        f"/api/v1/campaigns/who-wrote-it/study/exclusions/{key}", json={"decision": "exclude", "reason": "no reason"}
    )
    assert decided.json() == {"waiting": [], "kept": 0, "excluded": 1}
    again = manager.post(f"/api/v1/campaigns/who-wrote-it/study/exclusions/{key}", json={"decision": "keep"})
    assert (again.status_code, again.json()["code"]) == (404, "STUDY-07")
    report = curator.get("/api/v1/campaigns/who-wrote-it/study").json()
    assert sum(report["flow"]["excluded"].values()) == 1
    everybody = curator.get("/api/v1/campaigns/who-wrote-it/study?with_excluded=true").json()
    assert everybody["flow"]["analysed"] == 15
    page = house.browser("manager").get("/campaigns/who-wrote-it/study").text
    assert "What can be concluded" in page
    assert report["plan"]["digest"] in page
    kept = house.browser("curator").get("/campaigns/who-wrote-it/study/report.zip")
    with zipfile.ZipFile(io.BytesIO(kept.content)) as archive:
        names = archive.namelist()
        assert json.loads(archive.read("report.json"))["conclusions"] == report["conclusions"]
        assert report["conclusions"][0] in archive.read("report.md").decode()
    assert {"report.md", "histograms.svg"} < set(names)
    assert any(name.endswith("-planned-tests.tex") for name in names)
    coding = manager.post("/api/v1/campaigns/who-wrote-it/study/coding", json={"campaign": "codes", "people": 1})
    assert coding.status_code == 201, coding.text
    assert "codes" in house.browser("curator").get("/campaigns/who-wrote-it/study").text
    tables = curator.get("/api/v1/campaigns/who-wrote-it/study/coding/codes?by=training").json()["tables"]
    assert tables[-1]["title"] == "How far coders agree"


def test_reviewers_and_coders_learn_nothing_of_a_text_but_itself(house: House) -> None:
    """What a study hides is in the ids of its texts, in their facts and in people's names and conditions."""
    running = Running(house.services, changed(HUMANLIKE, participants=2))
    rng = np.random.default_rng(5)
    tokens = [running.send(f"prolific-{number}", running.guess(lambda levels: 0.6, rng)) for number in range(4)]
    conditions = {running.condition(token) for token in tokens}
    ids = [unit.id for unit in running.made.units]
    secrets = [*ids, *conditions, "prolific-", "annotator-", '"older"', '"newer"', '"writer"', '"item"']
    manager, curator = house.program("manager"), house.program("curator")

    waiting = curator.get("/api/v1/campaigns/who-wrote-it/reviews")
    assert waiting.json()["blind"] is True
    number = waiting.json()["waiting"][0]["id"]
    told = [waiting.text, curator.get(f"/api/v1/campaigns/who-wrote-it/reviews/{number}").text]
    told += [house.browser("curator").get(f"/campaigns/who-wrote-it/review/{number}").text]
    # Returned and answered with a reason, it is shown to whoever decides; drawn for the spot check, to whoever checks.
    verdict = {"revision": 1, "verdict": "returned", "comment": "Say more."}
    assert curator.post(f"/api/v1/campaigns/who-wrote-it/reviews/{number}", json=verdict).json()["state"] == "returned"
    given_back = ((token, running.call("POST", "/work/next", {}, token)["assignment"]) for token in tokens)
    author, held = next((token, one) for token, one in given_back if one and one["id"] == number)
    body = {"answers": held["answers"], "client_key": "again-000001", "reply": "It is all there is to say."}
    running.call("POST", f"/work/assignments/{number}/responses", body, author)
    decides = manager.get(f"/api/v1/campaigns/who-wrote-it/reviews/{number}")
    assert (decides.json()["dispute"], decides.json()["decides"]) == ("raised", True)
    told += [decides.text, house.browser("manager").get(f"/campaigns/who-wrote-it/review/{number}").text]
    drawn = manager.post("/api/v1/campaigns/who-wrote-it/status/spot-check", json={"size": 3})
    check = curator.get("/api/v1/campaigns/who-wrote-it/status/spot-check/next").json()["response"]
    told += [drawn.text, curator.get(f"/api/v1/campaigns/who-wrote-it/status/spot-check/{check}").text]
    told += [house.browser("curator").get(f"/campaigns/who-wrote-it/status/spot-check/{check}").text]

    coding = manager.post("/api/v1/campaigns/who-wrote-it/study/coding", json={"campaign": "codes", "people": 1})
    assert manager.post("/api/v1/campaigns/codes/start", json={}).status_code == 200
    assert coding.status_code == 201
    row = house.services.store.read(lambda connection: find_campaign(connection, "codes"))
    coder = house.client(headers=HTML)
    door = f"/join/{house.services.links.invite(row.id, row.invite_nonce)}"
    joined = coder.post(door, data={"name": "Cora"})
    assert joined.status_code == 303, joined.text
    place = joined.headers["location"]
    credentials = {"Authorization": f"Bearer {place.removeprefix('/a/')}"}
    told += [coder.get(place).text, coder.post("/api/v1/work/next", headers=credentials).text]
    assert "assignment" in told[-1]
    for text in told:
        main = re.sub(r"<nav.*?</nav>", "", text, flags=re.DOTALL)
        for secret in secrets:
            assert secret not in main, secret


@pytest.fixture
def door(house: House) -> str:
    row = house.services.store.read(lambda connection: find_campaign(connection, "zoo"))
    return f"/join/{house.services.links.invite(row.id, row.invite_nonce)}"


def test_a_platform_brings_people_who_go_on_where_they_were(house: House, door: str) -> None:
    client = house.client(headers=HTML)
    first = client.get(f"{door}?PROLIFIC_PID=5f1e9c&STUDY_ID=1")
    assert "Your name" not in first.text  # whom a platform names is asked for none
    # The page in another language has the same address; nothing that is read or sent on says who it is.
    assert "5f1e9c" not in re.sub(r'<a href="\?[^"]*language=\w+"', "", first.text)
    joined = client.post(f"{door}?PROLIFIC_PID=5f1e9c&STUDY_ID=1")
    place = joined.headers["location"]
    assert "5f1e9c" not in place
    assert client.get(f"{door}?PROLIFIC_PID=5f1e9c").headers["location"] == place
    # Somebody else who knows the id gets nothing by it, neither on the page nor from the API.
    other = house.client(headers=HTML)
    assert other.get(f"{door}?PROLIFIC_PID=5f1e9c").status_code == 200
    refused = other.post(f"{door}?PROLIFIC_PID=5f1e9c")
    assert (refused.status_code, "location" in refused.headers) == (409, False)
    assert "proves nothing" in refused.text
    body = {"invite": door.removeprefix("/join/"), "participant": {"platform": "prolific", "id": "5f1e9c"}}
    assert other.post("/api/v1/join", json=body).json()["code"] == "JOIN-12"
    assert client.get(f"{door}?PROLIFIC_PID={'x' * 300}").status_code == 422
    manager = house.browser("manager")
    page = manager.get("/campaigns/zoo/participants").text
    assert "5f1e9c" in page
    manager.post("/campaigns/zoo/participants/erase", {"reason": "paid"})
    assert "5f1e9c" not in manager.get("/campaigns/zoo/participants").text
    assert house.program("curator").get("/api/v1/campaigns/zoo/participants").status_code == 403


def test_a_browser_without_an_id_is_known_again_in_a_family(house: House) -> None:
    made = changed(HUMANLIKE, participants=2)
    running = Running(house.services, made)
    sister = changed(HUMANLIKE, participants=2, study="sister")
    from goldmark.studies.design.create import create_study

    other = create_study(house.services.store, house.services.links, sister, author="test").invite
    move(house.services.store, "sister", "started", author="test")
    client = house.client(headers=HTML)
    joined = client.post(f"/join/{running.invite}", data={"name": "Kim"})
    assert joined.status_code == 303
    refused = client.post(f"/join/{other}", data={"name": "Kim again"})
    assert refused.status_code == 409
    assert "each person can take part once" in refused.text
    assert house.client(headers=HTML).post(f"/join/{other}").status_code == 303  # somebody else
    kept = select(participant.c.platform, participant.c.platform_id)
    rows = house.services.store.read(lambda connection: connection.execute(kept).all())
    assert [tuple(row) for row in rows] == [("browser", None)] * 2
    conditions = select(annotator.c.condition).where(annotator.c.name == "Kim")
    assert house.services.store.read(lambda connection: connection.execute(conditions).scalar())


def test_a_campaign_with_conditions_and_no_study_shows_them(house: House) -> None:
    settings = {"settings": {"labels_per_unit": 2, "conditions": [{"name": "plain", "factors": {"kind": "none"}}]}}
    changed = house.program("manager").put("/api/v1/campaigns/zoo/settings", json={"title": "Animals", **settings})
    assert changed.status_code == 200, changed.text
    page = house.browser("curator").get("/campaigns/zoo/study")
    assert page.status_code == 200
    assert "kind: none" in page.text
