"""Error spans with a severity and a score of the whole (ESA, MQM, DA), as tools for translation keep them.

Their marks count what JavaScript counts: units of 16 bits, two for an emoji, and the end is the last of them. Something
that is missing has a mark of its own, behind the text; it becomes an error of the whole text, as it stands nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from goldmark.errors import GoldmarkError, Problem, ProblemList, ProblemsFound
from goldmark.exchange.campaign.archive import Files
from goldmark.exchange.campaign.rows import write_json
from goldmark.exchange.foreign_projects.project import Project, slug, utf16_places
from goldmark.exchange.responses.given import GivenAnswers
from goldmark.protocols import Protocol, parse
from goldmark.records.units import ContextText, ShownText, ShownUnit, Unit
from goldmark.texts.readers.json_objects import OTHER_SHAPE, json_objects, unreadable
from goldmark.texts.segmentation.text import make_text

ERRORS, SCORE, COMMENT = "errors", "score", "comment"
MISSING = "missing"
SEVERITIES: dict[str, float] = {"neutral": 0, "minor": 1, "major": 5}  # the usual weights; others have none


class NoSuchCharacter(GoldmarkError):
    code = "EXCHANGE-91"
    message = "a mark is at {start}-{end}, but the text has {length} characters"


class OtherTarget(GoldmarkError):
    code = "EXCHANGE-92"
    message = "the text of {unit!r} is another than on an earlier line"


@dataclass(frozen=True)
class SegmentJudgement:
    """What one person said of what one system made of one source."""

    where: str
    item: str
    system: str
    annotator: str
    source: str
    target: str
    marks: Sequence[Mapping[str, Any]]  # start_i, end_i, severity, category
    score: float | None
    comment: str = ""
    seconds: float | None = None
    time: datetime | None = None
    breaks_count: bool = True  # whether the end of a line is counted as a character

    @property
    def unit(self) -> str:
        return f"{self.item}:{self.system}"


def project_of(
    files: Files, tool: str, judgements: Callable[[str, Mapping[str, Any]], Iterable[SegmentJudgement]]
) -> Project:
    """The project of JSON lines, each read by `judgements`, with a protocol of what was asked in them.

    If somebody judged something again, the last line counts.
    """
    problems: list[Problem] = ProblemList()
    last: dict[tuple[str, str], SegmentJudgement] = {}
    for name, content in sorted(files.items()):
        for where, line in json_objects(name, content, problems):
            try:
                for one in judgements(where, line):
                    last[one.unit, one.annotator] = one
            except (GoldmarkError, *OTHER_SHAPE) as error:
                problems.append(unreadable(where, error))
    units: dict[str, Unit] = {}
    given: list[GivenAnswers] = []
    for one in last.values():
        try:
            unit = units.setdefault(one.unit, _unit(one))
            if unit.shown.texts["text"].text.characters != one.target:
                raise OtherTarget(unit=one.unit)
            given.append(GivenAnswers(one.where, one.unit, one.annotator, _answers(one), one.seconds, one.time))
        except GoldmarkError as error:
            problems.append(Problem(one.where, str(error)))
    if not given and not problems:
        problems.append(Problem(next(iter(files), "the import"), f"it holds no judgement of {tool}"))
    if problems:
        raise ProblemsFound(problems, "nothing was imported")
    protocol = _protocol(tool, [one.answers for one in given])
    asked = {question.id for question in protocol.questions()}
    kept = (replace(one, answers={key: said for key, said in one.answers.items() if key in asked}) for one in given)
    return Project(tuple(units.values()), tuple(kept), protocol)


def _unit(one: SegmentJudgement) -> Unit:
    context = (ContextText("Source", one.source),) if one.source else ()
    shown = ShownUnit({"text": ShownText(make_text(one.unit, one.target))}, context)
    return Unit(one.unit, shown, {"system": one.system, "item": one.item})


def _answers(one: SegmentJudgement) -> dict[str, Any]:
    marks = [_mark(mark, number, one) for number, mark in enumerate(one.marks, start=1)]
    score = {} if one.score is None else {SCORE: one.score}
    return {ERRORS: marks, **score, **({COMMENT: one.comment} if one.comment else {})}


def _mark(mark: Mapping[str, Any], number: int, one: SegmentJudgement) -> dict[str, Any]:
    start, end = _place(mark.get("start_i"), mark.get("end_i"), one)
    category = mark.get("category") or mark.get("error_type") or ""
    label = ".".join(slug(part) for part in str(category).split("/") if part.strip())
    severity = slug(str(mark["severity"])) if mark.get("severity") else ""
    said = {"label": label, "severity": severity}
    return {"id": f"e{number}", "start": start, "end": end, **{key: value for key, value in said.items() if value}}


def _place(start: object, end: object, one: SegmentJudgement) -> tuple[int, int]:
    """The characters between two places that JavaScript counts, the last one included."""
    places = utf16_places(one.target, breaks_count=one.breaks_count)
    if start == MISSING or (isinstance(start, int) and start >= len(places)):
        return 0, len(one.target)
    if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start <= end < len(places):
        raise NoSuchCharacter(start=start, end=end, length=len(places))
    return places[start], places[end] + 1


def _protocol(tool: str, given: Sequence[Mapping[str, Any]]) -> Protocol:
    """Marks if anybody made any, with the categories and severities that occur; score and comment if any was given."""
    marks = [mark for one in given for mark in one[ERRORS]]
    questions: list[dict[str, Any]] = []
    source: dict[str, Any] = {
        "protocol": f"{tool}/1",
        "title": "Judge a translation",
        "about": f"Made from files of {tool}: what annotators were asked there, as far as the files tell.",
    }
    if marks:
        named = {mark["severity"] for mark in marks if "severity" in mark} | set(SEVERITIES)
        options = [
            {"id": one, **({"value": SEVERITIES[one]} if one in SEVERITIES else {})}
            for one in sorted(named, key=lambda one: (SEVERITIES.get(one, 99), one))
        ]
        severity = {"id": "severity", "kind": "choice", "options": options, "required": False}
        spans = {"id": ERRORS, "kind": "spans", "by": "character", "overlap": True, "attributes": [severity]}
        labels = sorted({mark["label"] for mark in marks if "label" in mark})
        if labels:
            source["taxonomies"] = {"categories": _tree(labels)}
            spans["labels"] = {"tree": "categories", "any_level": True}
        questions.append(spans)
    if any(SCORE in one for one in given):
        questions.append({"id": SCORE, "kind": "number", "at_least": 0, "at_most": 100, "required": False})
    if any(COMMENT in one for one in given):
        questions.append({"id": COMMENT, "kind": "text", "required": False})
    return parse(write_json({**source, "steps": [{"questions": questions}]}))


def _tree(paths: Iterable[str]) -> list[dict[str, Any]]:
    children: dict[str, list[str]] = {}
    for path in paths:
        head, _, rest = path.partition(".")
        children.setdefault(head, []).extend([rest] if rest else [])
    return [{"id": name, **({"children": _tree(below)} if below else {})} for name, below in children.items()]
