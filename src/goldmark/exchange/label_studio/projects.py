"""A project that was made in Label Studio: its tasks with their texts, everybody's answers, and what was asked.

Which field of a task holds the text is what the labelling config says if it is beside the tasks (an .xml file).
Otherwise it is the one in which every region's own words stand where the region is. Where that leaves a doubt, nothing
is read until somebody names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.exchange.campaign.marks import QUESTION, ExportedQuestion
from goldmark.exchange.campaign.rows import read_time
from goldmark.exchange.foreign_projects.made_protocol import MadeKind, MadeProtocol
from goldmark.exchange.foreign_projects.project import slug
from goldmark.exchange.label_studio.answers import marks_in, place_of, said_in
from goldmark.exchange.label_studio.read_config import LabellingConfig
from goldmark.exchange.label_studio.results import AnnotationResults, results_of
from goldmark.exchange.label_studio.returned import UNREADABLE, Task, annotator_of
from goldmark.records.campaigns import (
    AnnotatorRecord,
    AssignmentRecord,
    CampaignRecord,
    ProtocolRecord,
    ResponseRecord,
)
from goldmark.records.texts import Text
from goldmark.records.units import ContextText, ShownText, ShownUnit, Unit
from goldmark.texts.readers.json_objects import unreadable
from goldmark.texts.segmentation.text import make_text

TEXT = "text"
_MOST_TEXTS = 2
_OURS: dict[str, MadeKind] = {
    "labels": "marks",
    "hypertextlabels": "marks",
    "paragraphlabels": "marks",
    "rating": "number",
    "number": "number",
    "choices": "choice",
    "taxonomy": "choices",
    "pairwise": "compare",
    "textarea": "text",
    "datetime": "text",
}


class WhichText(GoldmarkError):
    code = "EXCHANGE-57"
    message = "it is not clear which field of the tasks holds the text{of}: {why}; name it with --text FIELD"


class NotLabelStudio(GoldmarkError):
    code = "EXCHANGE-51"
    message = "{reason}"


class _Annotated(NamedTuple):
    task: Task
    annotation: Mapping[str, Any]
    results: AnnotationResults


class LabelStudioProject(NamedTuple):
    """The project as a campaign in the tool's own words, what its marks are of, and the protocol made of it."""

    record: CampaignRecord
    asked: Mapping[str, ExportedQuestion]
    made: MadeProtocol

    def with_protocol(self) -> CampaignRecord:
        protocol = self.made.protocol()
        return replace(
            self.record,
            protocol=protocol.id,
            protocols=(ProtocolRecord(protocol.name, protocol.version, protocol.source),),
            responses=tuple(
                replace(one, protocol=protocol.id, answers=self.made.translated(one.answers))
                for one in self.record.responses
            ),
        )


def project_of(
    tasks: Sequence[Task], config: LabellingConfig | None, text: str | None, problems: list[Problem]
) -> LabelStudioProject:
    """The project, or everything that is wrong with it."""
    given = list(_annotated(tasks, problems))
    known = config or LabellingConfig()
    fields = _fields(tasks, given, known, text)
    roles = {name: TEXT if len(fields) == 1 else slug(name) for name in fields}
    made = MadeProtocol(
        "Label Studio",
        "project",
        texts=tuple(roles.values()),
    )
    _offer(made, known, roles)
    units: dict[str, Unit] = {}
    names: dict[str, str] = {}
    for task in tasks:
        try:
            unit = _unit(task, fields, roles, known)
            if unit.id in units:
                raise NotLabelStudio(reason=f'two tasks are called "{unit.id}"')
            units[unit.id] = unit
            names[task.where] = unit.id
        except UNREADABLE as error:
            problems.append(unreadable(task.where, error))
    responses: list[ResponseRecord] = []
    for one in given:
        if one.task.where in names:
            try:
                responses.append(_response(one, units[names[one.task.where]], roles, made))
            except UNREADABLE as error:
                problems.append(unreadable(one.task.where, error))
    if problems:
        raise ProblemsFound(problems, "nothing was imported")
    marking = {region.control: roles[region.object] for one in given for region in one.results.regions} | {
        name: roles.get(one.object, TEXT) for name, one in known.controls.items() if _OURS.get(one.tag) == "marks"
    }
    if not marking and not any(one.answers for one in responses):
        marking = {QUESTION: TEXT}  # nobody did anything: then nothing is marked
    made_of = {name: made.question(name, "marks", of=role) for name, role in marking.items()}
    silent = tuple(
        replace(one, answers={**one.answers, **{name: [] for name in made_of if name not in one.answers}})
        for one in _revised(responses)
    )
    people = sorted({one.annotator for one in silent})
    record = CampaignRecord(
        units=tuple(units.values()),
        annotators=tuple(AnnotatorRecord(name) for name in people),
        assignments=tuple(
            AssignmentRecord(one.unit, one.annotator, "done", finished=one.server_time) for one in silent if one.final
        ),
        responses=silent,
    )
    return LabelStudioProject(
        record, {name: ExportedQuestion(name, role, True) for name, role in marking.items()}, made
    )


def _annotated(tasks: Iterable[Task], problems: list[Problem]) -> Iterable[_Annotated]:
    for task in tasks:
        try:
            for annotation in task.annotations():
                yield _Annotated(task, annotation, results_of(annotation.get("result") or []))
        except UNREADABLE as error:
            problems.append(unreadable(task.where, error))


