"""A campaign as files, in the formats of Goldmark and of other tools."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from goldmark.campaigns.lifecycle import find_campaign
from goldmark.errors import GoldmarkError
from goldmark.web.api.inputs import WithExcluded
from goldmark.web.downloads import download
from goldmark.web.pages.frame import NOT_FAILED, Failed, failed, page
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import ReadsAsManager, Visitor

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


def _page(name: str, request: Request, who: Visitor, services: Services, *, wrong: Failed = NOT_FAILED) -> Response:
    from goldmark.exchange.formats import FORMATS

    row = services.store.read(lambda connection: find_campaign(connection, name))
    return page(request, "export.html", who, wrong=wrong, campaign=row, formats=list(FORMATS.values()))
