"""Who is asking: a signed-in browser (cookie) or a program (API token), what role they have, and that they meant it.

A page's form carries a token made from the secret in the visitor's cookie. Another site can make a browser send the
cookie, but it cannot read it, so it cannot make the token: a form or an API call without it changes nothing. Calls with
an API token in a header need none, because no browser sends that header by itself.
"""

from __future__ import annotations

import hmac
import logging
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, NamedTuple, TypeVar
from urllib.parse import quote

from fastapi import Depends, Form, Request
from fastapi.responses import Response
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException

from goldmark.accounts.credentials import HALF_LASTS, SESSION_LASTS, SecretNotValid
from goldmark.accounts.roles import Role, require
from goldmark.accounts.second_factor import SecondFactorNeeded
from goldmark.errors import Forbidden, GoldmarkError
from goldmark.web.services import Services, ServicesDep
from goldmark.web.visits import Guest, Visit

SESSION = "goldmark_session"
HALF = "goldmark_half"  # the password was right, the code of the second factor is missing
STRANGER = "goldmark_form"  # a secret for the forms of people who are not signed in yet
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
SET_UP = "/account/second-factor"
# What those may reach who must set up a second factor first.
BEFORE_SET_UP = (SET_UP, "/api/v1/me/second-factor", "/signout")
# What tells browsers and systems apart; many claim to be several, and the first that is found counts.
BROWSERS = {"Edg": "Edge", "OPR/": "Opera", "Firefox/": "Firefox", "Chrome/": "Chrome", "Safari/": "Safari"}
SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "Mac OS": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}
LONGEST_FIELD = 100_000  # characters in a field of a form

_log = logging.getLogger(__name__)
_bearer = HTTPBearer(auto_error=False, scheme_name="token", description="An API token, gm_...")
_cookie = APIKeyCookie(name=SESSION, auto_error=False, scheme_name="session", description="A signed-in browser.")

Answer = TypeVar("Answer", bound=Response)


class Entrance(NamedTuple):
    """What a route asks of the head of a request."""

    lowest: Role
    enter: Callable[[Request, Services], Visit]


# What routes depend on, with what it asks of a request's head alone: see `runtime.before_body`.
ENTRANCES: dict[Callable[..., Any], Entrance] = {}


class FormNotOurs(Forbidden):
    code = "FORM-01"
    message = "this form is out of date or was sent from another site; load the page again and repeat what you did"


class FormNotUsable(GoldmarkError):
    code = "FORM-02"
    message = "the field {field!r} holds more than {most} characters, or one that cannot be stored; shorten it"


def form_token(secret: str) -> str:
    return hmac.digest(secret.encode(), b"goldmark form", "sha256").hex()


def check_form_token(secret: str, given: str) -> None:
    if not secret or not hmac.compare_digest(form_token(secret).encode(), given.encode()):
        raise FormNotOurs


def visit_of(request: Request, services: Services) -> Visit | None:
    """The visit of someone with a session in this browser, if it is still good."""
    secret = request.cookies.get(SESSION, "")
    if not secret:
        return None
    try:
        account = services.accounts.account_of(secret, "session")
    except SecretNotValid:
        return None
    return Visit(request, services, account, form_token(secret))


def address_of(request: Request) -> str:
    return request.client.host if request.client else "unknown"


def browser_of(request: Request) -> str:
    """What a browser calls itself, in a few words by which its owner knows it again."""
    said = request.headers.get("user-agent", "")
    browser = next((name for mark, name in BROWSERS.items() if mark in said), "a browser")
    system = next((name for mark, name in SYSTEMS.items() if mark in said), "")
    return f"{browser} on {system}" if system else browser


# --- cookies


