"""A campaign's units, and one unit with everybody's labels side by side."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.overview import UNIT_STATES, UnitFile, UnitLine, find_unit, list_units
from goldmark.campaigns.paging import LAST_PAGE, Page
from goldmark.records.units import context_to_json
from goldmark.web.api.shapes import RowId
from goldmark.web.pages.drawing import Mark, draw
from goldmark.web.pages.frame import page
from goldmark.web.pages.reading import marks_of, read_answers
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import ReadsAsCurator

router = APIRouter(include_in_schema=False, prefix="/campaigns/{name}/units")


@router.get("")
def units(
    name: str,
    request: Request,
    who: ReadsAsCurator,
    services: ServicesDep,
    search: Annotated[str, Query(max_length=200)] = "",
    state: Annotated[str, Query(max_length=20)] = "",
    page_number: Annotated[int, Query(alias="page", ge=1, le=LAST_PAGE)] = 1,
) -> Response:
    state = state if state in UNIT_STATES else ""
    search = search.replace("\x00", "").strip()

    def look(connection: Connection) -> tuple[CampaignRow, Page[UnitLine]]:
        row = find_campaign(connection, name)
        return row, list_units(connection, row, search=search, state=state, page=page_number)

    row, found = services.store.read(look)
    return page(request, "units.html", who, campaign=row, found=found, search=search, state=state, states=UNIT_STATES)


@router.get("/{unit_id}")
def unit(name: str, unit_id: RowId, request: Request, who: ReadsAsCurator, services: ServicesDep) -> Response:
    def look(connection: Connection) -> tuple[CampaignRow, UnitFile]:
        row = find_campaign(connection, name)
        return row, find_unit(connection, row, unit_id)

    row, found = services.store.read(look)
    labels = [
        {
            "label": label,
            "number": number,
            "answers": _read(services, found, number - 1),
            "order": services.library.order(label.protocol_id, label.shown_first),
        }
        for number, label in enumerate(found.labels, start=1)
    ]
    return page(
        request,
        "unit.html",
        who,
        campaign=row,
        unit=found,
        texts=_drawn(services, found),
        labels=labels,
        context=[context_to_json(item) for item in found.shown.context],
    )


def _read(services: Services, found: UnitFile, place: int) -> Any:
    label = found.labels[place]
    if label.answers is None:
        return None
    return read_answers(services.library.protocol(label.protocol_id), label.answers, found.shown)


def _drawn(services: Services, found: UnitFile) -> dict[str, Any]:
    """Every text with everybody's marks on it; a small number after the letter says whose."""
    marks: dict[str, list[Mark]] = {role: [] for role in found.shown.texts}
    answered = [(number, one) for number, one in enumerate(found.labels, start=1) if one.answers is not None]
    for number, label in answered:
        protocol = services.library.protocol(label.protocol_id)
        suffix = str(number) if len(answered) > 1 else ""
        for role, some in marks_of(protocol, label.answers or {}, found.shown, suffix=suffix).items():
            marks[role] += some
    return {role: draw(shown, marks[role]) for role, shown in found.shown.texts.items()}
