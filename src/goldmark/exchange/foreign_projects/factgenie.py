"""factgenie: lines of JSON with the marks of one person on one output, and lines with the outputs.

A mark is where it starts, its words and the number of its category; `metadata.json` of a factgenie campaign names the
categories. What else annotators were asked (flags, options, sliders, text fields) becomes questions beside the marks.
Older files, and those of Quintd, call some things otherwise; both are read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from goldmark.errors import GoldmarkError, Problem, ProblemList, ProblemsFound
from goldmark.exchange.campaign.archive import Files, unzipped
from goldmark.exchange.campaign.rows import write_json
from goldmark.exchange.foreign_projects.project import Project, slug, take
from goldmark.exchange.format import Format
from goldmark.exchange.responses.given import GivenAnswers, Target, unknown_unit
from goldmark.exchange.responses.placement import Placing
from goldmark.protocols import Protocol, parse
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.texts import Text
from goldmark.records.units import ShownText, ShownUnit, Unit
from goldmark.texts.readers.json_objects import OTHER_SHAPE, json_objects, unreadable
from goldmark.texts.segmentation.text import make_text

ERRORS, REASON = "errors", "reason"
YES_OR_NO = ("no", "yes")  # how a flag is answered
METADATA = "metadata.json"


class NotFactgenie(GoldmarkError):
    code = "EXCHANGE-81"
    message = "{reason}"


@dataclass(frozen=True)
class _Output:
    """A text that a system wrote for an example."""

    unit: str
    item: str
    system: str
    text: str
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class _Annotation:
    """What one person said of one output."""

    where: str
    unit: str
    annotator: str
    marks: list[Mapping[str, Any]]
    others: Mapping[str, Any]  # what was asked besides marks
    seconds: float | None = None
    time: datetime | None = None


@dataclass
class _FilesRead:
    outputs: dict[str, _Output] = field(default_factory=dict)
    annotations: list[_Annotation] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    others: dict[str, dict[str, Any]] = field(default_factory=dict)  # questions besides marks, by id
    name: str = "factgenie"


def read(files: Files) -> CampaignRecord:
    problems: list[Problem] = ProblemList()
    gathered = _read_files(files, problems)
    texts: dict[str, Text] = {}
    for unit, output in gathered.outputs.items():
        try:
            texts[unit] = make_text(unit, output.text)
        except GoldmarkError as error:
            problems.append(Problem(unit, str(error)))
    given: dict[tuple[str, str], GivenAnswers] = {}
    for one in gathered.annotations:
        if one.unit not in texts:
            remedy = "give a folder that holds the outputs, too"
            problems.append(Problem(one.where, f"the output of {one.unit!r} is not in the files", remedy))
            continue
        said = _answers(one, texts[one.unit], gathered.categories, problems)
        take(given, GivenAnswers(one.where, one.unit, one.annotator, said, one.seconds, one.time), problems)
    if not given and not problems:
        problems.append(Problem("the import", "there is no annotation", "give .jsonl files of factgenie"))
    if problems:
        raise ProblemsFound(problems, "nothing was imported")
    units = tuple(_unit(one, texts[unit]) for unit, one in gathered.outputs.items())
    asked = _protocol(gathered, [one.answers for one in given.values()])
    return Project(units, tuple(given.values()), asked).record()


def answers(files: Files, target: Target, problems: list[Problem]) -> list[GivenAnswers]:
    """For a campaign that has the outputs as its units; the files need not hold them again."""
    gathered = _read_files(files, problems)
    question = target.spans_question()
    found: list[GivenAnswers] = []
    for one in gathered.annotations:
        unit = target.unit_named(one.unit)
        ours = target.text_of(unit, question) if unit is not None else None
        if unit is None or ours is None:
            problems.append(unknown_unit(one.where, one.unit, target.units))
            continue
        try:
            theirs = make_text(unit, gathered.outputs[one.unit].text) if one.unit in gathered.outputs else ours
            placing = Placing(theirs, "character", ours, question.by)
            said = _answers(one, theirs, gathered.categories, problems)
            said[question.id] = [placing.move(mark) for mark in said.pop(ERRORS)]
        except GoldmarkError as error:
            problems.append(Problem(one.where, str(error)))
            continue
        found.append(GivenAnswers(one.where, unit, one.annotator, said, one.seconds, one.time, widened=placing.widened))
    return found


def _read_files(files: Files, problems: list[Problem]) -> _FilesRead:
    gathered = _FilesRead()
    for path, packed in sorted(files.items()):
        name, content = unzipped(path, packed)
        if name.rpartition("/")[2] == METADATA:
            _take_metadata(gathered, name, content, problems)
        elif name.endswith(".jsonl"):
            for where, row in json_objects(name, content, problems):
                try:
                    _take(gathered, where, row)
                except (GoldmarkError, *OTHER_SHAPE) as error:
                    problems.append(unreadable(where, error))
    return gathered


def _take_metadata(gathered: _FilesRead, name: str, content: bytes, problems: list[Problem]) -> None:
    try:
        metadata = json.loads(content)
        config = metadata.get("config") or metadata
        gathered.categories = [one["name"] for one in config.get("annotation_span_categories", [])]
        gathered.name = slug(str(metadata.get("id") or gathered.name)).replace("_", "-")
    except OTHER_SHAPE as error:
        problems.append(unreadable(name, error))


def _take(gathered: _FilesRead, where: str, row: dict[str, Any]) -> None:
    """A line holds an output, somebody's marks on one, or both."""
    number = row.get("example_idx", row.get("table_idx"))
    if number is None:
        raise NotFactgenie(reason="it names no example (example_idx)")
    setup = row.get("setup_id") or row.get("setup") or ""
    setup = setup.get("id", "") if isinstance(setup, dict) else str(setup)
    model = str(row.get("model") or setup)
    system = model if model == setup or not setup else f"{model}-{setup}"
    item = ":".join(str(one) for one in (row.get("dataset"), row.get("split"), number) if one not in (None, ""))
    unit = f"{item}:{system}"
    text = next((row[key] for key in ("output", "out", "text") if isinstance(row.get(key), str)), None)
    if text is not None:
        facts = {"dataset": row.get("dataset"), "example": number, **({"setup": setup} if setup != model else {})}
        gathered.outputs[unit] = _Output(unit, item, model, text, facts)
    marks = row.get("annotations", row.get("spans"))
    if not isinstance(marks, list):
        return
    metadata = row.get("metadata") or {}
    if not gathered.categories and metadata.get("annotation_span_categories"):
        gathered.categories = [one["name"] for one in metadata["annotation_span_categories"]]
    annotator = row.get("annotator_id") or metadata.get("annotator_id") or row.get("annotator")
    if not annotator:
        raise NotFactgenie(reason="it does not say whose marks these are (annotator_id)")
    began, ended = (metadata.get(key) for key in ("start_timestamp", "end_timestamp"))
    seconds = float(ended) - float(began) if began and ended else None
    time = datetime.fromtimestamp(float(ended), UTC) if ended else None
    gathered.annotations.append(_Annotation(where, unit, str(annotator), marks, _others(gathered, row), seconds, time))


