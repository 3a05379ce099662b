"""Who marked what in which text, from a mistake list, an exported folder or a table of spans; for agreement on spans.

Whoever read a text and marked nothing belongs to its annotators too. A table of spans says so in a row without a span,
a mistake list in a table `seen.csv` beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from goldmark.errors import GoldmarkError, Missing, Problem, ProblemsFound
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark.records.tidy.columns import CheckedColumns, Column, Columns, Frame, MissingColumn
from goldmark.records.tidy.kept import Keep, NothingKept, OmittedRows, SeveralValues, check_kept
from goldmark.stats.agreement_measures.mark_columns import Mark, SeenText
from goldmark.stats.agreement_measures.span_matching import from_left, overlap_themselves
from goldmark.texts.readers.coded_columns import JSON
from goldmark.texts.readers.gsml import CATEGORIES, read_mistakes, read_spaced_texts
from goldmark.texts.readers.seen import beside, read_seen
from goldmark.texts.readers.tidy import read_text, read_tidy

LISTS, FOLDER = ("gsml.csv", "spans.csv", "spans.parquet"), "texts"  # what exports call them
NO_ROLE = "none"  # how an empty role is called
WHERE_MARKED = (
    "An annotator is taken to have seen the texts in which he or she marked something. "
    "If some saw texts and found nothing, name who saw what with --seen."
)
MARKS = Columns(
    Column("unit", about="which text"),
    Column("annotator", about="who read it"),
    Column(
        "start", "whole", about="the first token of the span, from 0; empty if nothing was marked", empty=True, low=0
    ),
    Column("end", "whole", about="the token after its last", empty=True, low=1),
    Column("role", about="what the span is in its mark, where some are linked passages", optional=True, empty=True),
    Column("label", about="its category", optional=True, empty=True),
    Column("tokens", "whole", about="how many tokens the text has", low=0),
)


class NothingMarkedHere(Missing):
    code = "SPANS-01"
    message = "{path} holds neither gsml.csv nor spans.csv; give a folder that was exported, or the file itself"


class TextsMissing(GoldmarkError):
    code = "SPANS-02"
    message = "{path} is a mistake list, whose token ids count in texts; name their folder with --texts FOLDER"


class NoRowsToKeep(GoldmarkError):
    code = "SPANS-03"
    message = "{path} is a mistake list of one question, so --keep has nothing to choose from; leave it out"


class MarkedTexts(NamedTuple):
    texts: list[SeenText]
    data: str  # the name of the file
    seen: str  # how it is known who saw which text
    notes: tuple[str, ...] = ()
    left_out: tuple[OmittedRows, ...] = ()

    @property
    def spans(self) -> int:
        return sum(len(marks) for text in self.texts for marks in text.marks.values())

    @property
    def overlap(self) -> bool:
        """Whether somebody marked a token twice."""
        everyone = (marks for text in self.texts for marks in text.marks.values())
        return any(overlap_themselves(from_left([span for span, _ in marks])) for marks in everyone)


def read_marked(
    data: Path | Frame,
    *,
    texts: Path | None = None,
    seen: Path | None = None,
    categories: Sequence[str] | None = None,
    keep: Keep | None = None,
) -> MarkedTexts:
    """Everybody's marks: of a mistake list with its texts, of a folder with both, or of a table of spans.

    `categories` are those that may occur. None allows any in an export, and the shared task's six in a list that stands
    by itself.
    """
    if isinstance(data, Frame):
        return _of_table(data, keep or {}, categories)
    path, folder = data, data.is_dir()
    if folder:
        path = next((path / name for name in LISTS if (path / name).is_file()), path)
        if path.is_dir():
            raise NothingMarkedHere(path=path)
    if is_table(path):
        return _of_table(read_tidy(path), keep or {}, categories)
    if keep:
        raise NoRowsToKeep(path=path)
    if texts is None and not (path.parent / FOLDER).is_dir():
        raise TextsMissing(path=path)
    known = read_spaced_texts(texts or path.parent / FOLDER)
    allowed = categories or (None if folder else CATEGORIES)
    return _of_list(path, known, seen, allowed)


def is_table(path: Path) -> bool:
    """Whether a file is a tidy table of spans, and not a mistake list in the shared task's columns."""
    if path.suffix.lower() in {*JSON, ".parquet"}:
        return True
    header = read_text(path).partition("\n")[0]
    return "TEXT_ID" not in re.split(r'[",;\s]+', header)


def _of_list(path: Path, known: Mapping[str, Text], seen: Path | None, categories: Sequence[str] | None) -> MarkedTexts:
    listed = read_mistakes(path, known, categories=categories, overlap=True, annotators=True)
    named = seen or beside(path)
    saw = read_seen(named, known) if named else tuple((one.text_id, str(one.annotator)) for one in listed)
    if named:
        _refuse_unseen(listed, saw, path, named)
    lengths = {text_id: len(text.tokens) for text_id, text in known.items()}
    marks = ((one.text_id, str(one.annotator), (one.span, one.label)) for one in listed)
    notes = (WHERE_MARKED,) if named is None else (f"Who saw which text is in {named}.",) if seen is None else ()
    return MarkedTexts(_seen_texts(lengths, saw, marks), path.name, named.name if named else "where-marked", notes)


