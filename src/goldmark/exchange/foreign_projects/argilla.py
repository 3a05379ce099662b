"""Argilla 2: records as `dataset.records.to_json` or `to_disk` write them, or as rows of `datasets`, JSON or Parquet.

In records the answers stand under `responses`, by question; in rows in columns such as `label.responses`, whose users
and states stand beside them. Only what was submitted is an answer; records of JSON do not say what was, so there an
answer without a question that had to be answered is a draft. The settings (`settings.json`), if they are there, say
which field is marked, what could be chosen, and which columns of rows annotators saw: all others are hidden facts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from goldmark.errors import GoldmarkError, Problem
from goldmark.exchange.campaign.archive import Files
from goldmark.exchange.foreign_projects.made_protocol import (
    GatheredProject,
    MadeKind,
    MadeProtocol,
    project_format,
    refuse,
)
from goldmark.exchange.responses.given import GivenAnswers
from goldmark.records.units import ContextText, ShownText, ShownUnit, Unit
from goldmark.texts.readers.json_objects import OTHER_SHAPE, unreadable
from goldmark.texts.readers.sheets.parquet import NotParquet, read_frame
from goldmark.texts.segmentation.text import make_text

TEXT, SETTINGS, RESPONSES, SUBMITTED = "text", "settings.json", ".responses", "submitted"
_KINDS: dict[str, MadeKind] = {
    "label_selection": "choice",
    "multi_label_selection": "choices",
    "rating": "number",
    "text": "text",
    "ranking": "text",
}
_OWN = ("id", "status", "inserted_at", "updated_at", "_server_id", "metadata", "vectors")


class NotArgilla(GoldmarkError):
    code = "EXCHANGE-76"
    message = "{reason}"


class WhichField(GoldmarkError):
    code = "EXCHANGE-77"
    message = "it is not clear which field holds the text: there are {known}; name it with --text FIELD"


@dataclass
class _ArgillaRecord:
    where: str
    id: str
    fields: Mapping[str, Any]
    hidden: Mapping[str, Any]
    nested: bool = True  # and so fields are not mixed with what only managers know
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)  # by person and question


@dataclass
class _Settings:
    questions: list[Mapping[str, Any]] = field(default_factory=list)
    fields: list[str] = field(default_factory=list)

    @property
    def required(self) -> set[str]:
        return {str(one["name"]) for one in self.questions if one.get("required")}

    @property
    def marked(self) -> str | None:
        spans = (one["settings"].get("field") for one in self.questions if one["settings"]["type"] == "span")
        return next((str(one) for one in spans if one), None)


def gather(files: Files, text: str | None = None) -> GatheredProject:
    made = MadeProtocol("Argilla", "dataset")
    project, problems, settings = GatheredProject(made), list[Problem](), _Settings()
    records: list[_ArgillaRecord] = []
    for name, content in sorted(files.items()):
        try:
            if name.rpartition("/")[2] == SETTINGS:
                read = json.loads(content)
                settings = _Settings(read.get("questions", []), [one["name"] for one in read.get("fields", [])])
            elif name.endswith((".json", ".jsonl", ".parquet")):
                records += _records(name, content)
        except (NotParquet, *OTHER_SHAPE) as error:
            problems.append(unreadable(name, error))
    refuse(problems)
    if not records:
        refuse([Problem("the import", "there is no record of Argilla", "give records as JSON or Parquet")])
    _offer(project, settings)
    try:
        where = text or settings.marked or _text_field(records)
    except WhichField as error:
        refuse([Problem(records[0].where, str(error))])
        raise
    for one in records:
        try:
            _take(project, one, where, settings, problems)
        except (GoldmarkError, *OTHER_SHAPE) as error:
            problems.append(unreadable(one.where, error))
    refuse(problems)
    return project


def _records(name: str, content: bytes) -> Iterator[_ArgillaRecord]:
    for number, row in enumerate(_rows(name, content), start=1):
        where = f"{name}:{number}"
        if isinstance(row.get("fields"), Mapping):
            found = _ArgillaRecord(where, str(row.get("id") or number), row["fields"], row.get("metadata") or {})
            for question, given in (row.get("responses") or {}).items():
                for one in given:
                    if one.get("status", SUBMITTED) in (SUBMITTED, None):
                        found.answers.setdefault(str(one["user_id"]), {})[question] = one["value"]
        else:
            asked = [key.removesuffix(RESPONSES) for key in row if key.endswith(RESPONSES)]
            rest = {key: value for key, value in row.items() if key not in _OWN and "." not in key}
            texts = {key: value for key, value in rest.items() if isinstance(value, str)}
            hidden = {key: value for key, value in rest.items() if key not in texts and value is not None}
            found = _ArgillaRecord(where, str(row.get("id") or number), texts, hidden, nested=False)
            for question in asked:
                values = row[f"{question}{RESPONSES}"] or []
                users = row.get(f"{question}{RESPONSES}.users") or []
                states = row.get(f"{question}{RESPONSES}.status") or [SUBMITTED] * len(users)
                for value, user, state in zip(values, users, states, strict=True):
                    if state == SUBMITTED:
                        found.answers.setdefault(str(user), {})[question] = value
        yield found


def _rows(name: str, content: bytes) -> Sequence[Mapping[str, Any]]:
    if name.endswith(".parquet"):
        return read_frame(content).to_dicts()
    if name.endswith(".jsonl"):
        return [json.loads(line) for line in content.splitlines() if line.strip()]
    found = json.loads(content)
    if not isinstance(found, list):
        raise TypeError("it is no list of records")
    return found


def _text_field(records: Sequence[_ArgillaRecord]) -> str:
    known = list(records[0].fields)
    if TEXT in known:
        return TEXT
    if len(known) != 1:
        raise WhichField(known=", ".join(known) or "none")
    return known[0]


def _offer(project: GatheredProject, settings: _Settings) -> None:
    for one in settings.questions:
        asked = one["settings"]
        options = [str(option.get("value")) for option in asked.get("options") or []]
        if asked["type"] == "span":
            project.made.question(one["name"], "marks", ask=one.get("title") or "").known |= dict.fromkeys(options)
            project.marked(one["name"], [])
            continue
        made = project.made.question(one["name"], _KINDS.get(asked["type"], "text"), ask=one.get("title") or "")
        if made.kind == "number" and options:
            numbers = [float(option) for option in options]
            made.bounds = (min(numbers), max(numbers))
        else:
            made.known |= dict.fromkeys(options)


def _take(
    project: GatheredProject, one: _ArgillaRecord, field_name: str, settings: _Settings, problems: list[Problem]
) -> None:
    words = one.fields.get(field_name)
    if not isinstance(words, str):
        raise NotArgilla(reason=f"it has no text in {field_name!r}")
    seen = settings.fields or (one.fields if one.nested else ())
    context = tuple(
        ContextText(key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for key, value in one.fields.items()
        if key != field_name and key in seen
    )
    shown = ShownUnit({"text": ShownText(make_text(one.id, words))}, context)
    unseen = {key: value for key, value in one.fields.items() if key != field_name and key not in seen}
    project.units[one.id] = Unit(one.id, shown, {**unseen, **one.hidden})
    for person, said in one.answers.items():
        if not settings.required <= said.keys():
            continue  # a draft
        answers: dict[str, Any] = {}
        for question, value in said.items():
            if isinstance(value, list) and value and all(map(_is_mark, value)):
                marks = [
                    {"id": f"e{number}", "start": mark["start"], "end": mark["end"], "label": mark["label"]}
                    for number, mark in enumerate(value, start=1)
                ]
                answers[question] = project.marked(question, marks)
            elif isinstance(value, list) and question in project.marking:
                answers[question] = []
            elif isinstance(value, list) and value and isinstance(value[0], Mapping):  # a ranking
                answers[question] = _ranking(value)
                project.made.said(question, answers[question], kind="text")
            else:
                project.made.said(question, value if isinstance(value, list | int | float) else str(value))
                answers[question] = value
        project.take(GivenAnswers(one.where, one.id, person, answers), problems)


def _ranking(value: Sequence[Mapping[str, Any]]) -> str:
    """The best first; what has the same rank is alike."""
    ranks: dict[Any, list[str]] = {}
    for one in value:
        ranks.setdefault(one.get("rank", len(ranks)), []).append(str(one.get("value")))
    return " > ".join(" = ".join(ranks[rank]) for rank in sorted(ranks))


def _is_mark(value: object) -> bool:
    return isinstance(value, Mapping) and "start" in value


ARGILLA = project_format(
    "argilla", "records of Argilla 2, also through datasets", gather, fields=True, keys=("fields", "responses")
)
