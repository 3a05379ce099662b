"""What one can choose from when looking at a campaign's results."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.transfer.observe import StoreSource
from goldmark.observations.rows import columns_of
from goldmark.records.annotators import PERSON
from goldmark.results.inputs.gold import gold_texts
from goldmark.store import Store

ALWAYS = ("system", "condition", "annotator")
MOST_VALUES = 60  # a hidden fact with more values than this tells units apart rather than groups


class FilterOptions(NamedTuple):
    """Names in the order of the alphabet; `by` is what can be compared, with what tells nothing apart left out."""

    by: tuple[str, ...]
    systems: tuple[str, ...]
    conditions: tuple[str, ...]
    annotators: tuple[str, ...]
    models: bool  # whether any annotator is a model or a checker
    gold: int  # texts with a finished gold list, whose errors can be counted instead of everybody's marks


def choices_of(store: Store, name: str) -> FilterOptions:
    """The systems, conditions, people and short hidden facts of a campaign."""
    return store.snapshot(lambda connection: _look(connection, name))


def _look(connection: Connection, name: str) -> FilterOptions:
    row = find_campaign(connection, name)
    source = StoreSource(connection, row)
    roles = source.protocol.texts
    systems, conditions = set[str](), set[str]()
    facts: dict[str, set[str]] = defaultdict(set)
    named = {column.removeprefix("unit_"): column for column in columns_of(source).facts}
    for unit in source.facts():
        systems |= {str(unit[key]) for key in ("system", *(f"system_{role}" for role in roles)) if unit.get(key)}
        if unit.get("condition"):
            conditions.add(str(unit["condition"]))
        for key in named.keys() & unit.keys():
            if len(facts[key]) <= MOST_VALUES:
                facts[key].add(str(unit[key]))
    people = list(source.people())
    conditions |= {person.condition for person in people if person.condition}
    short = [
        column
        for key, column in named.items()
        if 1 < len(facts[key]) <= MOST_VALUES and key not in {f"system_{role}" for role in roles}
    ]
    return FilterOptions(
        (*(by for by in ALWAYS if by != "condition" or conditions), *short),
        tuple(sorted(systems)),
        tuple(sorted(conditions)),
        tuple(sorted(person.name for person in people)),
        any(person.kind != PERSON for person in people),
        gold_texts(connection, row),
    )
