"""A campaign's units with their hidden facts and labels; more texts while it runs."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Query, UploadFile
from pydantic import Field
from sqlalchemy import Connection

from goldmark.campaigns import overview, uploads
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.overview import UnitState
from goldmark.campaigns.paging import Page
from goldmark.web.api import shapes
from goldmark.web.api.campaigns import TextsIn, received
from goldmark.web.api.inputs import CampaignName, Out, PageNumber, PageOut, ShortWords
from goldmark.web.services import ServicesDep
from goldmark.web.signing_in import CallsAsCurator, CallsAsManager

router = APIRouter(prefix="/api/v1/campaigns/{name}/units", tags=["units"], responses=shapes.FAILURES)


class UnitLine(Out):
    """A unit in a list. One that does not count is a test question: it is never finished and wants no labels."""

    id: int
    name: str
    state: UnitState
    wanted: int
    done: int
    in_hand: int
    waiting: int
    returned: int
    preview: str
    hidden: dict[str, Any]
    counts: bool


class UnitList(PageOut):
    units: list[UnitLine]


class UnitLabel(Out):
    """What one person last answered, or that they hold the unit. `assignment_id` is the id of their response."""

    assignment_id: int
    annotator_id: int
    annotator: str
    state: str
    revision: int
    answers: dict[str, Any] | None
    protocol: str
    server_time: datetime | None
    seconds_active: float | None
    shown_first: str | None = Field(
        description="Of a comparison: the role of the text that was shown first; null: as given."
    )


class UnitOut(UnitLine):
    shown: dict[str, Any]
    tokeniser: str
    labels: list[UnitLabel]


class Added(Out):
    added: int


@router.get("")
def list_units(
    name: CampaignName,
    who: CallsAsCurator,
    services: ServicesDep,
    search: Annotated[ShortWords, Query(description="Part of a unit's name or of its hidden facts.")] = "",
    state: UnitState | None = None,
    page: PageNumber = 1,
) -> UnitList:
    """Units in the order in which they are handed out."""

    def look(connection: Connection) -> Page[overview.UnitLine]:
        row = find_campaign(connection, name)
        return overview.list_units(connection, row, search=search, state=state or "", page=page)

    found = services.store.read(look)
    return UnitList(
        units=[UnitLine.model_validate(one) for one in found.items],
        number=found.number,
        size=found.size,
        total=found.total,
        pages=found.pages,
    )


@router.post("", status_code=201)
def add_units(name: CampaignName, body: TextsIn, who: CallsAsManager, services: ServicesDep) -> Added:
    """Add texts, also while the campaign runs: all of them or, if anything is wrong, none."""
    added = uploads.add_uploaded(
        services.store,
        name,
        rows=body.rows,
        tokeniser=body.tokeniser,
        sentences=body.sentences,
        author=who.name,
    )
    return Added(added=added)


@router.post("/upload", status_code=201)
def add_files(
    name: CampaignName,
    files: Annotated[list[UploadFile], File(description="JSONL, CSV, Parquet or text files.")],
    who: CallsAsManager,
    services: ServicesDep,
    tokeniser: Annotated[str, Form(max_length=40)] = "rules",
    sentences: Annotated[str, Form(max_length=40)] = "rules",
) -> Added:
    """Add texts from files."""
    added = uploads.add_uploaded(
        services.store, name, received(files), tokeniser=tokeniser, sentences=sentences, author=who.name
    )
    return Added(added=added)


@router.get("/{unit_id}")
def show(name: CampaignName, unit_id: shapes.RowId, who: CallsAsCurator, services: ServicesDep) -> UnitOut:
    """One unit: what annotators see, what they do not, and everybody's labels."""
    found = services.store.read(
        lambda connection: overview.find_unit(connection, find_campaign(connection, name), unit_id)
    )
    return UnitOut(
        **UnitLine.model_validate(found.line).model_dump(),
        shown=found.shown.to_json(),
        tokeniser=found.tokeniser,
        labels=[UnitLabel.model_validate(one) for one in found.labels],
    )
