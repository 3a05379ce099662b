"""Accounts for owners; one's own password and API tokens for everybody who signs in."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Literal

from fastapi import APIRouter, Request
from pydantic import Field, StrictBool

from goldmark.accounts.desk import Account
from goldmark.accounts.roles import role_named
from goldmark.campaigns.people import work_of_account
from goldmark.campaigns.settings import PersonName
from goldmark.web.api import shapes
from goldmark.web.api.inputs import In, Out, Words, base_of
from goldmark.web.services import ServicesDep
from goldmark.web.signing_in import CallsAsAnyone, CallsAsOwner, slow_down

router = APIRouter(prefix="/api/v1", tags=["accounts"], responses=shapes.FAILURES)

RoleName = Literal["owner", "manager", "curator", "annotator"]
Password = Annotated[str, Field(min_length=1, max_length=1_000)]


class AccountOut(Out):
    id: int
    name: str
    role: RoleName
    created_at: datetime
    disabled_at: datetime | None


class AccountList(Out):
    accounts: list[AccountOut]


class AccountIn(In):
    name: PersonName
    role: RoleName


class AccountChange(In):
    role: RoleName | None = None
    disabled: StrictBool | None = None
    reason: Words = ""


class OneTimeLink(Out):
    link: str = Field(description="Signs in once, within three days.")


class NewAccount(AccountOut):
    link: str = Field(description="Hand it to the person: they sign in once with it and choose a password.")


class PasswordIn(In):
    current: Password
    new: Password


class TokenOut(Out):
    id: int
    name: str
    created_at: datetime
    expires_at: datetime | None
    used_at: datetime | None
    revoked_at: datetime | None


class TokenList(Out):
    tokens: list[TokenOut]


class TokenIn(In):
    name: PersonName
    days: int | None = Field(
        default=None, ge=1, le=3650, strict=True, description="How long it works; none: until it is revoked."
    )


class NewToken(Out):
    id: int
    secret: str = Field(description="Shown this once: only its hash is kept.")


class Nothing(Out):
    ok: Literal[True] = True


class OwnWork(Out):
    name: str
    title: str
    state: str
    link: str


class OwnWorkList(Out):
    campaigns: list[OwnWork]


def account_out(account: Account) -> AccountOut:
    return AccountOut(**{**account._asdict(), "role": account.role.title})


@router.get("/accounts")
def list_accounts(who: CallsAsOwner, services: ServicesDep) -> AccountList:
    """Everybody who can sign in."""
    return AccountList(accounts=[account_out(one) for one in services.accounts.accounts()])


@router.post("/accounts", status_code=201)
def create_account(body: AccountIn, request: Request, who: CallsAsOwner, services: ServicesDep) -> NewAccount:
    """A new account without a password, and the one-time link with which its person enters."""
    account = services.accounts.create(body.name, role_named(body.role), None, author=who.name)
    link = f"{base_of(request)}/link/{services.accounts.one_time_link(account.id)}"
    return NewAccount(**account_out(account).model_dump(), link=link)


@router.patch("/accounts/{account_id}")
def change_account(
    account_id: shapes.RowId, body: AccountChange, who: CallsAsOwner, services: ServicesDep
) -> AccountOut:
    """Another role, or shut an account out and let it in again. The last owner stays."""
    account = services.accounts.get(account_id)
    role = role_named(body.role) if body.role else None
    changed = services.accounts.change(
        account.name, role=role, disabled=body.disabled, author=who.name, reason=body.reason
    )
    return account_out(changed)


@router.post("/accounts/{account_id}/link")
def account_link(account_id: shapes.RowId, request: Request, who: CallsAsOwner, services: ServicesDep) -> OneTimeLink:
    """A one-time link for someone who forgot their password or has none yet."""
    account = services.accounts.get(account_id)
    return OneTimeLink(link=f"{base_of(request)}/link/{services.accounts.one_time_link(account.id)}")


@router.get("/me")
def me(who: CallsAsAnyone) -> AccountOut:
    """Who you are."""
    return account_out(who.account)


@router.get("/me/campaigns")
def my_campaigns(request: Request, who: CallsAsAnyone, services: ServicesDep) -> OwnWorkList:
    """The campaigns in which you take part as an annotator, with your personal links."""
    found = services.store.read(lambda connection: work_of_account(connection, services.links, who.account.id))
    base = base_of(request)
    return OwnWorkList(
        campaigns=[
            OwnWork(name=row.name, title=row.title, state=row.state, link=f"{base}/a/{token}") for row, token in found
        ]
    )


@router.post("/me/password")
def change_password(body: PasswordIn, request: Request, who: CallsAsAnyone, services: ServicesDep) -> Nothing:
    """A new password. Every browser has to sign in again; API tokens go on working."""
    slow_down(request, services, who.name)
    services.accounts.sign_in(who.name, body.current)
    services.accounts.set_password(who.account.id, body.new)
    return Nothing()


@router.post("/me/sign-out")
def sign_out_everywhere(who: CallsAsAnyone, services: ServicesDep) -> Nothing:
    """Every browser in which you are signed in has to sign in again."""
    services.accounts.sign_out_everywhere(who.account.id)
    return Nothing()


@router.get("/me/tokens")
def list_tokens(who: CallsAsAnyone, services: ServicesDep) -> TokenList:
    """Your API tokens, without their secrets."""
    return TokenList(tokens=[TokenOut.model_validate(one) for one in services.accounts.tokens(who.account.id)])


@router.post("/me/tokens", status_code=201)
def create_token(body: TokenIn, who: CallsAsAnyone, services: ServicesDep) -> NewToken:
    """A new API token; it can do what you can do."""
    lasts = timedelta(days=body.days) if body.days else None
    number, secret = services.accounts.new_token(who.account.id, body.name, lasts)
    return NewToken(id=number, secret=secret)


@router.delete("/me/tokens/{token_id}")
def revoke_token(token_id: shapes.RowId, who: CallsAsAnyone, services: ServicesDep) -> Nothing:
    """A revoked token stops working at once."""
    services.accounts.revoke_token(who.account.id, token_id)
    return Nothing()
