"""The first page: all campaigns for those who run them, one's own work for those who do it."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from goldmark.campaigns.progress import with_progress
from goldmark.people.annotators import work_of_account
from goldmark.web.pages.frame import page
from goldmark.web.sign_in import ReadsAsAnyone

router = APIRouter(include_in_schema=False)


@router.get("/")
def home(visit: ReadsAsAnyone) -> Response:
    campaigns, mine = visit.read(
        lambda connection: (
            with_progress(connection)[::-1] if visit.may("curator") else [],
            work_of_account(connection, visit.links, visit.account.id),
        )
    )
    return page(visit, "home.html", campaigns=campaigns, mine=mine)
