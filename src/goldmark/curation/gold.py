"""Gold lists as files and as versions: read and write them with their counts, freeze them, and tell what changed."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from goldmark.errors import Problem, ProblemsFound
from goldmark.records.gold import GoldMistake, GoldText, Source
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark.scoring.matching import match
from goldmark.texts.gsml import read_mistakes, write_mistakes
from goldmark.texts.spreadsheet import csv_line, restore

COUNTS = {
    "FOUND_BY": "found_by",
    "TYPE_AGREED_BY": "label_agreed_by",
    "SPAN_AGREED_BY": "span_agreed_by",
    "ANNOTATORS": "annotators",
}
MORE = (*COUNTS, "GROUP", "NOTE", "SOURCES")  # columns after the shared task's own; readers of those skip them


def write_gold(mistakes: Iterable[GoldMistake], texts: Mapping[str, Text]) -> str:
    """A gold list as CSV: the shared task's columns, then how many agreed and what the annotators had marked."""
    head = write_mistakes([], texts)
    lines = [head.removesuffix("\n") + "," + csv_line(MORE)]
    for one in mistakes:
        row = write_mistakes([one.mistake()], texts).removeprefix(head).removesuffix("\n")
        counts = [getattr(one, name) for name in COUNTS.values()]
        lines.append(row + "," + csv_line((*counts, one.group, one.note, _written(one.sources))))
    return "".join(lines)


def read_gold(path: Path, texts: Mapping[str, Text]) -> tuple[GoldMistake, ...]:
    """A gold list with whatever counts its file has; the shared task's own list has none."""
    mistakes = read_mistakes(path, texts, categories=None)
    problems: list[Problem] = []
    gold = []
    for mistake, (line, row) in zip(mistakes, _rows(path), strict=True):
        gold.append(_read(mistake, row, f"{path.name}:{line}", problems))
    if problems:
        raise ProblemsFound(problems, consequence="nothing was read")
    return tuple(gold)


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a list that `read_mistakes` has read and found right, with the line where each begins."""
    reader = csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""))
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
    sources: tuple[Source, ...] = ()
    try:
        sources = _sources(row.get("SOURCES", ""))
    except (ValueError, TypeError, LookupError):
        problems.append(Problem(where, "SOURCES cannot be read", "leave it as Goldmark wrote it, or empty", "SOURCES"))
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
        sources,
        corrections=(mistake.correction,) if mistake.correction else (),
        comments=(mistake.comment,) if mistake.comment else (),
        note=row.get("NOTE", ""),
        id=mistake.id,
        group=row.get("GROUP", ""),
    )


def _written(sources: Sequence[Source]) -> str:
    """Token ids as everywhere in such a file: from 1, the end is the last token."""
    rows = [
        [one.annotator, one.span.start + 1, one.span.end, one.label, one.correction, one.comment, one.id]
        + (["other form"] if one.other_form else [])
        for one in sources
    ]
    return json.dumps(rows, ensure_ascii=False) if rows else ""


def _sources(cell: str) -> tuple[Source, ...]:
    rows = json.loads(cell) if cell.strip() else []
    return tuple(
        Source(str(who), Span(int(start) - 1, int(end)), str(label), str(right), str(why), str(number), bool(other))
        for who, start, end, label, right, why, number, *other in rows
    )


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
    what: tuple[str, ...] = ()  # which of span, label, correction, comment, note differ


COMPARED = ("span", "label", "correction", "comment", "note")


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
