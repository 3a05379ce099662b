"""Suggestions for the texts of a campaign that exists, also while people work in it.

Whoever was shown a text has seen it as it was, and their answer is checked against that. So only a text that nobody has
got yet may change; the others stay as they are, and whoever asked is told which.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Connection, Text, select, type_coerce, update

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.definition.units.suggestions import (
    MOST_PROBLEMS,
    NO_LABEL,
    Marks,
    as_list,
    question_about_text,
    read_list,
    suggestion_problems,
    with_marks,
)
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign, look_into
from goldmark.errors import GoldmarkError, Kind, ProblemsFound
from goldmark.protocols import Protocol
from goldmark.records.figures import counted
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.texts import Text as UnitText
from goldmark.records.tidy.kept import listed
from goldmark.records.units import ShownUnit, Unit
from goldmark.store import Store, events
from goldmark.store.bulk import streamed
from goldmark.store.pieces import SMALL, InPieces
from goldmark.store.tables import annotator, assignment, unit
from goldmark.texts.readers.gsml import write_mistakes

HAS_SUGGESTIONS = type_coerce(unit.c.shown, Text).contains('"suggested":[{')
KEPT_TEXTS = 50  # rows of a list that are about one text stand together as a rule
GIVEN, TAKEN = "suggestions given", "suggestions taken away"  # kinds of events


class NothingTakesSuggestions(GoldmarkError):
    code = "SUGGESTIONS-02"
    kind = Kind.CONFLICT
    message = (
        "{protocol} has no question in which passages of one text are marked, so a list of suggestions has no place "
        "in {campaign}"
    )


class NoListNamed(GoldmarkError):
    code = "SUGGESTIONS-03"
    message = "name a list of suggestions, or say --take-away, and not both"


class SuggestionsTellTests(GoldmarkError):
    code = "SUGGESTIONS-04"
    kind = Kind.CONFLICT
    message = (
        "{campaign} has {tests}, and the list has suggestions for every text but those: annotators would know them by "
        "that. Let the list have suggestions for some of them, too, such as {example!r}"
    )


class SuggestionsChanged(NamedTuple):
    """What became of a list, or of a wish to have none."""

    texts: int  # that have them now, or no longer
    marks: int
    left: tuple[str, ...]  # texts that stay as they are, because somebody was shown them

    def __str__(self) -> str:
        have = counted(self.texts, "text has", "texts have")
        now = f"{have} {counted(self.marks, 'suggestion')} now" if self.marks else f"{have} no suggestions any more"
        if not self.left:
            return now if self.texts else "nothing was changed"
        stay = counted(len(self.left), "text stays as it was", "texts stay as they were")
        why = f"{stay}, because somebody was shown {'it' if len(self.left) == 1 else 'them'}: {listed(self.left, 5)}"
        return f"{now}; {why}" if self.texts else why


def give_suggestions(
    store: Store, content: ContentCache, name: str, path: Path, *, author: str, reason: str = ""
) -> SuggestionsChanged:
    """Put a mistake list on the texts that it is about, instead of any suggestions that these had.

    If any of it is wrong nothing is changed. A text that somebody was shown stays as it is.
    """

    def look(connection: Connection, row: CampaignRow) -> dict[str, Marks]:
        protocol = _asked(content, row)
        units = _StoredUnits(connection, row)
        found = read_list(path, units, protocol)
        marked = (with_marks(units.unit(text), marks) for text, marks in found.items())
        problems = suggestion_problems(protocol, marked, path.name)
        if problems:
            raise ProblemsFound(problems[:MOST_PROBLEMS], consequence="nothing was changed")
        _refuse_telling(connection, row, found)
        return found

    wanted = look_into(store, name, look)
    return _put(store, name, list(wanted.items()), GIVEN, author, reason)


def _refuse_telling(connection: Connection, row: CampaignRow, found: Mapping[str, Marks]) -> None:
    """Where every text that counts has suggestions, a text without any is a test question.

    Where a checker found nothing in some of them, such a text may be either, and its list is taken as it is.
    """
    here = select(unit.c.name, unit.c.counts).where(unit.c.campaign_id == row.id).order_by(unit.c.position)
    tests, bare = list[str](), 0
    for name, counts in connection.execute(here):
        if not counts:
            tests.append(name)
        elif not found.get(name):
            bare += 1
    if found and tests and not bare and not any(found.get(name) for name in tests):
        raise SuggestionsTellTests(campaign=row.name, tests=counted(len(tests), "test question"), example=tests[0])


def take_suggestions(store: Store, name: str, *, author: str, reason: str = "") -> SuggestionsChanged:
    """Take all suggestions off the texts that nobody was shown."""

    def look(connection: Connection, row: CampaignRow) -> list[str]:
        query = select(unit.c.name).where(unit.c.campaign_id == row.id, HAS_SUGGESTIONS).order_by(unit.c.position)
        return list(connection.execute(query).scalars())

    wanted: list[tuple[str, Marks]] = [(one, ()) for one in look_into(store, name, look)]
    return _put(store, name, wanted, TAKEN, author, reason)


def any_suggestion(connection: Connection, row: CampaignRow) -> bool:
    """Whether any unit of a campaign has suggestions."""
    query = select(unit.c.id).where(unit.c.campaign_id == row.id, HAS_SUGGESTIONS).limit(1)
    return connection.execute(query).first() is not None


def changes_of(connection: Connection, row: CampaignRow) -> list[events.Decision]:
    """When suggestions were given to texts or taken away, the newest first."""
    return events.of_kinds(connection, row.id, GIVEN, TAKEN)


def suggestion_list(connection: Connection, row: CampaignRow, protocol: Protocol) -> Iterator[str]:
    """The lines of the suggestions of a campaign as a mistake list, for the next time."""
    query = select(unit.c.name, unit.c.shown).where(unit.c.campaign_id == row.id, HAS_SUGGESTIONS)
    found = streamed(connection, query.order_by(unit.c.position))
    return as_list((Unit(one.name, _shown(one)) for one in found), protocol)


def example_list(connection: Connection, row: CampaignRow, protocol: Protocol) -> str:
    """How a list for this campaign may begin, with its first text; nothing where a list has no place."""
    question = question_about_text(protocol)
    first = select(unit.c.name, unit.c.shown).where(unit.c.campaign_id == row.id, unit.c.counts)
    found = connection.execute(first.order_by(unit.c.position).limit(1)).first()
    if question is None or found is None:
        return ""
    text = _shown(found).texts["text"].text
    labels = list(protocol.taxonomies[question.labels.tree].paths) if question.labels else [NO_LABEL]
    return write_mistakes([Mistake(found.name, Span(0, 1), labels[0], id="1")], {found.name: text})


def _asked(content: ContentCache, row: CampaignRow) -> Protocol:
    protocol = content.protocol(row.protocol_id)
    if question_about_text(protocol) is None:
        raise NothingTakesSuggestions(protocol=row.protocol, campaign=row.name)
    return protocol


def _shown(found: Any) -> ShownUnit:
    return ShownUnit.from_json(orjson.loads(found.shown), id=found.name)


class _StoredUnits(Mapping[str, UnitText]):
    """The only text of every unit of a campaign by the unit's name, read from the database when it is asked for."""

    def __init__(self, connection: Connection, row: CampaignRow) -> None:
        self._connection, self._here = connection, unit.c.campaign_id == row.id
        self.unit = lru_cache(maxsize=KEPT_TEXTS)(self._read)

    def _read(self, name: str) -> Unit:
        query = select(unit.c.name, unit.c.shown).where(self._here, unit.c.name == name)
        found = self._connection.execute(query).first()
        if found is None:
            raise KeyError(name)
        return Unit(name, _shown(found))

    def __getitem__(self, name: str) -> UnitText:
        return self.unit(name).shown.texts["text"].text

    def __iter__(self) -> Iterator[str]:
        return iter(self._connection.execute(select(unit.c.name).where(self._here).order_by(unit.c.name)).scalars())

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _put(
    store: Store, name: str, wanted: Sequence[tuple[str, Marks]], kind: str, author: str, reason: str
) -> SuggestionsChanged:
    """Many texts in pieces, so that nobody waits; if that breaks off, the same list again brings the rest."""

    def piece(connection: Connection, some: Sequence[tuple[str, Marks]]) -> SuggestionsChanged:
        return _change(connection, find_campaign(connection, name, hold=True), dict(some))

    def record(connection: Connection, found: SuggestionsChanged) -> SuggestionsChanged:
        row = find_campaign(connection, name)
        facts: dict[str, Any] = {"texts": found.texts, "suggestions": found.marks}
        if found.left:
            facts["already shown to somebody, so as they were"] = listed(found.left, 5)
        events.record(connection, row.id, author=author, kind=kind, subject=name, reason=reason, facts=facts)
        return found

    if len(wanted) <= SMALL:
        return store.write(lambda connection: record(connection, piece(connection, wanted)))
    found = _together(InPieces(store).gathered(wanted, piece))
    return store.write(lambda connection: record(connection, found))


