"""Gold lists as files and as versions: read and write them with their counts, freeze them, and tell what changed."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from goldmark.curation.gold_lists.formats import GoldFormat
from goldmark.errors import Problem, ProblemList, ProblemsFound
from goldmark.records.gold import AnnotatorReport, GoldMistake, GoldText, by_name
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import EmptyOrReversedSpan, Span
from goldmark.records.texts import Text
from goldmark.stats.mistake_matching import match
from goldmark.texts.readers.gsml import read_mistakes, write_mistakes
from goldmark.texts.readers.spreadsheet import csv_line, lines_of, restore

COUNTS = {
    "FOUND_BY": "found_by",
    "TYPE_AGREED_BY": "label_agreed_by",
    "SPAN_AGREED_BY": "span_agreed_by",
    "ANNOTATORS": "annotators",
}
# Columns after the shared task's own; readers of those skip them. The last three are JSON.
MORE = (*COUNTS, "GROUP", "NOTE", "ATTRIBUTES", "LINKS", "SOURCES")


def write_gold(mistakes: Iterable[GoldMistake], texts: Mapping[str, Text], *, suffix: str = "") -> str:
    """A gold list as CSV: the shared task's columns, then how many agreed and what the annotators had marked.

    `suffix` follows the ids, as in `write_mistakes`.
    """
    head = write_mistakes([], texts)
    lines = [head.removesuffix("\n") + "," + csv_line(MORE)]
    for one in mistakes:
        row = write_mistakes([one.mistake()], texts, suffix=suffix).removeprefix(head).removesuffix("\n")
        counts = [getattr(one, name) for name in COUNTS.values()]
        more = (_attributes_written(one.attributes), _links_written(one.links), _written(one.sources))
        lines.append(row + "," + csv_line((*counts, one.group, one.note, *more)))
    return "".join(lines)


def read_gold(path: Path, texts: Mapping[str, Text]) -> tuple[GoldMistake, ...]:
    """A gold list with whatever counts its file has; the shared task's own list has none."""
    mistakes = read_mistakes(path, texts, categories=None)
    problems: list[Problem] = ProblemList()
    gold = []
    for mistake, (line, row) in zip(mistakes, _rows(path), strict=True):
        gold.append(_read(mistake, row, f"{path.name}:{line}", problems))
    if problems:
        raise ProblemsFound(problems, consequence="nothing was read")
    return tuple(gold)


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a list that `read_mistakes` has read and found right, with the line where each begins."""
    reader = csv.reader(lines_of(path.read_bytes().decode("utf-8-sig")))
    header = [name.strip() for name in next(reader)]
    line = reader.line_num + 1
    for cells in reader:
        if cells:
            yield line, dict(zip(header, map(restore, cells), strict=True))
        line = reader.line_num + 1


def _read(mistake: Mistake, row: Mapping[str, str], where: str, problems: list[Problem]) -> GoldMistake:
    counts: dict[str, int | None] = dict.fromkeys(COUNTS.values())
    for column, name in COUNTS.items():
        cell = row.get(column, "").strip()
        if cell.isascii() and cell.isdigit():
            counts[name] = int(cell)
        elif cell:
            problems.append(Problem(where, f"{column} is {cell!r}", "write a whole number or leave it empty", column))
    more: dict[str, Any] = {}
    for column, read in (("SOURCES", _sources), ("ATTRIBUTES", _attributes), ("LINKS", _links)):
        try:
            more[column] = read(row.get(column, ""))
        except (ValueError, TypeError, LookupError, AttributeError, EmptyOrReversedSpan):
            remedy = "leave it as Goldmark wrote it, or empty"
            problems.append(Problem(where, f"{column} cannot be read", remedy, column))
    return GoldMistake(
        mistake.text_id,
        mistake.span,
        mistake.label,
        mistake.correction,
        mistake.comment,
        counts["found_by"],
        counts["label_agreed_by"],
        counts["span_agreed_by"],
        counts["annotators"],
        more.get("SOURCES", ()),
        corrections=(mistake.correction,) if mistake.correction else (),
        comments=(mistake.comment,) if mistake.comment else (),
        note=row.get("NOTE", ""),
        id=mistake.id,
        group=row.get("GROUP", ""),
        attributes=more.get("ATTRIBUTES", ()),
        links=more.get("LINKS", ()),
    )


# Token ids in these cells are as everywhere in such a file: from 1, and the end is the last token.


def _written(sources: Sequence[AnnotatorReport]) -> str:
    rows = [
        [one.annotator, one.span.start + 1, one.span.end, one.label, one.correction, one.comment, one.id]
        + (["other form"] if one.other_form else [])
        + ([{"attributes": list(one.attributes), "links": _linked(one.links)}] if one.attributes or one.links else [])
        for one in sources
    ]
    return json.dumps(rows, ensure_ascii=False) if rows else ""


def _sources(cell: str) -> tuple[AnnotatorReport, ...]:
    rows = json.loads(cell) if cell.strip() else []
    return tuple(_source(*row) for row in rows)


def _source(
    who: str, start: int, end: int, label: str, right: str, why: str, number: str, *rest: Any
) -> AnnotatorReport:
    more = next((one for one in rest if isinstance(one, dict)), {})
    span = Span(int(start) - 1, int(end))
    said = (str(label), str(right), str(why), str(number))
    attributes = tuple((str(name), str(value)) for name, value in more.get("attributes", ()))
    return AnnotatorReport(str(who), span, *said, "other form" in rest, attributes, _read_links(more.get("links", ())))


def _attributes_written(pairs: Sequence[tuple[str, str]]) -> str:
    """By name; several values of one are a list."""
    plain = {name: said[0] if len(said) == 1 else said for name, said in by_name(pairs).items()}
    return json.dumps(plain, ensure_ascii=False) if plain else ""


def _attributes(cell: str) -> tuple[tuple[str, str], ...]:
    values = json.loads(cell) if cell.strip() else {}
    return tuple(
        (name, str(one))
        for name, said in sorted(values.items())
        for one in (said if isinstance(said, list) else [said])
    )


def _linked(links: Sequence[tuple[str, Span]]) -> list[list[object]]:
    return [[role, place.start + 1, place.end] for role, place in links]


def _links_written(links: Sequence[tuple[str, Span]]) -> str:
    return json.dumps(_linked(links), ensure_ascii=False) if links else ""


def _links(cell: str) -> tuple[tuple[str, Span], ...]:
    return _read_links(json.loads(cell) if cell.strip() else [])


def _read_links(rows: Iterable[Sequence[Any]]) -> tuple[tuple[str, Span], ...]:
    return tuple((str(role), Span(int(start) - 1, int(end))) for role, start, end in rows)


def freeze(
    text: GoldText, *, previous: GoldText | None = None, author: str, reason: str = "", at: datetime
) -> GoldText:
    """The next version of a text's list; what was frozen before stays as it is."""
    return replace(text, version=(previous.version if previous else 0) + 1, author=author, reason=reason, at=at)


