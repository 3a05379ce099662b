"""From units and their answers to rows. One response gives a row for each thing that it says.

Rows come in blocks: most cells are the same in all rows of an answer, and are looked at once for all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median
from typing import NamedTuple

from goldmark.observations.filter import COUNTING, Filter
from goldmark.observations.schema import LONGEST_FACT, SPANS, TABLES
from goldmark.observations.source import ObservationSource, ObservedPerson, ObservedResponse, ObservedUnit
from goldmark.protocols.answers import marking, read
from goldmark.protocols.language import Protocol
from goldmark.protocols.shown_order import ComparedTexts, compared_texts, shown_before
from goldmark.records.answers import Choice, Comparison, Mark, Marks, Rating, ReadAnswer, Said, Words
from goldmark.records.introduced import introduced_in, touches
from goldmark.records.spans import Span
from goldmark.records.tables import Cell
from goldmark.records.units import TextSurface, sign_of

Row = tuple[Cell, ...]  # the cells of a table in the order of its columns
# Hidden facts that have a column of their own, or that only Goldmark's own workings read.
NOT_FACTS = frozenset(
    {"item", "system", "test", "expected", "weight", "condition", "introduced", "stratum", "drawer", "gold_of"}
)


@dataclass
class OmittedCounts:
    """What was left out, counted, so that every figure can say so."""

    tests: int = 0
    excluded: Counter[str] = field(default_factory=Counter)  # by annotator
    models: Counter[str] = field(default_factory=Counter)  # of models and checkers, by annotator
    unchosen: int = 0  # answers that the filter leaves out for another reason
    unread: Counter[str] = field(default_factory=Counter)  # what could not be read, by what it is

    def notes(self) -> tuple[str, ...]:
        found = []
        if self.unread:
            told = "; ".join(f"{what} ({count})" for what, count in self.unread.most_common(3))
            found.append(f"{sum(self.unread.values())} parts of answers could not be read: {told}")
        return tuple(found)


class UnitFacts(NamedTuple):
    """What every row of a unit says of it."""

    name: str
    item: str
    system: str
    systems: Mapping[str, str]  # by role, where a unit has several texts
    own_condition: str
    test: bool
    weight: float
    introduced: tuple[Span, ...]
    short: Row  # hidden facts that stand in every table
    long: Row  # those that stand in `texts` only

    def condition(self, person: ObservedPerson) -> str:
        return person.condition or self.own_condition

    def system_of(self, role: str) -> str:
        return self.systems.get(role) or self.system

    def of_answer(self, system: str, person: ObservedPerson, response: ObservedResponse) -> Row:
        """The cells of `OF_ANSWER`."""
        return (
            self.name,
            self.item,
            system,
            self.condition(person),
            person.name,
            person.kind,
            self.test,
            person.state == "excluded",
            self.weight,
            response.at.isoformat() if response.at else None,
            response.seconds,
            response.shown_in,
        )


@dataclass
class _Work:
    """What one person did, counted while rows go by."""

    responses: int = 0
    tests: int = 0
    seconds: list[float] = field(default_factory=list)
    first: datetime | None = None
    last: datetime | None = None

    def add(self, response: ObservedResponse, *, test: bool) -> None:
        self.tests += test
        self.responses += not test
        if response.seconds is not None:
            self.seconds.append(response.seconds)
        if response.at is not None:
            self.first = min(self.first or response.at, response.at)
            self.last = max(self.last or response.at, response.at)


# Columns that are the same in all rows of an answer; in `spans`, of its marks in one text.
OF_ANSWER = (
    *("unit", "item", "system", "condition", "annotator", "kind", "test", "excluded", "weight", "at", "seconds"),
    "shown_in",
)
OF_MARKS = (*OF_ANSWER, "question", "role", "tokens")
# What was said is itself the rest of a row, where its fields are called as the columns are.
SAID_IN: Mapping[str, type[Rating | Choice | Words]] = {"ratings": Rating, "choices": Choice, "words": Words}
TABLE_OF: Mapping[type[Said], str] = {said: table for table, said in SAID_IN.items()}


class Block(NamedTuple):
    """Rows of one table: the cells that they share, and those that each has of its own."""

    table: str
    shared: Row
    own: Sequence[Row]


class TableColumns(NamedTuple):
    """The columns of every table of one campaign."""

    facts: tuple[str, ...]  # short hidden facts: in every table
    long_facts: tuple[str, ...]  # long ones: in `texts` only
    attributes: tuple[str, ...]  # of marks, those that have no column yet

    def of(self, table: str) -> tuple[str, ...]:
        more = self.attributes if table == "spans" else ()
        facts = () if table == "people" else self.facts
        return (*TABLES[table].all_columns, *more, *facts, *(self.long_facts if table == "texts" else ()))

    def parted(self, table: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The columns that the rows of a block share, and the others."""
        if table in ("texts", "people"):
            return (), self.of(table)
        shared = (*(OF_MARKS if table == "spans" else OF_ANSWER), *self.facts)
        own = SAID_IN[table]._fields if table in SAID_IN else [name for name in self.of(table) if name not in shared]
        return shared, tuple(own)


