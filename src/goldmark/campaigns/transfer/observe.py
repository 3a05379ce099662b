"""A campaign in the database as a source of observations. Units and answers are streamed, side by side."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Container, Iterator, Mapping
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar

import orjson
from sqlalchemy import ColumnElement, Connection, ScalarSelect, case, func, null, select

from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.exchange.campaign.archive import zip_folder
from goldmark.exchange.campaign.pseudonyms import NOTE, NOTE_FILE, Pseudonyms, PseudonymSource
from goldmark.observations.files import FileKind, write_tables
from goldmark.observations.filter import COUNTING, Filter
from goldmark.observations.frames import NOT_KEPT, Observations, collect
from goldmark.observations.rows import OmittedCounts
from goldmark.observations.source import ObservationSource, ObservedPerson, ObservedResponse, ObservedUnit, ShownSurface
from goldmark.protocols import Protocol, parse
from goldmark.records.units import Surface
from goldmark.store import Store
from goldmark.store.bulk import streamed
from goldmark.store.states import NOT_FINAL
from goldmark.store.tables import annotator, assignment, protocol, response, review, unit, unit_secret

Result = TypeVar("Result")


def observe(store: Store, name: str, wanted: Filter = COUNTING, without: Container[str] = NOT_KEPT) -> Observations:
    """The observations of a campaign as it stood at one moment."""
    return observing(store, name, lambda source: collect(source, wanted, without))


def write_observations(
    store: Store,
    name: str,
    folder: Path,
    wanted: Filter = COUNTING,
    kind: FileKind = "csv",
    *,
    pseudonyms: bool = False,
) -> OmittedCounts:
    """The same as files in a new folder, or in a new zip archive if the path ends in .zip."""

    def write(source: ObservationSource, folder: Path) -> OmittedCounts:
        if not pseudonyms:
            return write_tables(source, folder, wanted, kind)
        names = Pseudonyms([one.name for one in source.people() if one.kind != "person"])
        left = write_tables(PseudonymSource(source, names), folder, names.wanted(wanted), kind)
        (folder / NOTE_FILE).write_text(f"{NOTE}\n", encoding="utf-8")
        return left

    if folder.suffix.lower() != ".zip":
        return observing(store, name, lambda source: write(source, folder))
    with tempfile.TemporaryDirectory(prefix="goldmark-tidy-") as made:
        tables = Path(made) / "tables"
        left = observing(store, name, lambda source: write(source, tables))
        zip_folder(tables, folder)
    return left


def observing(store: Store, name: str, work: Callable[[ObservationSource], Result]) -> Result:
    """Do something with a campaign's observations as they are at one moment."""
    return store.snapshot(lambda connection: work(StoreSource(connection, find_campaign(connection, name))))


class StoreSource:
    """One campaign, as one transaction sees it.

    With `first`, the version of an answer that counts is the first that a reviewer judged, as in `first_versions`.
    """

    def __init__(self, connection: Connection, row: CampaignRow, *, first: bool = False) -> None:
        self._connection = connection
        self._row = row
        self._first = first

    @property
    def campaign(self) -> str:
        return self._row.name

    @property
    def protocol(self) -> Protocol:
        return self._protocols[self._row.protocol_id]

    @cached_property
    def _protocols(self) -> Mapping[int, Protocol]:
        return protocols_asked(self._connection, self._row)

    def people(self) -> Iterator[ObservedPerson]:
        query = select(annotator).where(annotator.c.campaign_id == self._row.id).order_by(annotator.c.id)
        for one in self._connection.execute(query):
            yield ObservedPerson(one.name, one.kind, one.state, one.condition or "", one.joined_at)

    def facts(self) -> Iterator[Mapping[str, Any]]:
        query = (
            select(unit_secret.c.facts)
            .join(unit, unit.c.id == unit_secret.c.unit_id)
            .where(unit.c.campaign_id == self._row.id)
        )
        return (facts for (facts,) in streamed(self._connection, query))

    def units(self) -> Iterator[tuple[ObservedUnit, list[ObservedResponse]]]:
        query = (
            select(unit.c.id, unit.c.name, unit.c.shown, unit_secret.c.facts)
            .join(unit_secret, unit_secret.c.unit_id == unit.c.id)
            .where(unit.c.campaign_id == self._row.id)
            .order_by(unit.c.position)
        )
        answered = groupby(self._responses(), key=itemgetter(0))
        ahead = next(answered, None)
        for key, name, shown, facts in streamed(self._connection, query):
            responses: list[ObservedResponse] = []
            if ahead is not None and ahead[0] == key:
                responses = [response for _, response in ahead[1]]
                ahead = next(answered, None)
            yield _unit(name, shown, facts), responses

    def _responses(self) -> Iterator[tuple[int, ObservedResponse]]:
        """Final answers with the id of their unit, in the order of the units."""
        judged: ColumnElement[Any] = null()
        if self._first:
            judged = case((assignment.c.state.not_in(("extra", "released")), first_judged()))
        revision = func.coalesce(judged, assignment.c.revision)
        query = (
            select(
                assignment.c.unit_id,
                func.coalesce(assignment.c.state_before, assignment.c.state),
                judged.is_not(null()),
                assignment.c.shown_first,
                annotator.c.name,
                response.c.answers,
                response.c.protocol_id,
                response.c.server_time,
                response.c.seconds_active,
                response.c.language,
            )
            .join(unit, unit.c.id == assignment.c.unit_id)
            .join(annotator, annotator.c.id == assignment.c.annotator_id)
            .join(response, (response.c.assignment_id == assignment.c.id) & (response.c.revision == revision))
            .where(assignment.c.campaign_id == self._row.id)
            .order_by(unit.c.position, response.c.id)
        )
        protocols = self._protocols
        found = streamed(self._connection, query)
        for key, state, is_judged, first, who, answers, asked, at, seconds, language in found:
            if is_judged or state not in NOT_FINAL:
                yield key, ObservedResponse(who, answers, protocols[asked], at, seconds, first or "", language)


def protocols_asked(connection: Connection, row: CampaignRow) -> dict[int, Protocol]:
    """Every protocol that a campaign asks or asked, by its id."""
    asked = select(assignment.c.protocol_id).where(assignment.c.campaign_id == row.id)
    rows = connection.execute(
        select(protocol.c.id, protocol.c.source)
        .where((protocol.c.id == row.protocol_id) | protocol.c.id.in_(asked))
        .order_by(protocol.c.id)
    )
    return {one.id: parse(one.source) for one in rows}


def first_judged() -> ScalarSelect[Any]:
    """Which revision of an assignment a reviewer judged first; nothing if none did."""
    return select(func.min(review.c.revision)).where(review.c.assignment_id == assignment.c.id).scalar_subquery()


def _unit(name: str, shown: str, facts: Mapping[str, Any]) -> ObservedUnit:
    data = orjson.loads(shown)
    texts = {
        role: ShownSurface(text.get("language", ""), len(text["sentences"])) for role, text in data["texts"].items()
    }
    return ObservedUnit(name, facts, Surface.from_json(data), texts)
