"""What people judge: systems' outputs on the fixed subset, blind and mixed, and test questions made of references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from goldmark.campaigns.plan import rank
from goldmark.errors import Problem, ProblemsFound
from goldmark.leaderboards.file import Item, main_axis
from goldmark.leaderboards.settings import BoardSettings, Data
from goldmark.protocols import Protocol
from goldmark.records.units import Unit
from goldmark.texts.rows import Row, Rules, unit_from_row

MOST_TESTS = 200  # of each sign; nobody is asked more


class Judged(NamedTuple):
    """One system's outputs on the items that are judged, by item."""

    submission: int
    system: str
    outputs: Mapping[str, str]


def units_of_round(
    items: Sequence[Item],
    spare: Sequence[Item],
    entries: Sequence[Judged],
    protocol: Protocol,
    settings: BoardSettings,
    data: Data,
) -> list[Unit]:
    """One unit per item and system, and test questions from `spare` items, or from the same ones if there are none.

    A unit's system, item and submission are hidden facts: no annotator receives them.
    """
    units = [
        _unit(item, f"{item.name} / {entry.submission}", entry.outputs[item.name], _facts(item, entry), data)
        for entry in entries
        for item in items
        if item.name in entry.outputs
    ]
    units += _tests(spare or items, protocol, settings, data)
    return units


def _facts(item: Item, entry: Judged) -> dict[str, object]:
    return {"system": entry.system, "item": item.name, "submission": entry.submission}


def _unit(item: Item, name: str, output: str, facts: Mapping[str, object], data: Data) -> Unit:
    context = list(item.context)
    if data.shown_reference is not None and item.references:
        context.append({"kind": "text", "title": data.shown_reference, "text": item.references[0]})
    values = {"id": name, "text": output, "context": context, "language": item.language or None}
    problems: list[Problem] = []
    unit = unit_from_row(Row(name, values), Rules(data.tokeniser, data.sentences), problems)
    if unit is None:
        raise ProblemsFound(problems, consequence="no campaign was opened")
    return Unit(unit.id, unit.shown, {**item.hidden, **facts})


def _tests(items: Sequence[Item], protocol: Protocol, settings: BoardSettings, data: Data) -> Iterator[Unit]:
    """Positive: a reference in the place of an output. Negative: the reference of another item, going round.

    What is right is said of the ranking axis only: the reference of another item may well be fluent.
    """
    rates = settings.human.test_questions
    main = main_axis(protocol, settings)
    values = protocol.numbers[main].values()
    middle = (min(values) + max(values)) / 2
    ordered = sorted(items, key=lambda item: rank(rates.seed, "test question", item.name))[:MOST_TESTS]
    if rates.positive:
        for item in ordered:
            facts = {"test": "positive", "expected": {main: {"at_least": middle}}}
            yield _unit(item, f"{item.name} / test +", item.references[-1], facts, data)
    if rates.negative:
        for item, other in zip(ordered, [*ordered[1:], *ordered[:1]], strict=True):
            facts = {"test": "negative", "expected": {main: {"below": middle}}}
            yield _unit(item, f"{item.name} / test -", other.references[0], facts, data)
