"""Accounts for owners, and one's own account for everybody."""

from __future__ import annotations

from datetime import timedelta

from fastapi import APIRouter, Request
from fastapi.responses import Response

from goldmark.accounts.passwords import SHORTEST_PASSWORD
from goldmark.accounts.roles import Role, role_named
from goldmark.errors import GoldmarkError
from goldmark.store import events
from goldmark.web.api.inputs import base_of
from goldmark.web.api.shapes import RowId
from goldmark.web.pages.frame import NOT_FAILED, Failed, Word, failed, go, page
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import (
    ReadsAsAnyone,
    ReadsAsOwner,
    SendsAsAnyone,
    SendsAsOwner,
    Visitor,
    keep_session,
    slow_down,
)

router = APIRouter(include_in_schema=False)

MOST_EVENTS = 50


@router.get("/accounts")
def accounts(request: Request, who: ReadsAsOwner, services: ServicesDep) -> Response:
    return _accounts_page(request, who, services)


@router.post("/accounts")
def create(
    request: Request, who: SendsAsOwner, services: ServicesDep, name: Word = "", role: Word = "curator"
) -> Response:
    """A new account and the link with which its person enters; the link is shown this once."""
    try:
        account = services.accounts.create(name, role_named(role), None, author=who.name)
    except GoldmarkError as error:
        return _accounts_page(request, who, services, wrong=failed("create", error), name=name, role=role)
    return _accounts_page(request, who, services, link_for=account.name, link=_link(request, services, account.id))


@router.post("/accounts/{account_id}/link")
def one_time_link(account_id: RowId, request: Request, who: SendsAsOwner, services: ServicesDep) -> Response:
    account = services.accounts.get(account_id)
    return _accounts_page(request, who, services, link_for=account.name, link=_link(request, services, account.id))


@router.post("/accounts/{account_id}")
def change(
    account_id: RowId,
    request: Request,
    who: SendsAsOwner,
    services: ServicesDep,
    role: Word = "",
    disabled: Word = "",
    reason: Word = "",
) -> Response:
    try:
        services.accounts.change(
            services.accounts.get(account_id).name,
            role=role_named(role) if role else None,
            disabled={"yes": True, "no": False}.get(disabled),
            author=who.name,
            reason=reason.strip(),
        )
    except GoldmarkError as error:
        return _accounts_page(request, who, services, wrong=failed(f"account-{account_id}", error))
    return go("/accounts", "account-changed")


def _link(request: Request, services: Services, account_id: int) -> str:
    return f"{base_of(request)}/link/{services.accounts.one_time_link(account_id)}"


def _accounts_page(
    request: Request,
    who: Visitor,
    services: Services,
    *,
    wrong: Failed = NOT_FAILED,
    link_for: str = "",
    link: str = "",
    name: str = "",
    role: str = "curator",
) -> Response:
    return page(
        request,
        "accounts.html",
        who,
        wrong=wrong,
        accounts=services.accounts.accounts(),
        roles=[one.title for one in reversed(Role)],
        link_for=link_for,
        link=link,
        given={"name": name, "role": role},
        decisions=services.store.read(lambda connection: events.history(connection, None, most=MOST_EVENTS)),
    )


@router.get("/account")
def own(request: Request, who: ReadsAsAnyone, services: ServicesDep) -> Response:
    return _own_page(request, who, services)


@router.post("/account/password")
def change_password(
    request: Request, who: SendsAsAnyone, services: ServicesDep, current: Word = "", new: Word = ""
) -> Response:
    """This browser stays signed in; all others have to sign in again."""
    try:
        slow_down(request, services, who.name)
        services.accounts.sign_in(who.name, current)
        services.accounts.set_password(who.account.id, new)
    except GoldmarkError as error:
        return _own_page(request, who, services, wrong=failed("password", error))
    return keep_session(go("/account", "password"), services, services.accounts.session_for(who.account.id))


@router.post("/account/sign-out")
def sign_out_everywhere(who: SendsAsAnyone, services: ServicesDep) -> Response:
    services.accounts.sign_out_everywhere(who.account.id)
    return keep_session(go("/account", "signed-out"), services, services.accounts.session_for(who.account.id))


@router.post("/account/tokens")
def create_token(
    request: Request, who: SendsAsAnyone, services: ServicesDep, name: Word = "", days: Word = ""
) -> Response:
    """The secret is on the page that answers, and on no other."""
    lasts = timedelta(days=int(days)) if days.isdecimal() and 0 < int(days[:5]) <= 3650 else None
    _, secret = services.accounts.new_token(who.account.id, name.strip()[:200] or "unnamed", lasts)
    return _own_page(request, who, services, secret=secret)


@router.post("/account/tokens/{token_id}/revoke")
def revoke_token(token_id: RowId, who: SendsAsAnyone, services: ServicesDep) -> Response:
    services.accounts.revoke_token(who.account.id, token_id)
    return go("/account", "revoked")


def _own_page(
    request: Request, who: Visitor, services: Services, *, wrong: Failed = NOT_FAILED, secret: str = ""
) -> Response:
    facts = {"tokens": services.accounts.tokens(who.account.id), "shortest": SHORTEST_PASSWORD}
    return page(request, "account.html", who, wrong=wrong, secret=secret, **facts)
