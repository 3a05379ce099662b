"""The managers' API on both databases: what a program can do, and the one shape of every error."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest
from sqlalchemy import func, select

from goldmark.protocols import load, parse
from goldmark.store.tables import rate_limit
from tests.web.house import MISTAKE, ROWS, House

TEXTS = {"rows": [{"id": "a", "text": "One text."}, {"id": "b", "text": "Another text.", "system": "oak"}]}


def create(house: House, **more: Any) -> Any:
    body = {"campaign": "pond", "protocol": "accuracy", "texts": TEXTS, **more}
    return house.program("manager").post("/api/v1/campaigns", json=body)


def test_a_campaign_from_texts_to_export(either_house: House) -> None:
    program = either_house.program("manager")
    made = create(either_house, title="Pond", labels_per_unit=2, join={"invite": ["Ann", "Bo"]})
    assert made.status_code == 201, made.text
    assert sorted(made.json()["links"]) == ["Ann", "Bo"]
    assert made.json()["state"] == "draft"
    assert program.post("/api/v1/campaigns/pond/start", json={"reason": "ready"}).json()["state"] == "running"

    added = program.post("/api/v1/campaigns/pond/units", json={"rows": [{"id": "c", "text": "A third."}]})
    assert added.json() == {"added": 1}
    again = program.post("/api/v1/campaigns/pond/units", json={"rows": [{"id": "c", "text": "A third."}]})
    assert (again.status_code, again.json()["problems"][0]["where"]) == (422, "c")

    invited = program.post("/api/v1/campaigns/pond/annotators", json={"names": ["Cleo"], "accounts": ["annotator"]})
    assert [one["name"] for one in invited.json()["annotators"]] == ["Cleo", "annotator"]
    mine = either_house.program("annotator").get("/api/v1/me/campaigns").json()["campaigns"]
    assert [one["name"] for one in mine] == ["pond"]

    token = mine[0]["link"].rpartition("/")[2]
    worker = either_house.client(headers={"authorization": f"Bearer {token}"})
    task = worker.post("/api/v1/work/next").json()["assignment"]
    answer = {"answers": {"mistakes": []}, "client_key": "a-client-key", "seconds_active": 12.5}
    assert worker.post(f"/api/v1/work/assignments/{task['id']}/responses", json=answer).status_code == 200

    progress = program.get("/api/v1/campaigns/pond/progress").json()
    # Three units with two labels each; one is answered, and submitting handed out the next.
    assert {key: progress[key] for key in ("units", "labels_wanted", "labels_done", "labels_in_progress")} == {
        "units": 3,
        "labels_wanted": 6,
        "labels_done": 1,
        "labels_in_progress": 1,
    }
    assert (progress["median_seconds"], progress["seconds_left"]) == (12.5, 62.5)  # five labels to go

    found = program.get("/api/v1/campaigns/pond/responses").json()
    assert (found["total"], found["responses"][0]["annotator"]) == (1, "annotator")
    archive = program.get("/api/v1/campaigns/pond/export", params={"format": "csv"})
    assert zipfile.ZipFile(io.BytesIO(archive.content)).namelist()
    assert b'"Another text."' in program.get("/api/v1/campaigns/pond/export").content

    kinds = [one["kind"] for one in program.get("/api/v1/campaigns/pond/events").json()["events"]]
    assert kinds == [
        "annotator invited",
        "annotator invited",
        "units added",
        "campaign started",
        "annotator invited",
        "annotator invited",
        "campaign created",
    ]


def test_units_can_be_searched_and_filtered(either_house: House) -> None:
    program = either_house.program("curator")

    def names(**asked: Any) -> list[str]:
        reply = program.get("/api/v1/campaigns/zoo/units", params=asked)
        return sorted(one["name"] for one in reply.json()["units"])

    assert names() == ["z1", "z2", "z3"]
    assert names(search="ALDER") == ["z1", "z3"]  # a hidden fact
    assert names(search="z2") == ["z2"]
    assert names(search="%") == []  # not a pattern
    assert names(page=2) == []
    by_state = {state: names(state=state) for state in ("untouched", "begun", "finished")}
    assert sorted(name for some in by_state.values() for name in some) == ["z1", "z2", "z3"]
    assert by_state["finished"] == []
    assert len(by_state["begun"]) == 2  # Ann answered one and holds another


def test_a_unit_shows_its_hidden_facts_and_labels(either_house: House) -> None:
    unit = either_house.program("curator").get(f"/api/v1/campaigns/zoo/units/{either_house.unit}").json()
    original = next(row for row in ROWS if row["id"] == unit["name"])
    assert unit["hidden"] == {"system": original["system"]}
    assert unit["shown"]["texts"]["text"]["characters"] == original["text"]
    assert [(one["annotator"], one["answers"]) for one in unit["labels"]] == [("Ann", {"mistakes": [MISTAKE]})]


def test_responses_of_one_person_or_one_unit(shared_house: House) -> None:
    program, path = shared_house.program("curator"), "/api/v1/campaigns/zoo/responses"

    def found(**wanted: int) -> list[int]:
        return [one["id"] for one in program.get(path, params=wanted).json()["responses"]]

    own = [shared_house.response]
    assert found() == found(annotator=shared_house.annotator) == found(unit=shared_house.unit) == own
    assert found(annotator=shared_house.annotator, unit=shared_house.unit) == own
    assert found(annotator=shared_house.annotator + 1) == found(unit=shared_house.unit + 1) == []


def test_a_response_shows_every_revision(either_house: House) -> None:
    path = f"/api/v1/campaigns/zoo/responses/{either_house.response}"
    response = either_house.program("curator").get(path).json()
    assert [(one["number"], one["answers"], one["seconds_active"]) for one in response["revisions"]] == [
        (2, {"mistakes": [MISTAKE]}, 60.0),
        (1, {"mistakes": []}, 30.0),
    ]
    assert {one["protocol"] for one in response["revisions"]} == {"accuracy/1"}


def test_settings_change_with_a_reason(either_house: House) -> None:
    program = either_house.program("manager")
    settings = program.get("/api/v1/campaigns/zoo").json()["settings"]
    body = {"title": "All animals", "settings": {**settings, "labels_per_unit": 3}, "reason": "two disagree"}
    changed = program.put("/api/v1/campaigns/zoo/settings", json=body).json()
    assert (changed["title"], changed["settings"]["labels_per_unit"]) == ("All animals", 3)
    assert program.get("/api/v1/campaigns/zoo/progress").json()["labels_wanted"] == 9
    event = program.get("/api/v1/campaigns/zoo/events").json()["events"][0]
    assert (event["author"], event["reason"], event["facts"]) == (
        "manager",
        "two disagree",
        {"labels_per_unit": [2, 3]},
    )


def test_pausing_someone_and_renewing_links(either_house: House) -> None:
    program = either_house.program("manager")
    path = f"/api/v1/campaigns/zoo/annotators/{either_house.annotator}"
    worker = either_house.client(headers={"authorization": f"Bearer {either_house.person}"})
    assert program.post(f"{path}/pause", json={"reason": "too fast"}).json()["state"] == "paused"
    assert worker.post("/api/v1/work/next").json()["finished"]["why"] == "paused"
    assert program.post(f"{path}/resume", json={}).json()["state"] == "active"
    assert worker.post("/api/v1/work/next").json()["assignment"] is not None
    renewed = program.post(f"{path}/link/renew", json={}).json()["link"]
    assert worker.get("/api/v1/work").status_code == 403
    fresh = either_house.client(headers={"authorization": f"Bearer {renewed.rpartition('/')[2]}"})
    assert fresh.get("/api/v1/work").json()["annotator"]["name"] == "Ann"
    open_link = program.get("/api/v1/campaigns/zoo").json()["open_link"]
    new_link = program.post("/api/v1/campaigns/zoo/open-link/renew", json={}).json()["open_link"]
    for link, status in ((open_link, 403), (new_link, 200)):
        reply = either_house.client().post("/api/v1/join", json={"invite": link.rpartition("/")[2]})
        assert reply.status_code == status


def test_all_that_is_wrong_with_an_upload_is_told_with_file_and_line(house: House) -> None:
    campaign = b"campaign: pond\nprotocol: acuracy\ntexts: texts.jsonl\nlabels: 3\n"
    texts = b'{"id": "a", "text": "fine"}\n{"id": "a", "text": "twice"}\nnot json\n'
    files = [("files", ("campaign.yaml", campaign)), ("files", ("texts.jsonl", texts))]
    reply = house.program("manager").post("/api/v1/campaigns/upload", files=files)
    assert reply.status_code == 422
    assert sorted(one["where"] for one in reply.json()["problems"]) == [
        "campaign.yaml:2",
        "campaign.yaml:4",
        "texts.jsonl:2",
        "texts.jsonl:3",
    ]
    assert "/tmp" not in reply.text
    assert [one["name"] for one in house.program("manager").get("/api/v1/campaigns").json()["campaigns"]] == ["zoo"]


@pytest.mark.parametrize("name", ["../campaign.yaml", "/etc/campaign.yaml", "a/../../campaign.yaml", ".campaign.yaml"])
def test_an_upload_stays_in_its_folder(house: House, name: str) -> None:
    reply = house.program("manager").post("/api/v1/campaigns/upload", files=[("files", (name, b"campaign: x"))])
    assert (reply.status_code, reply.json()["code"]) == (422, "UPLOAD-02")


def test_a_campaign_with_its_own_protocol(house: House) -> None:
    protocol = {
        "protocol": "funny/1",
        "title": "Is it funny?",
        "steps": [{"questions": [{"id": "funny", "kind": "choice", "options": ["yes", "no"]}]}],
    }
    assert create(house, protocol=protocol).json()["protocol"] == "funny/1"
    shown = house.program("curator").get("/api/v1/campaigns/pond/protocol").json()
    assert shown["steps"][0]["questions"][0]["id"] == "funny"


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/campaigns/none", None, 404, "CAMPAIGN-01"),
        ("GET", "/campaigns/zoo/units/999", None, 404, "UNIT-06"),
        ("GET", "/campaigns/zoo/annotators/999", None, 404, "JOIN-03"),
        ("GET", "/campaigns/zoo/responses/999", None, 404, "RESPONSE-01"),
        ("GET", "/campaigns/zoo/units?state=odd", None, 422, "REQUEST-01"),
        ("POST", "/campaigns/zoo/start", {"reasn": "typo"}, 422, "REQUEST-01"),
        ("POST", "/campaigns", {"campaign": "zoo", "protocol": "accuracy", "texts": TEXTS}, 409, "CAMPAIGN-02"),
        ("POST", "/campaigns", {"campaign": "new", "protocol": "accuracy", "texts": TEXTS}, 422, "REQUEST-01"),
        ("POST", "/campaigns/zoo/annotators", {"accounts": ["nobody"]}, 404, "ACCOUNT-06"),
        ("GET", "/nowhere", None, 404, "HTTP-404"),
        ("DELETE", "/campaigns/zoo", None, 405, "HTTP-405"),
    ],
)
def test_every_error_has_one_shape(
    shared_house: House, method: str, path: str, body: Any, status: int, code: str
) -> None:
    reply = shared_house.program("owner").request(method, f"/api/v1{path}", json=body)
    assert (reply.status_code, reply.json()["code"]) == (status, code)
    assert reply.json()["ok"] is False
    assert reply.json()["message"]
    assert set(reply.json()) <= {"ok", "code", "message", "problems", "draft"}


def test_an_account_takes_part_even_if_its_name_is_taken(either_house: House) -> None:
    program = either_house.program("manager")
    program.post("/api/v1/campaigns/zoo/annotators", json={"names": ["annotator"]})
    for _ in range(2):  # said twice, done once
        program.post("/api/v1/campaigns/zoo/annotators", json={"accounts": ["annotator"]})
    names = [one["name"] for one in program.get("/api/v1/campaigns/zoo/annotators").json()["annotators"]]
    number = either_house.accounts["annotator"].id
    assert names == ["Ann", "annotator", f"annotator (account {number})"]


def test_made_up_invitations_leave_nothing_behind(either_house: House) -> None:
    """Each made a row of its own in the table of limits, which stayed until somebody signed in."""
    store = either_house.services.store
    rows = select(func.count()).select_from(rate_limit)
    before = store.read(lambda connection: connection.execute(rows).scalar_one())
    for number in range(5):
        refused = either_house.client().post("/api/v1/join", json={"invite": f"1-made-up.{number}"})
        assert refused.status_code == 403, refused.text
    assert store.read(lambda connection: connection.execute(rows).scalar_one()) == before


def test_a_protocol_is_read_before_anybody_waits_for_the_database(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On SQLite there is one writer; a long file full of mistakes kept every annotator's answer waiting."""
    held: list[bool] = []
    writing = False
    write = house.services.store.write

    def writes(work: Any) -> Any:
        nonlocal writing
        writing = True
        try:
            return write(work)
        finally:
            writing = False

    def noted(source: str) -> Any:
        held.append(writing)
        return parse(source)

    monkeypatch.setattr(house.services.store, "write", writes)
    for module in ("goldmark.campaigns.definition.protocols", "goldmark.web.api.campaigns.protocols"):
        monkeypatch.setattr(f"{module}.parse", noted)
    source = load("accuracy").source.replace("protocol: accuracy/1", "protocol: read-before/1", 1)
    saved = house.program("manager").post("/api/v1/protocols", json={"source": source})
    assert saved.status_code == 201, saved.text
    assert held
    assert not held[0]