def _others(gathered: _FilesRead, row: Mapping[str, Any]) -> dict[str, Any]:
    """What was said besides marks: flags, choices of a list, numbers and words, by the label of each."""
    said: dict[str, Any] = {}
    flags = row.get("flags") or []
    if isinstance(flags, Mapping):
        flags = [{"label": label, "value": value} for label, value in flags.items()]
    for one in flags:
        said[_ask(gathered, one["label"], kind="choice", options=list(YES_OR_NO))] = YES_OR_NO[one.get("value") is True]
    for one in row.get("options") or []:
        listed = [{"id": slug(str(title)), "title": str(title)} for title in one.get("optionList") or []]
        several = len(listed) > 1
        key = _ask(gathered, one["label"], **({"kind": "choice", "options": listed} if several else {}))
        said[key] = slug(str(one["value"])) if several else str(one["value"])
    for one in row.get("sliders") or []:
        said[_ask(gathered, one["label"], kind="number")] = float(one["value"])
    for one in row.get("text_fields") or []:
        said[_ask(gathered, one["label"])] = str(one["value"])
    return {key: value for key, value in said.items() if value != ""}


def _ask(gathered: _FilesRead, label: object, **asked: Any) -> str:
    """The id of a question that the files show to have been asked."""
    key = slug(str(label))
    gathered.others.setdefault(key, {"id": key, "ask": str(label), "kind": "text", "required": False, **asked})
    return key


