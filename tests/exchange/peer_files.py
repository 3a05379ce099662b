"""Small projects of other tools, of our own making, in files as these tools write them."""

from __future__ import annotations

import json
from typing import Any

OWLS = "The Owls 🎉 won on Monday."
FOXES = "狐狸 输了。"
ADA, BO = "11111111-1111-1111-1111-111111111111", "22222222-2222-2222-2222-222222222222"


def lines(*rows: Any) -> bytes:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()


def _doccano() -> dict[str, bytes]:
    entities = [
        {"id": 7, "label": "Wrong name", "start_offset": 4, "end_offset": 8},
        {"id": 8, "label": "Verb", "start_offset": 12, "end_offset": 15},
    ]
    relation = {"id": 1, "from_id": 7, "to_id": 8, "type": "does"}
    owls = {"id": 1, "text": OWLS, "system": "alder", "entities": entities, "relations": [relation], "Comments": []}
    foxes = {"id": 2, "text": FOXES, "system": "birch", "entities": [], "relations": [], "Comments": []}
    return {"ada.jsonl": lines(owls, foxes), "bo.jsonl": lines({**owls, "entities": [], "relations": []}, foxes)}


POTATO_CONFIG = """
annotation_task_name: owls
item_properties: {id_key: key, text_key: body}
annotation_schemes:
  - {annotation_type: radio, name: tone, labels: [kind, rude]}
  - {annotation_type: multiselect, name: topics, labels: [sport, weather]}
  - {annotation_type: likert, name: fluency, size: 5}
  - {annotation_type: text, name: why}
  - {annotation_type: span, name: errors, labels: [{name: name}, {name: number}]}
"""


def _potato() -> dict[str, bytes]:
    span = {"schema": "errors", "name": "name", "title": "name", "start": 4, "end": 8, "id": "span_1"}
    labels = [("tone", "kind", "true"), ("topics", "sport", "true"), ("fluency", "4", "4"), ("why", "text_box", "so")]
    said = [[{"schema": scheme, "name": name}, value] for scheme, name, value in labels]
    ada = {"user_id": "ada", "instance_id_to_label_to_value": {"i1": said}}
    ada["instance_id_to_span_to_value"] = {"i1": [[span, "name"]], "i2": []}
    bo = {**ada, "user_id": "bo", "instance_id_to_span_to_value": {}}
    rows = lines({"key": "i1", "body": OWLS, "system": "alder"}, {"key": "i2", "body": FOXES})
    return {
        "config.yaml": POTATO_CONFIG.encode(),
        "data/items.json": rows,
        "annotation_output/ada/user_state.json": json.dumps(ada).encode(),
        "annotation_output/bo/user_state.json": json.dumps(bo).encode(),
    }


YES_NO = [{"value": "yes"}, {"value": "no"}]
ARGILLA_SETTINGS = {
    "fields": [{"name": "question"}, {"name": "answer"}],
    "questions": [
        {"name": "good", "title": "Good?", "settings": {"type": "label_selection", "options": YES_NO}},
        {"name": "stars", "settings": {"type": "rating", "options": [{"value": n} for n in range(1, 6)]}},
        {"name": "errors", "settings": {"type": "span", "field": "answer", "options": [{"value": "Wrong name"}]}},
    ],
}
ARGILLA_SAID: dict[str, dict[str, Any]] = {
    ADA: {"good": "yes", "stars": 4, "errors": [{"label": "Wrong name", "start": 4, "end": 8}]},
    BO: {"good": "no", "stars": 1, "errors": []},
}


def _argilla() -> dict[str, bytes]:
    record: dict[str, Any] = {
        "id": "r1",
        "fields": {"question": "Who?", "answer": OWLS},
        "metadata": {"system": "alder"},
        "responses": {
            name: [{"user_id": who, "value": of[name], "status": "submitted"} for who, of in ARGILLA_SAID.items()]
            for name in ("good", "stars", "errors")
        },
        "status": "completed",
    }
    record["responses"]["good"].append({"user_id": "x", "value": "yes", "status": "draft"})
    return {"records.json": json.dumps([record]).encode(), "settings.json": json.dumps(ARGILLA_SETTINGS).encode()}


LABEL_STUDIO_CONFIG = """<View><Header value="$question"/><Labels name="errors" toName="txt">
<Label value="Wrong name"/><Label value="Other"/></Labels><Text name="txt" value="$answer"/>
<Choices name="tone" toName="txt"><Choice value="kind"/><Choice value="rude"/></Choices>
<Rating name="stars" toName="txt" maxRating="5"/>
<TextArea name="right" toName="txt" perRegion="true"/></View>"""


