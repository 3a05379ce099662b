"""Campaigns through Label Studio and back, and projects that were made there."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from goldmark.errors import ProblemsFound
from goldmark.exchange.formats import FORMATS, export_campaign
from goldmark.exchange.label_studio import format as label_studio
from goldmark.exchange.label_studio.tasks import CONFIG, NAME
from goldmark.exchange.responses.same import same
from goldmark.protocols import builtin_names
from goldmark.records.campaigns import CampaignRecord
from tests.exchange.every_protocol import hard_campaign
from tools.peers.label_studio import sent_through, started

ARTICLE = "The Owls won 88-79 🎉 on Monday."
SOURCE = "A much longer source, in which the Owls won 88-79 on a Monday in March and everybody went home."


def through_label_studio(tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What Label Studio 1.23 keeps: `data`, results, times, and as `import_id` the number that an annotation had."""
    return [
        {
            "id": 100 + task["id"],
            "data": task["data"],
            "annotations": [
                {
                    "id": 500 + one["id"],
                    "import_id": one["id"],
                    "completed_by": 1,
                    "created_at": "2026-11-17T12:00:00.000000Z",
                    **{key: one[key] for key in ("result", "was_cancelled", "lead_time")},
                }
                for one in reversed(task["annotations"])
            ],
        }
        for task in tasks
    ]


def equal_answers(record: CampaignRecord, back: CampaignRecord) -> None:
    expected = {(one.unit, one.annotator): one for one in record.final_responses()}
    found = {(one.unit, one.annotator): one for one in back.final_responses()}
    assert found.keys() == expected.keys()
    for key, one in expected.items():
        assert same(found[key].answers, one.answers), key
        assert (found[key].server_time, found[key].seconds_active) == (one.server_time, one.seconds_active)
    assert back.units == record.units
    assert (back.protocol, back.protocols) == (record.protocol, record.protocols)


@pytest.mark.parametrize("name", builtin_names())
def test_every_protocol_comes_back(name: str) -> None:
    record = hard_campaign(name)
    files = dict(FORMATS["label-studio"].write(record, None))
    tasks = json.loads(files[NAME])
    there = through_label_studio(tasks)
    equal_answers(record, label_studio.read({"export.json": json.dumps(there).encode()}))
    equal_answers(record, label_studio.read(files))  # which also read the config beside it


def test_choices_are_ticked_and_context_is_shown(tmp_path: Path) -> None:
    record = hard_campaign("rating-qa/1")
    export_campaign(record, "label-studio", tmp_path / "tasks.json")
    config = (tmp_path / f"tasks.{CONFIG}").read_text("utf-8")
    assert '<Choices name="' in config
    assert 'alias="' in config
    task = json.loads((tmp_path / "tasks.json").read_text("utf-8"))[0]
    assert {item["type"] for one in task["annotations"] for item in one["result"]} <= {"choices", "textarea"}
    assert "choices" in {item["type"] for one in task["annotations"] for item in one["result"]}
    assert "<p>And &lt;why&gt;?</p>" in task["data"]["context"]
    assert task["data"]["hidden"]["system"] == "alder"


def test_what_was_changed_and_added_in_label_studio_comes_back() -> None:
    record = hard_campaign("accuracy/1")
    tasks = through_label_studio(json.loads(dict(FORMATS["label-studio"].write(record, None))[NAME]))
    for task in tasks:
        for one in task["annotations"]:
            one["result"] = []  # somebody took every mark away
    tasks[0]["annotations"].append({"id": 9, "completed_by": {"email": "new@example.org"}, "result": []})
    tasks.append({"id": 77, "data": {"text": "A new text ."}, "annotations": []})
    back = label_studio.read({"x.json": json.dumps(tasks).encode()})
    assert all(one.answers["mistakes"] == [] for one in back.responses)
    assert "new@example.org" in {one.annotator for one in back.responses}
    assert [unit.id for unit in back.units][-1] == "77"


def region(start: int, end: int, words: str, number: int = 1, **more: Any) -> dict[str, Any]:
    value = {"start": start, "end": end, "text": words, "labels": ["Wrong name"]}
    return {"id": f"r{number}", "from_name": "label", "to_name": "txt", "type": "labels", "value": value, **more}


def project(*results: list[dict[str, Any]], **data: Any) -> bytes:
    annotations = [{"completed_by": number, "result": result} for number, result in enumerate(results, start=1)]
    return json.dumps(
        [{"id": 7, "data": {"article": ARTICLE, "source": SOURCE, **data}, "annotations": annotations}]
    ).encode()


