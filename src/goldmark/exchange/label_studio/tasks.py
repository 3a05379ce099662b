"""A campaign as tasks for Label Studio: a JSON list, the final responses as annotations, offsets in characters.

Label Studio keeps `data` of a task as it is and drops every key that it does not know, and everybody becomes the person
who imported the file. So what it has no place for stands in `data.goldmark`: the unit, and by the number of each
annotation, which it keeps as `import_id`, whose it is. An annotation has its answer as Goldmark holds it, too; that is
lost on the way through Label Studio, and then the answer is read from the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from goldmark.errors import GoldmarkError
from goldmark.exchange.campaign.marks import (
    ExportedQuestion,
    MarkedSpans,
    marked,
    spans_questions,
)
from goldmark.exchange.campaign.rows import COLUMNS, rows_of, write_json, write_time
from goldmark.exchange.label_studio.labelling_config import CONTEXT, config_of, context_of
from goldmark.exchange.label_studio.results import LINKED, UNLABELLED
from goldmark.protocols import Protocol
from goldmark.protocols.responses import protocol_of
from goldmark.records.answers import Mark, Marks
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.texts import Text
from goldmark.records.units import Unit

NAME, CONFIG = "label-studio.json", "labelling-config.xml"
EXTRA = "goldmark"
EMPTY, BESIDE, AS_JSON = "asked", "beside", "as_json"  # what an annotation's result cannot say
_Row = dict[str, Any]
_Marked = Mapping[tuple[str, str], list[tuple[ExportedQuestion, MarkedSpans]]]


def write(record: CampaignRecord) -> Iterator[tuple[str, bytes]]:
    """The tasks, and the labelling config that fits them where the campaign says what it asks."""
    asked = _asked(record)
    marks: dict[tuple[str, str], list[tuple[ExportedQuestion, MarkedSpans]]] = {}
    for question in spans_questions(record):
        for one in marked(record, question):
            marks.setdefault((one.unit.id, one.annotator), []).append((question, one))
    rows: dict[str, list[_Row]] = {kind: [] for kind in COLUMNS}
    for kind, row in rows_of(record):
        rows[kind].append(row)
    finals: dict[str, list[_Row]] = {}
    for row in rows["response"]:
        if row["final"]:
            finals.setdefault(row["unit"], []).append(row)
    numbers = count(1)
    tasks = []
    for position, (unit, row) in enumerate(zip(record.units, rows["unit"], strict=True), start=1):
        extra: _Row = {"unit": row, "responses": {}}
        if position == 1:
            extra |= {"campaign": rows["campaign"][0], "protocols": rows["protocol"]}
        annotations = []
        for response in finals.get(unit.id, []):
            number = next(numbers)
            made, said = _annotation(number, response, unit, marks.get((unit.id, response["annotator"]), []), asked)
            annotations.append(made)
            extra["responses"][str(number)] = said
        data = {"unit": unit.id, CONTEXT: context_of(unit.shown), "hidden": row["hidden"]}
        data |= {role: shown.text.characters for role, shown in unit.shown.texts.items()}
        tasks.append({"id": position, "data": {**data, EXTRA: extra}, "annotations": annotations})
    yield NAME, ("[" + ",\n".join(map(write_json, tasks)) + "]\n").encode()
    if asked is not None:
        yield CONFIG, config_of(asked).encode()


def write_config(record: CampaignRecord) -> Iterator[tuple[str, bytes]]:
    """The labelling config alone."""
    yield CONFIG, config_of(protocol_of(record)).encode()


def _asked(record: CampaignRecord) -> Protocol | None:
    try:
        return protocol_of(record)
    except GoldmarkError:
        return None  # what comes from another tool may not say it


def _annotation(
    number: int,
    row: Mapping[str, Any],
    unit: Unit,
    spans: list[tuple[ExportedQuestion, MarkedSpans]],
    asked: Protocol | None,
) -> tuple[_Row, _Row]:
    """An annotation, and what must be kept beside it to know it again."""
    exact = {key: write_time(value) if hasattr(value, "isoformat") else value for key, value in row.items()}
    beside: _Row = {key: value for key, value in exact.items() if key not in ("answers", "unit", "final")}
    marking = {question.id: question for question, _ in spans}
    labelled = _labelled(asked)
    result = [region for question, one in spans for region in _regions(question, one, labelled.get(question.id, True))]
    role = next(iter(unit.shown.texts), "text")
    kinds = {} if asked is None else {question.id: question for question in asked.questions()}
    said: _Row = {EMPTY: [], BESIDE: {}, AS_JSON: []}
    for name, answer in sorted(row["answers"].items()):
        if name in marking:
            said[EMPTY] += [name] if isinstance(answer, list) else []
        elif answer in (None, []):
            said[EMPTY] += [name] if answer == [] else []
        elif kinds and name not in kinds:
            said[BESIDE][name] = answer
        else:
            options = kinds[name].options_with_numbers() if name in kinds else None
            value = _value(answer, chosen=options is not None)
            said[AS_JSON] += [name] if value["type"] == "textarea" and not isinstance(answer, str) else []
            result.append({"id": f"{name}-answer", "from_name": name, "to_name": role, **value})
    beside |= {key: value for key, value in said.items() if value}
    made = {
        "id": number,
        "result": result,
        "was_cancelled": False,
        "ground_truth": False,
        "created_at": exact["server_time"],
        "lead_time": row["seconds_active"],
        EXTRA: exact,
    }
    return made, beside


def _labelled(asked: Protocol | None) -> dict[str, bool]:
    """By question about marks whether they have labels."""
    if asked is None:
        return {}
    return {one.id: getattr(one, "labels", None) is not None for one in asked.questions() if one.gives is Marks}


def _regions(question: ExportedQuestion, one: MarkedSpans, labelled: bool) -> Iterator[_Row]:
    for mark in one.marks:
        place = {"start": mark.characters.start, "end": mark.characters.end}
        shared = {"id": mark.id, "to_name": question.role}
        words = one.text.characters[mark.characters.start : mark.characters.end]
        labels = [mark.label] if mark.label else [] if labelled else [UNLABELLED]
        region = {**place, "text": words, "labels": labels}
        kept = {"meta": {EXTRA: {"suggested": mark.suggested}}} if mark.suggested else {}
        yield {**shared, "from_name": question.id, "type": "labels", "value": region, **kept}
        for name, attribute in sorted(mark.attributes.items()):
            if attribute is not None:
                said = _value(attribute, chosen=name in question.chosen)
                control = f"{question.id}-{name}"
                yield {**shared, "from_name": control, **said, "value": {**place, **said["value"]}}
        yield from _relations(question, one.text, mark)


def _relations(question: ExportedQuestion, text: Text, mark: Mark) -> Iterator[_Row]:
    for number, (role, tokens) in enumerate(mark.links, start=1):
        target = f"{mark.id}-{role}-{number}"
        start, end = text.tokens[tokens.start].start, text.tokens[tokens.end - 1].end
        value = {"start": start, "end": end, "text": text.characters[start:end], "labels": [role]}
        control = f"{question.id}{LINKED}"
        yield {"id": target, "from_name": control, "to_name": question.role, "type": "labels", "value": value}
        yield {"type": "relation", "from_id": mark.id, "to_id": target, "direction": "right", "labels": [role]}


def _value(answer: object, *, chosen: bool = False) -> _Row:
    """An answer as one of Label Studio's controls: a number, choices, or text."""
    if isinstance(answer, list) and all(isinstance(one, str) for one in answer):
        return {"type": "choices", "value": {"choices": answer}}
    if chosen:
        return {"type": "choices", "value": {"choices": [str(answer)]}}
    if isinstance(answer, int | float) and not isinstance(answer, bool):
        return {"type": "number", "value": {"number": answer}}
    return {"type": "textarea", "value": {"text": [answer if isinstance(answer, str) else write_json(answer)]}}
