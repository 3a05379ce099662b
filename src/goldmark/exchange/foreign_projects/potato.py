"""potato: a task's folder with its data, its config and `annotation_output`, a folder for each annotator.

Version 2 keeps what somebody said in `user_state.json`, version 1 in `annotated_instances.jsonl`. The config
(`*.yaml`) says which keys of the data hold id and text, and of which type each scheme is; without it they are `id` and
`text`, and a scheme's type is what its answers look like. A text's markup is drawn by potato's page and not counted by
its marks, so the text is what annotators read.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from goldmark.errors import GoldmarkError, Problem
from goldmark.exchange.campaign.archive import Files
from goldmark.exchange.foreign_projects.drawn import drawn
from goldmark.exchange.foreign_projects.made_protocol import (
    GatheredProject,
    MadeProtocol,
    project_format,
    refuse,
)
from goldmark.exchange.responses.given import GivenAnswers
from goldmark.protocols.kinds.base import number_in
from goldmark.protocols.loading.yaml_reader import YamlNotReadable
from goldmark.protocols.loading.yaml_reader import read as read_yaml
from goldmark.records.units import ShownText, ShownUnit, Unit
from goldmark.texts.readers.json_objects import OTHER_SHAPE, unreadable
from goldmark.texts.readers.spreadsheet import lines_of
from goldmark.texts.segmentation.text import make_text

STATE, LINES = "user_state.json", "annotated_instances.jsonl"
_NUMBERS, _WORDS = ("likert", "slider", "number"), ("text", "textbox")


class NotPotato(GoldmarkError):
    code = "EXCHANGE-78"
    message = "{reason}"


@dataclass
class _Task:
    id_key: str = "id"
    text_key: str = "text"
    types: dict[str, str] = field(default_factory=dict)  # by scheme
    labels: dict[str, list[str]] = field(default_factory=dict)
    asked: dict[str, str] = field(default_factory=dict)
    bounds: dict[str, tuple[float | None, float | None]] = field(default_factory=dict)


@dataclass
class _PotatoAnswer:
    where: str
    person: str
    instance: str
    labels: list[tuple[str, str, Any]]  # scheme, name, value
    spans: list[Mapping[str, Any]]
    shown: str | None = None


def gather(files: Files, text: str | None = None) -> GatheredProject:
    made = MadeProtocol("potato", "task")
    project, problems, task = GatheredProject(made), list[Problem](), _Task()
    given: list[_PotatoAnswer] = []
    for name, content in sorted(files.items()):
        try:
            if name.endswith((".yaml", ".yml")):
                _take_config(task, read_yaml(content.decode("utf-8-sig"), name))
            elif name.endswith(STATE):
                given += _state(name, json.loads(content))
            elif name.endswith(LINES):
                given += _lines(name, content)
        except (YamlNotReadable, *OTHER_SHAPE) as error:
            problems.append(unreadable(name, error))
    data: dict[str, Mapping[str, Any]] = {}
    for name, content in sorted(files.items()):
        if not name.endswith((STATE, LINES, ".yaml", ".yml")) and "annotation_output" not in name:
            try:
                data |= {str(row[task.id_key]): row for row in _rows(name, content) if task.id_key in row}
            except OTHER_SHAPE as error:
                problems.append(unreadable(name, error))
    refuse(problems)
    if not given:
        refuse([Problem("the import", f"there is no {STATE} and no {LINES}", "give the task's whole folder")])
    _offer(project, task)
    key = text or task.text_key
    for one in given:
        try:
            _take(project, one, data.get(one.instance, {}), key, task, problems)
        except (GoldmarkError, *OTHER_SHAPE) as error:
            problems.append(unreadable(one.where, error))
    refuse(problems)
    return project


def _take_config(task: _Task, config: Mapping[str, Any]) -> None:
    keys = config.get("item_properties") or {}
    task.id_key, task.text_key = str(keys.get("id_key", "id")), str(keys.get("text_key", "text"))
    for scheme in config.get("annotation_schemes") or []:
        task.types[scheme["name"]] = scheme["annotation_type"]
        task.asked[scheme["name"]] = str(scheme.get("description") or "")
        task.bounds[scheme["name"]] = _bounds(scheme)
        labels = scheme.get("labels") or []
        task.labels[scheme["name"]] = [str(one["name"] if isinstance(one, Mapping) else one) for one in labels]


def _bounds(scheme: Mapping[str, Any]) -> tuple[float | None, float | None]:
    likert = scheme["annotation_type"] == "likert"
    ends = (1, scheme.get("size")) if likert else (scheme.get("min_value"), scheme.get("max_value"))
    least, most = (one if isinstance(one, int | float) else None for one in map(number_in, ends))
    return least, most


def _state(name: str, state: Mapping[str, Any]) -> Iterator[_PotatoAnswer]:
    labels = state.get("instance_id_to_label_to_value") or {}
    spans = state.get("instance_id_to_span_to_value") or {}
    for instance in dict.fromkeys((*labels, *spans)):
        yield _PotatoAnswer(
            f"{name}, {instance}",
            str(state["user_id"]),
            str(instance),
            [(one["schema"], str(one["name"]), value) for one, value in labels.get(instance) or []],
            [one for one, _ in spans.get(instance) or []],
        )


def _lines(name: str, content: bytes) -> Iterator[_PotatoAnswer]:
    person = name.split("/")[-2] if "/" in name else name
    for number, line in enumerate(content.splitlines(), start=1):
        if line.strip():
            row = json.loads(line)
            said = row.get("label_annotations") or {}
            yield _PotatoAnswer(
                f"{name}:{number}",
                str(row.get("user_id") or person),
                str(row.get("id", row.get("instance_id"))),
                [(scheme, str(one), value) for scheme, of in said.items() for one, value in of.items()],
                list(_old_spans(row.get("span_annotations") or [])),
                row.get("displayed_text"),
            )


def _old_spans(given: Any) -> Iterable[Mapping[str, Any]]:
    """Version 1 has a list of spans, or one for each scheme."""
    if isinstance(given, Mapping):
        return [{"schema": scheme, **one} for scheme, some in given.items() for one in some]
    return list(given)


def _rows(name: str, content: bytes) -> list[Mapping[str, Any]]:
    if name.endswith((".csv", ".tsv")):
        written = lines_of(content.decode("utf-8-sig"))
        return list(csv.DictReader(written, delimiter="\t" if name.endswith(".tsv") else ","))
    if name.endswith((".json", ".jsonl")):
        words = content.decode("utf-8-sig").strip()
        found = json.loads(words) if words.startswith("[") else [json.loads(one) for one in words.splitlines() if one]
        return [row for row in found if isinstance(row, Mapping)]
    return []


def _offer(project: GatheredProject, task: _Task) -> None:
    for scheme, kind in task.types.items():
        ask = task.asked[scheme]
        if kind == "span":
            project.made.question(scheme, "marks", ask=ask).known |= dict.fromkeys(task.labels[scheme])
            project.marked(scheme, [])
        elif kind in ("radio", "select", "multiselect"):
            asked = project.made.question(scheme, "choices" if kind == "multiselect" else "choice", ask=ask)
            asked.known |= dict.fromkeys(task.labels[scheme])
        elif kind in _NUMBERS:
            project.made.question(scheme, "number", ask=ask).bounds = task.bounds[scheme]
        elif kind in _WORDS:
            project.made.question(scheme, "text", ask=ask)


def _take(
    project: GatheredProject,
    one: _PotatoAnswer,
    row: Mapping[str, Any],
    key: str,
    task: _Task,
    problems: list[Problem],
) -> None:
    words = row.get(key, one.shown)
    if not isinstance(words, str):
        raise NotPotato(reason=f"the text of {one.instance!r} ({key!r}) is not in the files; give the data, too")
    if one.instance not in project.units:
        hidden = {name: value for name, value in row.items() if name not in (key, task.id_key)}
        seen = words if one.shown is not None else drawn(words).words
        if seen != words:
            hidden[key] = words
        shown = ShownUnit({"text": ShownText(make_text(one.instance, seen))})
        project.units[one.instance] = Unit(one.instance, shown, hidden)
    answers: dict[str, Any] = {}
    by_scheme: dict[str, list[tuple[str, Any]]] = {}
    for scheme, name, value in one.labels:
        by_scheme.setdefault(scheme, []).append((name, value))
    for scheme, said in by_scheme.items():
        answers[scheme] = _answer(project, scheme, said, task.types.get(scheme, ""))
    marks: dict[str, list[dict[str, Any]]] = {}
    for span in one.spans:
        some = marks.setdefault(str(span["schema"]), [])
        label = span.get("name") or span.get("annotation") or ""
        some.append({"id": f"e{len(some) + 1}", "start": int(span["start"]), "end": int(span["end"]), "label": label})
    for scheme, some in marks.items():
        answers[scheme] = project.marked(scheme, some)
    project.take(GivenAnswers(one.where, one.instance, one.person, answers), problems)


def _answer(project: GatheredProject, scheme: str, said: list[tuple[str, Any]], kind: str) -> Any:
    """What was said in a scheme: the values of numbers and words, the names of what was ticked."""
    if kind in _WORDS or (not kind and any(name in ("text_box", "textbox") for name, _ in said)):
        words = "\n".join(str(value) for _, value in said)
        project.made.said(scheme, words, kind="text")
        return words
    if kind in _NUMBERS or (not kind and all(name.startswith("scale_") for name, _ in said)):
        number = number_in(said[-1][1])
        project.made.said(scheme, number)
        return number
    chosen = [str(value) if kind == "select" else name for name, value in said]
    project.made.said(scheme, chosen, kind="choices" if kind == "multiselect" else "choice")
    return chosen[0] if len(chosen) == 1 else chosen


POTATO = project_format(
    "potato", "potato's tasks", gather, fields=True, keys=("user_id", "instance_id_to_label_to_value")
)