def columns_of(source: ObservationSource) -> TableColumns:
    """Which columns a campaign's tables have, found before the first row is written."""
    longest: dict[str, int] = {}
    for facts in source.facts():
        for name, value in facts.items():
            if name not in NOT_FACTS and isinstance(value, str | int | float | bool):
                longest[name] = max(longest.get(name, 0), len(value) if isinstance(value, str) else 1)
    taken = {column for schema in TABLES.values() for column in schema.all_columns}
    known = {name: f"unit_{name}" if name in taken else name for name in longest}
    short = [name for name in known if longest[name] <= LONGEST_FACT]
    attributes = dict.fromkeys(
        attribute.id
        for question in marking(source.protocol)
        for attribute in question.attributes
        if attribute.id not in (question.corrected_by, question.explained_by, question.ranks)
    )
    taken |= set(known.values())
    named = dict.fromkeys(f"attribute_{name}" if name in taken else name for name in attributes)
    facts = dict.fromkeys(known[name] for name in short)
    long_facts = dict.fromkeys(column for column in known.values() if column not in facts)
    return TableColumns(tuple(facts), tuple(long_facts), tuple(named))


def blocks(
    source: ObservationSource,
    wanted: Filter = COUNTING,
    left: OmittedCounts | None = None,
    columns: TableColumns | None = None,
) -> Iterator[Block]:
    """Every row, unit by unit; people come last."""
    left = OmittedCounts() if left is None else left
    columns = columns or columns_of(source)
    people = {person.name: person for person in source.people()}
    work = {name: _Work() for name in people}
    for unit, responses in source.units():
        facts = _unit_facts(unit, columns)
        kept = 0
        for response in responses:
            person = people[response.annotator]
            if not wanted.keeps(facts, person, response):
                _count_left(left, wanted, facts, person)
                continue
            kept += 1
            work[person.name].add(response, test=facts.test)
            said = read(response.protocol, response.answers, unit.surface)
            if said.unread:
                left.unread.update(problem.what for problem in said.unread)
            yield from _of_response(unit, facts, person, response, said, columns)
        yield Block("texts", (), _texts(unit, facts, kept))
    counting = [
        person
        for person in people.values()
        if (wanted.excluded or person.state != "excluded") and wanted.counts(person)
    ]
    yield Block("people", (), [_person(person, work[person.name]) for person in counting])


def _count_left(left: OmittedCounts, wanted: Filter, facts: UnitFacts, person: ObservedPerson) -> None:
    if facts.test and not wanted.tests:
        left.tests += 1
    elif person.state == "excluded" and not wanted.excluded:
        left.excluded[person.name] += 1
    elif not wanted.counts(person):
        left.models[person.name] += 1
    else:
        left.unchosen += 1


def _unit_facts(unit: ObservedUnit, columns: TableColumns) -> UnitFacts:
    facts = unit.facts
    weight = facts.get("weight")
    return UnitFacts(
        unit.name,
        str(facts.get("item", unit.name)),
        str(facts.get("system") or ""),
        _systems(unit),
        str(facts.get("condition") or ""),
        sign_of(facts) is not None,
        float(weight) if isinstance(weight, int | float) and not isinstance(weight, bool) else 1.0,
        introduced_in(facts),
        _told(facts, columns.facts),
        _told(facts, columns.long_facts),
    )


def _told(facts: Mapping[str, object], columns: Sequence[str]) -> Row:
    return tuple(_scalar(facts.get(name, facts.get(name.removeprefix("unit_")))) for name in columns)


def _systems(unit: ObservedUnit) -> Mapping[str, str]:
    """Who wrote each of several texts: the hidden facts `system_a` and `system_b`."""
    if len(unit.texts) < 2:
        return {}
    return {role: str(unit.facts[f"system_{role}"]) for role in unit.texts if unit.facts.get(f"system_{role}")}


def _scalar(value: object) -> Cell:
    return value if isinstance(value, str | int | float | bool) else None