def _together(parts: Iterable[SuggestionsChanged]) -> SuggestionsChanged:
    texts, marks, left = 0, 0, list[str]()
    for one in parts:
        texts, marks = texts + one.texts, marks + one.marks
        left += one.left
    return SuggestionsChanged(texts, marks, tuple(left))


def _change(connection: Connection, row: CampaignRow, wanted: Mapping[str, Marks]) -> SuggestionsChanged:
    if not wanted:  # to be looked for among all texts
        return SuggestionsChanged(0, 0, ())
    # Nobody gets a text while their own row or the text's is held, so what is found below stays so until this ends.
    # SQLite has one writer, which holds them all.
    if connection.dialect.name == "postgresql":
        people = select(annotator.c.id).where(annotator.c.campaign_id == row.id).order_by(annotator.c.id)
        connection.execute(people.with_for_update(key_share=True)).all()
    query = select(unit.c.id, unit.c.name, unit.c.shown).where(unit.c.campaign_id == row.id, unit.c.name.in_(wanted))
    units = connection.execute(query.order_by(unit.c.position).with_for_update(key_share=True)).all()
    got = select(assignment.c.unit_id).where(assignment.c.unit_id.in_([one.id for one in units])).distinct()
    seen = set(connection.execute(got).scalars())
    texts, marks, left = 0, 0, list[str]()
    for one in units:
        shown = orjson.loads(one.shown)
        text, after = shown["texts"].get("text", {}), [mark.to_json() for mark in wanted[one.name]]
        before = text.pop("suggested", [])
        if before != after and (one.id in seen or not text):
            left.append(one.name)
            continue
        if after:  # units without any are stored as they always were
            text["suggested"] = after
        if before != after:
            connection.execute(update(unit).where(unit.c.id == one.id).values(shown=orjson.dumps(shown).decode()))
        texts, marks = texts + 1, marks + len(after)
    return SuggestionsChanged(texts, marks, tuple(left))
