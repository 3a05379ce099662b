"""A campaign's units, and one unit with everybody's labels side by side."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import Response

from goldmark.campaigns.pages import LAST_PAGE
from goldmark.campaigns.unit_overview import UNIT_STATES, UnitFile, find_unit, list_units
from goldmark.records.units import context_to_json
from goldmark.web.api.shapes import RowId
from goldmark.web.pages.answers.drawn_text import DrawnMark, draw
from goldmark.web.pages.answers.readable_answers import marks_of, read_answers
from goldmark.web.pages.frame import page
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsCurator
from goldmark.web.visits import Visit

router = Pages("/campaigns/{name}/units")


@router.get("")
def units(
    visit: ReadsAsCurator,
    name: str,
    search: Annotated[str, Query(max_length=200)] = "",
    state: Annotated[str, Query(max_length=20)] = "",
    page_number: Annotated[int, Query(alias="page", ge=1, le=LAST_PAGE)] = 1,
) -> Response:
    state = state if state in UNIT_STATES else ""
    search = search.replace("\x00", "").strip()
    row, found = visit.with_campaign(name, list_units, search=search, state=state, page=page_number)
    return page(visit, "units.html", campaign=row, found=found, search=search, state=state, states=UNIT_STATES)


@router.get("/{unit_id}")
def unit(visit: ReadsAsCurator, name: str, unit_id: RowId) -> Response:
    row, found = visit.with_campaign(name, find_unit, unit_id)
    labels = [
        {
            "label": label,
            "number": number,
            "answers": None
            if label.answers is None
            else read_answers(visit.content.protocol(label.protocol_id), label.answers, found.shown),
            "order": visit.content.order(label.protocol_id, label.shown_first),
        }
        for number, label in enumerate(found.labels, start=1)
    ]
    context = [context_to_json(item) for item in found.shown.context]
    texts = _drawn(visit, found)
    return page(visit, "unit.html", campaign=row, unit=found, texts=texts, labels=labels, context=context)


def _drawn(visit: Visit, found: UnitFile) -> dict[str, Any]:
    """Every text with everybody's marks on it; a small number after the letter says whose."""
    marks: dict[str, list[DrawnMark]] = {role: [] for role in found.shown.texts}
    answered = [(number, one) for number, one in enumerate(found.labels, start=1) if one.answers is not None]
    for number, label in answered:
        protocol = visit.content.protocol(label.protocol_id)
        suffix = str(number) if len(answered) > 1 else ""
        for role, some in marks_of(protocol, label.answers or {}, found.shown, suffix=suffix).items():
            marks[role] += some
    return {role: draw(shown, marks[role]) for role, shown in found.shown.texts.items()}