def _of_response(
    unit: ObservedUnit,
    facts: UnitFacts,
    person: ObservedPerson,
    response: ObservedResponse,
    said: ReadAnswer,
    columns: TableColumns,
) -> Iterator[Block]:
    shared = facts.of_answer(facts.system, person, response)
    own: dict[str, list[Row]] = {}
    for one in said.said:
        if isinstance(one, Marks):
            system, text = facts.system_of(one.role), unit.surface.texts[one.role]
            head = shared if system == facts.system else facts.of_answer(system, person, response)
            marked = _spans(text, one.marks, columns, facts.introduced)
            yield Block("spans", (*head, one.question, one.role, text.tokens, *facts.short), marked)
        elif isinstance(one, Comparison):
            own.setdefault("comparisons", []).extend(_comparisons(one, facts, response))
        else:
            own.setdefault(TABLE_OF[type(one)], []).append(one)
    for table, rows in own.items():
        yield Block(table, shared + facts.short, rows)


def _comparisons(said: Comparison, facts: UnitFacts, response: ObservedResponse) -> Iterator[Row]:
    """Every two texts that an answer tells apart.

    Where the order is drawn and none was noted, the answer was made elsewhere, and nobody knows it.
    """
    unknown = not response.first and _order_is_drawn(response.protocol)
    for first, second, preferred in said.pairs():
        roles = (first, second)
        a, b = (facts.systems.get(role) or role for role in roles)
        before = shown_before(said.between, first, second, response.first)
        shown = "" if unknown else "a" if before else "b"
        side = "tie" if preferred is None else "ab"[roles.index(preferred)]
        winner = {"a": a, "b": b}.get(side, "")
        yield said.question, a, b, shown, side, winner, *roles


_DRAWN: dict[str, bool] = {}  # by a protocol's digest: it is asked at every answer, and takes a millisecond to find


def _order_is_drawn(protocol: Protocol) -> bool:
    if protocol.digest not in _DRAWN:
        _DRAWN[protocol.digest] = isinstance(compared_texts(protocol), ComparedTexts)
    return _DRAWN[protocol.digest]


def _spans(text: TextSurface, marks: Sequence[Mark], columns: TableColumns, introduced: Sequence[Span]) -> list[Row]:
    """Of every mark the cells from `id` to `suggested`, and its attributes; where nothing was marked, of none."""
    own = [name.removeprefix("attribute_") for name in columns.attributes]
    if not marks:
        return [NO_MARK + (None,) * len(own)]
    return [
        (
            mark.id,
            mark.tokens.start,
            mark.tokens.end,
            mark.characters.start,
            mark.characters.end,
            text.characters[mark.characters.start : mark.characters.end],
            mark.label,
            mark.severity,
            mark.weight,
            mark.correction,
            mark.correction == "",
            mark.explanation,
            ";".join(f"{role}:{place.start}-{place.end}" for role, place in mark.links) if mark.links else "",
            bool(introduced) and touches(mark.tokens, introduced),
            mark.suggested,
            *[_plain(mark.attributes.get(name)) for name in own],
        )
        for mark in marks
    ]


NO_MARK = (None,) * (list(SPANS.columns).index("tokens") - list(SPANS.columns).index("id"))


def _plain(value: object) -> Cell:
    return ";".join(map(str, value)) if isinstance(value, list | tuple) else _scalar(value)


def _texts(unit: ObservedUnit, facts: UnitFacts, responses: int) -> list[Row]:
    return [
        (
            facts.name,
            facts.item,
            facts.system_of(role),
            facts.own_condition,
            *("", "", ""),  # nobody's, and no answer to a question
            facts.test,
            False,
            facts.weight,
            role,
            unit.texts[role].language,
            len(text.characters),
            text.tokens,
            unit.texts[role].sentences,
            len(facts.introduced),
            responses,
            text.characters,
            *facts.short,
            *facts.long,
        )
        for role, text in unit.surface.texts.items()
    ]


def _person(person: ObservedPerson, work: _Work) -> Row:
    return (
        *("", "", ""),  # no unit, item or system
        person.condition,
        person.name,
        person.kind,
        "",
        False,
        person.state == "excluded",
        1.0,
        person.state,
        person.joined.isoformat() if person.joined else None,
        work.responses,
        work.tests,
        float(median(work.seconds)) if work.seconds else None,
        float(sum(work.seconds)) if work.seconds else None,
        work.first.isoformat() if work.first else None,
        work.last.isoformat() if work.last else None,
    )
