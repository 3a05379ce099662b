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
from datetime import timedelta
from typing import Annotated, Any, Literal, NamedTuple, TypeVar
from urllib.parse import quote

from fastapi import Depends, Form, Request
from fastapi.responses import Response
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException

from goldmark.accounts.credentials import HALF_LASTS, SecretNotValid
from goldmark.accounts.proofs import ProofNeeded
from goldmark.accounts.roles import Role, require
from goldmark.accounts.second_factor import SecondFactorNeeded
from goldmark.accounts.session_times import session_times
from goldmark.errors import Forbidden, GoldmarkError
from goldmark.web.services import Services, ServicesDep
from goldmark.web.visits import BY_ITSELF, FRAGMENT, Guest, Visit

SESSION = "goldmark_session"
HALF = "goldmark_half"  # the password was right, the code of the second factor is missing
STRANGER = "goldmark_form"  # a secret for the forms of people who are not signed in yet
PROOF = "it-is-you"  # the field of a form with the password or the code that is asked for again
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
_cookie = APIKeyCookie(
    name=SESSION,
    auto_error=False,
    scheme_name="session",
    description="A signed-in browser. With an https address its name begins with `__Host-`.",
)

Answer = TypeVar("Answer", bound=Response)
Site = Literal["lax", "strict"]


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


class AskedAgain(Exception):
    """Somebody sent a form that waits until they have shown that it is they; `wrong`: they tried to."""

    def __init__(self, visit: Visit, wrong: GoldmarkError | None = None) -> None:
        super().__init__(visit.name)
        self.visit, self.wrong = visit, wrong


def form_token(secret: str) -> str:
    return hmac.digest(secret.encode(), b"goldmark form", "sha256").hex()


def check_form_token(secret: str, given: str) -> None:
    if not secret or not hmac.compare_digest(form_token(secret).encode(), given.encode()):
        raise FormNotOurs


def visit_of(request: Request, services: Services) -> Visit | None:
    """The visit of someone with a session in this browser, if it is still good."""
    secret = kept_in(request, services, SESSION)
    if not secret:
        return None
    try:
        used = request.headers.get(FRAGMENT) != BY_ITSELF
        account = services.accounts.account_of(secret, "session", used=used)
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


def cookie_name(services: Services, name: str) -> str:
    """Where people use an https address: no other host, of which a name may end like ours, sets a cookie named so."""
    return f"__Host-{name}" if services.secure_cookies else name


def kept_in(request: Request, services: Services, name: str) -> str:
    """The secret in one of our cookies; empty if a browser has none."""
    return request.cookies.get(cookie_name(services, name), "")


def _keep(answer: Answer, services: Services, name: str, secret: str, lasts: timedelta | None, same_site: Site) -> None:
    answer.set_cookie(
        cookie_name(services, name),
        secret,
        max_age=int(lasts.total_seconds()) if lasts else None,
        httponly=True,
        samesite=same_site,
        secure=services.secure_cookies,
    )


def forget(answer: Answer, services: Services, *names: str) -> Answer:
    for name in names:
        answer.delete_cookie(cookie_name(services, name), secure=services.secure_cookies)
    return answer


def keep_session(answer: Answer, visit: Guest, secret: str) -> Answer:
    services = visit.services
    services.accounts.describe_session(secret, browser_of(visit.request))
    _keep(answer, services, SESSION, secret, session_times().longest, "lax")
    return forget(answer, services, STRANGER, HALF)


def keep_half(answer: Answer, services: Services, secret: str) -> Answer:
    _keep(answer, services, HALF, secret, HALF_LASTS, "strict")
    return answer


def stranger_secret(request: Request, services: Services) -> str:
    """The secret behind the forms of someone who is not signed in; `keep_stranger` puts it into their browser."""
    return kept_in(request, services, STRANGER) or secrets.token_urlsafe(16)


def keep_stranger(answer: Answer, services: Services, secret: str) -> Answer:
    _keep(answer, services, STRANGER, secret, None, "strict")
    return answer


# --- what routes depend on

Token = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
Cookie = Annotated[str | None, Depends(_cookie)]


def _of_api(role: Role, *, proven: bool = False) -> Callable[..., Visit]:
    def enter(request: Request, services: Services) -> Visit:
        token = sent_token(request)
        found = visit_of(request, services) if token is None else _by_token(request, services, token)
        if found is None:
            raise HTTPException(401, "sign in, or send an API token in the header 'Authorization: Bearer gm_...'")
        if found.csrf and request.method not in SAFE:
            check_form_token(kept_in(request, services, SESSION), request.headers.get("x-csrf-token", ""))
        if must_set_up(found):
            raise SecondFactorNeeded
        _require(found, role)
        if proven and not is_proven(found):
            raise ProofNeeded
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


def _of_form(role: Role, *, proven: bool = False) -> Callable[..., Visit]:
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
        check_form_token(kept_in(request, services, SESSION), csrf)
        found = replace(found, form=form)
        return _proven(found) if proven else found

    ENTRANCES[visit] = Entrance(role, enter)
    return visit


def is_proven(found: Visit) -> bool:
    """Whether a browser showed lately that it is still whoever signed in; a program's token has its own limits."""
    services = found.services
    return not found.csrf or services.proofs.is_fresh(kept_in(found.request, services, SESSION))


def _proven(found: Visit) -> Visit:
    """Whoever signed in too long ago is shown the form again, with everything in it, and says who they are."""
    if not is_proven(found):
        if PROOF not in found.form:
            raise AskedAgain(found)
        services, request, given = found.services, found.request, found.given.get(PROOF, "")
        session = kept_in(request, services, SESSION)
        try:
            services.proofs.give(found.account, session, password=given, code=given, address=address_of(request))
        except GoldmarkError as error:
            raise AskedAgain(found, error) from error
    return replace(found, form=FormData([one for one in found.form.multi_items() if one[0] != PROOF]))


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
# What would do most harm in other hands asks whoever signed in some time ago for their password or a code again.
SendsAsProvenAnyone = Annotated[Visit, Depends(_of_form(Role.ANNOTATOR, proven=True))]
SendsAsProvenManager = Annotated[Visit, Depends(_of_form(Role.MANAGER, proven=True))]
SendsAsProvenOwner = Annotated[Visit, Depends(_of_form(Role.OWNER, proven=True))]
CallsAsProvenAnyone = Annotated[Visit, Depends(_of_api(Role.ANNOTATOR, proven=True))]
CallsAsProvenManager = Annotated[Visit, Depends(_of_api(Role.MANAGER, proven=True))]
CallsAsProvenOwner = Annotated[Visit, Depends(_of_api(Role.OWNER, proven=True))]

# A form that does what a call does takes the same role.
SENDS_LIKE: dict[Any, Any] = {
    CallsAsAnyone: SendsAsAnyone,
    CallsAsCurator: SendsAsCurator,
    CallsAsManager: SendsAsManager,
    CallsAsOwner: SendsAsOwner,
    CallsAsProvenAnyone: SendsAsProvenAnyone,
    CallsAsProvenManager: SendsAsProvenManager,
    CallsAsProvenOwner: SendsAsProvenOwner,
}
