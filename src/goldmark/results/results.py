"""All results of a campaign, each table only where there is something to say.

Page, command, report and notebook show what `results_of` gives, so they show the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from goldmark.analysis.settings import Settings
from goldmark.campaigns.exclusions import excluded_people
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.observed import StoreSource
from goldmark.observations.frames import Observations, collect
from goldmark.observations.rows import COUNTING, Filter
from goldmark.records.campaigns import ExclusionRecord, exclusion_notes
from goldmark.records.tables import Table
from goldmark.results import people
from goldmark.results.asked import AskedQuestion, asked
from goldmark.results.catalogue import RESULTS, ResultTable, find
from goldmark.store import Store


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
    questions: tuple[AskedQuestion, ...] = ()

    def table(self, name: str) -> Table | None:
        return next((one.table for one in self.tables if one.name == name), None)


def results_of(
    store: Store, name: str, settings: Settings, *, by: str = "system", wanted: Filter = COUNTING
) -> Results:
    """All results of a campaign as it stood at one moment."""

    def look(connection: Connection) -> tuple[CampaignRow, Observations, tuple[ExclusionRecord, ...]]:
        row = find_campaign(connection, name)
        found = collect(StoreSource(connection, row), wanted)
        return row, found, excluded_people(connection, row)

    row, found, excluded = store.snapshot(look)
    return assembled(row.title, found, settings, by=by, excluded=excluded)


def assembled(
    title: str,
    found: Observations,
    settings: Settings,
    *,
    by: str = "system",
    excluded: Sequence[ExclusionRecord] = (),
) -> Results:
    """The tables of observations wherever they came from, with what was left out of them."""
    made = tables(found, settings, by)
    if excluded:
        made.append(NamedTable("exclusions", "Who is excluded, and why.", "", people.exclusions(excluded)))
    notes = (*exclusion_notes(excluded, counted=found.wanted.excluded), *_left_out(found), *found.left.notes())
    return Results(found.campaign, title, found.protocol.id, by, notes, tuple(made), asked(found.protocol))


def _left_out(found: Observations) -> list[str]:
    left, wanted = found.left, found.wanted
    said = []
    if left.tests:
        said.append(f"{left.tests:,} answers to test questions are not counted")
    if wanted.tests:
        said.append("answers to test questions are counted here")
    if left.unchosen:
        said.append(f"{left.unchosen:,} answers are not among those chosen here")
    return said


def tables(found: Observations, settings: Settings, by: str = "system") -> list[NamedTable]:
    """Every table that these observations have rows for, in the order in which people read them."""
    made = []
    for one in RESULTS:
        table = _table(one, found, settings, by)
        if table is not None and table.rows:
            made.append(NamedTable(one.name, one.about, one.drawn, table))
    return made


def one_table(name: str, found: Observations, settings: Settings, by: str = "system") -> Table | None:
    """A table by its name; None where these observations have nothing to say in it."""
    return _table(find(name), found, settings, by)


def _table(one: ResultTable, found: Observations, settings: Settings, by: str) -> Table | None:
    if not len(found.frames[one.reads[0]]):
        return None
    order = [question.id for question in found.protocol.questions()]
    return one.make(found.frames, settings, by, order)


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
                "rows": [{**row, "signature": one.table.signature} for row in one.table.records()],
            }
            for one in results.tables
        ],
    }
