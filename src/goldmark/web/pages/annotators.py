"""The annotators' pages: join, and the one work page on which everything else happens."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy import Connection

from goldmark.accounts.rate_limits import TooManyTries
from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.errors import GoldmarkError
from goldmark.languages import gettext
from goldmark.people.annotators import campaign_of_invite, join, refuse_reason
from goldmark.people.connector import sender
from goldmark.people.participants import Arrival, token_of
from goldmark.protocols.presentation import to_html
from goldmark.recruiting.visiting.leaving import came_by_posting
from goldmark.web.failures import told
from goldmark.web.pages.languages import speak
from goldmark.web.pages.render import render
from goldmark.web.pages.router import Pages
from goldmark.web.services import Services, ServicesDep
from goldmark.web.sign_in import address_of

router = Pages()

JOINS_A_MINUTE = 30
# Keeps people without a platform's id apart from those who come back, in campaigns of a family. It names nobody.
SEEN = "goldmark_seen"
SEEN_SECONDS = 2 * 365 * 24 * 60 * 60
# Who joined in this browser by an open link: they go on as themselves instead of joining a second time.
JOINED = "goldmark_joined"  # with the campaign's number; cookies of older versions have none


@router.get("/join/{invite}")
def join_page(invite: str, request: Request, services: ServicesDep) -> Response:
    """Whom a platform sends again goes on where they were."""
    row = services.store.read(lambda connection: campaign_of_invite(connection, services.links, invite))
    speak(request, row.settings.language)
    try:
        arrival = Arrival.of(request.query_params)
    except GoldmarkError as error:
        return _join_page(request, services, invite, problem=told(error), status=422)
    if arrival is not None:
        token = token_of(services.store, services.links, row.id, arrival, request.cookies.get(place_of(row), ""))
        if token is not None:
            return RedirectResponse(f"/a/{token}", status_code=303)
    return _join_page(request, services, invite)


@router.post("/join/{invite}")
def join_now(
    invite: str,
    request: Request,
    services: ServicesDep,
    name: Annotated[str, Form()] = "",
    other: Annotated[str, Form()] = "",
) -> Response:
    """Joining leads to an address of one's own, to keep and to open elsewhere. `other`: not who joined here before."""
    before = _joined_before(request, services, invite)
    if before is not None and not other:
        return RedirectResponse(f"/a/{before[1]}", status_code=303)
    try:
        services.limits.flood("join", address_of(request), most=JOINS_A_MINUTE, seconds=60)
        row = services.store.read(lambda connection: campaign_of_invite(connection, services.links, invite))
        speak(request, row.settings.language)
        arrival = Arrival.of(request.query_params)
        if arrival is None and row.settings.join.pool:
            arrival = Arrival.browser(request.cookies.get(SEEN))
        kept = request.cookies.get(place_of(row), "")
        beside = before[0] if before else ""
        token = join(services.store, services.links, invite, name, arrival, kept=kept, beside=beside)
        # The page on which they joined showed the consent text, and its button said so.
        services.work.consent(token)
    except TooManyTries as error:
        return _join_page(request, services, invite, problem=told(error), name=name, status=429)
    except GoldmarkError as error:
        return _join_page(request, services, invite, problem=told(error), name=name, status=409)
    answer = RedirectResponse(f"/a/{token}", status_code=303)
    cookies: list[tuple[str, str, str]] = []
    if arrival is None or not arrival.is_named:
        cookies.append((f"{JOINED}_{row.id}", token, "/join"))
    if arrival is not None:
        # By the first somebody is known again whom an address only names; by the second a browser, in a family.
        cookies.append((place_of(row), token, "/join") if arrival.is_named else (SEEN, arrival.platform_id, "/join"))
    for key, value, path in cookies:
        answer.set_cookie(
            key,
            value,
            max_age=SEEN_SECONDS,
            path=path,
            httponly=True,
            samesite="lax",
            secure=services.secure_cookies,
        )
    return answer


def place_of(row: CampaignRow) -> str:
    """The cookie in which a browser keeps whom it joined a campaign as."""
    return f"goldmark_place_{row.id}"


def _joined_before(request: Request, services: Services, invite: str) -> tuple[str, str] | None:
    """The name and the token of whoever joined this campaign in this browser; nobody if their link no longer works."""
    if sender(request.query_params) is not None:
        return None
    try:
        row = services.store.read(lambda connection: campaign_of_invite(connection, services.links, invite))
        token = request.cookies.get(f"{JOINED}_{row.id}") or request.cookies.get(JOINED, "")
        person = services.work.person(token)
    except GoldmarkError:
        return None
    return (person.name, token) if person.campaign_id == row.id else None


def _join_page(
    request: Request, services: Services, invite: str, *, problem: str = "", name: str = "", status: int = 200
) -> Response:
    def look(connection: Connection) -> tuple[CampaignRow, str]:
        row = campaign_of_invite(connection, services.links, invite)
        return row, refuse_reason(connection, row)

    row, closed = services.store.read(look)
    speak(request, row.settings.language)
    page = render(
        request,
        "annotator/join.html",
        campaign=row,
        consent_html=to_html(row.settings.consent) if row.settings.consent else "",
        closed=gettext("You cannot join at the moment: {why}.", why=gettext(closed)) if closed else "",
        problem=problem,
        name=name,
        before=_joined_before(request, services, invite),
        named=sender(request.query_params) is not None,
        csrf="",  # nobody is signed in here, so there is nothing that a forged form could misuse
    )
    page.status_code = status
    return page


@router.get("/a/{token}")
def work_page(token: str, request: Request, services: ServicesDep) -> Response:
    person = services.work.person(token)
    speak(request, person.settings.language)
    hands_in = services.store.read(lambda connection: came_by_posting(connection, person.id))
    return render(
        request,
        "annotator/work.html",
        campaign={"title": person.campaign_title},
        token=token,
        config={"api": "/api/v1", "token": token, "leave": f"/done/{token}" if hands_in else None},
    )
