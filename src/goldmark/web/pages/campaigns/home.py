"""The first page: all campaigns for those who run them, one's own work for those who do it, a welcome for strangers."""

from __future__ import annotations

from fastapi.responses import Response

from goldmark.campaigns.lifecycle import list_campaigns
from goldmark.people.annotators import work_of_account
from goldmark.web.api.evaluations.boards import all_boards
from goldmark.web.pages.frame import page
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsIfSignedIn

router = Pages()


@router.get("/")
def home(visit: ReadsIfSignedIn) -> Response:
    account = visit.account
    if account is None:
        nobody, boards = not visit.services.accounts.any_account(), [one.board for one in all_boards(visit)]
        return page(visit, "welcome.html", doors=visit.services.doors, boards=boards, nobody=nobody)
    rows, mine = visit.read(
        lambda connection: (
            list_campaigns(connection)[::-1] if visit.may("curator") else [],
            work_of_account(connection, visit.links, account.id),
        )
    )
    campaigns = [(row, visit.progress(row.name)) for row in rows]
    return page(visit, "home.html", campaigns=campaigns, mine=mine)
