"""What annotators made of a checker's suggestions, in figures."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from goldmark.results.campaign_tables import suggestion_tables
from goldmark.web.pages.frame import page, shown
from goldmark.web.sign_in import ReadsAsCurator

router = APIRouter(include_in_schema=False, prefix="/campaigns/{name}/suggestions")


@router.get("")
def figures(visit: ReadsAsCurator, name: str) -> Response:
    from goldmark.results.published.suggestions import NothingSuggested

    row = visit.campaign(name)
    try:
        tables, why = shown(suggestion_tables(visit.store, visit.content, name)), ""
    except NothingSuggested as error:
        tables, why = [], str(error)
    return page(visit, "suggestions.html", campaign=row, tables=tables, why=why)
