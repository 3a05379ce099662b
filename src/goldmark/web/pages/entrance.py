"""Signing in and out, and one-time links."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from goldmark.accounts.passwords import SHORTEST_PASSWORD
from goldmark.errors import GoldmarkError
from goldmark.web.pages.frame import NOT_FAILED, Failed, Word, failed, page
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import (
    SESSION,
    STRANGER,
    SendsAsAnyone,
    check_form_token,
    form_token,
    keep_session,
    keep_stranger,
    slow_down,
    stranger_secret,
    visitor_of,
)

router = APIRouter(include_in_schema=False)


@router.get("/signin")
def sign_in_page(request: Request, services: ServicesDep, next: str = "/") -> Response:  # noqa: A002
    if visitor_of(request, services):
        return RedirectResponse(_inside(next), status_code=303)
    return _sign_in_page(request, services, next)


@router.post("/signin")
def sign_in(
    request: Request,
    services: ServicesDep,
    name: Word = "",
    password: Word = "",
    next: Word = "/",  # noqa: A002
    csrf: Word = "",
) -> Response:
    """The same words for an unknown name and for a wrong password."""
    try:
        check_form_token(request.cookies.get(STRANGER, ""), csrf)
        slow_down(request, services, name)
        secret = services.accounts.sign_in(name, password)
    except GoldmarkError as error:
        return _sign_in_page(request, services, next, failed("signin", error), name)
    return keep_session(RedirectResponse(_inside(next), status_code=303), services, secret)


@router.post("/signout")
def sign_out(request: Request, who: SendsAsAnyone, services: ServicesDep) -> Response:
    services.accounts.sign_out(request.cookies[SESSION])
    answer = RedirectResponse("/signin", status_code=303)
    answer.delete_cookie(SESSION)
    return answer


@router.get("/link/{secret}")
def link_page(secret: str, request: Request, services: ServicesDep) -> Response:
    """Only looks at the link: a mail program that opens it beforehand does not use it up."""
    return _link_page(request, services, secret)


@router.post("/link/{secret}")
def use_link(
    secret: str,
    request: Request,
    services: ServicesDep,
    name: Word = "",
    password: Word = "",
    csrf: Word = "",
) -> Response:
    try:
        check_form_token(request.cookies.get(STRANGER, ""), csrf)
        slow_down(request, services, "one-time link")
        session = services.accounts.enter_by_link(secret, name=name, password=password or None)
    except GoldmarkError as error:
        return _link_page(request, services, secret, failed("link", error), name)
    return keep_session(RedirectResponse("/", status_code=303), services, session)


def _sign_in_page(
    request: Request, services: Services, wanted: str, wrong: Failed = NOT_FAILED, name: str = ""
) -> Response:
    stranger = stranger_secret(request)
    answer = page(
        request,
        "signin.html",
        None,
        wrong=wrong,
        name=name,
        next=_inside(wanted),
        token=form_token(stranger),
        nobody=not services.accounts.any_account(),
    )
    return keep_stranger(answer, services, stranger)


def _link_page(
    request: Request, services: Services, secret: str, wrong: Failed = NOT_FAILED, name: str = ""
) -> Response:
    account = services.accounts.look_at_link(secret)
    stranger = stranger_secret(request)
    facts = {"account": account, "name": name, "token": form_token(stranger), "shortest": SHORTEST_PASSWORD}
    return keep_stranger(page(request, "link.html", None, wrong=wrong, **facts), services, stranger)


def _inside(wanted: str) -> str:
    """Only to a page of ours: `//elsewhere.org` and `/\\elsewhere.org` would leave."""
    plain = wanted.isascii() and wanted.isprintable() and wanted.startswith("/")
    return wanted if plain and not wanted.startswith(("//", "/\\", "/signin")) else "/"
