"""What annotators made of a checker's suggestions, in figures."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from goldmark.analysis.campaign_tables import suggestion_tables
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.records.tables import Table
from goldmark.reports.tables import reading
from goldmark.web.pages.frame import page
from goldmark.web.services import ServicesDep
from goldmark.web.signing_in import ReadsAsCurator

router = APIRouter(include_in_schema=False, prefix="/campaigns/{name}/suggestions")


@router.get("")
def figures(name: str, request: Request, who: ReadsAsCurator, services: ServicesDep) -> Response:
    from goldmark.analysis.suggestions import NothingSuggested

    row = services.store.read(lambda connection: find_campaign(connection, name))
    tables: list[Table] = []
    why = ""
    try:
        tables = suggestion_tables(services.store, services.library, name)
    except NothingSuggested as error:
        why = str(error)
    drawn = [(table, reading(table)) for table in tables]
    return page(request, "suggestions.html", who, campaign=row, tables=drawn, why=why)
