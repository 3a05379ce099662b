"""Projects of doccano, potato and Argilla, in files as these programs write them (doccano 1.8, potato 1 and 2.12,
Argilla 2.8)."""

from __future__ import annotations

import io
import json
from typing import Any

import polars
import pytest

from goldmark.errors import ProblemsFound
from goldmark.exchange.formats import FORMATS
from goldmark.exchange.responses.given import Target
from goldmark.exchange.responses.values import Values
from goldmark.protocols import Protocol, load, parse
from goldmark.records.campaigns import CampaignRecord

OWLS = "The Owls 🎉 won on Monday."
FOXES = "狐狸 输了。"


def lines(*rows: Any) -> bytes:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()


def answers_of(record: CampaignRecord) -> dict[tuple[str, str], Any]:
    return {(one.unit, one.annotator): dict(one.answers) for one in record.final_responses()}


def protocol_of(record: CampaignRecord) -> Protocol:
    return parse(record.protocols[0].source)


def test_doccano_with_a_file_for_each_member() -> None:
    row = {"id": 1, "text": OWLS, "system": "alder", "Comments": []}
    other = {"id": 2, "text": FOXES, "label": [], "Comments": []}
    files = {
        "ada.jsonl": lines({**row, "label": [[4, 8, "Wrong name"]]}, other),
        "bo.jsonl": lines({**row, "label": [], "Comments": ["fine"]}),
    }
    record = FORMATS["doccano"].read(files)
    assert answers_of(record) == {
        ("1", "ada"): {"spans": [{"id": "e1", "start": 4, "end": 8, "label": "wrong_name"}]},
        ("2", "ada"): {"spans": []},
        ("1", "bo"): {"spans": [], "comments": "fine"},
    }
    assert record.units[0].hidden == {"system": "alder"}
    assert protocol_of(record).taxonomies["spans"].paths["wrong_name"].name == "Wrong name"


def test_doccano_with_relations_and_with_categories() -> None:
    entities = [
        {"id": 7, "label": "A", "start_offset": 4, "end_offset": 8},
        {"id": 8, "label": "B", "start_offset": 11, "end_offset": 14},
    ]
    relation = {"id": 1, "from_id": 7, "to_id": 8, "type": "does"}
    line = {"id": 1, "text": OWLS, "entities": entities, "relations": [relation], "Comments": []}
    (found,) = answers_of(FORMATS["doccano"].read({"all.jsonl": lines(line)})).values()
    assert found["spans"][0]["links"] == {"does": [{"start": 11, "end": 14}]}
    rows = [{"id": n, "text": OWLS, "label": [name]} for n, name in enumerate(("good", "bad", "good"))]
    record = FORMATS["doccano"].read({"all.jsonl": lines(*rows)})
    assert [one.answers for one in record.responses] == [{"labels": "good"}, {"labels": "bad"}, {"labels": "good"}]


POTATO = """
annotation_task_name: owls
item_properties: {id_key: key, text_key: body}
annotation_schemes:
  - {annotation_type: radio, name: tone, labels: [kind, rude]}
  - {annotation_type: multiselect, name: topics, labels: [sport, weather]}
  - {annotation_type: likert, name: fluency, size: 5}
  - {annotation_type: text, name: why}
  - {annotation_type: span, name: errors, labels: [{name: name}, {name: number}]}
"""


def test_potato_2_with_its_config_and_data() -> None:
    span = {"schema": "errors", "name": "name", "title": "name", "start": 4, "end": 8, "id": "span_1"}
    labels = [("tone", "kind", "true"), ("topics", "sport", "true"), ("fluency", "4", "4"), ("why", "text_box", "so")]
    state = {
        "user_id": "ada",
        "instance_id_to_label_to_value": {
            "i1": [[{"schema": scheme, "name": name}, value] for scheme, name, value in labels]
        },
        "instance_id_to_span_to_value": {"i1": [[span, "name"]], "i2": []},
    }
    files = {
        "config.yaml": POTATO.encode(),
        "data/items.json": lines({"key": "i1", "body": OWLS, "system": "alder"}, {"key": "i2", "body": FOXES}),
        "annotation_output/ada/user_state.json": json.dumps(state).encode(),
    }
    record = FORMATS["potato"].read(files)
    assert answers_of(record) == {
        ("i1", "ada"): {"errors": [{"id": "e1", "start": 4, "end": 8, "label": "name"}], "tone": "kind"}
        | {"topics": ["sport"], "fluency": 4, "why": "so"},
        ("i2", "ada"): {"errors": []},
    }
    assert record.units[0].hidden == {"system": "alder"}


