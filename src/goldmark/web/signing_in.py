"""Who is asking: a signed-in browser (cookie) or a program (API token), what role they have, and that they meant it.

A page's form carries a token made from the secret in the visitor's cookie. Another site can make a browser send the
cookie, but it cannot read it, so it cannot make the token: a form or an API call without it changes nothing. Calls with
an API token in a header need none, because no browser sends that header by itself.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar
from urllib.parse import quote

from fastapi import Depends, Form, Header, Request
from fastapi.responses import Response
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer
from starlette.exceptions import HTTPException

from goldmark.accounts.credentials import SESSION_LASTS, SecretNotValid
from goldmark.accounts.desk import Account
from goldmark.accounts.roles import Role, require
from goldmark.errors import GoldmarkError, Kind
from goldmark.web.services import Services, ServicesDep

SESSION = "goldmark_session"
STRANGER = "goldmark_form"  # a secret for the forms of people who are not signed in yet
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
SIGN_INS_OF_ADDRESS = 20  # in a minute
SIGN_INS_OF_NAME = 10  # in a minute

_bearer = HTTPBearer(auto_error=False, scheme_name="token", description="An API token, gm_...")
_cookie = APIKeyCookie(name=SESSION, auto_error=False, scheme_name="session", description="A signed-in browser.")

Answer = TypeVar("Answer", bound=Response)


class FormNotOurs(GoldmarkError):
    code = "FORM-01"
    kind = Kind.FORBIDDEN
    message = "this form is out of date or was sent from another site; load the page again and repeat what you did"


@dataclass(frozen=True)
class Visitor:
    """Someone who is signed in."""

    account: Account
    csrf: str  # what this visitor's forms must carry; empty for a program with a token

    @property
    def name(self) -> str:
        """How decisions are signed."""
        return self.account.name

    def may(self, role: str) -> bool:
        return self.account.role >= Role[role.upper()]


def form_token(secret: str) -> str:
    return hmac.digest(secret.encode(), b"goldmark form", "sha256").hex()


def check_form_token(secret: str, given: str) -> None:
    if not secret or not hmac.compare_digest(form_token(secret).encode(), given.encode()):
        raise FormNotOurs


def visitor_of(request: Request, services: Services) -> Visitor | None:
    """The visitor with this browser's session, if it is still good."""
    secret = request.cookies.get(SESSION, "")
    if not secret:
        return None
    try:
        return Visitor(services.accounts.account_of(secret, "session"), form_token(secret))
    except SecretNotValid:
        return None


def is_known(scope: MutableMapping[str, Any], services: Services) -> bool:
    """Whether a request carries a good session or API token, before anything of its body is read."""
    request = Request(scope)
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return _by_token(services, token.strip()) is not None
    return visitor_of(request, services) is not None


def slow_down(request: Request, services: Services, name: str) -> None:
    """Many tries from one address or for one name have to wait; every try with a password goes through here."""
    services.limiter.check(f"sign in from {address_of(request)}", tries=SIGN_INS_OF_ADDRESS, seconds=60)
    services.limiter.check(f"sign in as {name.strip()[:200]}", tries=SIGN_INS_OF_NAME, seconds=60)


def address_of(request: Request) -> str:
    return request.client.host if request.client else "unknown"


# --- cookies


