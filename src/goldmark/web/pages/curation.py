"""A campaign's curation: which texts are settled, the desk at which one is, and what changed between versions."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, File, Query, Request, UploadFile
from fastapi.responses import Response
from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.paging import LAST_PAGE, Page
from goldmark.curation.asked import NothingToCurate, spans_question
from goldmark.curation.desk import Desk, open_desk
from goldmark.curation.gold import Change, diff
from goldmark.curation.importing import Imported, summary
from goldmark.curation.versions import versions_of
from goldmark.curation.worklist import (
    CURATION_STATES,
    CurationLine,
    CurationProgress,
    curation_progress,
    list_curation,
    neighbours,
    next_to_curate,
)
from goldmark.errors import GoldmarkError
from goldmark.protocols.answers import marking
from goldmark.protocols.kinds.spans import Spans
from goldmark.records.gold import GoldMistake, GoldText, by_name
from goldmark.records.texts import Text
from goldmark.web.api.curation import desk_out
from goldmark.web.api.gold_imports import import_files
from goldmark.web.api.shapes import RowId
from goldmark.web.pages.frame import NOT_FAILED, Failed, Word, failed, page
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import ReadsAsCurator, SendsAsCurator, Visitor

router = APIRouter(include_in_schema=False, prefix="/campaigns/{name}/curation")

Number = Annotated[int | None, Query(ge=0, le=1_000_000)]
QuestionId = Annotated[str, Query(max_length=64)]


class _Around(NamedTuple):
    """Where to go from a text: to the ones beside it, or to the next that is to be curated."""

    before: int | None
    after: int | None
    following: int | None


@router.get("")
def curation(
    name: str,
    request: Request,
    who: ReadsAsCurator,
    services: ServicesDep,
    search: Annotated[str, Query(max_length=200)] = "",
    state: Annotated[str, Query(max_length=20)] = "",
    page_number: Annotated[int, Query(alias="page", ge=1, le=LAST_PAGE)] = 1,
    question: QuestionId = "",
) -> Response:
    return _list(request, who, services, name, question, search=search, state=state, page_number=page_number)


@router.post("/import")
def bring_in(
    name: str,
    request: Request,
    who: SendsAsCurator,
    services: ServicesDep,
    files: Annotated[list[UploadFile], File()] = [],  # noqa: B006 - FastAPI copies it
    reason: Word = "",
    whole: Word = "",
    question: Word = "",
) -> Response:
    """Take in a gold list, and show how far it is from what was proposed."""
    try:
        found = import_files(services, name, files, who.name, reason=reason, whole=bool(whole), question=question)
    except GoldmarkError as error:
        return _list(request, who, services, name, question, wrong=failed("import", error))
    row, texts = services.store.read(lambda connection: _texts_of(connection, services, name, question, found))
    return page(
        request,
        "curation_imported.html",
        who,
        campaign=row,
        asked=_asked(services, row, question),
        counts=summary(found),
        imported=[
            {"line": one, "changes": [_read_change(change, texts[one.unit_id]) for change in one.changes]}
            for one in found
        ],
    )


def _texts_of(
    connection: Connection, services: Services, name: str, question: str, found: list[Imported]
) -> tuple[CampaignRow, dict[int, Text]]:
    row = find_campaign(connection, name)
    changed = [one.unit_id for one in found if one.changes]
    return row, {key: open_desk(connection, services.library, row, key, question or None).text for key in changed}


def _list(
    request: Request,
    who: Visitor,
    services: Services,
    name: str,
    question: str,
    *,
    search: str = "",
    state: str = "",
    page_number: int = 1,
    wrong: Failed = NOT_FAILED,
) -> Response:
    state = state if state in CURATION_STATES else ""
    search = search.replace("\x00", "").strip()
    row = services.store.read(lambda connection: find_campaign(connection, name))
    try:
        asked = _asked(services, row, question)
    except NothingToCurate as error:
        return page(request, "curation.html", who, campaign=row, why_not=str(error))

    def look(connection: Connection) -> tuple[Page[CurationLine], CurationProgress, int | None]:
        found = list_curation(connection, row, asked.id, search=search, state=state, page=page_number)
        return found, curation_progress(connection, row, asked.id), next_to_curate(connection, row, asked.id, 0)

    found, progress, following = services.store.read(look)
    return page(
        request,
        "curation.html",
        who,
        wrong=wrong,
        campaign=row,
        found=found,
        progress=progress,
        following=following,
        search=search,
        state=state,
        states=CURATION_STATES,
        why_not="",
        asked=asked,
        questions=marking(services.library.protocol(row.protocol_id)),
        query=_query(services, row, asked),
    )


def _asked(services: Services, row: CampaignRow, question: str) -> Spans:
    return spans_question(services.library.protocol(row.protocol_id), row, question or None)


def _query(services: Services, row: CampaignRow, asked: Spans) -> str:
    """What addresses carry where there are several questions about passages."""
    several = len(marking(services.library.protocol(row.protocol_id))) > 1
    return f"?question={asked.id}" if several else ""


@router.get("/{unit_id}")
def desk(
    name: str, unit_id: RowId, request: Request, who: ReadsAsCurator, services: ServicesDep, question: QuestionId = ""
) -> Response:
    def look(connection: Connection) -> tuple[CampaignRow, Desk, list[GoldText], CurationProgress, _Around]:
        row = find_campaign(connection, name)
        opened = open_desk(connection, services.library, row, unit_id, question or None)
        asked = opened.question.id
        frozen = versions_of(connection, unit_id, asked)
        following = next_to_curate(connection, row, asked, unit_id)
        around = _Around(*neighbours(connection, row, unit_id), following)
        return row, opened, frozen, curation_progress(connection, row, asked), around

    row, opened, frozen, progress, around = services.store.read(look)
    query = _query(services, row, opened.question)
    config = {
        **desk_out(opened, frozen).model_dump(mode="json"),
        "csrf": who.csrf,
        "address": f"/api/v1/campaigns/{row.name}/curation/{unit_id}",
        "here": f"/campaigns/{row.name}/curation",
        "query": query,
        "me": who.name,
        **around._asdict(),
    }
    return page(
        request,
        "curation_unit.html",
        who,
        campaign=row,
        unit=opened.unit,
        around=around,
        progress=progress,
        config=config,
        answered=bool(opened.labels) or opened.begun,
        asked=opened.question,
        questions=marking(opened.protocol),
        query=query,
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
    question: QuestionId = "",
) -> Response:
    def look(connection: Connection) -> tuple[CampaignRow, Desk, list[GoldText]]:
        row = find_campaign(connection, name)
        opened = open_desk(connection, services.library, row, unit_id, question or None)
        return row, opened, versions_of(connection, unit_id, opened.question.id)

    row, opened, frozen = services.store.read(look)
    second = len(frozen) if new is None else new
    first = max(second - 1, 0) if old is None else old
    lists = [opened.version(frozen, number) for number in (first, second)]
    return page(
        request,
        "curation_versions.html",
        who,
        campaign=row,
        unit=opened.unit,
        asked=opened.question,
        query=_query(services, row, opened.question),
        frozen=frozen,
        known=[opened.version(frozen, 0), *frozen],
        old=first,
        new=second,
        changes=[_read_change(one, opened.text) for one in diff(lists[0].mistakes, lists[1].mistakes)],
    )


def _read_change(one: Change, text: Text) -> dict[str, Any]:
    return {"kind": one.kind, "what": one.what, "old": _read(one.old, text), "new": _read(one.new, text)}


def _read(mistake: GoldMistake | None, text: Text) -> dict[str, Any] | None:
    """A mistake as a person reads it."""
    if mistake is None:
        return None
    return {
        "quote": text.slice(mistake.span),
        "label": mistake.label,
        "correction": mistake.correction,
        "comment": mistake.comment,
        "note": mistake.note,
        "attributes": {name: ", ".join(values) for name, values in by_name(mistake.attributes).items()},
        "links": [(role, text.slice(place)) for role, place in mistake.links],
    }
