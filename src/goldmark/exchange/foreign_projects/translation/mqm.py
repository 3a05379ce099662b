"""MQM ratings as the Conference on Machine Translation publishes them: TSV with one row for each error.

Every row repeats source and target of its segment, with the error between <v> and </v>: in the target, or in the source
where something was left out. A rater who found nothing has one row with the category "No-error". Cells hold quotes as
they are and HTML entities for what a browser showed. Marks stay on the characters on which they were made.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from goldmark.errors import GoldmarkError, Problem, ProblemList, ProblemsFound
from goldmark.exchange.campaign.archive import Files
from goldmark.exchange.foreign_projects.project import Project, answers_of
from goldmark.exchange.format import Format
from goldmark.exchange.responses.given import GivenAnswers
from goldmark.exchange.responses.values import Values
from goldmark.protocols import load
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.units import ContextText, ShownText, ShownUnit, Unit
from goldmark.texts.readers.formats import decode
from goldmark.texts.segmentation.text import make_text

PROTOCOL = "mqm"
QUESTION = "errors"
NOTHING = "no-error"
# Our word for a column, and how files have called it.
COLUMNS = {
    "system": ("system",),
    "doc": ("doc", "document"),
    "segment": ("seg_id", "globalsegid", "global_seg_id", "doc_id", "docsegid", "doc_seg_id"),
    "rater": ("rater", "annotator"),
    "source": ("source",),
    "target": ("target",),
    "category": ("category",),
    "severity": ("severity",),
}
# Categories that were called otherwise in other years.
RENAMED = {
    "accuracy/source language fragment": "accuracy.untranslated",
    "style/unnatural or awkward": "style.awkward",
    "source issue": "source",
}
_TAG = re.compile(r"(</?v>)")
_ENTITY = re.compile(r"&(?:#\d+|#x[0-9a-f]+|[a-z][a-z0-9]*);", re.IGNORECASE)


class TaggedText(NamedTuple):
    """A cell without its tags, and the characters that stood between them."""

    text: str
    place: tuple[int, int] | None


class TwoMarks(GoldmarkError):
    code = "EXCHANGE-71"
    message = "{count} marks in one {column}; a row holds one error, marked once with <v> and </v>"


class EmptyCell(GoldmarkError):
    code = "EXCHANGE-72"
    message = "{column} is empty"


class OtherWords(GoldmarkError):
    code = "EXCHANGE-73"
    message = "the {column} without its mark is not that of {where}, of the same segment and system"


@dataclass
class _Found:
    """What one rater found, and where each error stands in the file."""

    where: str
    errors: list[dict[str, Any]] = field(default_factory=list)
    marks: dict[str, str] = field(default_factory=dict)


@dataclass
class _Segment:
    """What one system made of one segment, and what raters found in it."""

    where: str
    doc: str
    segment: str
    system: str
    source: str
    target: str
    raters: dict[str, _Found] = field(default_factory=dict)


def read(files: Files) -> CampaignRecord:
    return project(files).record()


def project(files: Files) -> Project:
    problems: list[Problem] = ProblemList()
    segments: dict[str, _Segment] = {}
    for name, content in files.items():
        text = decode(content.removeprefix(b"\xef\xbb\xbf"), name, problems)
        for where, row in _rows(name, text, problems) if text is not None else ():
            try:
                _take(segments, where, row)
            except GoldmarkError as error:
                problems.append(Problem(where, str(error)))
    units: list[Unit] = []
    for unit, one in segments.items():
        try:
            units.append(_unit(unit, one))
        except GoldmarkError as error:
            problems.append(Problem(one.where, str(error)))
    if not segments and not problems:
        problems.append(Problem(next(iter(files), "the import"), "it holds no rating"))
    if problems:
        raise ProblemsFound(problems, "nothing was imported")
    protocol = load(PROTOCOL)
    values = Values(protocol)
    given = tuple(
        GivenAnswers(found.where, unit, rater, values.read({QUESTION: found.errors}), marks=found.marks)
        for unit, one in segments.items()
        for rater, found in one.raters.items()
    )
    return Project(tuple(units), given, protocol)


def _rows(name: str, text: str, problems: list[Problem]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Rows by our words for their columns. A tab always separates: quotes are part of the texts."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    header = [cell.strip().lstrip("#").casefold() for cell in lines[0].split("\t")]
    places = {
        ours: next((header.index(one) for one in named if one in header), None) for ours, named in COLUMNS.items()
    }
    missing = [ours for ours, place in places.items() if place is None]
    if missing:
        found = f"the file has {', '.join(header)[:200]}" if text.strip() else "the file is empty"
        remedy = f"the first line names {', '.join(COLUMNS)}, separated by tabs"
        problems.append(Problem(f"{name}:1", f"no column {', '.join(missing)}; {found}", remedy))
        return
    places["comment"] = header.index("comment") if "comment" in header else None
    for number, line in enumerate(lines[1:], start=2):
        cells = line.split("\t")
        if len(cells) == len(header):
            yield f"{name}:{number}", {ours: cells[place] for ours, place in places.items() if place is not None}
        elif line.strip():
            problems.append(Problem(f"{name}:{number}", f"{len(cells)} cells for {len(header)} columns"))


def _take(segments: dict[str, _Segment], where: str, row: Mapping[str, str]) -> None:
    source, target = unmarked(row["source"], "source"), unmarked(row["target"], "target")
    doc, segment, system, rater = (row[key].strip() for key in ("doc", "segment", "system", "rater"))
    for key in ("doc", "segment", "system", "rater", "category", "severity"):
        if not row[key].strip():
            raise EmptyCell(column=key)
    one = segments.setdefault(
        f"{doc}:{segment}:{system}", _Segment(where, doc, segment, system, source.text, target.text)
    )
    for column, before, now in (("source", one.source, source.text), ("target", one.target, target.text)):
        if before != now:
            raise OtherWords(column=column, where=one.where)
    found = one.raters.setdefault(rater, _Found(where))
    if row["category"].strip().casefold() != NOTHING:
        error = _error(row, source, target, len(found.errors) + 1)
        found.errors.append(error)
        found.marks[error["id"]] = where


def unmarked(cell: str, column: str) -> TaggedText:
    """The cell as raters read it. A mark that is never closed runs to the end, one never opened from the start."""
    parts = _TAG.split(cell)
    tags = parts[1::2]
    pieces = [_ENTITY.sub(lambda found: html.unescape(found.group()), piece) for piece in parts[0::2]]
    text = "".join(pieces)
    if not tags:
        return TaggedText(text, None)
    if tags not in (["<v>", "</v>"], ["<v>"], ["</v>"]):
        raise TwoMarks(count=max(tags.count("<v>"), tags.count("</v>")), column=column)
    start = len(pieces[0]) if tags[0] == "<v>" else 0
    end = start + len(pieces[1]) if tags[0] == "<v>" else len(pieces[0])
    if start == end:  # nothing was marked: it is about what follows, or about the end
        start = min(start, len(text) - 1)
        end = start + 1
    return TaggedText(text, (start, end))


def _error(row: Mapping[str, str], source: TaggedText, target: TaggedText, number: int) -> dict[str, Any]:
    """An error that is marked in the source only, or nowhere, is one of the whole target."""
    start, end = target.place or (0, len(target.text))
    category = row["category"].strip().rstrip("!")
    error = {
        "id": f"e{number}",
        "start": start,
        "end": end,
        "label": RENAMED.get(category.casefold(), category),
        "severity": row["severity"].strip(),
        "comment": row.get("comment", "").strip(),
    }
    return {**error, "source": _words(source)} if source.place else error


def _words(source: TaggedText) -> str:
    """The words marked in the source, with their place where they occur more than once."""
    start, end = source.place or (0, 0)
    words = source.text[start:end]
    return words if source.text.count(words) == 1 else f"{words} (characters {start}-{end})"


def _unit(name: str, one: _Segment) -> Unit:
    shown = ShownUnit({"text": ShownText(make_text(name, one.target))}, (ContextText("Source", one.source),))
    item = f"{one.doc}:{one.segment}"
    return Unit(name, shown, {"system": one.system, "item": item, "doc": one.doc, "segment": one.segment})


MQM = Format(
    "mqm",
    "MQM ratings as TSV, errors in <v>...</v>",
    read=read,
    answers=answers_of(project),
    protocol=PROTOCOL,
    begins="system\t",
)
