"""All results of a campaign, each table only where there is something to say.

Page, command, report and notebook show what `results_of` gives, so they show the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.transfer.observe import StoreSource
from goldmark.errors import GoldmarkError
from goldmark.observations.filter import COUNTING, Filter
from goldmark.observations.frames import Observations, collect
from goldmark.observations.given_tables import GivenTables
from goldmark.people.exclusions import excluded_people
from goldmark.records.campaigns import ExclusionRecord, exclusion_notes
from goldmark.records.figures import counted
from goldmark.records.tables import Table
from goldmark.records.tidy.columns import MissingColumn
from goldmark.results.catalogue import RESULTS, tables_of
from goldmark.results.inputs.gold import gold_texts, with_gold
from goldmark.results.inputs.questions import AskedQuestion, asked
from goldmark.results.inputs.selection import refuse_unknown
from goldmark.results.inputs.stored import Stored
from goldmark.results.inputs.table_inputs import TableInputs
from goldmark.results.options import AnalysisOptions
from goldmark.results.result_table import ResultTable
from goldmark.stats.inference.draws import remembering
from goldmark.store import Store

Marks = Literal["raw", "gold"]  # which errors are counted: everybody's marks, or those of finished gold lists


@dataclass(frozen=True)
class NamedTable:
    """A table of results under its name."""

    name: str
    about: str
    drawn: str  # how people would rather look at it; empty: as a table
    table: Table


@dataclass(frozen=True)
class Results:
    """What a campaign found, and what everybody who reads it has to know."""

    campaign: str
    title: str
    protocol: str
    by: str
    notes: tuple[str, ...]
    tables: tuple[NamedTable, ...]
    reasons: Mapping[str, str] = field(default_factory=dict)  # by name, why there is no such table
    questions: tuple[AskedQuestion, ...] = ()

    def table(self, name: str) -> Table | None:
        return next((one.table for one in self.tables if one.name == name), None)


class CampaignSnapshot(NamedTuple):
    """A campaign as it stood at one moment: its observations, and who is excluded."""

    row: CampaignRow
    found: Observations
    excluded: tuple[ExclusionRecord, ...]
    notes: tuple[str, ...] = ()  # on which errors are counted


def look_at(store: Store, name: str, wanted: Filter = COUNTING, marks: Marks = "raw") -> CampaignSnapshot:
    """What results are made from, as it stands now."""

    def look(connection: Connection) -> CampaignSnapshot:
        row = find_campaign(connection, name)
        found = collect(StoreSource(connection, row), wanted)
        refuse_unknown(found)
        excluded = excluded_people(connection, row)
        if marks == "gold":
            found, note = with_gold(connection, row, found)
            return CampaignSnapshot(row, found, excluded, (note,))
        finished = gold_texts(connection, row)
        note = f"errors are everybody's marks; {counted(finished, 'text')} also have a gold list (--marks gold)"
        return CampaignSnapshot(row, found, excluded, (note,) if finished else ())

    return store.snapshot(look)


def given_of(store: Store, looked: CampaignSnapshot, by: str = "system") -> TableInputs:
    """What tables are made from. The campaign as a whole is no part of it if only some of its answers are wanted."""
    row, found, excluded, _ = looked
    wanted = found.wanted
    stored = None if wanted.narrows else Stored(store, row, found.protocol, with_excluded=wanted.excluded)
    return TableInputs.of(found, by, stored, excluded)


def results_of(
    store: Store,
    name: str,
    settings: AnalysisOptions,
    *,
    by: str = "system",
    wanted: Filter = COUNTING,
    marks: Marks = "raw",
    only: Sequence[str] = (),
) -> Results:
    """All results of a campaign as it stood at one moment, or `only` the tables of these names."""
    looked = look_at(store, name, wanted, marks)
    return _assembled(looked.row.title, looked.found, given_of(store, looked, by), settings, looked.notes, only)


def assembled(
    title: str,
    found: Observations,
    settings: AnalysisOptions,
    *,
    by: str = "system",
    excluded: Sequence[ExclusionRecord] = (),
    only: Sequence[str] = (),
) -> Results:
    """The tables of observations wherever they came from, with what was left out of them."""
    return _assembled(title, found, TableInputs.of(found, by, excluded=excluded), settings, only=only)


def _assembled(
    title: str,
    found: Observations,
    given: TableInputs,
    settings: AnalysisOptions,
    notes: Sequence[str] = (),
    only: Sequence[str] = (),
) -> Results:
    reasons: dict[str, str] = {}
    with remembering():
        made = tuple(_named(given, settings, only, reasons))
    excluded = exclusion_notes(given.excluded, counted=found.wanted.excluded)
    said = (*excluded, *notes, *_left_out(found), *found.left.notes())
    return Results(found.campaign, title, found.protocol.id, given.by, said, made, reasons, asked(found.protocol))


def _left_out(found: Observations) -> list[str]:
    left, wanted = found.left, found.wanted
    said = []
    if left.tests:
        said.append(f"{left.tests:,} answers to test questions are not counted")
    if wanted.tests:
        said.append("answers to test questions are counted here")
    if left.models:
        named = ", ".join(sorted(left.models))
        said.append(f"{sum(left.models.values()):,} answers of models and checkers ({named}) are not counted")
    if wanted.models:
        said.append("answers of models and checkers are counted here")
    if left.unchosen:
        said.append(f"{left.unchosen:,} answers are not among those chosen here")
    if any(weight not in ("", "1.0") for weight in found["texts"].coded("weight").used()[1]):
        said.append("units have weights, which these figures do not use: every unit counts alike")
    if wanted.narrows:
        said.append("tables that are made of whole campaigns, such as reviews, are left out where some answers are")
    return said


def results_of_tables(
    tables: GivenTables, settings: AnalysisOptions, *, by: str = "system", only: Sequence[str] = (), title: str = ""
) -> Results:
    """The tables of observations that somebody gives: exported files, or what a notebook holds."""
    reasons: dict[str, str] = {}
    made = tuple(_named(TableInputs.of_tables(tables, by), settings, only, reasons))
    asks = tables.protocol
    questions = asked(asks) if asks else ()
    return Results("", title, asks.id if asks else "", by, tables.notes, made, reasons, questions)


def _named(
    given: TableInputs, settings: AnalysisOptions, only: Sequence[str], reasons: dict[str, str]
) -> Iterator[NamedTable]:
    wanted = {RESULTS.find(name).same_as or name for name in only}
    for one in RESULTS.usable().values():
        if one.same_as or (wanted and one.name not in wanted):
            continue
        reasons[one.name] = one.missing(given)
        if reasons[one.name]:
            continue
        try:
            made = list(under_names(one, tables_of(one, given, settings)))
        except GoldmarkError as error:
            # What another campaign or a curator did need not hide everything else, nor a column that rows lack.
            if not (one.stored or isinstance(error, MissingColumn)):
                raise
            reasons[one.name] = str(error)
            continue
        if made:
            del reasons[one.name]
        else:
            reasons[one.name] = "there is nothing to put into it"
        yield from made


def under_names(one: ResultTable, made: Sequence[Table]) -> Iterator[NamedTable]:
    """Tables that have rows, each under a name of its own: that of the entry, and what the table adds to it."""
    for table in made:
        if table.rows:
            name = f"{one.name}-{table.name}" if table.name else one.name
            first = table is made[0]  # the others follow it, and their titles say what they add
            yield NamedTable(name, one.about if first else "", one.drawn if first else "", table)


def side_by_side(several: Sequence[Results]) -> Results:
    """The tables of several campaigns as one each, with the campaign before every row."""
    names = dict.fromkeys(one.name for results in several for one in results.tables)
    made = []
    for name in names:
        own = [(results.campaign, one) for results in several for one in results.tables if one.name == name]
        first = own[0][1]
        made.append(replace(first, drawn="", table=_beside([(campaign, one.table) for campaign, one in own])))
    return Results(
        ", ".join(results.campaign for results in several),
        "; ".join(results.title for results in several),
        ", ".join(dict.fromkeys(results.protocol for results in several)),
        several[0].by,
        tuple(f"{results.campaign}: {note}" for results in several for note in results.notes),
        tuple(made),
        {name: why for results in several for name, why in results.reasons.items() if name not in names},
    )


def _beside(own: Sequence[tuple[str, Table]]) -> Table:
    columns = list(dict.fromkeys(column for _, table in own for column in table.columns))
    rows = [
        {"campaign": campaign, **{column: row.get(column) for column in columns}}
        for campaign, table in own
        for row in table.records()
    ]
    signatures = {table.signature for _, table in own}
    signed = own[0][1].signature if len(signatures) == 1 else "; ".join(f"{name}: {one.signature}" for name, one in own)
    labels = {column: label for _, table in own for column, label in table.labels.items()}
    notes = tuple(dict.fromkeys(_whose(campaign, note, own) for campaign, table in own for note in table.notes))
    return Table.of(own[0][1].title, rows, notes=notes, signature=signed, labels=labels, name=own[0][1].name)


def _whose(campaign: str, note: str, own: Sequence[tuple[str, Table]]) -> str:
    """A note of all campaigns stands once; one of some says of which."""
    return note if all(note in table.notes for _, table in own) else f"{campaign}: {note}"


def to_json(results: Results) -> dict[str, object]:
    """For machines: every row says how it was made."""
    return {
        "campaign": results.campaign,
        "title": results.title,
        "protocol": results.protocol,
        "by": results.by,
        "notes": list(results.notes),
        "tables": [
            {
                "name": one.name,
                "title": one.table.title,
                "about": one.about,
                "notes": list(one.table.notes),
                "labels": dict(one.table.labels),
                "rows": [{**row, "signature": one.table.signature} for row in one.table.records()],
            }
            for one in results.tables
        ],
    }