def keep_session(answer: Answer, services: Services, secret: str) -> Answer:
    answer.set_cookie(
        SESSION,
        secret,
        max_age=int(SESSION_LASTS.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=services.secure_cookies,
    )
    answer.delete_cookie(STRANGER)
    return answer


def stranger_secret(request: Request) -> str:
    """The secret behind the forms of someone who is not signed in; `keep_stranger` puts it into their browser."""
    return request.cookies.get(STRANGER) or secrets.token_urlsafe(16)


def keep_stranger(answer: Answer, services: Services, secret: str) -> Answer:
    answer.set_cookie(STRANGER, secret, httponly=True, samesite="strict", secure=services.secure_cookies)
    return answer


# --- what routes depend on


def _of_api(role: Role) -> Callable[..., Visitor]:
    def visitor(
        request: Request,
        services: ServicesDep,
        token: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
        _: Annotated[str | None, Depends(_cookie)],
        x_csrf_token: Annotated[str, Header(include_in_schema=False)] = "",
    ) -> Visitor:
        found = _by_token(services, token.credentials) if token else visitor_of(request, services)
        if found is None:
            raise HTTPException(401, "sign in, or send an API token in the header 'Authorization: Bearer gm_...'")
        if found.csrf and request.method not in SAFE:
            check_form_token(request.cookies.get(SESSION, ""), x_csrf_token)
        require(found.account.role, role)
        return found

    return visitor


def _by_token(services: Services, token: str) -> Visitor | None:
    try:
        return Visitor(services.accounts.account_of(token, "token"), csrf="")
    except SecretNotValid:
        return None


def visitor_of_page(request: Request, services: ServicesDep) -> Visitor | None:
    """Whoever looks at a page that is open to everybody."""
    return visitor_of(request, services)


def _of_page(role: Role) -> Callable[..., Visitor]:
    def visitor(request: Request, services: ServicesDep) -> Visitor:
        found = visitor_of(request, services)
        if found is None:
            wanted = request.url.path if request.method in SAFE else "/"
            raise HTTPException(303, "sign in first", headers={"Location": f"/signin?next={quote(wanted)}"})
        require(found.account.role, role)
        return found

    return visitor


def _of_form(role: Role) -> Callable[..., Visitor]:
    read = _of_page(role)

    def visitor(request: Request, services: ServicesDep, csrf: Annotated[str, Form(max_length=200)] = "") -> Visitor:
        found = read(request, services)
        check_form_token(request.cookies.get(SESSION, ""), csrf)
        return found

    return visitor


def _anybody_of_api(
    request: Request,
    services: ServicesDep,
    token: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
    _: Annotated[str | None, Depends(_cookie)],
) -> Visitor | None:
    """Whoever calls, signed in or not; a token that was sent must still be good."""
    if token is None:
        return visitor_of(request, services)
    found = _by_token(services, token.credentials)
    if found is None:
        raise HTTPException(401, "this API token is not valid")
    return found


# What is open to everybody may still show more to those who are signed in.
ReadsIfSignedIn = Annotated[Visitor | None, Depends(visitor_of_page)]
CallsIfSignedIn = Annotated[Visitor | None, Depends(_anybody_of_api)]

# `Reads...` for pages, `Sends...` for forms of pages, `Calls...` for the API; each names the lowest role it takes.
ReadsAsAnyone = Annotated[Visitor, Depends(_of_page(Role.ANNOTATOR))]
ReadsAsCurator = Annotated[Visitor, Depends(_of_page(Role.CURATOR))]
ReadsAsManager = Annotated[Visitor, Depends(_of_page(Role.MANAGER))]
ReadsAsOwner = Annotated[Visitor, Depends(_of_page(Role.OWNER))]
SendsAsAnyone = Annotated[Visitor, Depends(_of_form(Role.ANNOTATOR))]
SendsAsCurator = Annotated[Visitor, Depends(_of_form(Role.CURATOR))]
SendsAsManager = Annotated[Visitor, Depends(_of_form(Role.MANAGER))]
SendsAsOwner = Annotated[Visitor, Depends(_of_form(Role.OWNER))]
CallsAsAnyone = Annotated[Visitor, Depends(_of_api(Role.ANNOTATOR))]
CallsAsCurator = Annotated[Visitor, Depends(_of_api(Role.CURATOR))]
CallsAsManager = Annotated[Visitor, Depends(_of_api(Role.MANAGER))]
CallsAsOwner = Annotated[Visitor, Depends(_of_api(Role.OWNER))]
