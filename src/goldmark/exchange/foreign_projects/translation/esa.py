"""Error spans with a severity and a score of the whole (ESA, MQM, DA), as tools for translation keep them.

Their marks count what JavaScript counts: units of 16 bits, two for an emoji, and the end is the last of them. Something
that is missing has a mark of its own, behind the text; it becomes an error of the whole text, as it stands nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.exchange.campaign.rows import write_json
from goldmark.exchange.foreign_projects.made_protocol import distinct_ids
from goldmark.exchange.foreign_projects.project import Project, utf16_places
from goldmark.exchange.responses.given import GivenAnswers
from goldmark.protocols import Protocol, parse
from goldmark.protocols.conditions import WORDS
from goldmark.records.units import ContextText, ShownText, ShownUnit, Unit
from goldmark.texts.readers.json_objects import OTHER_SHAPE, json_objects, unreadable
from goldmark.texts.segmentation.text import make_text

ERRORS, SCORE, COMMENT, REMARK, TOKEN = "errors", "score", "comment", "remark", "token"
OWN = (ERRORS, SCORE, COMMENT, REMARK)
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
    context: tuple[ContextText, ...] = ()  # what was shown beside the source
    facts: Mapping[str, Any] = field(default_factory=dict)  # what was not shown
    numbers: Mapping[str, float] = field(default_factory=dict)  # of scales besides the score, by their names
    remark: str = ""  # on all that was on the page

    @property
    def unit(self) -> str:
        return f"{self.item}:{self.system}"


@dataclass
class EsaQuestions:
    """What people were asked, as far as the files say so; the answers may show more."""

    marks: bool = False
    categories: list[tuple[str, ...]] = field(default_factory=list)
    severities: list[str] = field(default_factory=list)
    bounds: dict[str, tuple[float, float]] = field(default_factory=dict)  # of scales besides the score
    tokens: list[str] = field(default_factory=list)  # what can be marked behind the text
    instructions: str = ""


Reader = Callable[[str, Mapping[str, Any]], Iterable[SegmentJudgement]]


def judgements_of(name: str, content: bytes, read: Reader, problems: list[Problem]) -> list[SegmentJudgement]:
    """Those of a file of JSON, each object read by `read`."""
    return judgements_in(json_objects(name, content, problems), read, problems)


def judgements_in(
    rows: Iterable[tuple[str, Mapping[str, Any]]], read: Reader, problems: list[Problem]
) -> list[SegmentJudgement]:
    found: list[SegmentJudgement] = []
    for where, row in rows:
        try:
            found += read(where, row)
        except (GoldmarkError, *OTHER_SHAPE) as error:
            problems.append(unreadable(where, error))
    return found


def project_of(
    judgements: Iterable[SegmentJudgement], tool: str, problems: list[Problem], asked: EsaQuestions | None = None
) -> Project:
    """The project of these judgements; if somebody judged something again, the last one counts."""
    last = {(one.unit, one.annotator): one for one in judgements}
    made = _Made(last.values(), asked or EsaQuestions())
    units: dict[str, Unit] = {}
    given: list[GivenAnswers] = []
    for one in last.values():
        try:
            unit = units.setdefault(one.unit, _unit(one))
            if unit.shown.texts["text"].text.characters != one.target:
                raise OtherTarget(unit=one.unit)
            given.append(GivenAnswers(one.where, one.unit, one.annotator, made.answers(one), one.seconds, one.time))
        except GoldmarkError as error:
            problems.append(Problem(one.where, str(error)))
    if not given and not problems:
        problems.append(
            Problem("the import", f"it holds no judgement of {tool}", "give the annotations that it exports")
        )
    if problems:
        raise ProblemsFound(problems, "nothing was imported")
    return Project(tuple(units.values()), tuple(given), made.protocol(tool, [one.answers for one in given]))


def _unit(one: SegmentJudgement) -> Unit:
    source = (ContextText("Source", one.source),) if one.source else ()
    shown = ShownUnit({"text": ShownText(make_text(one.unit, one.target))}, (*source, *one.context))
    return Unit(one.unit, shown, {**one.facts, "system": one.system, "item": one.item})


def _path(category: object) -> tuple[str, ...]:
    """A category and what it is a part of. Where a category has no parts, its own name stands in their place."""
    whole = str(category or "").strip()
    half = whole[: len(whole) // 2]
    if half and whole == f"{half}/{half}":
        return (half,)
    return tuple(part.strip() for part in whole.split("/", 1) if part.strip())


class _Made:
    """What was asked, with ids for what the tool calls as it likes: categories, severities and scales."""

    def __init__(self, judgements: Collection[SegmentJudgement], asked: EsaQuestions) -> None:
        self._asked = asked
        marks = [mark for one in judgements for mark in one.marks]
        self._marks = asked.marks or bool(marks)
        scales = dict.fromkeys([*asked.bounds, *(name for one in judgements for name in one.numbers)])
        self._scales = distinct_ids(scales, reserved={*OWN, *WORDS})
        tree: dict[str, dict[str, None]] = {}
        for path in (*asked.categories, *(_path(mark.get("category") or mark.get("error_type")) for mark in marks)):
            if path:
                tree.setdefault(path[0], {}).update(dict.fromkeys(path[1:]))
        self._heads = distinct_ids(tree)
        self._parts = {head: distinct_ids(parts) for head, parts in tree.items()}
        named = [*SEVERITIES, *asked.severities, *(str(one["severity"]) for one in marks if one.get("severity"))]
        self._severities = distinct_ids(dict.fromkeys(name.casefold() for name in named))

    def answers(self, one: SegmentJudgement) -> dict[str, Any]:
        marks = [self._mark(mark, number, one) for number, mark in enumerate(one.marks, start=1)]
        said: dict[str, Any] = {ERRORS: marks} if self._marks else {}
        said |= {self._scales[name]: value for name, value in one.numbers.items()}
        if one.score is not None:
            said[SCORE] = one.score
        return said | {key: words for key, words in ((COMMENT, one.comment), (REMARK, one.remark)) if words}

    def _mark(self, mark: Mapping[str, Any], number: int, one: SegmentJudgement) -> dict[str, Any]:
        start, end, token = _place(mark.get("start_i"), mark.get("end_i"), one)
        path = _path(mark.get("category") or mark.get("error_type"))
        parts = (self._parts[path[0]][part] for part in path[1:])
        said = {
            "label": ".".join((self._heads[path[0]], *parts)) if path else "",
            "severity": self._severities[str(mark["severity"]).casefold()] if mark.get("severity") else "",
            TOKEN: _token(token, self._asked.tokens),
        }
        return {"id": f"e{number}", "start": start, "end": end, **{key: value for key, value in said.items() if value}}

    def protocol(self, tool: str, given: Sequence[Mapping[str, Any]]) -> Protocol:
        """What was asked, with everything that may be answered; what nobody was asked is left out."""
        source: dict[str, Any] = {
            "protocol": f"{tool}/1",
            "title": "Judge a translation",
            "about": f"Made from files of {tool}: what annotators were asked there, as far as the files tell.",
        }
        if self._asked.instructions:
            source["instructions"] = self._asked.instructions
        questions: list[dict[str, Any]] = []
        if self._marks:
            attributes: list[dict[str, Any]] = [{"id": "severity", "kind": "choice", "options": self._options()}]
            if any(TOKEN in mark for one in given for mark in one.get(ERRORS, ())):
                attributes.append({"id": TOKEN, "ask": "What of the whole text?", "kind": "text"})
            optional = [{**one, "required": False} for one in attributes]
            spans = {"id": ERRORS, "kind": "spans", "by": "character", "overlap": True, "attributes": optional}
            if self._heads:
                source["taxonomies"] = {"categories": self._taxonomy()}
                spans["labels"] = {"tree": "categories", "any_level": True}
            questions.append(spans)
        for name, own in self._scales.items():
            least, most = self._asked.bounds.get(name, (None, None))
            questions.append({"id": own, "ask": name, "kind": "number", "at_least": least, "at_most": most})
        if any(SCORE in one for one in given):
            questions.append({"id": SCORE, "kind": "number", "at_least": 0, "at_most": 100})
        asked = ((COMMENT, "Comment"), (REMARK, "Comment on the page"))
        questions += [{"id": key, "ask": ask, "kind": "text"} for key, ask in asked if any(key in one for one in given)]
        optional = [{"required": False, **one} if one["kind"] != "spans" else one for one in questions]
        return parse(write_json({**source, "steps": [{"questions": optional}]}))

    def _options(self) -> list[dict[str, Any]]:
        weighed = sorted(self._severities.items(), key=lambda one: SEVERITIES.get(one[0], 99))
        return [
            {"id": own, "title": name.capitalize(), **({"value": SEVERITIES[name]} if name in SEVERITIES else {})}
            for name, own in weighed
        ]

    def _taxonomy(self) -> list[dict[str, Any]]:
        return [
            {
                "id": self._heads[head],
                "title": head,
                **({"children": [{"id": own, "title": part} for part, own in parts.items()]} if parts else {}),
            }
            for head, parts in self._parts.items()
        ]


def _token(place: int | None, tokens: Sequence[str]) -> str:
    """What was marked behind the text, where there was a choice: the first is what is missing, in every tool."""
    if place is None or (place == 0 and len(tokens) < 2):
        return ""
    return tokens[place] if place < len(tokens) else f"token {place + 1}"


def _place(start: object, end: object, one: SegmentJudgement) -> tuple[int, int, int | None]:
    """The characters between two places that JavaScript counts, the last one included; or all, and of what behind."""
    places = utf16_places(one.target, breaks_count=one.breaks_count)
    if start == MISSING:
        return 0, len(one.target), 0
    if isinstance(start, int) and start >= len(places):
        return 0, len(one.target), start - len(places)
    if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start <= end < len(places):
        raise NoSuchCharacter(start=start, end=end, length=len(places))
    return places[start], places[end] + 1, None
