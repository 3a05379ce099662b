"""What people judge: systems' outputs on the fixed subset, blind and mixed, and test questions made of references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from goldmark.campaigns.test_questions.expected_answers import rated
from goldmark.campaigns.test_questions.test_units import facts_of, lacking
from goldmark.errors import Problem, ProblemsFound
from goldmark.leaderboards.definition.file import main_axis
from goldmark.leaderboards.definition.items import DatasetInput
from goldmark.leaderboards.definition.settings import BoardSettings, Data
from goldmark.leaderboards.human.test_questions import (
    NoTestQuestions,
    pairs_of_round,
    shortages,
    turn_of,
    wanted_of_round,
)
from goldmark.protocols import Protocol
from goldmark.records.units import Unit
from goldmark.texts.readers.rows import Row, SegmentationRules, unit_from_row


class JudgedSystem(NamedTuple):
    """One system's outputs on the items that are judged, by item."""

    submission: int
    system: str
    outputs: Mapping[str, str]
    gold: bool = False  # whether it is the gold row


def units_of_round(
    items: Sequence[DatasetInput],
    spare: Sequence[DatasetInput],
    entries: Sequence[JudgedSystem],
    protocol: Protocol,
    settings: BoardSettings,
    data: Data,
    *,
    number: int = 1,
) -> list[Unit]:
    """One unit per item and system, and test questions about `spare` items, or about the same ones if there are none.

    `number` is that of the round: items to spare take turns.

    A unit's system, item and submission are hidden facts: no annotator receives them.
    """
    units = [
        _unit(item, f"{item.name} / {entry.submission}", entry.outputs[item.name], _facts(item, entry), data)
        for entry in entries
        for item in items
        if item.name in entry.outputs
    ]
    if settings.human.test_questions.positive or settings.human.test_questions.negative:
        units += _tests(items, spare, entries, protocol, settings, data, number=number, units=len(units))
    return units


def _facts(item: DatasetInput, entry: JudgedSystem) -> dict[str, object]:
    return {"system": entry.system, "item": item.name, "submission": entry.submission}


def _unit(item: DatasetInput, name: str, output: str, facts: Mapping[str, object], data: Data) -> Unit:
    context = list(item.context)
    if data.shown_reference is not None and item.references:
        context.append({"kind": "text", "title": data.shown_reference, "text": item.references[0]})
    values = {"id": name, "text": output, "context": context, "language": item.language or None}
    problems: list[Problem] = []
    unit = unit_from_row(Row(name, values), SegmentationRules(data.tokeniser, data.sentences), problems)
    if unit is None:
        raise ProblemsFound(problems, consequence="no campaign was opened")
    return Unit(unit.id, unit.shown, {**item.hidden, **facts})


def _tests(
    judged: Sequence[DatasetInput],
    spare: Sequence[DatasetInput],
    entries: Sequence[JudgedSystem],
    protocol: Protocol,
    settings: BoardSettings,
    data: Data,
    *,
    number: int,
    units: int,
) -> Iterator[Unit]:
    """Positive: a reference in the place of an output. Negative: a reference that is right for another item only.

    What is right is said of the ranking axis only: the reference of another item may well be fluent.
    """
    rates = settings.human.test_questions
    gold = any(entry.gold for entry in entries)
    outputs = {output for entry in entries for output in entry.outputs.values()}
    shown = data.shown_reference is not None
    known, free = [item.known(shown=shown) for item in judged], [item.known(shown=shown) for item in spare]
    most = max(wanted_of_round(rates, units))
    turn = turn_of(free, rates, number=number, units=units)
    pairs = pairs_of_round(known, turn, rates, gold=gold, outputs=outputs, most=most)
    if lacking(rates, (pair.sign for pair in pairs)):  # of those whose turn it is, none will do
        pairs = pairs_of_round(known, free, rates, gold=gold, outputs=outputs, most=most)
    for what, remedy in shortages(rates, pairs, spare=bool(spare), gold=gold):
        raise NoTestQuestions(what=what, remedy=remedy)
    main = main_axis(protocol, settings)
    values = protocol.numbers[main].values()
    middle = (min(values) + max(values)) / 2
    by_name = {item.name: item for item in (*judged, *spare)}
    for pair in pairs:
        facts = {**facts_of(pair), "expected": rated(main, pair.sign, middle)}
        name = f"{pair.item} / test {'+' if pair.sign == 'positive' else '-'}"
        yield _unit(by_name[pair.item], name, by_name[pair.of].right_outputs[pair.place], facts, data)
