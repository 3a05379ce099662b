"""Signing in, in one step or two, and out; one-time links."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi.responses import RedirectResponse, Response

from goldmark.accounts.credentials import Entered, SecretNotValid
from goldmark.accounts.passwords import SHORTEST_PASSWORD
from goldmark.web.pages.forms import refusable
from goldmark.web.pages.frame import NOT_FAILED, FailedForm, Wrong, go, page
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import (
    HALF,
    SESSION,
    STRANGER,
    ReadsIfSignedIn,
    SendsAsAnyone,
    SendsAsStranger,
    address_of,
    check_form_token,
    forget,
    form_token,
    keep_half,
    keep_session,
    keep_stranger,
    kept_in,
    stranger_secret,
)
from goldmark.web.visits import Guest

router = Pages()


def _sign_in_page(visit: Guest, *, wrong: FailedForm = NOT_FAILED) -> Response:
    wanted = visit.given.get("next") or visit.request.query_params.get("next", "/")
    nobody = not visit.services.accounts.any_account()
    return page_of_stranger(visit, "signin.html", wrong, next=_inside(wanted), nobody=nobody)


@router.get("/link/{secret}")
def link_page(visit: ReadsIfSignedIn, secret: str, *, wrong: Wrong = NOT_FAILED) -> Response:
    """Only looks at the link: a mail program that opens it beforehand does not use it up."""
    accounts = visit.services.accounts
    account = accounts.look_at_link(secret)
    known = account is not None and accounts.has_password(account.id)
    return page_of_stranger(visit, "link.html", wrong, account=account, known=known, shortest=SHORTEST_PASSWORD)


def page_of_stranger(visit: Guest, template: str, wrong: FailedForm, **facts: object) -> Response:
    stranger, nobody_yet = stranger_secret(visit.request, visit.services), Guest(visit.request, visit.services)
    name = wrong.given.get("name", "")
    answer = page(nobody_yet, template, wrong=wrong, name=name, token=form_token(stranger), **facts)
    return keep_stranger(answer, visit.services, stranger)


@router.get("/signin")
def sign_in_page(visit: ReadsIfSignedIn, next: str = "/") -> Response:  # noqa: A002
    return go(_inside(next)) if visit.account else _sign_in_page(visit)


@router.post("/signin")
@refusable("signin", _sign_in_page)
def sign_in(visit: SendsAsStranger) -> Response:
    """The same words for an unknown name and for a wrong password."""
    name, password = entering(visit)
    accounts, limits = visit.services.accounts, visit.services.limits
    address = address_of(visit.request)
    entry = limits.sign_in(name, address, lambda: accounts.sign_in(name, password, address=address))
    return _entered(visit, entry, _inside(visit.given.get("next", "/")))


def _entered(visit: Guest, entry: Entered, wanted: str) -> Response:
    """To where somebody wanted, or first to the second step."""
    if entry.complete:
        return keep_session(go(wanted), visit, entry.secret)
    return keep_half(go(f"/signin/code?{urlencode({'next': wanted})}"), visit.services, entry.secret)


def _code_page(visit: Guest, *, wrong: FailedForm = NOT_FAILED) -> Response:
    try:
        who = visit.services.second_factors.halfway(kept_in(visit.request, visit.services, HALF))
    except SecretNotValid:
        return go("/signin")
    wanted = visit.given.get("next") or visit.request.query_params.get("next", "/")
    return page_of_stranger(visit, "signin_code.html", wrong, next=_inside(wanted), who=who)


@router.get("/signin/code")
def code_page(visit: ReadsIfSignedIn) -> Response:
    return go("/") if visit.account else _code_page(visit)


@router.post("/signin/code")
@refusable("code", _code_page)
def give_code(visit: SendsAsStranger) -> Response:
    entering(visit)
    half, address = kept_in(visit.request, visit.services, HALF), address_of(visit.request)
    session = visit.services.second_factors.enter(half, visit.given.get("code", ""), address=address)
    return keep_session(go(_inside(visit.given.get("next", "/"))), visit, session)


@router.post("/signout")
def sign_out(visit: SendsAsAnyone) -> Response:
    visit.services.accounts.sign_out(kept_in(visit.request, visit.services, SESSION))
    return forget(RedirectResponse("/signin", status_code=303), visit.services, SESSION)


@router.post("/link/{secret}")
@refusable("link", link_page)
def use_link(visit: SendsAsStranger, secret: str) -> Response:
    name, password = entering(visit)
    accounts, limits = visit.services.accounts, visit.services.limits
    entry = limits.one_time_link(
        address_of(visit.request), lambda: accounts.enter_by_link(secret, name=name, password=password or None)
    )
    return _entered(visit, entry, "/")


def entering(visit: Guest) -> tuple[str, str]:
    """The name and the password of a form that was sent from our own page."""
    check_form_token(kept_in(visit.request, visit.services, STRANGER), visit.csrf)
    return visit.given.get("name", ""), visit.given.get("password", "")


def _inside(wanted: str) -> str:
    """Only to a page of ours: `//elsewhere.org` and `/\\elsewhere.org` would leave."""
    plain = wanted.isascii() and wanted.isprintable() and wanted.startswith("/")
    return wanted if plain and not wanted.startswith(("//", "/\\", "/signin")) else "/"
