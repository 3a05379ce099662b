"""What annotators made of a checker's suggestions, in figures."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from goldmark.web.api.reviews import suggestions as calls
from goldmark.web.pages.frame import page, shown
from goldmark.web.sign_in import ReadsAsCurator

router = APIRouter(include_in_schema=False, prefix="/campaigns/{name}/suggestions")


@router.get("")
def figures(visit: ReadsAsCurator, name: str) -> Response:
    from goldmark.results.published.suggestions import NothingSuggested

    row = visit.campaign(name)
    try:
        found = calls.figures(visit, name)
    except NothingSuggested:
        return page(visit, "suggestions.html", campaign=row, tables=[])
    return page(visit, "suggestions.html", campaign=row, tables=shown(found["tables"]), as_of=found["as_of"])
