"""Label Studio: a JSON list of tasks with the final responses as annotations, offsets in characters.

Label Studio reads `data` and `annotations[].result`. What it has no place for stands under keys named `goldmark`, which
it ignores, so that a file which Goldmark wrote is read back exactly. A file from Label Studio has no such keys; its
regions become spans of the tokens that they touch. An annotation without a result is somebody's who marked nothing; one
that was skipped is no answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from goldmark.errors import GoldmarkError, Problem
from goldmark.exchange.campaign.archive import Files
from goldmark.exchange.campaign.marks import (
    QUESTION,
    ExportedQuestion,
    MarkedSpans,
    features_of,
    marked,
    spans_questions,
)
from goldmark.exchange.campaign.rows import (
    COLUMNS,
    FORMAT_VERSION,
    Located,
    read_time,
    record_of,
    rows_of,
    write_json,
    write_time,
)
from goldmark.exchange.format import Format, everything
from goldmark.records.answers import Mark
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.spans import covering
from goldmark.records.texts import Text
from goldmark.records.units import ShownText, ShownUnit, Unit
from goldmark.texts.readers.formats import decode
from goldmark.texts.segmentation.text import make_text

NAME = "label-studio.json"
_EXTRA = "goldmark"


class NotLabelStudio(GoldmarkError):
    code = "EXCHANGE-51"
    message = "{reason}"


def write(record: CampaignRecord) -> Iterator[tuple[str, bytes]]:
    marks: dict[tuple[str, str], list[tuple[ExportedQuestion, MarkedSpans]]] = {}
    for question in spans_questions(record):
        for one in marked(record, question):
            marks.setdefault((one.unit.id, one.annotator), []).append((question, one))
    rows: dict[str, list[dict[str, Any]]] = {kind: [] for kind in COLUMNS}
    for kind, row in rows_of(record):
        rows[kind].append(row)
    finals: dict[str, list[dict[str, Any]]] = {}
    for row in rows["response"]:
        if row["final"]:
            finals.setdefault(row["unit"], []).append(row)
    numbers = count(1)
    tasks = []
    for position, (unit, row) in enumerate(zip(record.units, rows["unit"], strict=True), start=1):
        annotations = [_annotation(next(numbers), response, unit, marks) for response in finals.get(unit.id, [])]
        data = {"unit": unit.id, **{role: shown.text.characters for role, shown in unit.shown.texts.items()}}
        extra: dict[str, Any] = {"unit": row}
        if position == 1:
            extra |= {"campaign": rows["campaign"][0], "protocols": rows["protocol"]}
        tasks.append({"id": position, "data": data, "annotations": annotations, _EXTRA: extra})
    yield NAME, ("[" + ",\n".join(map(write_json, tasks)) + "]\n").encode()


def _annotation(
    number: int,
    row: Mapping[str, Any],
    unit: Unit,
    marks: Mapping[tuple[str, str], list[tuple[ExportedQuestion, MarkedSpans]]],
) -> dict[str, Any]:
    spans = marks.get((row["unit"], row["annotator"]), [])
    result = [region for question, one in spans for region in _regions(question, one)]
    asked = {question.id for question, _ in spans}
    role = next(iter(unit.shown.texts), "text")
    result += [
        {"id": f"{name}-answer", "from_name": name, "to_name": role, **_value(answer)}
        for name, answer in sorted(row["answers"].items())
        if name not in asked and answer not in (None, [])
    ]
    extra = {key: write_time(value) if hasattr(value, "isoformat") else value for key, value in row.items()}
    return {
        "id": number,
        "result": result,
        "was_cancelled": False,
        "ground_truth": False,
        "created_at": extra["server_time"],
        "lead_time": row["seconds_active"],
        _EXTRA: extra,
    }


def _regions(question: ExportedQuestion, one: MarkedSpans) -> Iterator[dict[str, Any]]:
    for mark in one.marks:
        place = {"start": mark.characters.start, "end": mark.characters.end}
        shared = {"id": mark.id, "to_name": question.role}
        words = one.text.characters[mark.characters.start : mark.characters.end]
        labels = [mark.label] if mark.label else []
        yield {
            **shared,
            "from_name": question.id,
            "type": "labels",
            "value": {**place, "text": words, "labels": labels},
        }
        for name, attribute in sorted(features_of(mark).items()):
            if attribute is not None:
                said = _value(attribute)
                yield {**shared, "from_name": name, **said, "value": {**place, **said["value"]}}
        yield from _relations(question, one.text, mark)


def _relations(question: ExportedQuestion, text: Text, mark: Mark) -> Iterator[dict[str, Any]]:
    for number, (role, tokens) in enumerate(mark.links, start=1):
        target = f"{mark.id}-{role}-{number}"
        start, end = text.tokens[tokens.start].start, text.tokens[tokens.end - 1].end
        value = {"start": start, "end": end, "text": text.characters[start:end], "labels": [role]}
        yield {"id": target, "from_name": question.id, "to_name": question.role, "type": "labels", "value": value}
        yield {"type": "relation", "from_id": mark.id, "to_id": target, "direction": "right", "labels": [role]}


def _value(answer: object) -> dict[str, Any]:
    """An answer as one of Label Studio's controls: a number, choices, or text."""
    if isinstance(answer, int | float) and not isinstance(answer, bool):
        return {"type": "number", "value": {"number": answer}}
    if isinstance(answer, list) and all(isinstance(one, str) for one in answer):
        return {"type": "choices", "value": {"choices": answer}}
    return {"type": "textarea", "value": {"text": [answer if isinstance(answer, str) else write_json(answer)]}}


