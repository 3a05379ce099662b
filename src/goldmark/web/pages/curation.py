"""A campaign's curation: which texts are settled, the desk at which one is, and what changed between versions."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.paging import LAST_PAGE, Page
from goldmark.curation.desk import Desk, NothingToCurate, open_desk, spans_question
from goldmark.curation.gold import diff
from goldmark.curation.versions import version_of, versions_of
from goldmark.curation.worklist import (
    CURATION_STATES,
    CurationLine,
    CurationProgress,
    curation_progress,
    list_curation,
    next_to_curate,
)
from goldmark.records.gold import GoldMistake, GoldText
from goldmark.web.api.curation import desk_out
from goldmark.web.api.shapes import RowId
from goldmark.web.pages.frame import page
from goldmark.web.services import ServicesDep
from goldmark.web.signing_in import ReadsAsCurator

router = APIRouter(include_in_schema=False, prefix="/campaigns/{name}/curation")

Number = Annotated[int | None, Query(ge=1, le=1_000_000)]


@router.get("")
def curation(
    name: str,
    request: Request,
    who: ReadsAsCurator,
    services: ServicesDep,
    search: Annotated[str, Query(max_length=200)] = "",
    state: Annotated[str, Query(max_length=20)] = "",
    page_number: Annotated[int, Query(alias="page", ge=1, le=LAST_PAGE)] = 1,
) -> Response:
    state = state if state in CURATION_STATES else ""
    search = search.replace("\x00", "").strip()

    def look(connection: Connection) -> tuple[CampaignRow, Page[CurationLine], CurationProgress, int | None]:
        row = find_campaign(connection, name)
        found = list_curation(connection, row, search=search, state=state, page=page_number)
        return row, found, curation_progress(connection, row), next_to_curate(connection, row, 0)

    row, found, progress, following = services.store.read(look)
    try:
        spans_question(services.library.protocol(row.protocol_id), row)
        why_not = ""
    except NothingToCurate as error:
        why_not = str(error)
    return page(
        request,
        "curation.html",
        who,
        campaign=row,
        found=found,
        progress=progress,
        following=following,
        search=search,
        state=state,
        states=CURATION_STATES,
        why_not=why_not,
    )


@router.get("/{unit_id}")
def desk(name: str, unit_id: RowId, request: Request, who: ReadsAsCurator, services: ServicesDep) -> Response:
    def look(connection: Connection) -> tuple[CampaignRow, Desk, list[GoldText], CurationProgress, int | None]:
        row = find_campaign(connection, name)
        opened = open_desk(connection, services.library, row, unit_id)
        frozen = versions_of(connection, unit_id)
        return row, opened, frozen, curation_progress(connection, row), next_to_curate(connection, row, unit_id)

    row, opened, frozen, progress, following = services.store.read(look)
    config = {
        **desk_out(opened, frozen).model_dump(mode="json"),
        "csrf": who.csrf,
        "address": f"/api/v1/campaigns/{row.name}/curation/{unit_id}",
        "here": f"/campaigns/{row.name}/curation",
        "me": who.name,
        "before": opened.unit.before,
        "after": opened.unit.after,
        "following": following,
    }
    return page(
        request,
        "curation_unit.html",
        who,
        campaign=row,
        unit=opened.unit,
        progress=progress,
        config=config,
        answered=bool(opened.labels),
    )


@router.get("/{unit_id}/versions")
def compared(
    name: str,
    unit_id: RowId,
    request: Request,
    who: ReadsAsCurator,
    services: ServicesDep,
    old: Number = None,
    new: Number = None,
) -> Response:
    def look(connection: Connection) -> tuple[CampaignRow, Desk, list[GoldText]]:
        row = find_campaign(connection, name)
        opened = open_desk(connection, services.library, row, unit_id)
        for wanted in (old, new):
            if wanted is not None:
                version_of(connection, opened.unit.line, wanted)
        return row, opened, versions_of(connection, unit_id)

    row, opened, frozen = services.store.read(look)
    second = new or len(frozen)
    first = old or max(second - 1, 1)
    changes = diff(frozen[first - 1].mistakes, frozen[second - 1].mistakes) if frozen else []
    return page(
        request,
        "curation_versions.html",
        who,
        campaign=row,
        unit=opened.unit,
        frozen=frozen,
        old=first,
        new=second,
        changes=[
            {"kind": one.kind, "what": one.what, "old": _read(one.old, opened), "new": _read(one.new, opened)}
            for one in changes
        ],
    )


def _read(mistake: GoldMistake | None, desk: Desk) -> dict[str, Any] | None:
    """A mistake as a person reads it."""
    if mistake is None:
        return None
    return {
        "quote": desk.text.slice(mistake.span),
        "label": mistake.label,
        "correction": mistake.correction,
        "comment": mistake.comment,
        "note": mistake.note,
    }
