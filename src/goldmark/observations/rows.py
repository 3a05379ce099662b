"""From units and their answers to rows. One response gives a row for each thing that it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median
from typing import NamedTuple

from goldmark.observations.schema import LONGEST_FACT, TABLES
from goldmark.observations.source import ObservationSource, ObservedPerson, ObservedResponse, ObservedUnit
from goldmark.protocols.answers import marking, read
from goldmark.records.answers import Choice, Comparison, Mark, Marks, Rating, ReadAnswer, Words
from goldmark.records.introduced import introduced_in, touches
from goldmark.records.tables import Cell
from goldmark.records.units import sign_of

Row = dict[str, Cell]
# Hidden facts that have a column of their own, or that only Goldmark's own workings read.
NOT_FACTS = frozenset(
    {"item", "system", "test", "expected", "weight", "condition", "introduced", "stratum", "drawer", "gold_of"}
)


class Filter(NamedTuple):
    """Which answers are observed. Test questions and excluded people are left out unless they are asked for."""

    tests: bool = False
    excluded: bool = False
    systems: frozenset[str] = frozenset()  # only these; empty: all
    conditions: frozenset[str] = frozenset()
    annotators: frozenset[str] = frozenset()
    since: datetime | None = None
    until: datetime | None = None

    @property
    def narrows(self) -> bool:
        """Whether only some of the answers that count are wanted."""
        return bool(self.systems or self.conditions or self.annotators or self.since or self.until)

    def keeps(self, unit: _UnitFacts, person: ObservedPerson, response: ObservedResponse) -> bool:
        return (
            (self.tests or not unit.test)
            and (self.excluded or person.state != "excluded")
            and (not self.systems or bool(self.systems & set(unit.systems.values())) or unit.system in self.systems)
            and (not self.conditions or unit.condition(person) in self.conditions)
            and (not self.annotators or person.name in self.annotators)
            and (self.since is None or (response.at is not None and response.at >= self.since))
            and (self.until is None or (response.at is not None and response.at < self.until))
        )


COUNTING = Filter()  # what counts


@dataclass
class OmittedCounts:
    """What was left out, counted, so that every figure can say so."""

    tests: int = 0
    excluded: Counter[str] = field(default_factory=Counter)  # by annotator
    unchosen: int = 0  # answers that the filter leaves out for another reason
    unread: Counter[str] = field(default_factory=Counter)  # what could not be read, by what it is

    def notes(self) -> tuple[str, ...]:
        found = []
        if self.unread:
            told = "; ".join(f"{what} ({count})" for what, count in self.unread.most_common(3))
            found.append(f"{sum(self.unread.values())} parts of answers could not be read: {told}")
        return tuple(found)


@dataclass(frozen=True)
class _UnitFacts:
    """What every row of a unit says of it."""

    name: str
    item: str
    system: str
    systems: Mapping[str, str]  # by role, where a unit has several texts
    own_condition: str
    test: bool
    weight: float
    more: Mapping[str, Cell]

    def condition(self, person: ObservedPerson) -> str:
        return person.condition or self.own_condition

    def system_of(self, role: str) -> str:
        return self.systems.get(role) or self.system

    def shared(self, person: ObservedPerson | None, question: str = "", role: str = "") -> Row:
        return {
            "unit": self.name,
            "item": self.item,
            "system": self.system_of(role) if role else self.system,
            "condition": self.condition(person) if person else self.own_condition,
            "annotator": person.name if person else "",
            "kind": person.kind if person else "",
            "question": question,
            "test": self.test,
            "excluded": person is not None and person.state == "excluded",
            "weight": self.weight,
        }


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


class TableColumns(NamedTuple):
    """The columns of every table of one campaign."""

    facts: tuple[str, ...]  # short hidden facts: in every table
    long_facts: tuple[str, ...]  # long ones: in `texts` only
    attributes: tuple[str, ...]  # of marks, those that have no column yet

    def of(self, table: str) -> tuple[str, ...]:
        own = TABLES[table].all_columns
        more = self.attributes if table == "spans" else ()
        facts = (*self.facts, *(self.long_facts if table == "texts" else ()))
        return tuple(dict.fromkeys((*own, *more, *(() if table == "people" else facts))))


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
    return TableColumns(
        tuple(known[name] for name in short),
        tuple(known[name] for name in known if name not in short),
        tuple(f"attribute_{name}" if name in taken | set(known.values()) else name for name in attributes),
    )


def rows(
    source: ObservationSource,
    wanted: Filter = COUNTING,
    left: OmittedCounts | None = None,
    columns: TableColumns | None = None,
) -> Iterator[tuple[str, Row]]:
    """Every row with the name of its table, unit by unit; people come last."""
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
            left.unread.update(problem.what for problem in said.unread)
            yield from _of_response(unit, facts, person, response, said, columns)
        yield from _texts(unit, facts, kept, columns)
    for person in people.values():
        if person.state == "excluded" and not wanted.excluded:
            continue
        yield "people", _person(person, work[person.name])


def _count_left(left: OmittedCounts, wanted: Filter, facts: _UnitFacts, person: ObservedPerson) -> None:
    if facts.test and not wanted.tests:
        left.tests += 1
    elif person.state == "excluded" and not wanted.excluded:
        left.excluded[person.name] += 1
    else:
        left.unchosen += 1


def _unit_facts(unit: ObservedUnit, columns: TableColumns) -> _UnitFacts:
    facts = unit.facts
    weight = facts.get("weight")
    named = (*columns.facts, *columns.long_facts)
    return _UnitFacts(
        unit.name,
        str(facts.get("item", unit.name)),
        str(facts.get("system") or ""),
        _systems(unit),
        str(facts.get("condition") or ""),
        sign_of(facts) is not None,
        float(weight) if isinstance(weight, int | float) and not isinstance(weight, bool) else 1.0,
        {name: _scalar(facts.get(name, facts.get(name.removeprefix("unit_")))) for name in named},
    )


def _systems(unit: ObservedUnit) -> Mapping[str, str]:
    """Who wrote each of several texts: the hidden facts `system_a` and `system_b`."""
    if len(unit.texts) < 2:
        return {}
    return {role: str(unit.facts[f"system_{role}"]) for role in unit.texts if unit.facts.get(f"system_{role}")}


def _scalar(value: object) -> Cell:
    return value if isinstance(value, str | int | float | bool) else None


def _of_response(
    unit: ObservedUnit,
    facts: _UnitFacts,
    person: ObservedPerson,
    response: ObservedResponse,
    said: ReadAnswer,
    columns: TableColumns,
) -> Iterator[tuple[str, Row]]:
    when: Row = {"at": response.at.isoformat() if response.at else None, "seconds": response.seconds}
    more: Row = {name: facts.more[name] for name in columns.facts}
    for one in said.said:
        match one:
            case Rating(question, value, label):
                yield "ratings", {**facts.shared(person, question), "label": label, "value": value, **when, **more}
            case Choice(question, label, chosen):
                yield "choices", {**facts.shared(person, question), "label": label, "chosen": chosen, **when, **more}
            case Comparison():
                row = {**facts.shared(person, one.question), **_comparison(one, facts, response), **when, **more}
                yield "comparisons", row
            case Words(question, words):
                yield "words", {**facts.shared(person, question), "words": words, **when, **more}
            case Marks(question, role, marks):
                shared = {**facts.shared(person, question, role), **when, **more}
                for row in _spans(unit, role, marks, columns, shared):
                    yield "spans", row


def _comparison(said: Comparison, facts: _UnitFacts, response: ObservedResponse) -> Row:
    systems = [facts.systems.get(role) or role for role in said.between]
    shown = "ab"[said.between.index(response.first)] if response.first in said.between else "a"
    preferred = "tie" if said.preferred is None else "ab"[said.between.index(said.preferred)]
    winner = "" if said.preferred is None else systems[said.between.index(said.preferred)]
    return {"a": systems[0], "b": systems[1], "first": shown, "preferred": preferred, "winner": winner}


def _spans(
    unit: ObservedUnit, role: str, marks: Sequence[Mark], columns: TableColumns, shared: Mapping[str, Cell]
) -> Iterator[Row]:
    text = unit.surface.texts[role]
    introduced = introduced_in(unit.facts)
    own = [(name, name.removeprefix("attribute_")) for name in columns.attributes]
    same: Row = {**dict.fromkeys(TABLES["spans"].columns), **shared, "role": role, "tokens": text.tokens}
    if not marks:
        yield same
    for mark in marks:
        yield {
            **same,
            "id": mark.id,
            "start": mark.tokens.start,
            "end": mark.tokens.end,
            "start_character": mark.characters.start,
            "end_character": mark.characters.end,
            "marked": text.characters[mark.characters.start : mark.characters.end],
            "label": mark.label,
            "severity": mark.severity,
            "error_weight": mark.weight,
            "correction": mark.correction,
            "deletes": mark.correction == "",
            "explanation": mark.explanation,
            "links": ";".join(f"{role}:{place.start}-{place.end}" for role, place in mark.links) if mark.links else "",
            "introduced": bool(introduced) and touches(mark.tokens, introduced),
            "suggested": mark.suggested,
            **{column: _plain(mark.attributes.get(name)) for column, name in own},
        }


def _plain(value: object) -> Cell:
    return ";".join(map(str, value)) if isinstance(value, list | tuple) else _scalar(value)


def _texts(unit: ObservedUnit, facts: _UnitFacts, responses: int, columns: TableColumns) -> Iterator[tuple[str, Row]]:
    introduced = len(introduced_in(unit.facts))
    for role, text in unit.surface.texts.items():
        yield (
            "texts",
            {
                **facts.shared(None, role=role),
                "role": role,
                "language": unit.texts[role].language,
                "characters": len(text.characters),
                "tokens": text.tokens,
                "sentences": unit.texts[role].sentences,
                "introduced": introduced,
                "responses": responses,
                "text": text.characters,
                **facts.more,
            },
        )


def _person(person: ObservedPerson, work: _Work) -> Row:
    return {
        **dict.fromkeys(("unit", "item", "system"), ""),
        "condition": person.condition,
        "annotator": person.name,
        "kind": person.kind,
        "question": "",
        "test": False,
        "excluded": person.state == "excluded",
        "weight": 1.0,
        "state": person.state,
        "joined": person.joined.isoformat() if person.joined else None,
        "responses": work.responses,
        "test_questions": work.tests,
        "seconds_median": float(median(work.seconds)) if work.seconds else None,
        "seconds_total": float(sum(work.seconds)) if work.seconds else None,
        "first_at": work.first.isoformat() if work.first else None,
        "last_at": work.last.isoformat() if work.last else None,
    }