def _refuse_unseen(listed: Iterable[Mistake], saw: Iterable[tuple[str, str]], path: Path, named: Path) -> None:
    known = set(saw)
    found = dict.fromkeys((one.text_id, str(one.annotator)) for one in listed)
    problems = [
        Problem(
            path.name,
            f"{who} marked something in text {text}, but {named.name} does not say that {who} saw it",
            f"add the row {text},{who} to {named.name}",
        )
        for text, who in found
        if (text, who) not in known
    ]
    if problems:
        raise ProblemsFound(problems, consequence="nothing was computed")


def _of_table(frame: Frame, keep: Keep, categories: Sequence[str] | None) -> MarkedTexts:
    if frame.is_export and "tokens" not in frame.cells:
        remedy = (
            "; export the campaign with --format tidy, whose spans.csv says how long texts are and who marked nothing"
        )
        present = ", ".join(frame.cells)
        raise MissingColumn(needed="'tokens'", source=frame.source, present=present, remedy=remedy)
    # Whoever has a row saw the text, in whatever role its marks are.
    rest = {column: wanted for column, wanted in keep.items() if column != "role"}
    checked, left_out = check_kept(MARKS, frame, rest)
    roles = _roles(checked, keep.get("role"))
    lengths, marks = _marks(checked, roles, categories)
    other = sum(_is_span(checked, row) and role not in roles for row, role in enumerate(_role_cells(checked)))
    if other:
        left_out = (*left_out, OmittedRows(other, f"role is not {' or '.join(map(_named, roles))}"))
    saw = list(zip(checked.texts("unit"), checked.texts("annotator"), strict=True))
    return MarkedTexts(_seen_texts(lengths, saw, marks), frame.source, "in-table", (), left_out)


def _role_cells(checked: CheckedColumns) -> list[str]:
    return checked.texts("role") if "role" in checked else [""] * len(checked)


def _is_span(checked: CheckedColumns, row: int) -> bool:
    return checked.values["start"][row] is not None or checked.values["end"][row] is not None


def _named(role: str) -> str:
    return role or NO_ROLE


def _roles(checked: CheckedColumns, wanted: Sequence[str] | None) -> list[str]:
    """The roles whose spans are compared: those wanted, or the only one there is."""
    found = list(dict.fromkeys(role for row, role in enumerate(_role_cells(checked)) if _is_span(checked, row)))
    told = ", ".join(map(_named, found))
    source = checked.frame.source
    if wanted is None:
        if len(found) > 1:
            raise SeveralValues(source=source, column="role", present=told, first=_named(found[0]), otherwise="")
        return found
    chosen = [role for role in found if _named(role) in wanted]
    if not chosen:
        raise NothingKept(column="role", wanted=",".join(wanted), source=source, present=told or "empty everywhere")
    return chosen


def _marks(
    checked: CheckedColumns, roles: Sequence[str], categories: Sequence[str] | None
) -> tuple[dict[str, int], list[tuple[str, str, Mark]]]:
    """Lengths of texts and everybody's spans in these roles, or every row that cannot be."""
    lengths: dict[str, int] = {}
    marks: list[tuple[str, str, Mark]] = []
    problems: list[Problem] = []
    labels = checked.texts("label") if "label" in checked else [""] * len(checked)
    columns = (checked.numbers(name) for name in ("start", "end", "tokens"))
    rows = zip(checked.texts("unit"), checked.texts("annotator"), _role_cells(checked), labels, *columns, strict=True)
    elsewhere: dict[str, int] = {}  # lengths that rows of other roles give, which may be of other texts
    for row, (unit, annotator, role, label, start, end, tokens) in enumerate(rows):
        if role not in (roles if _is_span(checked, row) else (*roles, "")):
            elsewhere.setdefault(unit, int(tokens or 0))
            continue
        length = lengths.setdefault(unit, int(tokens or 0))
        what, remedy = _wrong(unit, length, tokens, start, end, label, categories)
        if what:
            problems.append(Problem(checked.frame.where(row), what, remedy))
        elif start is not None and end is not None:
            marks.append((unit, annotator, (Span(int(start), int(end)), label)))
    if problems:
        raise ProblemsFound(problems, consequence="nothing was computed")
    return {**elsewhere, **lengths}, marks


def _wrong(
    unit: str,
    length: int,
    tokens: float | None,
    start: float | None,
    end: float | None,
    label: str,
    categories: Sequence[str] | None,
) -> tuple[str, str]:
    """What is wrong with a row and what to do, or two empty strings."""
    if length != tokens:
        return f"text {unit!r} has {tokens:g} tokens here and {length} above", "give one length for each text"
    if start is None and end is None:
        return (f"the label {label!r} has no start and no end", "fill them") if label else ("", "")
    if start is None or end is None or not start < end <= length:
        told = " to ".join("nothing" if place is None else f"{place:g}" for place in (start, end))
        remedy = "positions count from 0, and the end is the token after the last"
        return f"{told} is no span of text {unit!r} of {length} tokens", remedy
    if categories is not None and label not in categories:
        return f"category {label!r} is not known", f"known are {', '.join(categories)}"
    return "", ""


def _seen_texts(
    lengths: Mapping[str, int], saw: Iterable[tuple[str, str]], marks: Iterable[tuple[str, str, Mark]]
) -> list[SeenText]:
    everyone: dict[str, dict[str, list[Mark]]] = {}
    for text, annotator in sorted(set(saw)):
        everyone.setdefault(text, {})[annotator] = []
    for text, annotator, mark in marks:
        everyone[text][annotator].append(mark)
    return [SeenText(text, lengths[text], people) for text, people in everyone.items()]