def _answers(one: _Annotation, text: Text, categories: list[str], problems: list[Problem]) -> dict[str, Any]:
    labels = _ids(categories)
    marks = []
    for number, mark in enumerate(one.marks, start=1):
        try:
            start, end = _place(mark, text.characters)
            kind = int(mark["type"])
        except (GoldmarkError, LookupError, TypeError, ValueError) as error:
            problems.append(Problem(one.where, f"mark {number}: {error}"[:300]))
            continue
        label = labels[kind] if 0 <= kind < len(labels) else f"type_{kind}"
        reason = " ".join(str(mark.get(REASON) or "").split())
        place = {"id": f"e{number}", "start": start, "end": end, "label": label}
        marks.append({**place, **({REASON: reason} if reason else {})})
    return {ERRORS: marks, **one.others}


def _place(mark: Mapping[str, Any], characters: str) -> tuple[int, int]:
    """The characters of a mark, if its words stand there, whatever their case and white space.

    A mark without words is about something that is not there, so it is one of the whole text.
    """
    words, start = str(mark["text"]), mark["start"]
    if not words:
        return 0, len(characters)
    end = int(start) + len(words)
    if _plain(characters[int(start) : end]) != _plain(words):
        raise NotFactgenie(reason=f"{words[:40]!r} does not stand at character {start} of the output")
    return int(start), end


def _plain(words: str) -> str:
    return " ".join(words.casefold().split())


def _unit(one: _Output, text: Text) -> Unit:
    return Unit(one.unit, ShownUnit({"text": ShownText(text)}), {"system": one.system, "item": one.item, **one.facts})


def _ids(names: Iterable[str]) -> list[str]:
    """An id for each name, all different."""
    found: list[str] = []
    for name in names:
        one = slug(name)
        found.append(one if one not in found else f"{one}_{len(found)}")
    return found


def _protocol(gathered: _FilesRead, given: Iterable[Mapping[str, Any]]) -> Protocol:
    """What was asked, as far as the files tell: the categories, and every other question with the answers found."""
    known = dict(zip(_ids(gathered.categories), gathered.categories, strict=True))
    used = {mark["label"] for one in given for mark in one[ERRORS]}
    labels = {**known, **{label: label.replace("_", " ").capitalize() for label in sorted(used - set(known))}}
    spans: dict[str, Any] = {"id": ERRORS, "kind": "spans", "by": "character", "overlap": True}
    spans |= {"ask": "Mark the errors.", "attributes": [{"id": REASON, "kind": "text", "required": False}]}
    source: dict[str, Any] = {
        "protocol": f"{gathered.name[:60]}/1",
        "title": "Mark the errors",
        "about": "Made from files of factgenie: what annotators were asked there, as far as the files tell.",
        "steps": [{"questions": [spans, *gathered.others.values()]}],
    }
    if labels:
        spans["labels"] = {"tree": "categories"}
        source["taxonomies"] = {"categories": [{"id": name, "title": title} for name, title in labels.items()]}
    return parse(write_json(source))


FACTGENIE = Format("factgenie", "factgenie's lines of outputs and annotations", read=read, answers=answers)
