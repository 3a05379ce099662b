"""A study in the fields of a page: the same as its file, checked beside its fields, changed until somebody joins."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest
import yaml

from goldmark.campaigns.lifecycle import find_campaign, move
from goldmark.studies.design.language import StudyFile
from goldmark.web.pages.evaluations.study_fields import ROWS, StudyFields, as_yaml
from tests.studies.small import HUMANLIKE, SUGGESTIONS, changed
from tests.web.house import HTML, House

EVERYTHING = {
    "language": "de",
    "texts": {"path": "texts.jsonl", "tokeniser": "whitespace"},
    "explanations": ["why"],
    "tests": [
        {
            "against": 0.625,
            "margin": 0.0312500001,
            "over": "people-and-texts",
            "where": {"training": ["none", "examples"]},
        },
        {"pairs": "training", "where": {"model": "newer"}},
    ],
    "correction": "holm",
    "expect": {"difference": 0.1, "pool": 30, "between_texts": 0.15, "power": 0.9},
    "recruit": {"platform": "prolific", "budget": "250.00"},
    "identified": True,
    "lease_minutes": 7.5,
}
OTHERS = [
    {"outcome": {"kind": "share", "question": "source", "options": ["possibly_human"]}, "exclude": {"short": 3}},
    {"outcome": {"kind": "mean", "question": "source"}, "exclude": {}, "training": None, "cells": None, "pay": None},
]


@pytest.mark.parametrize("changes", [{}, EVERYTHING, *OTHERS])
def test_a_file_in_fields_and_back_says_the_same(changes: dict[str, Any]) -> None:
    written = yaml.safe_load(HUMANLIKE.read_text()) | changes
    if "outcome" in changes:
        written["tests"] = [{"compare": "training", "to": "none"}, {"against": -0.5}]
    file = StudyFile.model_validate(written)
    again = as_yaml(StudyFields.of(file).file(protocol=file.protocol, texts=file.texts.paths))
    assert StudyFile.model_validate(yaml.safe_load(again)) == file


def sent(fields: StudyFields, **others: Any) -> dict[str, Any]:
    """The fields as a browser sends them."""
    data: dict[str, Any] = {**fields.values, **fields.ticked}
    for name, cells in ROWS.items():
        for cell in cells:
            data[f"{name}.{cell}"] = [*(row[cell] for row in fields.rows[name]), ""]
    data["outcome.option"], data["outcome.says"] = list(fields.says), list(fields.says.values())
    return {**data, **others}


def test_a_study_is_made_in_fields_and_changed_until_somebody_joins(house: House) -> None:
    browser = house.browser("manager")
    made = changed(SUGGESTIONS, participants=2, language="fr")
    fields = StudyFields.of(made.study.file)
    texts = [("files", ("texts.jsonl", (SUGGESTIONS.parent / "texts.jsonl").read_bytes()))]
    assert 'name="groups.facts"' in browser.get("/studies/new").text
    look = browser.post("/studies/new/look", sent(fields), files=texts).text
    assert "suggestions</bdi> (" in look  # what the texts say of themselves
    assert 'name="outcome.labels"' in look  # the protocol asks for marks

    wrong = sent(fields, **{"groups.facts": ["help: {halp}", ""], "expect.difference": "none", "participants": "1"})
    refused = browser.post("/studies/new/fields", {**wrong, "do": "create"}, files=texts)
    assert refused.status_code == 422
    assert 'value="help: {halp}"' in refused.text
    for part in ("participants-wrong", "expect-difference-wrong"):
        assert f'id="{part}"' in refused.text
    assert "study.yaml:" not in refused.text  # fields have no lines
    again = browser.post("/studies/new/fields", {**wrong, "participants": "2", "expect.difference": ""}, files=texts)
    assert 'id="groups-0-wrong"' in again.text
    assert "no file with texts" in browser.post("/studies/new/fields", {**sent(fields), "do": "plan"}).text
    twice = {"cells": "help", "recruit": "{", "factors.name": ["help", "help"], "factors.levels": ["none", "some"]}
    nonsense = browser.post("/studies/new/fields", {**sent(fields), **twice}, files=texts)
    for part in ("cells-wrong", "recruit-wrong", "factors-1-wrong"):
        assert f'id="{part}"' in nonsense.text

    plan = browser.post("/studies/new/fields", {**sent(fields), "do": "plan"}, files=texts)
    assert "4 people, 16 answers" in plan.text
    saved = browser.post("/studies/new/fields", {**sent(fields), "do": "save"}, files=texts)
    with zipfile.ZipFile(io.BytesIO(saved.content)) as archive:
        kept = [("files", (name, archive.read(name))) for name in archive.namelist()]
    assert [name for _, (name, _) in kept] == ["study.yaml", "texts.jsonl"]
    assert house.program("manager").post("/api/v1/studies/plan", files=kept).status_code == 200
    filled = browser.post("/studies/new", {"do": "fill"}, files=kept)
    assert 'value="seeing-suggestions"' in filled.text

    created = browser.post("/studies/new/fields", {**sent(fields), "do": "create"}, files=texts)
    assert created.status_code == 303, created.text
    name = made.study.name
    row = house.services.store.read(lambda connection: find_campaign(connection, name))
    assert (row.settings.language, row.settings.conditions[0].places) == ("fr", 2)

    # Until somebody joins, everything but texts and protocol can change; every plan is written down.
    design = f"/campaigns/{name}/study/design"
    assert 'value="seeing-suggestions" readonly' in browser.get(design).text
    other = sent(fields, **{"participants": "3", "language": "pt", "factors.levels": ["suggestions, none", ""]})
    assert browser.post(design, {**other, "tests.to": ["nun", ""]}).status_code == 422
    assert browser.post(design, {**other, "study": "another"}).status_code == 422
    assert browser.post(design, {**other, "reason": "more power"}).status_code == 303
    row = house.services.store.read(lambda connection: find_campaign(connection, name))
    assert (row.settings.language, row.settings.conditions[0].places) == ("pt", 3)
    assert [one.name for one in row.settings.conditions] == ["suggestions", "none"]
    program = house.program("manager")
    report = program.get(f"/api/v1/campaigns/{name}/study").json()
    plans = program.get(f"/api/v1/campaigns/{name}/study/plans").json()["plans"]
    assert report["plan"]["digest"] == plans[-1]["digest"] != plans[-2]["digest"]
    source = browser.get(f"/campaigns/{name}/study/study.yaml").content
    assert yaml.safe_load(source)["participants"] == 3
    file = [("files", ("study.yaml", source.replace(b"participants: 3", b"participants: 4")))]
    assert len(program.put(f"/api/v1/campaigns/{name}/study", files=file).json()["plans"]) == len(plans) + 1

    move(house.services.store, name, "started", author="test")
    invite = house.services.links.invite(row.id, row.invite_nonce)
    joined = house.client(headers=HTML).post(f"/join/{invite}", data={"name": "Kim"})
    assert joined.status_code == 303, joined.text
    begun = program.put(f"/api/v1/campaigns/{name}/study", files=file)
    assert (begun.status_code, begun.json()["code"]) == (409, "STUDY-09")
    assert "fieldset disabled" in browser.get(design).text
