"""A campaign's units with their hidden facts and labels; more texts while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Any

from fastapi import File, Form, Query, UploadFile
from pydantic import Field

from goldmark.campaigns import unit_overview
from goldmark.campaigns.definition import uploads
from goldmark.campaigns.definition.uploads import Uploaded
from goldmark.campaigns.pages import Page
from goldmark.campaigns.unit_overview import UnitLine, UnitState
from goldmark.web.api import shapes
from goldmark.web.api.calls import Calls
from goldmark.web.api.campaigns.campaigns import TextsIn
from goldmark.web.api.inputs import CampaignName, Out, PageNumber, PageOut, ShortWords
from goldmark.web.sign_in import CallsAsCurator, CallsAsManager
from goldmark.web.visits import Visit, received

router = Calls("/api/v1/campaigns/{name}/units", "units")


class UnitList(PageOut):
    units: list[UnitLine] = Field(validation_alias="items")


class UnitLabelOut(Out):
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
    shown_first: shapes.ShownFirst


@dataclass(frozen=True)
class UnitOut(UnitLine):
    """A unit with everybody's labels."""

    shown: dict[str, Any]
    tokeniser: str
    labels: list[UnitLabelOut]


class Added(Out):
    added: int


@router.get("", response_model=UnitList)
def list_units(
    visit: CallsAsCurator,
    name: CampaignName,
    search: Annotated[ShortWords, Query(description="Part of a unit's name or of its hidden facts.")] = "",
    state: UnitState | None = None,
    page: PageNumber = 1,
) -> Page[UnitLine]:
    """Units in the order in which they are handed out."""
    return visit.look_into(name, unit_overview.list_units, search=search, state=state or "", page=page)


@router.post("", status_code=201)
def add_units(visit: CallsAsManager, name: CampaignName, body: TextsIn) -> Added:
    """Add texts, also while the campaign runs: all of them or, if anything is wrong, none."""
    return more_texts(visit, name, rows=body.rows, tokeniser=body.tokeniser, sentences=body.sentences)


@router.post("/upload", status_code=201)
def add_files(
    visit: CallsAsManager,
    name: CampaignName,
    files: Annotated[list[UploadFile], File(description="JSONL, CSV, Parquet or text files.")],
    tokeniser: Annotated[str, Form(max_length=40)] = "rules",
    sentences: Annotated[str, Form(max_length=40)] = "rules",
) -> Added:
    """Add texts from files."""
    return more_texts(visit, name, received(files), tokeniser=tokeniser, sentences=sentences)


def more_texts(
    visit: Visit,
    name: str,
    files: Sequence[Uploaded] = (),
    *,
    rows: Sequence[dict[str, Any]] = (),
    tokeniser: str = "rules",
    sentences: str = "rules",
) -> Added:
    added = uploads.add_uploaded(
        visit.store, name, files, rows=rows, tokeniser=tokeniser, sentences=sentences, author=visit.name
    )
    return Added(added=added)


@router.get("/{unit_id}", response_model=UnitOut)
def show(visit: CallsAsCurator, name: CampaignName, unit_id: shapes.RowId) -> dict[str, Any]:
    """One unit: what annotators see, what they do not, and everybody's labels."""
    found = visit.look_into(name, unit_overview.find_unit, unit_id)
    own = {"shown": found.shown.to_json(), "tokeniser": found.tokeniser, "labels": found.labels}
    return {**asdict(found.line), **own}
