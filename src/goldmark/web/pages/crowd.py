"""People from crowd platforms: the door of a posting, a look at it before taking a place, and handing in.

These pages work in a platform's frame, where cookies do not: who somebody is stands in the address or in the form.
"""

from __future__ import annotations

from typing import Annotated, Any

import orjson
from fastapi import Form, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy import Connection, select

from goldmark.campaigns.definition.admission import kit_of
from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.errors import GoldmarkError
from goldmark.languages import gettext, speaking
from goldmark.people.connector import CONNECTORS, Connector
from goldmark.protocols import present
from goldmark.protocols.presentation import to_html
from goldmark.quality.training.course import lessons
from goldmark.recruiting.visiting.arrivals import AskAgain, OpenPosting, enter, examine, open_posting, ticket
from goldmark.recruiting.visiting.leaving import leave
from goldmark.store.tables import unit
from goldmark.web.failures import STATUS, told
from goldmark.web.pages.annotators import JOINS_A_MINUTE
from goldmark.web.pages.languages import speak
from goldmark.web.pages.render import render
from goldmark.web.pages.router import Pages
from goldmark.web.security_headers import handing_in_to
from goldmark.web.services import Services, ServicesDep
from goldmark.web.sign_in import address_of

router = Pages()

ASKED_A_MINUTE = 4 * JOINS_A_MINUTE  # of one address: every look asks the platform
AGAIN_AFTER = 5  # seconds before the page asks again


@router.get("/crowd/{token}")
def arrive(token: str, request: Request, services: ServicesDep) -> Response:
    """Somebody opens the task on a platform: a look at it, the consent text, or on to their own page."""
    here = services.store.read(lambda connection: open_posting(connection, services.links, token))
    speak(request, here.campaign.settings.language)
    connector = CONNECTORS.find(here.posting.platform)
    arriving = connector.reads(request.query_params) if connector.reads else None
    if arriving is None:
        words = gettext(
            "This page is opened by {platform}, which says who you are. Please open the task there.",
            platform=connector.purpose,
        )
        return _told(request, here, words, 403)
    if arriving.preview:
        return _preview(request, services, here, connector)
    try:
        services.limits.flood("crowd", address_of(request), most=ASKED_A_MINUTE, seconds=60)
        known, proven = examine(services.store, services.links, here, arriving)
    except AskAgain as error:
        answer = _told(request, here, told(error), 503)
        answer.headers["refresh"] = str(AGAIN_AFTER)
        return answer
    except GoldmarkError as error:
        return _told(request, here, told(error), STATUS[error.kind])
    if known is not None:
        return RedirectResponse(f"/a/{known}", status_code=303)
    return _join(request, here, ticket(services.links, here, arriving, proven=proven))


@router.post("/crowd/{token}")
def take_place(
    token: str, request: Request, services: ServicesDep, given: Annotated[str, Form(alias="ticket", max_length=2_000)]
) -> Response:
    """They agree, and go on to a page of their own."""
    try:
        services.limits.flood("join", address_of(request), most=JOINS_A_MINUTE, seconds=60)
        person = enter(services.store, services.links, token, given)
        services.work.consent(person)  # the page on which they joined showed the text, and its button said so
    except GoldmarkError as error:
        here = services.store.read(lambda connection: open_posting(connection, services.links, token))
        speak(request, here.campaign.settings.language)
        return _told(request, here, told(error), STATUS[error.kind])
    return RedirectResponse(f"/a/{person}", status_code=303)


@router.get("/done/{token}")
def hand_in(token: str, request: Request, services: ServicesDep) -> Response:
    """The last step: a form or a link to the platform, which this page alone may send to."""
    speak(request, services.work.person(token).settings.language)
    finished = services.work.next(token).finished
    code = (finished.code or "") if finished else ""
    leaving = leave(services.store, services.links, token, finished=finished is not None, code=code)
    if leaving is None or (finished is None and leaving.outcome is None):
        return RedirectResponse(f"/a/{token}", status_code=303)
    page = render(
        request,
        "annotator/done.html",
        campaign={"title": leaving.title},
        farewell=leaving.farewell,
        platform=CONNECTORS.find(leaving.platform).purpose,
        back=f"/a/{token}",
    )
    if leaving.farewell is not None:
        page.headers["content-security-policy"] = handing_in_to(leaving.farewell.host)
    return page


def _join(request: Request, here: OpenPosting, given: str) -> Response:
    row = here.campaign
    return render(
        request,
        "annotator/join.html",
        campaign=row,
        consent_html=to_html(row.settings.consent) if row.settings.consent else "",
        closed="",
        problem="",
        named=True,
        ticket=given,
        csrf="",  # the ticket says that the form is ours
    )


def _told(request: Request, here: OpenPosting, words: str, status: int) -> Response:
    page = render(
        request,
        "annotator/join.html",
        campaign=here.campaign,
        consent_html="",
        closed=f"{words[:1].upper()}{words[1:]}{'' if words.endswith('.') else '.'}",
        problem="",
        named=True,
        csrf="",
    )
    page.status_code = status
    return page


def _preview(request: Request, services: Services, here: OpenPosting, connector: Connector) -> Response:
    """Instructions and an example, for somebody who has taken no place."""
    protocol, shown = _example(services, here.campaign)
    return render(
        request,
        "annotator/preview.html",
        campaign=here.campaign,
        summary=protocol["summary"],
        instructions_html=protocol["instructions_html"],
        platform=connector.purpose,
        config={"protocol": protocol, "unit": shown},
    )


def _example(services: Services, row: CampaignRow) -> tuple[Any, Any]:
    """What is asked, and a text: one from the training, or else the first of the campaign, of which nothing is told."""
    asked = services.content.protocol(row.protocol_id)
    for item in lessons(asked, kit_of(asked, row.settings, None)[0]):
        if item.shown is not None:
            return present(item.asked or asked, speaking.get()), item.shown.to_json()
    first = services.store.read(lambda connection: _first_shown(connection, row))
    return present(asked, speaking.get()), None if first is None else orjson.loads(first)


def _first_shown(connection: Connection, row: CampaignRow) -> str | None:
    """As it is now, and not kept in memory: nobody has to have got it yet."""
    query = select(unit.c.shown).where(unit.c.campaign_id == row.id, unit.c.counts).order_by(unit.c.position).limit(1)
    return connection.execute(query).scalar()
