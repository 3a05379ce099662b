"""factgenie: lines of JSON with the marks of one person on one output, and lines with the outputs.

A mark is where it starts, its words and the number of its category. Its page counts what JavaScript counts, units of 16
bits, in the text as it draws it, without tags; models count characters. `metadata.json` says what was asked. Inputs are
read as context if they lie beside, as `DATASET/SPLIT.txt` or `.jsonl`.
Older files, and those of Quintd, call some things otherwise; both are read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import isfinite
from pathlib import PurePosixPath
from typing import Any

from goldmark.errors import GoldmarkError, Problem, ProblemList, ProblemsFound
from goldmark.exchange.campaign.archive import Files, unzipped
from goldmark.exchange.campaign.rows import write_json
from goldmark.exchange.foreign_projects.drawn import drawn
from goldmark.exchange.foreign_projects.project import Project, moment, slug, take, utf16_places
from goldmark.exchange.format import Format
from goldmark.exchange.responses.given import GivenAnswers, Target, unknown_unit
from goldmark.exchange.responses.placement import Placing
from goldmark.protocols import Protocol, parse
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.texts import Text
from goldmark.records.units import ContextText, ShownText, ShownUnit, Unit
from goldmark.texts.readers.formats import decode
from goldmark.texts.readers.json_objects import OTHER_SHAPE, json_objects, unreadable
from goldmark.texts.segmentation.text import make_text

ERRORS, REASON = "errors", "reason"
YES_OR_NO = ("no", "yes")  # how a flag is answered
FLAG: dict[str, Any] = {"kind": "choice", "options": list(YES_OR_NO)}
EXAMPLES = {"example_idx", "table_idx"}
METADATA = "metadata.json"
NO_OPTION = "Select an option..."  # what stands in a list of options until somebody chooses
NOBODY = ("nan", "factgenie_preview")  # a manager who tries the page
MODELS = "llm_eval"  # the mode of a campaign in which models annotate


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
    split: str


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
    batch: tuple[object, ...] = ()  # with others of which the seconds are shared


@dataclass
class _FilesRead:
    outputs: dict[str, _Output] = field(default_factory=dict)
    annotations: list[_Annotation] = field(default_factory=list)
    inputs: dict[tuple[str, str], list[str]] = field(default_factory=dict)  # by dataset and split
    categories: list[str] = field(default_factory=list)
    help: dict[str, str] = field(default_factory=dict)  # of categories
    others: dict[str, dict[str, Any]] = field(default_factory=dict)  # questions besides marks, by id
    name: str = "factgenie"
    instructions: str = ""
    models: bool = False


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
    labels = _ids(gathered.categories)
    for one in _shared_times(gathered.annotations):
        if one.unit not in texts:
            remedy = "give a folder that holds the outputs, too"
            problems.append(Problem(one.where, f"the output of {one.unit!r} is not in the files", remedy))
            continue
        said = _answers(one, texts[one.unit], labels, problems)
        take(given, GivenAnswers(one.where, one.unit, one.annotator, said, one.seconds, one.time), problems)
    if not given and not problems:
        problems.append(Problem("the import", "there is no annotation", "give .jsonl files of factgenie"))
    if problems:
        raise ProblemsFound(problems, "nothing was imported")
    units = tuple(_unit(one, texts[unit], gathered.inputs) for unit, one in gathered.outputs.items())
    asked = _protocol(gathered, [one.answers for one in given.values()])
    record = Project(units, tuple(given.values()), asked).record()
    kinds = {one.id: {"kind": "model"} if _is_model(one.id, gathered) else {} for one in record.annotators}
    return replace(record, annotators=tuple(replace(one, facts=kinds[one.id]) for one in record.annotators))


def answers(files: Files, target: Target, problems: list[Problem]) -> list[GivenAnswers]:
    """For a campaign that has the outputs as its units; the files need not hold them again."""
    gathered = _read_files(files, problems)
    question = target.spans_question()
    labels = _ids(gathered.categories)
    found: list[GivenAnswers] = []
    for one in _shared_times(gathered.annotations):
        unit = target.unit_named(one.unit)
        ours = target.text_of(unit, question) if unit is not None else None
        if unit is None or ours is None:
            problems.append(unknown_unit(one.where, one.unit, target.units))
            continue
        try:
            theirs = make_text(unit, gathered.outputs[one.unit].text) if one.unit in gathered.outputs else ours
            placing = Placing(theirs, "character", ours, question.by)
            said = _answers(one, theirs, labels, problems)
            said[question.id] = [placing.move(mark) for mark in said.pop(ERRORS)]
        except GoldmarkError as error:
            problems.append(Problem(one.where, str(error)))
            continue
        kind = "model" if _is_model(one.annotator, gathered) else ""
        given = GivenAnswers(one.where, unit, one.annotator, said, one.seconds, one.time, kind=kind)
        found.append(replace(given, widened=placing.widened))
    return found


def _is_model(annotator: str, gathered: _FilesRead) -> bool:
    return gathered.models or annotator.startswith("llm-")


def _shared_times(annotations: list[_Annotation]) -> list[_Annotation]:
    """Where only a whole batch was timed, each of its texts took its share."""
    shared = Counter(one.batch for one in annotations if one.batch)
    return [
        replace(one, seconds=one.seconds / shared[one.batch]) if one.batch and one.seconds is not None else one
        for one in annotations
    ]


def _read_files(files: Files, problems: list[Problem]) -> _FilesRead:
    gathered = _FilesRead()
    others: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    plain = dict(unzipped(path, packed) for path, packed in sorted(files.items()))
    for name, content in plain.items():
        if name.rpartition("/")[2] == METADATA:
            _take_metadata(gathered, name, content, problems)
    for name, content in plain.items():
        if not name.endswith(".jsonl"):
            continue
        rows = list(json_objects(name, content, problems))
        if not any(EXAMPLES & row.keys() for _, row in rows):
            others[name] = rows
            continue
        for where, row in rows:
            try:
                _take(gathered, where, row)
            except (GoldmarkError, *OTHER_SHAPE) as error:
                problems.append(unreadable(where, error))
    known = {(str(one.facts.get("dataset")), one.split) for one in gathered.outputs.values()}
    for name, rows in others.items():
        if (of := _dataset(name)) in known:
            gathered.inputs[of] = [json.dumps(row, indent=1, ensure_ascii=False) for _, row in rows]
        else:
            wrong = NotFactgenie(reason="it names no example (example_idx)")
            problems += [unreadable(where, wrong) for where, _ in rows]
    for name, content in plain.items():
        if name.endswith(".txt") and _dataset(name) in known:
            lines = (decode(content, name, problems) or "").splitlines()
            gathered.inputs[_dataset(name)] = [line.strip().replace("\\n", "\n") for line in lines]
    return gathered


def _dataset(name: str) -> tuple[str, str]:
    """The dataset and the split whose inputs a file of this name holds."""
    path = PurePosixPath(name)
    return path.parent.name, path.stem


def _take_metadata(gathered: _FilesRead, name: str, content: bytes, problems: list[Problem]) -> None:
    try:
        metadata = json.loads(content)
        config = metadata.get("config") or metadata
        gathered.models |= metadata.get("mode") == MODELS
        gathered.name = slug(str(metadata.get("id") or gathered.name)).replace("_", "-")
        gathered.instructions = str(config.get("annotator_instructions") or "")
        _take_asked(gathered, config)
    except OTHER_SHAPE as error:
        problems.append(unreadable(name, error))


def _take_asked(gathered: _FilesRead, config: Mapping[str, Any]) -> None:
    """What a campaign asks, as its metadata say it; the first that say so hold."""
    for one in config.get("annotation_span_categories") or () if not gathered.categories else ():
        gathered.categories.append(one["name"])
        gathered.help[one["name"]] = str(one.get("description") or "")
    for label in config.get("flags") or ():
        if isinstance(label, str):
            _ask(gathered, label, **FLAG)
    for one in config.get("options") or ():
        if isinstance(one, Mapping) and one.get("values"):
            _ask(gathered, one["label"], **_options(one["values"]))
    for one in config.get("sliders") or ():
        if isinstance(one, Mapping):
            _ask(gathered, one["label"], **_scale(one))
    for label in config.get("text_fields") or ():
        if isinstance(label, str):
            _ask(gathered, label)


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
        gathered.outputs[unit] = _Output(unit, item, model, text, facts, str(row.get("split") or ""))
    marks = row.get("annotations", row.get("spans"))
    if not isinstance(marks, list):
        return
    metadata = row.get("metadata") or {}
    _take_asked(gathered, metadata)
    annotator = row.get("annotator_id") or metadata.get("annotator_id") or row.get("annotator")
    if not annotator:
        raise NotFactgenie(reason="it does not say whose marks these are (annotator_id)")
    if annotator in NOBODY:
        return
    opened, saved = (_seconds(row.get(key)) for key in ("time_last_accessed", "time_last_saved"))
    began, ended = (_seconds(metadata.get(key)) for key in ("start_timestamp", "end_timestamp"))
    batch: tuple[object, ...] = ()
    if opened is None or saved is None:
        opened, saved = began, ended
        batch = (annotator, metadata.get("campaign_id"), began, ended)
    seconds = saved - opened if opened is not None and saved is not None else None
    time = moment(ended) if ended is not None else None
    others = _others(gathered, row)
    gathered.annotations.append(_Annotation(where, unit, str(annotator), marks, others, seconds, time, batch))


def _seconds(written: Any) -> float | None:
    """A time that was noted; of a preview it is no number."""
    return float(written) if written and isfinite(float(written)) else None


def _others(gathered: _FilesRead, row: Mapping[str, Any]) -> dict[str, Any]:
    """What was said besides marks: flags, choices of a list, numbers and words, by the label of each."""
    said: dict[str, Any] = {}
    flags = row.get("flags") or []
    if isinstance(flags, Mapping):
        flags = [{"label": label, "value": value} for label, value in flags.items()]
    for one in flags:
        said[_ask(gathered, one["label"], **FLAG)] = YES_OR_NO[one.get("value") is True]
    for one in row.get("options") or []:
        if one["value"] not in ("", NO_OPTION):
            asked = _options(one.get("optionList") or [])
            key = _ask(gathered, one["label"], **asked)
            said[key] = slug(str(one["value"])) if asked else str(one["value"])
    for one in row.get("sliders") or []:
        said[_ask(gathered, one["label"], **_scale(one))] = float(one["value"])
    for one in row.get("text_fields") or []:
        said[_ask(gathered, one["label"])] = str(one["value"])
    return {key: value for key, value in said.items() if value != ""}


def _options(listed: Iterable[object]) -> dict[str, Any]:
    """A choice; nothing if there is none."""
    options = [{"id": slug(str(title)), "title": str(title)} for title in listed if title != NO_OPTION]
    return {"kind": "choice", "options": options} if len(options) > 1 else {}


def _scale(slider: Mapping[str, Any]) -> dict[str, Any]:
    bounds = {"at_least": slider.get("min"), "at_most": slider.get("max")}
    return {"kind": "number", **{key: float(value) for key, value in bounds.items() if value not in (None, "")}}


def _ask(gathered: _FilesRead, label: object, **asked: Any) -> str:
    """The id of a question that the files show to have been asked."""
    ask = str(label).strip()
    key = slug(ask)
    gathered.others.setdefault(key, {"id": key, "ask": ask, "kind": "text", "required": False, **asked})
    return key


def _answers(one: _Annotation, text: Text, labels: list[str], problems: list[Problem]) -> dict[str, Any]:
    marks = []
    for number, mark in enumerate(one.marks, start=1):
        try:
            start, end = _place(mark, text.characters)
            kind = int(mark["type"])
        except (GoldmarkError, LookupError, TypeError, ValueError) as error:
            problems.append(Problem(one.where, f"mark {number}: {unreadable(one.where, error).what}"))
            continue
        label = labels[kind] if 0 <= kind < len(labels) else f"type_{kind}"
        reason = str(mark.get(REASON) or "").strip()
        place = {"id": f"e{number}", "start": start, "end": end, "label": label}
        marks.append({**place, **({REASON: reason} if reason else {})})
    return {ERRORS: marks, **one.others}


def _place(mark: Mapping[str, Any], characters: str) -> tuple[int, int]:
    """The characters of a mark, if its words stand there, whatever their case and white space: first as characters are
    counted, then as the page counts them.

    A mark without words is about something that is not there, so it is one of the whole text.
    """
    words, start = str(mark["text"]), int(mark["start"])
    if not words:
        return 0, len(characters)
    end = start + len(words)
    if start >= 0 and _plain(characters[start:end]) == _plain(words):
        return start, end
    page = drawn(characters)
    counted = utf16_places(page.words)
    if 0 <= start < len(counted):
        first = counted[start]
        if _plain(page.words[first : first + len(words)]) == _plain(words):
            return page.back(first, first + len(words))
    raise NotFactgenie(reason=f"{words[:40]!r} does not stand at character {start} of the output")


def _plain(words: str) -> str:
    return " ".join(words.casefold().split())


def _unit(one: _Output, text: Text, inputs: Mapping[tuple[str, str], list[str]]) -> Unit:
    listed = inputs.get((str(one.facts.get("dataset")), one.split), [])
    number = int(one.facts["example"]) if str(one.facts["example"]).isdecimal() else len(listed)
    context = tuple(ContextText("Input", words) for words in listed[number : number + 1] if words)
    shown = ShownUnit({"text": ShownText(text)}, context)
    return Unit(one.unit, shown, {"system": one.system, "item": one.item, **one.facts})


def _ids(names: Iterable[str]) -> list[str]:
    """An id for each name, all different."""
    found: dict[str, None] = {}
    for name in names:
        wish = own = slug(name)
        number = len(found)
        while own in found:
            own, number = f"{wish}_{number}", number + 1
        found[own] = None
    return list(found)


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
        source["taxonomies"] = {
            "categories": [
                {"id": name, "title": title, **({"help": said} if (said := gathered.help.get(title)) else {})}
                for name, title in labels.items()
            ]
        }
    if gathered.instructions:
        source["instructions"] = gathered.instructions
    return parse(write_json(source))


FACTGENIE = Format(
    "factgenie",
    "factgenie's lines of outputs and annotations",
    read=read,
    answers=answers,
    keys=("example_idx", "annotations"),
)