def test_the_text_is_the_one_in_which_the_marked_words_stand() -> None:
    record = label_studio.read({"x.json": project([region(4, 8, "Owls")], [])})
    unit = record.units[0]
    assert unit.shown.texts["text"].text.characters == ARTICLE
    assert unit.hidden == {"source": SOURCE}
    assert [one.answers["labels"] for one in record.responses] == [
        [{"id": "r1", "start": 4, "end": 8, "label": "wrong_name"}],
        [],
    ]
    # Some versions count an emoji as two.
    (first,) = label_studio.read({"x.json": project([region(22, 24, "on")])}).responses
    assert first.answers["labels"][0]["start"] == 21


@pytest.mark.parametrize(
    ("result", "told"),
    [
        ([region(4, 8, "Cats")], "in none of article, source"),
        ([region(0, 1, "A")], ""),
        ([], "nothing is marked, and there are article, source"),
    ],
)
def test_a_doubtful_text_is_refused_until_it_is_named(result: list[dict[str, Any]], told: str) -> None:
    files = {"x.json": project(result)}
    if not told:
        assert label_studio.read(files).units[0].shown.texts["text"].text.characters == SOURCE
        return
    with pytest.raises(ProblemsFound) as refused:
        label_studio.read(files)
    assert told in refused.value.problems[0].what
    assert "--text FIELD" in refused.value.problems[0].what
    if not result:
        assert label_studio.read(files, "article").units[0].shown.texts["text"].text.characters == ARTICLE


CONFIG_THERE = """<View><Header value="$question"/><Labels name="label" toName="txt"><Label value="Wrong name"/>
<Label value="Other"/></Labels><Text name="txt" value="$article"/>
<Choices name="How bad?" toName="txt" perRegion="true"><Choice value="a bit"/><Choice value="very"/></Choices>
<Rating name="stars" toName="txt" maxRating="4"/><Choices name="tags" toName="txt" choice="multiple">
<Choice value="x"/><Choice value="y"/></Choices></View>"""


def test_a_project_with_its_config() -> None:
    said = {"to_name": "txt", "id": "s"}
    result = [
        region(4, 8, "Owls"),
        region(9, 12, "won", 2),
        {**region(4, 8, "Owls"), "from_name": "How bad?", "type": "choices", "value": {"choices": ["very"]}},
        {"type": "relation", "from_id": "r1", "to_id": "r2", "direction": "right", "labels": ["cause"]},
        {**said, "from_name": "stars", "type": "rating", "value": {"rating": 3}},
        {**said, "from_name": "tags", "type": "choices", "value": {"choices": ["x"]}},
    ]
    record = label_studio.read({"x.json": project(result, question="Who?"), "c.xml": CONFIG_THERE.encode()})
    assert record.responses[0].answers == {
        "labels": [
            {"id": "r1", "start": 4, "end": 8, "label": "wrong_name", "how_bad": "very"}
            | {"links": {"cause": [{"start": 9, "end": 12}]}},
            {"id": "r2", "start": 9, "end": 12, "label": "wrong_name"},
        ],
        "stars": 3,
        "tags": ["x"],
    }
    assert [item.title for item in record.units[0].shown.context] == ["question"]
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa">]><View>&a;</View>'
    with pytest.raises(ProblemsFound):
        label_studio.read({"x.json": project(result), "c.xml": bomb.encode()})


def test_who_answered_twice_has_two_revisions() -> None:
    both = [{"completed_by": 1, "created_at": f"2026-01-0{day}T00:00:00Z", "result": []} for day in (2, 1)]
    both[1]["result"] = [region(4, 8, "Owls")]
    task = {"id": 1, "data": {"text": ARTICLE}, "annotations": both}
    record = label_studio.read({"x.json": json.dumps([task]).encode()})
    assert [(one.revision, one.final, len(one.answers["labels"])) for one in record.responses] == [
        (1, False, 1),
        (2, True, 0),
    ]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder = os.environ.get("GOLDMARK_LABEL_STUDIO")
    if not folder:
        pytest.skip("GOLDMARK_LABEL_STUDIO names no folder; python -m tools.peers.label_studio FOLDER fills one")
    with started(Path(folder), tmp_path_factory.mktemp("label-studio")) as client:
        yield client


@pytest.mark.slow
@pytest.mark.parametrize("name", builtin_names())
def test_every_protocol_comes_back_from_a_running_label_studio(name: str, server: httpx.Client) -> None:
    record = hard_campaign(name)
    files = dict(FORMATS["label-studio"].write(record, None))
    exported = sent_through(server, name, json.loads(files[NAME]), files[CONFIG].decode())
    equal_answers(record, label_studio.read({"export.json": exported["JSON"]}))
    small = json.loads(exported["JSON_MIN"])
    assert len(small) == len(record.final_responses())