def _label_studio() -> dict[str, bytes]:
    def region(number: int, start: int, end: int) -> dict[str, Any]:
        value = {"start": start, "end": end, "text": OWLS[start:end], "labels": ["Wrong name"]}
        return {"id": f"r{number}", "from_name": "errors", "to_name": "txt", "type": "labels", "value": value}

    said = {"id": "s", "to_name": "txt"}
    result = [
        region(1, 4, 8),
        region(2, 11, 14),
        {
            **region(1, 4, 8),
            "from_name": "right",
            "type": "textarea",
            "value": {"start": 4, "end": 8, "text": ["Foxes"]},
        },
        {"type": "relation", "from_id": "r1", "to_id": "r2", "direction": "right", "labels": ["does"]},
        {**said, "from_name": "tone", "type": "choices", "value": {"choices": ["kind"]}},
        {**said, "from_name": "stars", "type": "rating", "value": {"rating": 4}},
    ]
    task = {"id": 7, "data": {"answer": OWLS, "question": "Who?", "system": "alder"}}
    task["annotations"] = [{"completed_by": 1, "result": result}, {"completed_by": 2, "result": []}]
    return {"export.json": json.dumps([task]).encode(), "config.xml": LABEL_STUDIO_CONFIG.encode()}


def _mqm() -> dict[str, bytes]:
    head = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\tcomment"
    rows = [
        "alder\tnews\t1\t4\tr1\tWho?\tThe <v>Owls</v> won.\tAccuracy/Mistranslation\tMajor\tFoxes",
        "alder\tnews\t1\t4\tr2\tWho?\tThe Owls won.\tNo-error\tNo-error\t",
    ]
    return {"ratings.tsv": "\n".join([head, *rows, ""]).encode()}


def _factgenie() -> dict[str, bytes]:
    key = {"dataset": "games", "split": "test", "setup_id": "alder", "example_idx": 3}
    asked = {
        "flags": [{"label": "Off-topic?", "value": True}],
        "options": [{"label": "Tone", "index": 0, "value": "Dry", "optionList": ["Dry", "Lively"]}],
        "sliders": [{"label": "Quality", "value": "3"}],
    }
    mark = {"type": 0, "start": 4, "text": "Owls", "reason": "Foxes"}
    ada = {**key, **asked, "annotations": [mark], "metadata": {"annotator_id": "ada"}}
    bo = {**key, **asked, "annotations": [], "metadata": {"annotator_id": "bo"}}
    config = {"annotation_span_categories": [{"name": "Incorrect", "color": "#f00"}]}
    return {
        "outputs/alder.jsonl": lines({**key, "output": OWLS, "metadata": {"model": "alder"}}),
        "files/ada.jsonl": lines(ada),
        "files/bo.jsonl": lines(bo),
        "metadata.json": json.dumps({"id": "games", "config": config}).encode(),
        "games/test.txt": b"A.\nB.\nC.\nWho?\n",
    }


def _pearmut() -> dict[str, bytes]:
    mark = {"start_i": 4, "end_i": 7, "severity": "minor", "category": "Accuracy/Mistranslation"}
    item = [{"item_id": "doc_0", "src": "Who?", "tgt": {"alder": OWLS}}]

    def line(user: str, *marks: Any) -> dict[str, Any]:
        said = {"alder": {"score": 70, "error_spans": list(marks), "textfield": None}}
        return {"user_id": user, "item_i": 0, "annotation": [said], "item": item, "actions": []}

    return {"out.jsonl": lines(line("ada", mark), line("bo"))}


def _appraise() -> dict[str, bytes]:
    def line(annotator: str, *marks: Any) -> dict[str, Any]:
        texts = {"source_id": "src", "source_text": "Who?", "target_id": "alder", "target_text": OWLS}
        said = {"score": 70, "mqm_annotations": json.dumps(list(marks)), "item_id": 4, "item_type": "TGT"}
        return {"annotator": annotator, "document_id": "news", **texts, **said}

    return {"out.jsonl": lines(line("ada", {"start_i": 4, "end_i": 7, "severity": "minor"}), line("bo"))}


THRESH_TEMPLATE = """
template_name: owls
edits:
  - name: substitution
    enable_input: true
    enable_output: true
    multi_span: true
    annotation:
      - {name: grammar_error, question: "Is it wrong now?", options: binary}
"""


def _thresh() -> dict[str, bytes]:
    edit = {"category": "substitution", "id": 1, "input_idx": [[0, 3]], "output_idx": [[4, 8], [12, 15]]}
    entry = {"id": 7, "system": "alder", "source": "Who?", "target": OWLS}
    said = {**entry, "edits": [{**edit, "annotation": {"grammar_error": "yes"}}]}
    return {
        "ada.json": json.dumps([said]).encode(),
        "bo.json": json.dumps([{**entry, "edits": []}]).encode(),
        "template.yml": THRESH_TEMPLATE.encode(),
    }


PEERS: dict[str, dict[str, bytes]] = {
    "label-studio": _label_studio(),
    "doccano": _doccano(),
    "potato": _potato(),
    "argilla": _argilla(),
    "mqm": _mqm(),
    "factgenie": _factgenie(),
    "pearmut": _pearmut(),
    "appraise": _appraise(),
    "thresh": _thresh(),
}
