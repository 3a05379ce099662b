"""doccano: the archive that its export makes, a JSONL file for each member, or `all.jsonl` of a shared project.

A line has the text and what was marked or chosen: `label` with triples or categories, or `entities` and `relations`.
Every member's file has every text, so only an export of confirmed texts tells who saw one and marked nothing. Places
count units of 16 bits, as doccano's page counts them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from goldmark.errors import GoldmarkError, Problem
from goldmark.exchange.campaign.archive import Files
from goldmark.exchange.foreign_projects.made_protocol import (
    GatheredProject,
    MadeProtocol,
    project_format,
    refuse,
)
from goldmark.exchange.foreign_projects.project import utf16_places
from goldmark.exchange.responses.given import GivenAnswers
from goldmark.records.units import ShownText, ShownUnit, Unit
from goldmark.texts.readers.json_objects import OTHER_SHAPE, json_objects, unreadable
from goldmark.texts.segmentation.text import make_text

LABEL, MARKS, COMMENTS = "label", "spans", "Comments"
_OWN = ("id", "text", "data", LABEL, "labels", "entities", "relations", "cats", COMMENTS)


class NotDoccano(GoldmarkError):
    code = "EXCHANGE-75"
    message = "{reason}"


def gather(files: Files, text: str | None = None) -> GatheredProject:
    made = MadeProtocol("doccano", "project")
    project, problems = GatheredProject(made), list[Problem]()
    for name, content in sorted(files.items()):
        if not name.endswith((".jsonl", ".json")):
            continue
        person = name.rpartition("/")[2].rpartition(".")[0]
        for where, line in json_objects(name, content, problems):
            try:
                _take(project, where, person, line, problems)
            except (GoldmarkError, *OTHER_SHAPE) as error:
                problems.append(unreadable(where, error))
    if not project.units and not problems:
        problems.append(Problem("the import", "there is no line of doccano", "export as JSONL"))
    refuse(problems)
    return project


def _take(project: GatheredProject, where: str, person: str, line: Mapping[str, Any], problems: list[Problem]) -> None:
    words = line.get("text", line.get("data"))
    if not isinstance(words, str):
        raise NotDoccano(reason="it has no text")
    name = str(line.get("id", where))
    hidden = {key: value for key, value in line.items() if key not in _OWN and value is not None}
    unit = project.units.setdefault(name, Unit(name, ShownUnit({"text": ShownText(make_text(name, words))}), hidden))
    if unit.shown.texts["text"].text.characters != words:
        raise NotDoccano(reason=f"the text {name} is another than in an earlier file")
    answers: dict[str, Any] = {}
    places = [*utf16_places(words), len(words)]
    given = line.get(LABEL, line.get("labels"))
    if "entities" in line:
        answers[MARKS] = project.marked(MARKS, _entities(line, places))
    elif isinstance(given, list) and given and all(isinstance(one, list) for one in given):
        marks = [_mark(number, places, *one[:3]) for number, one in enumerate(given, start=1)]
        answers[MARKS] = project.marked(MARKS, marks)
    chosen = line.get("cats") if "entities" in line else given
    if isinstance(chosen, list) and chosen and all(isinstance(one, str) for one in chosen):
        project.made.said(LABEL, chosen, kind="choice")
        answers[LABEL] = chosen[0] if len(chosen) == 1 else chosen
    remarks = [str(one["comment"] if isinstance(one, Mapping) else one) for one in line.get(COMMENTS) or []]
    if remarks:
        project.made.said(COMMENTS, "\n".join(remarks))
        answers[COMMENTS] = "\n".join(remarks)
    project.take(GivenAnswers(where, name, person, answers), problems)


def _mark(number: int, places: list[int], start: int, end: int, label: object) -> dict[str, Any]:
    if not 0 <= start < end < len(places):
        raise NotDoccano(reason=f"its mark {start}-{end} is not in the text")
    return {"id": f"e{number}", "start": places[start], "end": places[end - 1] + 1, "label": str(label)}


def _entities(line: Mapping[str, Any], places: list[int]) -> list[dict[str, Any]]:
    marks = {
        one["id"]: _mark(number, places, one["start_offset"], one["end_offset"], one["label"])
        for number, one in enumerate(line["entities"], start=1)
    }
    for one in line.get("relations") or []:
        other = marks[one["to_id"]]
        links = marks[one["from_id"]].setdefault("links", {})
        links.setdefault(str(one["type"]), []).append({"start": other["start"], "end": other["end"]})
    return list(marks.values())


DOCCANO = project_format("doccano", "doccano's exports as JSONL", gather, keys=("text", "Comments"))
