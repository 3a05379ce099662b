"""Answers that were made elsewhere, brought into a campaign that has its units: all of them, or none.

Everything is read and checked first, outside of any transaction; then it is written. Imported answers count like any
other. A unit that thereby has more labels than were asked for wants that many from now on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import orjson
from sqlalchemy import Connection, select

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.transfer.completeness import AnswerCheck, Findings
from goldmark.campaigns.transfer.insert_answers import AnswerImport, CheckedAnswers, insert_answers
from goldmark.errors import Problem, ProblemList, ProblemsFound
from goldmark.exchange.campaign.archive import read_files
from goldmark.exchange.format import NoFields
from goldmark.exchange.formats import FORMATS, in_words, recognising
from goldmark.exchange.responses.given import Counted, GivenAnswers, Target, unknown_unit
from goldmark.exchange.responses.renamed import SAME_NAMES, Renamed, suggested
from goldmark.exchange.responses.same import same
from goldmark.exchange.responses.values import Values
from goldmark.protocols import Protocol
from goldmark.records.annotators import LONGEST_ANNOTATOR_NAME, is_annotator_name
from goldmark.records.tidy.columns import Columns
from goldmark.records.units import ShownUnit
from goldmark.store import Store
from goldmark.store.tables import unit
from goldmark.texts.readers.tidy import read_tidy

SEEN = Columns("TEXT_ID", "ANNOTATOR")
OTHER_NAMES = {"TEXT_ID": "unit", "ANNOTATOR": "annotator"}


class ImportedAnswers(NamedTuple):
    """What became of a file."""

    campaign: str
    file: str
    format: str
    answers: int  # that were new
    replaced: int
    already_there: int
    incomplete: int  # that the protocol would have refused, and were kept
    widened: int  # marks that cover whole tokens now, of which they covered a part
    units: int
    annotators: int
    new_annotators: tuple[str, ...]


def import_answers(
    store: Store,
    content: ContentCache,
    name: str,
    path: Path,
    *,
    format_name: str = "tidy",
    question: str | None = None,
    seen: Path | None = None,
    leave_out: Sequence[str] = (),
    counted: Counted | None = None,
    text: str | None = None,
    names: Renamed = SAME_NAMES,
    kind: str = "",
    keep_incomplete: bool = False,
    replace_others: bool = False,
    author: str,
    reason: str = "",
) -> ImportedAnswers:
    """Bring in the answers of a file, or say everything that is wrong with it and bring in nothing.

    `seen` is a table of who saw which unit: those who marked nothing in it have an empty list. An answer that is there
    already is left alone if it is the same. If it differs, the file is refused, or the answer appended as a revision
    where `replace_others` says so. `names` says what is called otherwise in the file, `text` which of its fields holds
    the text; where names differ and it is not said, what they probably mean is told. `kind` says what annotators are of
    whom the file does not say it.
    """
    reader = FORMATS.find(format_name)
    if text is not None and not reader.fields:
        raise NoFields(text=text)
    campaign = _Campaign(store, content, name)
    target = Target(campaign.protocol, campaign.units, question, frozenset(leave_out), counted, text, names)
    problems: list[Problem] = ProblemList()
    files = read_files(path)
    try:
        with in_words(format_name):
            given = reader.read_answers(files, target, problems)
    except ProblemsFound as error:  # of a reader of whole campaigns
        given, problems = [], list(error.problems)
    if seen is not None:
        given += _saw_and_marked_nothing(seen, given, target, problems)
    given = [replace(one, answers=names.answers(one.answers)) for one in given]
    if not given and not problems:
        problems.append(Problem(path.name, "it holds no answer", f"is it in the format {format_name}?"))
    with nullcontext() if given else recognising(format_name, lambda: files):
        values = Values(campaign.protocol, leave_out)
        checked, incomplete = _check(given, campaign, values, problems, keep_incomplete, kind)
    facts = {"file": path.name, "format": format_name, "incomplete": incomplete}

    done = insert_answers(store, name, AnswerImport(checked, replace_others, author, reason, facts))
    return ImportedAnswers(
        campaign=name,
        file=path.name,
        format=format_name,
        answers=done.answers,
        replaced=done.replaced,
        already_there=done.already_there + len(given) - len(checked),
        incomplete=incomplete,
        widened=sum(one.widened for one in given),
        units=len({one.unit_id for one in checked}),
        annotators=len({one.annotator for one in checked}),
        new_annotators=done.new_annotators,
    )


class _Campaign:
    """What answers are checked against. Units are read from the database at once, and made when they are asked for."""

    def __init__(self, store: Store, content: ContentCache, name: str) -> None:
        self.row, found = store.snapshot(lambda connection: _units(connection, name))
        self.protocol: Protocol = content.protocol(self.row.protocol_id)
        self.ids = {one: number for one, (number, _) in found.items()}
        self.units: Mapping[str, ShownUnit] = _Units({one: shown for one, (_, shown) in found.items()})

    @cached_property
    def check(self) -> AnswerCheck:
        return AnswerCheck(self.protocol)


def _units(connection: Connection, name: str) -> tuple[CampaignRow, dict[str, tuple[int, str]]]:
    row = find_campaign(connection, name)
    rows = connection.execute(
        select(unit.c.id, unit.c.name, unit.c.shown).where(unit.c.campaign_id == row.id).order_by(unit.c.position)
    )
    return row, {found.name: (found.id, found.shown) for found in rows}


class _Units(Mapping[str, ShownUnit]):
    """Units by name, made from their stored form one by one: a file is mostly about some of them."""

    def __init__(self, stored: Mapping[str, str]) -> None:
        self._stored = stored
        self._made: dict[str, ShownUnit] = {}

    def __getitem__(self, name: str) -> ShownUnit:
        if name not in self._made:
            self._made[name] = ShownUnit.from_json(orjson.loads(self._stored[name]), id=name)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._stored

    def __iter__(self) -> Iterator[str]:
        return iter(self._stored)

    def __len__(self) -> int:
        return len(self._stored)


def _saw_and_marked_nothing(
    path: Path, given: Sequence[GivenAnswers], target: Target, problems: list[Problem]
) -> list[GivenAnswers]:
    """An empty list for everybody who saw a unit and has no answer to it in the file."""
    question = target.spans_question()
    answered = {(target.unit_named(one.unit), one.annotator) for one in given}
    frame = read_tidy(path)
    table = SEEN.check(frame, names=None if "TEXT_ID" in frame.cells else OTHER_NAMES)
    found: dict[tuple[str, str], GivenAnswers] = {}
    for row, pair in enumerate(zip(table.texts("TEXT_ID"), table.texts("ANNOTATOR"), strict=True)):
        where, (name, annotator) = table.frame.where(row), map(str.strip, pair)
        known = target.unit_named(name)
        if known is None:
            problems.append(unknown_unit(where, name, target.units))
        elif (known, annotator) not in answered:
            found[known, annotator] = GivenAnswers(where, known, annotator, {question.id: []})
    return list(found.values())


def _check(
    given: Sequence[GivenAnswers],
    campaign: _Campaign,
    values: Values,
    problems: list[Problem],
    keep_incomplete: bool,
    kind: str,
) -> tuple[list[CheckedAnswers], int]:
    """The answers as they will be stored, each once, and how many of them the protocol would refuse."""
    findings = Findings.none()
    findings.add(*problems)
    checked: dict[tuple[int, str], CheckedAnswers] = {}
    incomplete: set[tuple[int, str]] = set()
    for one in given:
        if one.unit not in campaign.ids:
            findings.add(unknown_unit(one.where, one.unit, campaign.units))
            continue
        if not is_annotator_name(one.annotator):
            what = f"annotator {one.annotator[:80]!r} is no usable name"
            remedy = f"a name has 1 to {LONGEST_ANNOTATOR_NAME} characters and no line breaks"
            findings.add(Problem(one.where, what, remedy))
            continue
        answers = values.read(one.answers)
        found = campaign.check.check(answers, campaign.units[one.unit])
        findings.add_all(found, one.where, one.marks)
        key = (campaign.ids[one.unit], one.annotator)
        if found.problems:
            incomplete.add(key)
        kept = CheckedAnswers(one.where, one.unit, *key, answers, one.seconds, one.time, one.kind or kind)
        before = checked.setdefault(key, kept)
        if not same(before.answers, answers):
            what = f"{one.annotator} gives another answer to {one.unit} at {before.where}"
            findings.add(Problem(one.where, what, "keep one of the two"))
    findings.refuse(
        keep_incomplete=keep_incomplete,
        names=lambda: suggested((one.answers for one in given), campaign.protocol),
    )
    return list(checked.values()), len(incomplete)
