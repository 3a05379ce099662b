"""thresh: JSON lists of sources and targets with the edits that annotators marked, and the template of what was asked.

An edit has a category and passages of the target, of the source, or of both. Each side is a question of its own, and
the marks of one edit have the same id on both; further passages of a side are linked to its first. An edit without any
passage is one of the whole target. Its answers stand with its mark on the target, or else with that on the source.
Positions count what JavaScript counts: units of 16 bits, the end excluded. What thresh's library converted from other
formats counts characters instead; which it is, the marks show where texts have characters of two units.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any

from goldmark.errors import GoldmarkError, Problem, ProblemList, ProblemsFound
from goldmark.exchange.campaign.archive import Files
from goldmark.exchange.foreign_projects.project import Project, answers_of, is_whole_words, take, utf16_places
from goldmark.exchange.foreign_projects.thresh_typology import (
    COMMENT,
    EDITS,
    SOURCE,
    SOURCE_EDITS,
    ThreshMark,
    ThreshQuestion,
    Typology,
)
from goldmark.exchange.format import Format
from goldmark.exchange.responses.given import GivenAnswers
from goldmark.protocols.loading.yaml_reader import YamlNotReadable
from goldmark.protocols.loading.yaml_reader import read as read_yaml
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.units import ContextText, ShownText, ShownUnit, Unit, text_id
from goldmark.texts.readers.formats import decode
from goldmark.texts.readers.json_objects import OTHER_SHAPE, json_objects, unreadable
from goldmark.texts.segmentation.text import make_text

NO_SOURCE = "(no source)"  # of a unit without a source, where others have edits in theirs
# How files have called these, in an entry or in its metadata.
SOURCES, TARGETS = ("source", "original"), ("target", "simplified")
ANNOTATORS = ("annotator", "user", "rater", "worker", "prolific_pid")
SYSTEMS = ("system", "model", "model_name")
CONTEXTS = {
    "context": "Context",
    "source_context_before": "Before the source",
    "source_context_after": "After the source",
    "target_context_before": "Before the text",
    "target_context_after": "After the text",
}
NO_FACTS = {*SOURCES, *TARGETS, *ANNOTATORS, *SYSTEMS, *CONTEXTS, "id", "edits", "metadata", "bookmark", COMMENT}

Passage = tuple[int, int]


class NotThresh(GoldmarkError):
    code = "EXCHANGE-95"
    message = "{reason}"


@dataclass(frozen=True)
class _Entry:
    """What was shown, and one person's edits of it; None if nobody looked at it."""

    where: str
    id: str
    annotator: str
    system: str
    source: str
    target: str
    context: tuple[ContextText, ...]
    facts: Mapping[str, Any]
    edits: Sequence[Mapping[str, Any]] | None
    comment: str

    @property
    def content(self) -> tuple[object, ...]:
        return self.source, self.target, self.context, self.system


def read(files: Files) -> CampaignRecord:
    return project(files).record()


def project(files: Files) -> Project:
    problems: list[Problem] = ProblemList()
    typology = _typology(files, problems)
    entries = [entry for name, content in sorted(files.items()) for entry in _entries(name, content, problems)]
    units = _by_unit(entries)
    by_units = _count_units(entries)
    marks = {entry.where: found for entry in entries if (found := _edits(entry, by_units, problems)) is not None}
    asked = typology.asked([mark for found in marks.values() for mark in found], any(one.comment for one in entries))
    given: dict[tuple[str, str], GivenAnswers] = {}
    for name, group in units.items():
        for entry in group:
            if entry.where in marks:
                said = {**asked.answers(marks[entry.where]), **({COMMENT: entry.comment} if entry.comment else {})}
                take(given, GivenAnswers(entry.where, name, entry.annotator, said), problems)
    items = {entry.source: entry.id for entry in reversed(entries) if entry.source}
    shown = [unit for name, group in units.items() if (unit := _unit(name, group, items, asked, problems))]
    if not given and not problems:
        problems.append(Problem(next(iter(files), "the import"), "it holds no edits", "give .json files of thresh"))
    if problems:
        raise ProblemsFound(problems, "nothing was imported")
    return Project(tuple(shown), tuple(given.values()), asked.protocol)