def read(files: Files) -> CampaignRecord:
    problems: list[Problem] = []
    rows: list[Located] = []
    annotators: dict[str, str] = {}
    foreign: list[dict[str, Any]] = []
    for name, content in files.items():
        text = decode(content.removeprefix(b"\xef\xbb\xbf"), name, problems)
        try:
            tasks = json.loads(text or "[]")
            if not isinstance(tasks, list):
                raise NotLabelStudio(reason="the file is no list of tasks; export as JSON, not as JSON-MIN")
            for number, task in enumerate(tasks, start=1):
                rows += _task_rows(task, f"{name}:task {number}", annotators, foreign, problems)
        except (ValueError, RecursionError, GoldmarkError) as error:
            problems.append(Problem(name, f"the file cannot be read: {error}"))
    _fill_silence(foreign)
    if not any(row.kind == "campaign" for row in rows):
        rows.append(Located("campaign", "the import", {"format": FORMAT_VERSION, "protocol": "", "settings": {}}))
    rows += (
        Located("annotator", where, {"id": one, "state": "active", "joined": None, "facts": {}})
        for one, where in sorted(annotators.items())
    )
    return record_of(rows, problems)


def _fill_silence(foreign: Sequence[dict[str, Any]]) -> None:
    """Say of everybody who marked nothing that they did not: of every control that anybody in the file marked with.

    A file in which nobody did anything does not even say what could have been done: then nothing is marked.
    """
    marking = {name for answers in foreign for name, answer in answers.items() if _is_marks(answer)}
    if not any(foreign):
        marking = {QUESTION}
    for answers in foreign:
        for name in sorted(marking - answers.keys()):
            answers[name] = []


def _is_marks(answer: object) -> bool:
    return isinstance(answer, list) and bool(answer) and all(isinstance(one, dict) for one in answer)