@dataclass(frozen=True)
class Change:
    """One difference between two versions of a list."""

    kind: Literal["added", "removed", "changed"]
    text_id: str
    old: GoldMistake | None
    new: GoldMistake | None
    what: tuple[str, ...] = ()  # which of those below differ


COMPARED = ("span", "label", "correction", "comment", "note", "attributes", "links")


def diff(old: Iterable[GoldMistake], new: Iterable[GoldMistake]) -> list[Change]:
    """What was added, removed and changed, text by text from left to right.

    Mistakes on the same tokens are the same mistake; of the others, those that overlap, as `goldmark score` pairs them.
    """
    before, after = _by_text(old), _by_text(new)
    changes: list[Change] = []
    for text_id in sorted({*before, *after}):
        found = [*_differences(before.get(text_id, []), after.get(text_id, []))]
        changes += sorted(found, key=lambda change: (_place(change), change.kind))
    return changes


def _place(change: Change) -> Span:
    mistake = change.new or change.old
    if mistake is None:
        raise ValueError("a change needs an old or a new mistake")
    return mistake.span


def _differences(old: Sequence[GoldMistake], new: Sequence[GoldMistake]) -> Iterator[Change]:
    olds = {one.span: one for one in old}
    news = {one.span: one for one in new}
    pairs = [(olds[span], news[span]) for span in olds if span in news]
    rest = match(
        [one.mistake() for span, one in olds.items() if span not in news],
        [one.mistake() for span, one in news.items() if span not in olds],
    )
    pairs += [(olds[first.span], news[second.span]) for first, second in rest.found]
    for first, second in pairs:
        what = tuple(name for name in COMPARED if getattr(first, name) != getattr(second, name))
        if what:
            yield Change("changed", first.text_id, first, second, what)
    yield from (Change("removed", one.text_id, olds[one.span], None) for one in rest.missed)
    yield from (Change("added", one.text_id, None, news[one.span]) for one in rest.invented)


def _by_text(mistakes: Iterable[GoldMistake]) -> dict[str, list[GoldMistake]]:
    texts: dict[str, list[GoldMistake]] = {}
    for one in mistakes:
        texts.setdefault(one.text_id, []).append(one)
    return texts


GSML_LIST = GoldFormat(
    "gsml",
    "the shared task's columns, then how many agreed",
    lambda mistakes, texts: iter([("gold.csv", write_gold(mistakes, texts).encode())]),
    read_gold,
    ending=".csv",
)
