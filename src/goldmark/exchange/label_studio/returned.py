"""Tasks that Goldmark wrote, as they are or after they were in Label Studio: the campaign that they came from.

In Label Studio everybody's answers belong to whoever imported them; the number that Goldmark gave an annotation
(`import_id`) says whose it is. Annotations that were added there belong to the people who made them there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from goldmark.errors import GoldmarkError, Problem
from goldmark.exchange.campaign.rows import FORMAT_VERSION, Located, read_time
from goldmark.exchange.campaign.rows_read import record_of
from goldmark.exchange.label_studio.answers import marks_in, said_in
from goldmark.exchange.label_studio.results import results_of
from goldmark.exchange.label_studio.tasks import AS_JSON, BESIDE, EMPTY, EXTRA
from goldmark.exchange.responses.given import Counted
from goldmark.exchange.responses.values import Values, with_silence
from goldmark.protocols import Protocol, parse
from goldmark.protocols.answers import marking
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.units import ShownText, ShownUnit
from goldmark.texts.readers.json_objects import unreadable
from goldmark.texts.segmentation.text import make_text


class Task(NamedTuple):
    where: str
    task: Mapping[str, Any]

    @property
    def extra(self) -> Mapping[str, Any]:
        """What Goldmark keeps of a task: in its data, or beside it as older versions wrote it."""
        data = self.task.get("data")
        found = self.task.get(EXTRA) or (data.get(EXTRA) if isinstance(data, Mapping) else None)
        return found if isinstance(found, Mapping) else {}

    def annotations(self) -> Iterator[Mapping[str, Any]]:
        """Those that are answers: neither skipped nor cancelled."""
        for one in self.task.get("annotations") or self.task.get("completions") or []:
            if not (one.get("was_cancelled") or one.get("skipped")):
                yield one


UNREADABLE = (KeyError, TypeError, AttributeError, ValueError, GoldmarkError)  # what a task of another shape raises


def annotator_of(annotation: Mapping[str, Any]) -> str:
    """Whoever made an annotation in Label Studio, by e-mail address or number."""
    person = annotation.get("completed_by", "unknown")
    return str((person.get("email") or person.get("id")) if isinstance(person, Mapping) else person)


def read_returned(tasks: Iterable[Task], problems: list[Problem]) -> CampaignRecord:
    listed = list(tasks)
    rows: list[Located] = []
    for task in listed:
        rows += (Located("protocol", task.where, one) for one in task.extra.get("protocols", []))
        if "campaign" in task.extra:
            rows.append(Located("campaign", task.where, task.extra["campaign"]))
    if not any(row.kind == "campaign" for row in rows):
        rows.append(Located("campaign", "the import", {"format": FORMAT_VERSION, "protocol": "", "settings": {}}))
    asked = _Asked.of(rows)
    annotators: dict[str, str] = {}
    for task in listed:
        try:
            rows += _rows(task, asked, annotators)
        except UNREADABLE as error:
            problems.append(unreadable(task.where, error))
    rows += (
        Located("annotator", where, {"id": one, "state": "active", "joined": None, "facts": {}})
        for one, where in sorted(annotators.items())
    )
    return record_of(rows, problems)


class _Asked(NamedTuple):
    """What the campaign asks, if the tasks say it."""

    protocol: Protocol | None
    counted: Mapping[str, Counted]

    @classmethod
    def of(cls, rows: Iterable[Located]) -> _Asked:
        known = {f"{row.values['name']}/{row.values['version']}": row for row in rows if row.kind == "protocol"}
        name = next(row.values.get("protocol") for row in rows if row.kind == "campaign")
        if name not in known:
            return cls(None, {})
        try:
            protocol = parse(known[name].values["source"], file=str(name))
        except GoldmarkError:  # of a later version, say; answers that are held exactly need none
            return cls(None, {})
        return cls(protocol, {one.id: one.by for one in marking(protocol)})


def _rows(task: Task, asked: _Asked, annotators: dict[str, str]) -> Iterator[Located]:
    unit = dict(task.extra["unit"]) if "unit" in task.extra else _added(task.task, asked)
    yield Located("unit", task.where, unit)
    shown = ShownUnit.from_json(unit["shown"], id=unit["id"])
    kept = task.extra.get("responses") or {}
    latest: dict[str, dict[str, Any]] = {}
    made = [_response(one, unit, shown, kept, asked) for one in task.annotations()]
    for response in sorted(made, key=lambda one: str(one["server_time"] or "")):
        annotator = response["annotator"]
        annotators.setdefault(annotator, task.where)
        if annotator in latest:  # who answered twice, as one can there, answered last
            earlier = latest[annotator]
            response["revision"] = max(response["revision"], earlier["revision"] + 1)
            earlier["final"] = False
        latest[annotator] = response
    for annotator, last in latest.items():
        facts: dict[str, Any] = {"claimed": None, "finished": last["server_time"], "facts": {}}
        given = {"unit": unit["id"], "annotator": annotator, "state": "done", **facts}
        yield Located("assignment", task.where, given)
    for response in made:
        yield Located("response", task.where, response)


def _response(
    annotation: Mapping[str, Any],
    unit: Mapping[str, Any],
    shown: ShownUnit,
    kept: Mapping[str, Any],
    asked: _Asked,
) -> dict[str, Any]:
    exact = annotation.get(EXTRA)
    if exact is not None:
        response = dict(exact)
    else:
        known = dict(kept.get(str(annotation.get("import_id")), {}))
        new = {
            "annotator": annotator_of(annotation),
            "revision": 1,
            "protocol": asked.protocol.id if asked.protocol else "",
            "client_key": "",
            "client_time": None,
            "server_time": annotation.get("created_at"),
            "seconds_active": annotation.get("lead_time"),
        }
        answers = _answers(annotation.get("result") or [], shown, asked, known)
        facts = {key: known.get(key, value) for key, value in new.items()}
        response = {**facts, "unit": unit["id"], "final": True, "answers": answers}
    times = ("client_time", "server_time")
    return {**response, **{key: read_time(response[key]) for key in times if response[key] is not None}}


def _answers(
    result: list[Mapping[str, Any]], shown: ShownUnit, asked: _Asked, known: Mapping[str, Any]
) -> dict[str, Any]:
    found = results_of(result)
    texts = {role: one.text for role, one in shown.texts.items()}
    counted = dict(asked.counted)
    if asked.protocol is None:
        counted = {region.control: "token" for region in found.regions}
    several = {one.id for one in asked.protocol.questions() if one.several} if asked.protocol else set()
    answers: dict[str, Any] = {name: [] for name in known.get(EMPTY, [])}
    answers |= said_in(found.said, several, known.get(AS_JSON, ()))
    for control, marks in marks_in(found, texts, counted, ours=True).items():
        answers[control] = [said_in(mark, ("links",)) for mark in marks]
    answers |= known.get(BESIDE, {})
    if asked.protocol is None:
        return answers
    read = Values(asked.protocol).read(answers)
    return read if known else with_silence(asked.protocol, read)


def _added(task: Mapping[str, Any], asked: _Asked) -> dict[str, Any]:
    """A task that was added in Label Studio to a project of ours: its texts stand where the config looks for them."""
    data = dict(task["data"])
    name = str(data.pop("unit", None) or task.get("id"))
    roles = asked.protocol.texts if asked.protocol else ("text",)
    shown = ShownUnit({role: ShownText(make_text(name, data.pop(role))) for role in roles})
    tokenisers = {role: one.text.tokeniser for role, one in shown.texts.items()}
    return {"id": name, "shown": shown.to_json(), "tokenisers": tokenisers, "hidden": data.get("hidden") or {}}
