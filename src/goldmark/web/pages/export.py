"""A campaign as files, in the formats of Goldmark and of other tools; and answers made elsewhere, brought in."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from goldmark.campaigns.import_answers import ImportedAnswers
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.errors import GoldmarkError
from goldmark.web.api.answer_imports import UploadDep, import_files
from goldmark.web.api.inputs import WithExcluded
from goldmark.web.downloads import download
from goldmark.web.pages.frame import NOT_FAILED, Failed, failed, page
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import ReadsAsManager, SendsAsManager, Visitor

router = APIRouter(include_in_schema=False, prefix="/campaigns/{name}/export")


@router.get("")
def export(name: str, request: Request, who: ReadsAsManager, services: ServicesDep) -> Response:
    return _page(name, request, who, services)


@router.get("/{format_name}")
def export_as(
    name: str,
    format_name: str,
    request: Request,
    who: ReadsAsManager,
    services: ServicesDep,
    question: Annotated[str, Query(max_length=64)] = "",
    with_excluded: WithExcluded = False,
    with_tests: Annotated[bool, Query()] = False,
) -> Response:
    try:
        return download(
            services.store,
            name,
            format_name,
            question or None,
            with_excluded=with_excluded,
            with_tests=with_tests,
        )
    except GoldmarkError as error:
        return _page(name, request, who, services, wrong=failed(format_name, error))


@router.post("/answers")
def bring_in(name: str, request: Request, who: SendsAsManager, services: ServicesDep, upload: UploadDep) -> Response:
    try:
        done = import_files(services, name, upload, who.name)
    except GoldmarkError as error:
        return _page(name, request, who, services, wrong=failed("answers", error))
    return _page(name, request, who, services, imported=done)


def _page(
    name: str,
    request: Request,
    who: Visitor,
    services: Services,
    *,
    wrong: Failed = NOT_FAILED,
    imported: ImportedAnswers | None = None,
) -> Response:
    from goldmark.exchange.formats import exports, imports

    row = services.store.read(lambda connection: find_campaign(connection, name))
    return page(
        request,
        "export.html",
        who,
        wrong=wrong,
        campaign=row,
        formats=list(exports().values()),
        imports=sorted(imports().values(), key=lambda one: (one.name != "tidy", one.name)),
        questions=[one.id for one in services.library.protocol(row.protocol_id).questions()],
        imported=imported,
    )