def _typology(files: Files, problems: list[Problem]) -> Typology:
    templates = [name for name in sorted(files) if name.lower().endswith((".yml", ".yaml"))]
    if len(templates) > 1:
        problems.append(Problem(templates[1], f"there is another template, {templates[0]}", "give one of them"))
    for name in templates[:1]:
        try:
            return Typology.of(read_yaml(decode(files[name], name, problems) or "", name))
        except YamlNotReadable as error:
            problems.extend(error.problems)
        except OTHER_SHAPE as error:
            problems.append(unreadable(name, error))
    return Typology()


def _entries(name: str, content: bytes, problems: list[Problem]) -> Iterator[_Entry]:
    if not name.lower().endswith((".json", ".jsonl")):
        return
    for number, (where, row) in enumerate(json_objects(name, content, problems), start=1):
        try:
            for place, one, person in _submitted(where, row):
                yield _entry(place, one, str(number), person or PurePosixPath(name).stem)
        except (GoldmarkError, *OTHER_SHAPE) as error:
            problems.append(unreadable(where, error))


def _submitted(where: str, row: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    """An entry, or the entries that a crowd worker handed in together, which a database holds as JSON in text."""
    if not isinstance(row.get("annotations"), str):
        yield where, row, ""
        return
    person = json.loads(row.get("prolific_metadata") or "null") or {}
    for number, one in enumerate(json.loads(row["annotations"]), start=1):
        yield f"{where}.{number}", {"id": number, **one}, str(person.get("prolific_pid") or "")


def _entry(where: str, row: Mapping[str, Any], number: str, file: str) -> _Entry:
    known = {**(row.get("metadata") or {}), **row}

    def first(keys: Sequence[str], otherwise: str = "") -> str:
        return next((str(known[key]) for key in keys if known.get(key) not in (None, "")), otherwise)

    if not any(key in row for key in TARGETS):
        raise NotThresh(reason="it has no target")
    return _Entry(
        where=where,
        id=first(("id",), number),
        annotator=first(ANNOTATORS, file),
        system=first(SYSTEMS),
        source=first(SOURCES),
        target=first(TARGETS),
        context=tuple(ContextText(title, str(row[key])) for key, title in CONTEXTS.items() if row.get(key)),
        facts={
            f"thresh_{key}": value
            for key, value in known.items()
            if key not in NO_FACTS and not key.startswith("_") and isinstance(value, str | int | float)
        },
        edits=row.get("edits"),
        comment=" ".join(first((COMMENT,)).split()),
    )


def _by_unit(entries: Sequence[_Entry]) -> dict[str, list[_Entry]]:
    """Everybody's entries of the same texts under the name of the first.

    Ids say little: in some files they number texts, in others rows. So entries belong together by what they show. If
    somebody has the same texts under several ids, the first ones of everybody belong together, then the second ones.
    """
    groups: dict[tuple[object, ...], list[_Entry]] = {}
    met: dict[tuple[object, ...], list[str]] = {}
    for entry in entries:
        ids = met.setdefault((entry.content, entry.annotator), [])
        if entry.id not in ids:
            ids.append(entry.id)
        groups.setdefault((entry.content, ids.index(entry.id)), []).append(entry)
    named: dict[str, list[_Entry]] = {}
    taken: dict[str, int] = {}
    for group in groups.values():
        wish = name = f"{group[0].id}:{group[0].system}" if group[0].system else group[0].id
        while name in named:
            taken[wish] = taken.get(wish, 1) + 1
            name = f"{wish}~{taken[wish]}"
        named[name] = group
    return named


def _unit(
    name: str, group: Sequence[_Entry], items: Mapping[str, str], asked: ThreshQuestion, problems: list[Problem]
) -> Unit | None:
    one = group[0]
    texts, context = {"text": one.target}, one.context
    if SOURCE in asked.protocol.texts:
        texts[SOURCE] = one.source or NO_SOURCE
    elif one.source:
        context = (ContextText("Source", one.source), *context)
    try:
        shown = {role: ShownText(make_text(text_id(name, role), text)) for role, text in texts.items()}
    except GoldmarkError as error:
        problems.append(Problem(one.where, str(error)))
        return None
    facts = {key: value for key, value in one.facts.items() if all(other.facts.get(key) == value for other in group)}
    system = {"system": one.system} if one.system else {}
    return Unit(name, ShownUnit(shown, context), {**system, "item": items.get(one.source, name), **facts})


def _count_units(entries: Sequence[_Entry]) -> bool:
    """Whether places count units of 16 bits: so unless more marks are whole words if they count characters."""
    better = 0
    for entry in entries:
        for text, key in ((entry.target, "output_idx"), (entry.source, "input_idx")):
            if not any(character > "\uffff" for character in text):
                continue
            for start, end in _pairs(edit.get(key) for edit in entry.edits or () if isinstance(edit, Mapping)):
                units = _counted(text, True)
                if 0 <= start < end < len(units):
                    better += is_whole_words(text, units[start], units[end]) - is_whole_words(text, start, end)
    return better >= 0


def _pairs(given: Iterable[Any]) -> Iterator[Passage]:
    """The passages of edits that are ones, of whatever shape the others are."""
    for passages in given:
        listed = passages if isinstance(passages, list) else []
        for one in [listed] if listed and isinstance(listed[0], int) else listed:
            if isinstance(one, list) and len(one) == 2 and all(isinstance(at, int) for at in one):
                yield one[0], one[1]


def _edits(entry: _Entry, by_units: bool, problems: list[Problem]) -> list[ThreshMark] | None:
    if entry.edits is None:
        return None
    found: list[ThreshMark] = []
    for number, edit in enumerate(entry.edits, start=1):
        try:
            found += _marks(f"e{number}", edit, entry, by_units)
        except (GoldmarkError, *OTHER_SHAPE) as error:
            problems.append(Problem(entry.where, f"edit {number}: {unreadable(entry.where, error).what}"))
    return found


def _marks(name: str, edit: Mapping[str, Any], entry: _Entry, by_units: bool) -> Iterator[ThreshMark]:
    """The edit's mark on each side where it has passages; the first of them has its answers."""
    if "category" not in edit:
        raise NotThresh(reason="it has no category")
    pieces = [edit, *(edit.get("constituent_edits") or [])]
    sides = {
        question: [place for one in pieces for place in _places(one.get(key), text, by_units)]
        for question, key, text in ((EDITS, "output_idx", entry.target), (SOURCE_EDITS, "input_idx", entry.source))
    }
    if not any(sides.values()):
        sides[EDITS] = [(0, len(entry.target))]
    said = {
        **{key: value for key, value in {**(edit.get("metadata") or {}), **edit}.items() if _is_said(key, value)},
        **(edit.get("annotation") or {}),
        **({"constituents": _constituents(pieces[1:])} if pieces[1:] else {}),
    }
    for question, places in sides.items():
        if places:
            yield ThreshMark(question, name, str(edit["category"]), places[0], tuple(places[1:]), said)
            said = {}


def _is_said(key: str, value: object) -> bool:
    return key not in ("id", "category") and isinstance(value, str | int | float)


def _constituents(edits: Sequence[Mapping[str, Any]]) -> str:
    """The edits that a composite one is made of, each with where it stands."""
    sides = {"input_idx": "source", "output_idx": "text"}
    return "; ".join(
        f"{one.get('category')}: "
        + ", ".join(
            f"{side} {place[0]}-{place[1]}" for key, side in sides.items() for place in one.get(key) or () if place
        )
        for one in edits
    )


def _places(passages: Any, text: str, by_units: bool) -> Iterator[Passage]:
    """The passages in characters, as the page shows them: cut at the end, and a letter where there is none."""
    given = [passages] if passages and isinstance(passages[0], int) else passages or ()
    counted = _counted(text, by_units)
    for start, end in (one for one in given if one):  # the page keeps an empty one where nothing was selected
        counts = isinstance(start, int) and isinstance(end, int)
        if not (text and counts and 0 <= start <= end and start < len(counted)):
            raise NotThresh(reason=f"{start}-{end} is not in the text, which has {len(counted) - 1} characters")
        first, last = counted[start], counted[min(end, len(counted) - 1)]
        if not text[first:last].strip():
            first = _solid(text, first)
            last = first + 1
        yield first, last


@lru_cache(maxsize=2)  # asked for with every passage of a text
def _counted(text: str, by_units: bool) -> tuple[int, ...]:
    """Where each place lies, and the end of the text."""
    return (*(utf16_places(text) if by_units else range(len(text))), len(text))


def _solid(text: str, place: int) -> int:
    """The first character from here on that is no white space, or else the last one."""
    solid = _solid_places(text)
    return solid[min(bisect_left(solid, place), len(solid) - 1)] if solid else 0


@lru_cache(maxsize=2)
def _solid_places(text: str) -> tuple[int, ...]:
    return tuple(place for place, character in enumerate(text) if not character.isspace())


THRESH = Format(
    "thresh",
    "thresh's lists of edits, with its template",
    read=read,
    answers=answers_of(project),
    keys=("target", "edits"),
)
