"""Accounts for owners; one's own password and API tokens for everybody who signs in."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, StrictBool

from goldmark.accounts.credentials import TOKEN_LASTS, Scope, Token
from goldmark.accounts.roles import Role, role_named
from goldmark.accounts.service import Account
from goldmark.campaigns.definition.settings import PersonName
from goldmark.errors import Forbidden
from goldmark.people.annotators import work_of_account
from goldmark.store import events
from goldmark.store.events import Decision
from goldmark.web.api import shapes
from goldmark.web.api.calls import Calls
from goldmark.web.api.inputs import In, Out, Words
from goldmark.web.sign_in import (
    SESSION,
    CallsAsAnyone,
    CallsAsOwner,
    CallsAsProvenAnyone,
    CallsAsProvenOwner,
    address_of,
    kept_in,
)
from goldmark.web.visits import Visit

router = Calls("/api/v1", "accounts")

MOST_EVENTS = 500  # that are shown at once

RoleName = Annotated[
    Literal["owner", "manager", "curator", "annotator"],
    BeforeValidator(lambda given: given.title if isinstance(given, Role) else given),
]
Password = Annotated[str, Field(min_length=1, max_length=1_000)]


class AccountOut(Out):
    id: int
    name: str
    role: RoleName
    created_at: datetime
    disabled_at: datetime | None
    registered: bool = Field(description="They made it themselves, on a public board.")
    second_factor: bool = Field(description="They sign in with a code of an app as well.")


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


class ProofIn(In):
    """What somebody can show: a code if they have a second factor, else their password."""

    password: str = Field(default="", max_length=1_000)
    code: str = Field(default="", max_length=100, description="Six digits of the app, or a recovery code.")


class Activity(Out):
    events: list[Decision]


class TokenList(Out):
    tokens: list[Token]


class BrowserOut(Out):
    id: int
    name: str = Field(description="What the browser calls itself.")
    created_at: datetime = Field(description="When you signed in there.")
    used_at: datetime | None = Field(description="When it was used, to the hour.")
    expires_at: datetime
    current: bool = Field(description="It is the one that asks.")


class BrowserList(Out):
    sessions: list[BrowserOut]


class TokenIn(In):
    name: PersonName
    days: int | None = Field(
        default=TOKEN_LASTS.days,
        ge=1,
        le=3650,
        strict=True,
        description="How long it works; null: until revoked.",
    )
    scope: Scope = Field(default="all", description="read: it changes nothing.")
    role: RoleName | None = Field(default=None, description="The most it may do, if that is less than you may.")


class NewToken(Out):
    id: int
    secret: str = Field(description="Shown this once: only its hash is kept.")


class Nothing(Out):
    ok: Literal[True] = True


class OwnWork(Out):
    name: str
    title: str
    state: str
    link: str | None = Field(description="Your personal link; a token that only reads is not shown it.")


class OwnWorkList(Out):
    campaigns: list[OwnWork]


class TokenTooNarrow(Forbidden):
    code = "ACCOUNT-21"
    message = "this API token may do less than its account, so it ends no session and no other token"


def _refuse_narrow(visit: Visit) -> None:
    """A token for one small thing, which somebody found, does not shut its owner out."""
    if visit.token and visit.account.role is not visit.services.accounts.get(visit.account.id).role:
        raise TokenTooNarrow


def entry_link(visit: Visit, account: Account) -> str:
    return f"{visit.base}/link/{visit.services.accounts.one_time_link(account.id)}"


@router.get("/accounts", response_model=AccountList)
def list_accounts(visit: CallsAsOwner) -> dict[str, list[Account]]:
    """Everybody who can sign in."""
    return {"accounts": visit.services.accounts.accounts()}


@router.get("/accounts/activity")
def activity(visit: CallsAsOwner) -> Activity:
    """Sign-ins with where they came from, and all else outside of campaigns: accounts, tokens, backups; the newest."""
    return Activity(events=visit.read(lambda found: events.everything_about_the_server(found, most=MOST_EVENTS)))


@router.post("/accounts", status_code=201)
def create_account(visit: CallsAsProvenOwner, body: AccountIn) -> NewAccount:
    """A new account without a password, and the one-time link with which its person enters."""
    account = visit.services.accounts.create(body.name, role_named(body.role), None, author=visit.name)
    return NewAccount(**account._asdict(), link=entry_link(visit, account))


@router.patch("/accounts/{account_id}", response_model=AccountOut)
def change_account(visit: CallsAsProvenOwner, account_id: shapes.RowId, body: AccountChange) -> Account:
    """Another role, or shut an account out and let it in again. The last owner stays."""
    accounts, role = visit.services.accounts, role_named(body.role) if body.role else None
    name = accounts.get(account_id).name
    return accounts.change(name, role=role, disabled=body.disabled, author=visit.name, reason=body.reason)


@router.post("/accounts/{account_id}/link")
def account_link(visit: CallsAsProvenOwner, account_id: shapes.RowId) -> OneTimeLink:
    """A one-time link for someone who forgot their password or has none yet."""
    return OneTimeLink(link=entry_link(visit, visit.services.accounts.get(account_id)))


@router.get("/me", response_model=AccountOut)
def me(visit: CallsAsAnyone) -> Account:
    """Who you are."""
    return visit.account


@router.get("/me/campaigns", response_model=OwnWorkList)
def my_campaigns(visit: CallsAsAnyone) -> dict[str, Any]:
    """The campaigns in which you take part as an annotator, with your personal links."""
    found = visit.read(lambda connection: work_of_account(connection, visit.links, visit.account.id))
    shown = visit.may_act_for_others
    return {
        "campaigns": [{**row._asdict(), "link": f"{visit.base}/a/{token}" if shown else None} for row, token in found]
    }


@router.post("/me/password")
def change_password(visit: CallsAsAnyone, body: PasswordIn) -> Nothing:
    """A new password. Every browser has to sign in again; API tokens go on working."""
    new_password(visit, body)
    return Nothing()


def new_password(visit: Visit, body: PasswordIn, *, but: str = "") -> None:
    accounts, limits = visit.services.accounts, visit.services.limits
    limits.sign_in(visit.name, address_of(visit.request), lambda: accounts.check_password(visit.name, body.current))
    accounts.set_password(visit.account.id, body.new, but=but)


@router.post("/me/proof")
def prove(visit: CallsAsAnyone, body: ProofIn) -> Nothing:
    """Show that it is you, where a browser that signed in some time ago is asked for it. Programs need none."""
    if visit.csrf:
        session, address = kept_in(visit.request, visit.services, SESSION), address_of(visit.request)
        visit.services.proofs.give(visit.account, session, password=body.password, code=body.code, address=address)
    return Nothing()


@router.post("/me/sign-out")
def sign_out_everywhere(visit: CallsAsAnyone) -> Nothing:
    """Every browser in which you are signed in has to sign in again."""
    _refuse_narrow(visit)
    visit.services.accounts.sign_out_everywhere(visit.account.id)
    return Nothing()


@router.get("/me/sessions")
def list_sessions(visit: CallsAsAnyone) -> BrowserList:
    """The browsers in which you are signed in, the newest first."""
    accounts = visit.services.accounts
    own = accounts.session_id(kept_in(visit.request, visit.services, SESSION)) if visit.csrf else None
    found = accounts.sessions(visit.account.id)
    return BrowserList(sessions=[BrowserOut(**asdict(one), current=one.id == own) for one in found])


@router.delete("/me/sessions/{session_id}")
def end_session(visit: CallsAsAnyone, session_id: shapes.RowId) -> Nothing:
    """One browser has to sign in again."""
    _refuse_narrow(visit)
    visit.services.accounts.end_session(visit.account.id, session_id)
    return Nothing()


@router.get("/me/tokens")
def list_tokens(visit: CallsAsAnyone) -> TokenList:
    """Your API tokens, without their secrets."""
    return TokenList(tokens=visit.services.accounts.tokens(visit.account.id))


@router.post("/me/tokens", status_code=201)
def create_token(visit: CallsAsProvenAnyone, body: TokenIn) -> NewToken:
    """A new API token; it may do what you may, or less. Whoever asks with one gets none that may do more or longer."""
    accounts, lasts = visit.services.accounts, timedelta(days=body.days) if body.days else None
    asked_with = accounts.token(visit.token)
    if asked_with is not None and asked_with.expires_at is not None:
        left = asked_with.expires_at - datetime.now(UTC)
        lasts = left if lasts is None else min(lasts, left)
    most = min(role_named(body.role) if body.role else visit.account.role, visit.account.role)
    limit = None if most == accounts.get(visit.account.id).role else most
    number, secret = accounts.new_token(visit.account.id, body.name, lasts, scope=body.scope, role=limit)
    return NewToken(id=number, secret=secret)


@router.delete("/me/tokens/{token_id}")
def revoke_token(visit: CallsAsAnyone, token_id: shapes.RowId) -> Nothing:
    """A revoked token stops working at once."""
    used = visit.services.accounts.token(visit.token)
    if used is not None and used.id != token_id:
        _refuse_narrow(visit)
    visit.services.accounts.revoke_token(visit.account.id, token_id)
    return Nothing()