def test_potato_1_shows_its_texts_in_the_answers() -> None:
    said = {"tone": {"kind": "1"}, "fluency": {"scale_4": "4"}, "why": {"text_box": "so"}}
    old = {"id": "i1", "displayed_text": OWLS, "label_annotations": said}
    old["span_annotations"] = [{"schema": "errors", "start": 4, "end": 8, "annotation": "name"}]
    files = {"annotation_output/bo/annotated_instances.jsonl": lines(old, {**old, "id": "i2"})}
    record = FORMATS["potato"].read(files)
    assert record.responses[0].answers["fluency"] == 4
    assert record.responses[0].annotator == "bo"


YES_NO = [{"value": "yes"}, {"value": "no"}]
SETTINGS = {
    "fields": [{"name": "question"}, {"name": "answer"}],
    "questions": [
        {
            "name": "good",
            "title": "Good?",
            "settings": {"type": "label_selection", "options": YES_NO},
        },
        {"name": "stars", "settings": {"type": "rating", "options": [{"value": n} for n in range(1, 6)]}},
        {"name": "errors", "settings": {"type": "span", "field": "answer", "options": [{"value": "Wrong name"}]}},
    ],
}
ADA, BO = "11111111-1111-1111-1111-111111111111", "22222222-2222-2222-2222-222222222222"


def test_argilla_records_and_rows_of_datasets() -> None:
    mark = {"label": "Wrong name", "start": 4, "end": 8}
    said = {ADA: {"good": "yes", "stars": 4, "errors": [mark]}, BO: {"good": "no", "stars": 1, "errors": []}}
    record = {
        "id": "r1",
        "fields": {"question": "Who?", "answer": OWLS},
        "metadata": {"system": "alder"},
        "responses": {
            name: [{"user_id": who, "value": of[name], "status": "submitted"} for who, of in said.items()]
            for name in ("good", "stars", "errors")
        },
        "status": "completed",
    }
    record["responses"]["good"].append({"user_id": "x", "value": "yes", "status": "draft"})
    files = {"records.json": json.dumps([record]).encode(), "settings.json": json.dumps(SETTINGS).encode()}
    read = FORMATS["argilla"].read(files)
    expected = {
        ("r1", ADA): {"errors": [{"id": "e1", "start": 4, "end": 8, "label": "wrong_name"}], "good": "yes", "stars": 4},
        ("r1", BO): {"errors": [], "good": "no", "stars": 1},
    }
    assert answers_of(read) == expected
    assert read.units[0].hidden == {"system": "alder"}
    assert [item.title for item in read.units[0].shown.context] == ["question"]
    row = {"id": "r1", "status": "completed", "question": "Who?", "answer": OWLS}
    for name in ("good", "stars", "errors"):
        row |= {f"{name}.responses": [of[name] for of in said.values()], f"{name}.responses.users": [ADA, BO]}
        row |= {f"{name}.responses.status": ["submitted", "submitted"]}
    table = io.BytesIO()
    polars.DataFrame([row]).write_parquet(table)
    rows = {"train.parquet": table.getvalue(), "settings.json": files["settings.json"]}
    assert answers_of(FORMATS["argilla"].read(rows)) == expected
    with pytest.raises(ProblemsFound, match="1 problem"):
        FORMATS["argilla"].read({"records.json": files["records.json"]})
    assert FORMATS["argilla"].read({"records.json": files["records.json"]}, "answer").units[0].shown.texts


def test_answers_keep_the_tools_names_for_a_campaign_of_ours() -> None:
    protocol = load("accuracy")
    units = {one.id: one.shown for one in FORMATS["doccano"].read({"all.jsonl": lines({"id": 1, "text": OWLS})}).units}
    files = {"ada.jsonl": lines({"id": 1, "text": OWLS, "label": [[4, 8, "Name"]]})}
    problems: list[Any] = []
    (found,) = FORMATS["doccano"].read_answers(files, Target(protocol, units), problems)
    assert problems == []
    assert Values(protocol).read(found.answers)["mistakes"] == [{"id": "e1", "start": 1, "end": 2, "label": "NAME"}]


@pytest.mark.parametrize("name", ["doccano", "potato", "argilla"])
def test_files_of_another_shape_are_told(name: str) -> None:
    for files in (
        {"x.json": b"[3]"},
        {"x.jsonl": b"{"},
        {"a.txt": b""},
        {"user_state.json": b"[]", "x.jsonl": b'{"a": 1}'},
    ):
        with pytest.raises(ProblemsFound):
            FORMATS[name].read(files)