def _fields(
    tasks: Sequence[Task], given: Sequence[_Annotated], config: LabellingConfig, text: str | None
) -> dict[str, str]:
    """By the name of each object that is spoken of the field that holds its text."""
    regions = [(one.task, region) for one in given for region in one.results.regions]
    objects = list(dict.fromkeys(region.object for _, region in regions))
    if not objects:
        spoken = (control.object for control in config.controls.values() if control.object)
        said = (name for one in given for name in one.results.objects.values() if name)
        first = next(iter(spoken), None) or next(iter(said), TEXT)
        objects = first.split(",")
    if len(objects) > _MOST_TEXTS:
        why = f"people marked in {', '.join(objects)}, and a unit has at most {_MOST_TEXTS} texts"
        raise WhichText(of="", why=why)
    found: dict[str, str] = {}
    for name in objects:
        own = [(task, region) for task, region in regions if region.object == name]
        fields = _texts_in([task for task, _ in own] or tasks)
        if text is not None and len(objects) == 1:
            if text not in fields:
                raise WhichText(
                    of="", why=f"{text!r} is no text of every task; there are {', '.join(fields) or 'none'}"
                )
            fitting = [text]
        elif name in config.objects:
            fitting = [config.objects[name]]
        else:
            fitting = [
                one
                for one in fields
                if all(place_of(region, task.task["data"][one]) is not None for task, region in own)
            ]
        found[name] = _the_one(name, fitting, fields, marked=bool(own))
    return found


def _the_one(name: str, fitting: Sequence[str], fields: Sequence[str], *, marked: bool) -> str:
    for usual in (name, TEXT):
        if usual in fitting:
            return usual
    if len(fitting) == 1:
        return fitting[0]
    listed = ", ".join(fitting or fields) or "none"
    if not fields:
        why = "their data has no text in common"
    elif not fitting:
        why = f"the marked words stand where the regions are in none of {listed}"
    elif marked:
        why = f"the marked words stand in each of {listed}"
    else:
        why = f"nothing is marked, and there are {listed}"
    raise WhichText(of=f" {name!r}", why=why)


def _texts_in(tasks: Iterable[Task]) -> list[str]:
    """The fields that are a text in all of these tasks."""
    common: dict[str, None] | None = None
    for task in tasks:
        texts = {key: None for key, value in task.task["data"].items() if isinstance(value, str)}
        common = texts if common is None else {key: None for key in common if key in texts}
    return list(common or ())


def _offer(made: MadeProtocol, config: LabellingConfig, roles: Mapping[str, str]) -> None:
    """What the config says that could be answered, whether anybody did or not."""
    marking = [name for name, one in config.controls.items() if _OURS.get(one.tag) == "marks"]
    for name, control in config.controls.items():
        kind = _OURS.get(control.tag)
        if kind is None:
            continue
        if control.per_region:
            of = next((one for one in marking if config.controls[one].object == control.object), None)
            if of is None:
                continue
            made.question(of, "marks", of=roles.get(control.object, ""))
            asked = made.question(name.removeprefix(f"{of}-"), kind, part_of=of)
        else:
            asked = made.question(name, kind, of=roles.get(control.object, ""))
        if control.several and kind == "choice":
            asked.kind = "choices"
        asked.known |= dict.fromkeys(control.options)
        asked.bounds = (control.least, control.most)


def _unit(task: Task, fields: Mapping[str, str], roles: Mapping[str, str], config: LabellingConfig) -> Unit:
    data = dict(task.task["data"])
    name = str(data.get("unit", data.get("id", task.task.get("id"))))
    texts = {roles[one]: ShownText(make_text(name, str(data.pop(where)))) for one, where in fields.items()}
    context = tuple(
        ContextText(where, str(data.pop(where)))
        for where in dict.fromkeys(config.shown)
        if isinstance(data.get(where), str)
    )
    data.pop("unit", None)
    return Unit(name, ShownUnit(texts, context), data)


def _response(one: _Annotated, unit: Unit, roles: Mapping[str, str], made: MadeProtocol) -> ResponseRecord:
    texts: dict[str, Text] = {name: unit.shown.texts[role].text for name, role in roles.items()}
    answers: dict[str, Any] = {}
    for control, marks in marks_in(one.results, texts, {}).items():
        made.marks(control, marks, of=roles[one.results.objects[control]])
        answers[control] = [said_in(mark, ("links",)) for mark in marks]
    for control, said in one.results.said.items():
        kind = _OURS[one.results.kinds[control]]
        if kind == "compare":
            answers[control] = _preferred(said, tuple(roles.values()))
            made.question(control, "compare")
        else:
            made.said(control, said, kind=kind)
            answers |= said_in({control: said}, ())
    made_at = one.annotation.get("created_at")
    return ResponseRecord(
        unit.id,
        annotator_of(one.annotation),
        revision=1,
        final=True,
        answers=answers,
        server_time=read_time(made_at) if made_at else None,
        seconds_active=one.annotation.get("lead_time"),
    )


def _preferred(selected: str, roles: Sequence[str]) -> str:
    if len(roles) != _MOST_TEXTS:
        raise NotLabelStudio(reason="a comparison needs two texts, and the config that names them")
    return {"left": roles[0], "right": roles[1]}.get(selected, "tie")


def _revised(responses: Sequence[ResponseRecord]) -> list[ResponseRecord]:
    """Who answered a task twice, as one can there, has two revisions, of which the last counts."""
    given: dict[tuple[str, str], list[ResponseRecord]] = {}
    for one in responses:
        given.setdefault((one.unit, one.annotator), []).append(one)
    return [
        replace(one, revision=number, final=number == len(some))
        for some in given.values()
        for number, one in enumerate(sorted(some, key=_when), start=1)
    ]


def _when(response: ResponseRecord) -> str:
    return response.server_time.isoformat() if response.server_time else ""
