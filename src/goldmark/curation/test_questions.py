"""Test questions for a campaign that exists: of its own gold outputs, of rows, of texts that were curated elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from sqlalchemy import Connection, select

from goldmark.campaigns.definition.settings import TestQuestions
from goldmark.campaigns.definition.units.unit_intake import checked_tests, checked_units
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign, look_into
from goldmark.campaigns.more_units import add_units
from goldmark.campaigns.settings_change import change_settings
from goldmark.campaigns.test_questions import test_units
from goldmark.campaigns.test_questions.expected_answers import all_of, first_spans
from goldmark.campaigns.test_questions.gold_pairs import digest_of
from goldmark.campaigns.transfer.export import units_of
from goldmark.curation.gold_lists.versions import lists_by_unit
from goldmark.curation.question import spans_question
from goldmark.errors import Conflict, GoldmarkError
from goldmark.protocols import Protocol, parse
from goldmark.records.gold import GoldText
from goldmark.records.spooled.records import Spooled
from goldmark.records.spooled.units import SpooledUnits, hidden_facts
from goldmark.records.units import Sign, Unit
from goldmark.store import Store
from goldmark.store.tables import protocol as protocol_table


class NothingCurated(Conflict):
    code = "TEST-04"
    message = "in campaign {source!r} no text has a finished gold list that {campaign!r} does not show already"


class NothingToAdd(GoldmarkError):
    code = "TEST-05"
    message = "nothing says of what test questions are to be made: name a column, give rows, or a curated campaign"


@dataclass(frozen=True)
class QuestionRequest:
    """What test questions are to be made of."""

    gold: str | None = None  # a hidden fact of the campaign's units that holds a gold output
    rows: Sequence[Unit] = ()  # gold outputs by item, or ready test questions
    curated: str | None = None  # a campaign with gold lists; each curated text is a test question
    expected: Mapping[Sign, Mapping[str, Any]] = field(default_factory=dict)


def add_test_questions(store: Store, name: str, wanted: QuestionRequest, rates: TestQuestions, *, author: str) -> int:
    """Make test questions and mix them in at these rates from now on; returns how many were made."""
    protocol, units = look_into(
        store, name, lambda connection, row: (_protocol(connection, row), units_of(connection, row))
    )
    golds: list[test_units.GoldOutput] = []
    if wanted.gold is not None:
        golds = test_units.gold_in_column(units, wanted.gold, protocol, tokeniser="rules", sentences="rules")
    checked_units(protocol, wanted.rows, name)
    made: Iterable[Unit] = test_units.made_of_rows(wanted.rows, golds, units, rates)
    if wanted.curated is not None:
        made = chain(made, _curated(store, wanted.curated, name, units, protocol))
    ready = checked_tests(protocol, made, name, wanted.expected)
    if not ready:
        raise NothingToAdd
    test_units.check_rates(rates, (hidden for _, hidden in chain(hidden_facts(units), hidden_facts(ready))), name)
    added = add_units(store, name, ready, author=author)
    set_rates(store, name, rates, author=author, reason=f"{added} test questions were added")
    return added


def set_rates(store: Store, name: str, rates: TestQuestions, *, author: str, reason: str) -> None:
    """How often test questions come from now on."""
    row = store.read(lambda connection: find_campaign(connection, name))
    if row.settings.test_questions != rates:
        settings = row.settings.model_copy(update={"test_questions": rates})
        change_settings(store, name, settings, title=row.title, author=author, reason=reason)


def _curated(store: Store, source: str, name: str, shown: SpooledUnits, protocol: Protocol) -> Iterator[Unit]:
    """Every curated text that the campaign does not show itself, with its gold list as what is to be found."""
    lists, units = look_into(store, source, _gold)
    question = first_spans(protocol)
    role = question.of or protocol.texts[0]
    known = {digest_of(one.text.characters) for unit in shown for one in unit.shown.texts.values()}
    made = False
    for unit in units:
        text = unit.shown.texts[role].text if role in unit.shown.texts else None
        gold = lists.named(unit.id) if text else None
        if text is None or gold is None or gold.text_id != text.id or digest_of(text.characters) in known:
            continue
        spans = [one.span for one in gold.mistakes]
        sign: Sign = "negative" if spans else "positive"
        facts = {
            "test": sign,
            "expected": {question.id: all_of(spans, question, text)},
            "source": {"campaign": source, "unit": unit.id, "version": gold.version},
        }
        made = True
        yield replace(unit, id=f"{unit.id}/{sign}", hidden=facts)
    if not made:
        raise NothingCurated(source=source, campaign=name)


def _gold(connection: Connection, row: CampaignRow) -> tuple[Spooled[GoldText], SpooledUnits]:
    """The finished lists of a campaign by unit, and its units."""
    asked = spans_question(_protocol(connection, row), row)
    return Spooled(lists_by_unit(connection, row, asked.id)), units_of(connection, row)


def _protocol(connection: Connection, row: CampaignRow) -> Protocol:
    source = connection.execute(select(protocol_table.c.source).where(protocol_table.c.id == row.protocol_id))
    return parse(source.scalar_one(), file=row.protocol)
