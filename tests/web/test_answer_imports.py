"""Answers made elsewhere, brought in by a program and by the form on the page of exports."""

from __future__ import annotations

import json
from typing import Any

import pytest

from goldmark.campaigns.definition import uploads
from goldmark.texts.readers.confined import confined
from tests.web.house import House

HERE = "/api/v1/campaigns/zoo"
MARK = {"start": 3, "end": 4, "label": "NUMBER", "correction": "four"}


def rows(*given: tuple[str, str, list[dict[str, Any]]]) -> bytes:
    return "\n".join(
        json.dumps({"unit": unit, "annotator": person, "mistakes": marks}) for unit, person, marks in given
    ).encode()


def test_a_program_brings_answers_in(either_house: House) -> None:
    program = either_house.program("manager")
    files = [("files", ("old.jsonl", rows(("z1", "Bo", [MARK]), ("z2", "Bo", []))))]
    reply = program.post(f"{HERE}/answers/upload", files=files, data={"reason": "from the old server"})
    assert reply.status_code == 201
    done = {"answers": 2, "replaced": 0, "already_there": 0, "units": 2, "annotators": 1, "new_annotators": ["Bo"]}
    assert done.items() <= reply.json().items()
    event = program.get(f"{HERE}/events").json()["events"][0]
    assert (event["kind"], event["author"], event["reason"]) == ("answers imported", "manager", "from the old server")
    assert event["facts"]["file"] == "old.jsonl"
    assert program.get(f"{HERE}/progress").json()["labels_done"] == 3  # Ann had answered one
    again = program.post(f"{HERE}/answers/upload", files=files)
    assert (again.json()["answers"], again.json()["already_there"]) == (0, 2)


def test_large_uploads_are_read_in_a_process_of_their_own(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "SMALL", 0)
    asked: list[str] = []

    def watched(what: str, *given: Any, **limits: Any) -> Any:
        asked.append(what)
        return confined(what, *given, **limits)

    monkeypatch.setattr(uploads, "confined", watched)
    program = house.program("manager")
    files = [("files", ("old.jsonl", rows(("z1", "Bo", [MARK]), ("z2", "Bo", []))))]
    assert program.post(f"{HERE}/answers/upload", files=files).json()["answers"] == 2
    wrong = [("files", ("old.jsonl", rows(("z9", "Bo", []))))]
    reply = program.post(f"{HERE}/answers/upload", files=wrong)
    assert (reply.status_code, reply.json()["problems"][0]["where"]) == (422, "old.jsonl:1")
    gold = [("files", ("gold.csv", b"TEXT_ID,DOC_TOKEN_START,DOC_TOKEN_END,TYPE\nz1,4,4,NUMBER\n"))]
    program.post(f"{HERE}/gold/upload", files=gold)
    assert asked == ["old.jsonl", "old.jsonl", "gold.csv"]


def test_what_is_wrong_comes_back_with_its_line(house: House) -> None:
    program = house.program("manager")
    files = [("files", ("old.jsonl", rows(("z1", "Bo", [{**MARK, "label": "DATE"}]), ("z9", "Bo", []))))]
    reply = program.post(f"{HERE}/answers/upload", files=files)
    assert reply.status_code == 422
    assert [one["where"] for one in reply.json()["problems"]] == ["old.jsonl:1", "old.jsonl:2"]
    assert program.post(f"{HERE}/answers/upload", files=files, data={"format": "excel"}).status_code == 404
    assert program.post(f"{HERE}/answers/upload", files=[("files", ("", b""))]).status_code == 422


def test_the_form_says_what_came_in_and_what_did_not(house: House) -> None:
    browser = house.browser("manager")
    page = browser.get("/campaigns/zoo/export").text
    assert "Bring in answers made elsewhere" in page
    assert '<option value="tidy">' in page
    columns = "TEXT_ID,SENTENCE_ID,ANNOTATION_ID,TOKENS,SENT_TOKEN_START,SENT_TOKEN_END,DOC_TOKEN_START,DOC_TOKEN_END"
    listed = f"{columns},TYPE,CORRECTION,COMMENT,ANNOTATOR\nz1,,,six,,,4,4,NUMBER,four,,Bo\n".encode()
    files = [("files", ("list.csv", listed)), ("seen", ("seen.csv", b"TEXT_ID,ANNOTATOR\nz1,Bo\nz3,<b>Cy\n"))]
    done = browser.post("/campaigns/zoo/export/answers", {"format": "gsml", "question": ""}, files=files)
    assert done.status_code == 200
    assert "2 answers of 2 annotators to 2 units brought in." in done.text
    assert "New annotators: <bdi>&lt;b&gt;Cy, Bo</bdi>" in done.text
    wrong = browser.post("/campaigns/zoo/export/answers", {"format": "tidy"}, files=files[:1])
    assert wrong.status_code == 422
    assert "no column unit and annotator" in wrong.text
    tidy = [("files", ("a.jsonl", rows(("z2", "Bo", [{"start": 0, "end": 1, "label": "NAME"}]))))]
    refused = browser.post("/campaigns/zoo/export/answers", {"format": "tidy", "positions": ""}, files=tidy)
    assert "--keep-incomplete" in refused.text
    kept = browser.post("/campaigns/zoo/export/answers", {"keep_incomplete": "yes"}, files=tidy)
    assert "1 lack something that the protocol asks for" in kept.text


def test_a_form_in_which_no_table_was_chosen(house: House) -> None:
    browser = house.browser("manager")
    parts = [
        f'name="csrf"\r\n\r\n{browser.csrf}',
        f'name="files"; filename="a.jsonl"\r\n\r\n{rows(("z3", "Bo", [])).decode()}',
        'name="seen"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n',  # as browsers send it
    ]
    body = "".join(f"--cut\r\nContent-Disposition: form-data; {part}\r\n" for part in parts) + "--cut--\r\n"
    kind = {"content-type": "multipart/form-data; boundary=cut"}
    done = browser.client.post("/campaigns/zoo/export/answers", content=body.encode(), headers=kind)
    assert "1 answer of 1 annotator to 1 unit brought in." in done.text


def test_names_that_differ_are_told_and_confirmed_in_a_table(house: House) -> None:
    marks = [{"start": 3, "end": 4, "label": "2_NUMBER", "B_Correction": "four"}]
    files = [("files", ("old.jsonl", rows(("z1", "Bo", marks))))]
    told = house.program("manager").post(f"{HERE}/answers/upload", files=files)
    assert told.status_code == 422
    meant = {"questions": {"B_Correction": "correction"}, "labels": {"2_NUMBER": "NUMBER"}}
    assert told.json()["names"] == meant
    browser = house.browser("manager")
    page = browser.post("/campaigns/zoo/export/answers", {"format": "tidy"}, files=files).text
    assert '<option value="2_NUMBER=NUMBER" selected>NUMBER</option>' in page
    assert '<option value="B_Correction=correction" selected>correction</option>' in page
    confirmed = {"format": "tidy", "questions": "B_Correction=correction", "labels": "2_NUMBER=NUMBER"}
    assert "1 answer of 1 annotator" in browser.post("/campaigns/zoo/export/answers", confirmed, files=files).text
