"""`goldmark user`: accounts of owners, managers, curators and annotators, one-time links and API tokens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter
from cyclopts.validators import Number

from goldmark.cli.options import (
    AccountName,
    Call,
    OnDatabase,
    Public,
    Reason,
)
from goldmark.cli.output import emit, parts
from goldmark.cli.store import author, opened, public_address

if TYPE_CHECKING:
    from goldmark.accounts.service import Account, AccountService

app = App(name="user")

RoleName = Annotated[
    Literal["owner", "manager", "curator", "annotator"], Parameter(help="What the account may do, from all to least.")
]


@contextmanager
def _service(call: OnDatabase) -> Iterator[AccountService]:
    from goldmark.accounts.service import AccountService

    with opened(call) as store:
        yield AccountService(store)


@app.command
def create(name: AccountName, *, role: RoleName = "manager", public: Public = None, call: Call = Call()) -> None:
    """Make an account and print a one-time link with which its person signs in and chooses a password."""
    from goldmark.accounts.roles import role_named

    with _service(call) as service:
        account = service.create(name, role_named(role), None, author=author())
        link = _link(service, account, public_address(public, call))
    said = f"account {account.name!r} ({role}) was made; its one-time link:"
    emit(call, {**_facts(account), "link": link}, said, lines=[link])


@app.command(name="list")
def list_all(*, call: Call = Call()) -> None:
    """List the accounts with their roles."""
    with _service(call) as service:
        accounts = service.accounts()
    lines = ("\t".join([one.name, one.role.title, *_marks(one)]) for one in accounts)
    emit(call, [_facts(one) for one in accounts], lines=lines)


def _marks(one: Account) -> list[str]:
    """What is told beside an account's name and role."""
    return [*(["registered themselves"] if one.registered else []), *(["deactivated"] if one.disabled_at else [])]


@app.command
def role(name: AccountName, role: RoleName, *, reason: Reason = "", call: Call = Call()) -> None:
    """Give an account another role. The last owner stays one."""
    from goldmark.accounts.roles import role_named

    with _service(call) as service:
        account = service.change(name, role=role_named(role), author=author(), reason=reason)
    emit(call, _facts(account), f"{name!r} is {account.role.title} now")


@app.command
def deactivate(name: AccountName, *, reason: Reason = "", call: Call = Call()) -> None:
    """Deactivate an account: it can no longer sign in and its tokens stop working. What it did stays."""
    with _service(call) as service:
        account = service.change(name, disabled=True, author=author(), reason=reason)
    emit(call, _facts(account), f"{name!r} is deactivated")


@app.command
def reactivate(name: AccountName, *, reason: Reason = "", call: Call = Call()) -> None:
    """Let an account in again."""
    with _service(call) as service:
        account = service.change(name, disabled=False, author=author(), reason=reason)
    emit(call, _facts(account), f"{name!r} may sign in again")


@app.command
def link(name: AccountName, *, public: Public = None, call: Call = Call()) -> None:
    """Print a one-time link that signs in to an account, for someone who forgot their password."""
    with _service(call) as service:
        made = _link(service, service.find(name), public_address(public, call))
    emit(call, {"name": name, "link": made}, "it works once, within three days:", lines=[made])


@app.command
def token(
    name: AccountName,
    *,
    purpose: Annotated[str, Parameter(help="What the token is for, to tell it from others.")] = "command line",
    days: Annotated[
        int, Parameter(help="How long it works; 0: until it is revoked.", validator=Number(gte=0, lte=3650))
    ] = 90,
    scope: Annotated[Literal["all", "read"], Parameter(help="read: it changes nothing.")] = "all",
    role: Annotated[str | None, Parameter(help="The most it may do, if that is less than the account may.")] = None,
    call: Call = Call(),
) -> None:
    """Make an API token for an account and print it; it is shown this once."""
    from goldmark.accounts.roles import role_named

    with _service(call) as service:
        lasts, most = timedelta(days=days) if days else None, role_named(role) if role else None
        number, secret = service.new_token(service.find(name).id, purpose, lasts, scope=scope, role=most)
    facts = {"id": number, "name": name, "token": secret}
    emit(call, facts, f"a token of {name!r}, shown this once:", lines=[secret])


@app.command
def reset_second_factor(name: AccountName, *, reason: Reason = "", call: Call = Call()) -> None:
    """Take the second factor from an account whose person lost it; they sign in with their password alone."""
    from goldmark.accounts.second_factor import reset

    with opened(call) as store:
        account = reset(store, name, author=author(), reason=reason)
    emit(call, _facts(account), f"{name!r} has no second factor any more, and is signed out everywhere")


def _link(service: AccountService, account: Account, public: str) -> str:
    return f"{public}/link/{service.one_time_link(account.id)}"


def _facts(account: Account) -> dict[str, Any]:
    known = parts(account, "name", "created_at", "disabled_at", "registered", "second_factor")
    return {**known, "role": account.role.title}