def _task_rows(
    task: Any, where: str, annotators: dict[str, str], foreign: list[dict[str, Any]], problems: list[Problem]
) -> list[Located]:
    """The rows of a task; answers that Goldmark did not write are put into `foreign`, too."""
    rows: list[Located] = []
    try:
        extra = task.get(_EXTRA) or {"unit": _foreign_unit(task)}
        unit = extra["unit"]
        rows.append(Located("unit", where, unit))
        rows += (Located("protocol", where, one) for one in extra.get("protocols", []))
        if "campaign" in extra:
            rows.append(Located("campaign", where, extra["campaign"]))
        for annotation in task.get("annotations") or task.get("completions") or []:
            if annotation.get("was_cancelled") or annotation.get("skipped"):
                continue
            response = _response(annotation, unit)
            if _EXTRA not in annotation:
                foreign.append(response["answers"])
            annotator = response["annotator"]
            annotators.setdefault(annotator, where)
            times = {"claimed": None, "finished": response["server_time"]}
            assignment = {"unit": unit["id"], "annotator": annotator, "state": "done", **times, "facts": {}}
            rows += [Located("assignment", where, assignment), Located("response", where, response)]
    except (KeyError, TypeError, AttributeError, ValueError, GoldmarkError) as error:
        problems.append(Problem(where, f"the task cannot be read: {error!r}"[:300]))
    return rows


def _response(annotation: Mapping[str, Any], unit: Mapping[str, Any]) -> dict[str, Any]:
    response = annotation.get(_EXTRA)
    if response is None:
        shown = ShownUnit.from_json(unit["shown"], id=unit["id"])
        made = annotation.get("created_at")
        person = annotation.get("completed_by", "unknown")
        response = {
            "unit": unit["id"],
            "annotator": str(person.get("email", person.get("id")) if isinstance(person, dict) else person),
            "revision": 1,
            "final": True,
            "protocol": "",
            "client_key": "",
            "client_time": None,
            "server_time": made,
            "seconds_active": annotation.get("lead_time"),
            "answers": _foreign_answers(annotation.get("result") or [], shown.texts["text"].text),
        }
    times = ("client_time", "server_time")
    return {**response, **{key: read_time(response[key]) for key in times if response[key] is not None}}


def _foreign_unit(task: Mapping[str, Any]) -> dict[str, Any]:
    """A task of Label Studio: its longest text is the text, everything else of its data is hidden."""
    data = dict(task["data"])
    texts = [key for key, value in data.items() if isinstance(value, str)]
    if not texts:
        raise NotLabelStudio(reason="its data has no text")
    key = "text" if "text" in texts else max(texts, key=lambda one: len(data[one]))
    unit = str(data.get("unit", data.get("id", task.get("id"))))
    text = make_text(unit, data.pop(key))
    shown = ShownUnit({"text": ShownText(text)}).to_json()
    return {"id": unit, "shown": shown, "tokenisers": {"text": text.tokeniser}, "hidden": data}


def _foreign_answers(result: list[dict[str, Any]], text: Text) -> dict[str, Any]:
    answers: dict[str, Any] = {}
    regions: dict[str, dict[str, Any]] = {}
    for item in result:
        value = item.get("value", {})
        if item["type"] in ("labels", "hypertextlabels") and isinstance(value.get("start"), int):
            tokens = covering(text.places, value["start"], value["end"])
            if tokens is not None:
                span = {"id": item["id"], "start": tokens.start, "end": tokens.end}
                labels = value.get(item["type"]) or value.get("labels")
                regions[item["id"]] = span | ({"label": labels[0]} if labels else {})
                answers.setdefault(item.get("from_name", QUESTION), []).append(regions[item["id"]])
    for item in result:
        said = _said(item)
        if said is not None:
            target = regions.get(item.get("id", ""), answers)
            target[item["from_name"]] = said
    return answers


def _said(item: Mapping[str, Any]) -> Any:
    value = item.get("value", {})
    match item["type"]:
        case "choices":
            chosen = value["choices"]
            return chosen[0] if len(chosen) == 1 else chosen
        case "textarea":
            return "\n".join(value["text"]) if isinstance(value["text"], list) else value["text"]
        case "number" | "rating":
            return value[item["type"]]
    return None


LABEL_STUDIO = Format("label-studio", "final responses as tasks", everything(write), read, single=True)