def keep_session(answer: Answer, visit: Guest, secret: str) -> Answer:
    services = visit.services
    services.accounts.describe_session(secret, browser_of(visit.request))
    answer.set_cookie(
        SESSION,
        secret,
        max_age=int(SESSION_LASTS.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=services.secure_cookies,
    )
    answer.delete_cookie(STRANGER)
    answer.delete_cookie(HALF)
    return answer


def keep_half(answer: Answer, services: Services, secret: str) -> Answer:
    lasts = int(HALF_LASTS.total_seconds())
    answer.set_cookie(HALF, secret, max_age=lasts, httponly=True, samesite="strict", secure=services.secure_cookies)
    return answer


def stranger_secret(request: Request) -> str:
    """The secret behind the forms of someone who is not signed in; `keep_stranger` puts it into their browser."""
    return request.cookies.get(STRANGER) or secrets.token_urlsafe(16)


def keep_stranger(answer: Answer, services: Services, secret: str) -> Answer:
    answer.set_cookie(STRANGER, secret, httponly=True, samesite="strict", secure=services.secure_cookies)
    return answer


# --- what routes depend on

Token = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
Cookie = Annotated[str | None, Depends(_cookie)]


def _of_api(role: Role) -> Callable[..., Visit]:
    def enter(request: Request, services: Services) -> Visit:
        token = sent_token(request)
        found = visit_of(request, services) if token is None else _by_token(request, services, token)
        if found is None:
            raise HTTPException(401, "sign in, or send an API token in the header 'Authorization: Bearer gm_...'")
        if found.csrf and request.method not in SAFE:
            check_form_token(request.cookies.get(SESSION, ""), request.headers.get("x-csrf-token", ""))
        if must_set_up(found):
            raise SecondFactorNeeded
        _require(found, role)
        return found

    # Token and cookie are declared for the description of the API.
    def visit(request: Request, services: ServicesDep, token: Token, cookie: Cookie) -> Visit:
        return enter(request, services)

    ENTRANCES[visit] = Entrance(role, enter)
    return visit


def _require(found: Visit, role: Role) -> None:
    """Whoever watches the logs sees who tried what is not theirs, by the pattern of the address."""
    try:
        require(found.account.role, role)
    except Forbidden:
        pattern = getattr(found.request.scope.get("route"), "path", "")
        facts = {"account": found.name, "pattern": pattern, "from": address_of(found.request)}
        _log.warning("access refused", extra={"facts": facts})
        raise


def _by_token(request: Request, services: Services, token: str) -> Visit | None:
    try:
        writes = request.method not in SAFE
        return Visit(request, services, services.accounts.account_of(token, "token", writes=writes), token=token)
    except SecretNotValid:
        return None


def sent_token(request: Request) -> str | None:
    """The token in the header of a request that no route has looked at."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def signed_in_program(request: Request, services: Services) -> Visit:
    """The visit of a program with a good API token, whatever it asks for."""
    token = sent_token(request)
    found = None if token is None else _by_token(request, services, token)
    if found is None:
        raise HTTPException(401, "send an API token in the header 'Authorization: Bearer gm_...'")
    return found


def must_set_up(found: Visit) -> bool:
    """Whether a browser of somebody whose role needs a second factor asks for anything else before it is set up."""
    elsewhere = not found.request.url.path.startswith(BEFORE_SET_UP)
    return bool(found.csrf) and elsewhere and found.services.second_factors.missing(found.account)


def _anybody_of_page(request: Request, services: ServicesDep) -> Guest:
    found = visit_of(request, services)
    if found is None or not must_set_up(found):
        return found or Guest(request, services)
    if request.url.path in ("/", "/signin"):
        raise HTTPException(303, "set up your second factor first", headers={"Location": SET_UP})
    return Guest(request, services)  # what is open to everybody, as everybody sees it


def _anybody_of_api(request: Request, services: ServicesDep, token: Token, _: Cookie) -> Guest:
    """Whoever calls, signed in or not; a token that was sent must still be good."""
    if token is None:
        return _anybody_of_page(request, services)
    found = _by_token(request, services, token.credentials)
    if found is None:
        raise HTTPException(401, "this API token is not valid")
    return found


async def form_of(request: Request) -> FormData:
    """All fields of a form. PostgreSQL cannot store the character 0."""
    form = await request.form()
    for key, value in form.multi_items():
        if isinstance(value, str) and (len(value) > LONGEST_FIELD or "\x00" in value):
            raise FormNotUsable(field=key[:40], most=LONGEST_FIELD)
    return form


def _of_page(role: Role) -> Callable[..., Visit]:
    def visit(request: Request, services: ServicesDep) -> Visit:
        return _signed_in(request, visit_of(request, services), role)

    return visit


def _of_form(role: Role) -> Callable[..., Visit]:
    def enter(request: Request, services: Services) -> Visit:
        return _signed_in(request, visit_of(request, services), role)

    # FastAPI reads the body because of the declared field; the rest of the form is read by whoever asks for it.
    def visit(
        request: Request,
        services: ServicesDep,
        form: Annotated[FormData, Depends(form_of)],
        csrf: Annotated[str, Form(max_length=200)] = "",
    ) -> Visit:
        found = enter(request, services)
        check_form_token(request.cookies.get(SESSION, ""), csrf)
        return replace(found, form=form)

    ENTRANCES[visit] = Entrance(role, enter)
    return visit


def _stranger_of_form(
    request: Request,
    services: ServicesDep,
    form: Annotated[FormData, Depends(form_of)],
    csrf: Annotated[str, Form(max_length=200)] = "",
) -> Guest:
    return Guest(request, services, csrf=csrf, form=form)


def _signed_in(request: Request, found: Visit | None, role: Role) -> Visit:
    if found is None:
        wanted = request.url.path if request.method in SAFE else "/"
        raise HTTPException(303, "sign in first", headers={"Location": f"/signin?next={quote(wanted)}"})
    if must_set_up(found):
        raise HTTPException(303, "set up your second factor first", headers={"Location": SET_UP})
    _require(found, role)
    return found


# What is open to everybody may still show more to those who are signed in.
ReadsIfSignedIn = Annotated[Guest, Depends(_anybody_of_page)]
CallsIfSignedIn = Annotated[Guest, Depends(_anybody_of_api)]
# The forms with which one enters; they check by themselves that they were meant.
SendsAsStranger = Annotated[Guest, Depends(_stranger_of_form)]

# `Reads...` for pages, `Sends...` for forms of pages, `Calls...` for the API; each names the lowest role it takes.
ReadsAsAnyone = Annotated[Visit, Depends(_of_page(Role.ANNOTATOR))]
ReadsAsCurator = Annotated[Visit, Depends(_of_page(Role.CURATOR))]
ReadsAsManager = Annotated[Visit, Depends(_of_page(Role.MANAGER))]
ReadsAsOwner = Annotated[Visit, Depends(_of_page(Role.OWNER))]
SendsAsAnyone = Annotated[Visit, Depends(_of_form(Role.ANNOTATOR))]
SendsAsCurator = Annotated[Visit, Depends(_of_form(Role.CURATOR))]
SendsAsManager = Annotated[Visit, Depends(_of_form(Role.MANAGER))]
SendsAsOwner = Annotated[Visit, Depends(_of_form(Role.OWNER))]
CallsAsAnyone = Annotated[Visit, Depends(_of_api(Role.ANNOTATOR))]
CallsAsCurator = Annotated[Visit, Depends(_of_api(Role.CURATOR))]
CallsAsManager = Annotated[Visit, Depends(_of_api(Role.MANAGER))]
CallsAsOwner = Annotated[Visit, Depends(_of_api(Role.OWNER))]

# A form that does what a call does takes the same role.
SENDS_LIKE: dict[Any, Any] = {
    CallsAsAnyone: SendsAsAnyone,
    CallsAsCurator: SendsAsCurator,
    CallsAsManager: SendsAsManager,
    CallsAsOwner: SendsAsOwner,
}
