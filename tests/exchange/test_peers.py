"""Projects of doccano, potato and Argilla, in files as these programs write them (doccano 1.8, potato 1 and 2.12,
Argilla 2.8)."""

from __future__ import annotations

import io
from typing import Any

import polars
import pytest

from goldmark.errors import ProblemsFound
from goldmark.exchange.formats import FORMATS
from goldmark.exchange.responses.given import Target
from goldmark.exchange.responses.values import Values
from goldmark.protocols import Protocol, load, parse
from goldmark.records.campaigns import CampaignRecord
from tests.exchange.peer_files import ADA, ARGILLA_SAID, BO, FOXES, OWLS, PEERS, lines


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
        {"id": 8, "label": "B", "start_offset": 12, "end_offset": 15},
    ]
    relation = {"id": 1, "from_id": 7, "to_id": 8, "type": "does"}
    line = {"id": 1, "text": OWLS, "entities": entities, "relations": [relation], "Comments": []}
    (found,) = answers_of(FORMATS["doccano"].read({"all.jsonl": lines(line)})).values()
    assert found["spans"][0]["links"] == {"does": [{"start": 11, "end": 14}]}
    rows = [{"id": n, "text": OWLS, "label": [name]} for n, name in enumerate(("good", "bad", "good"))]
    record = FORMATS["doccano"].read({"all.jsonl": lines(*rows)})
    assert [one.answers for one in record.responses] == [{"labels": "good"}, {"labels": "bad"}, {"labels": "good"}]


def test_potato_2_with_its_config_and_data() -> None:
    record = FORMATS["potato"].read(PEERS["potato"])
    said = {"tone": "kind", "topics": ["sport"], "fluency": 4, "why": "so"}
    assert answers_of(record) == {
        ("i1", "ada"): {"errors": [{"id": "e1", "start": 4, "end": 8, "label": "name"}], **said},
        ("i2", "ada"): {"errors": []},
        ("i1", "bo"): {"errors": [], **said},
    }
    assert record.units[0].hidden == {"system": "alder"}


def test_potato_1_shows_its_texts_in_the_answers() -> None:
    said = {"tone": {"kind": "1"}, "fluency": {"scale_4": "4"}, "why": {"text_box": "so"}}
    old: dict[str, Any] = {"id": "i1", "displayed_text": OWLS, "label_annotations": said}
    old["span_annotations"] = [{"schema": "errors", "start": 4, "end": 8, "annotation": "name"}]
    files = {"annotation_output/bo/annotated_instances.jsonl": lines(old, {**old, "id": "i2"})}
    record = FORMATS["potato"].read(files)
    assert record.responses[0].answers["fluency"] == 4
    assert record.responses[0].annotator == "bo"


def test_argilla_records_and_rows_of_datasets() -> None:
    files = PEERS["argilla"]
    read = FORMATS["argilla"].read(files)
    expected = {
        ("r1", ADA): {"errors": [{"id": "e1", "start": 4, "end": 8, "label": "wrong_name"}], "good": "yes", "stars": 4},
        ("r1", BO): {"errors": [], "good": "no", "stars": 1},
    }
    assert answers_of(read) == expected
    assert read.units[0].hidden == {"system": "alder"}
    assert [item.title for item in read.units[0].shown.context] == ["question"]
    row: dict[str, Any] = {"id": "r1", "status": "completed", "question": "Who?", "answer": OWLS}
    for name in ("good", "stars", "errors"):
        row |= {f"{name}.responses": [of[name] for of in ARGILLA_SAID.values()], f"{name}.responses.users": [ADA, BO]}
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
