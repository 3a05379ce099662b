"""`goldmark user`: accounts of owners, managers, curators and annotators, one-time links and API tokens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter

from goldmark.cli.output import print_json, talk
from goldmark.cli.place import Database, Json, author, open_database

if TYPE_CHECKING:
    from goldmark.accounts.desk import Account, AccountDesk

app = App(name="user")

RoleName = Literal["owner", "manager", "curator", "annotator"]
Base = Annotated[str, Parameter(name="--public", help="The address people use, for printed links.")]
Reason = Annotated[str, Parameter(help="Why; kept with the decision.")]
DEFAULT_BASE = "http://127.0.0.1:8000"


@contextmanager
def _desk(database: str | None) -> Iterator[AccountDesk]:
    from goldmark.accounts.desk import AccountDesk

    store = open_database(database)
    try:
        yield AccountDesk(store)
    finally:
        store.close()


@app.command
def create(
    name: str,
    *,
    role: RoleName = "manager",
    public: Base = DEFAULT_BASE,
    database: Database = None,
    json: Json = False,
) -> None:
    """Make an account and print a one-time link with which its person signs in and chooses a password."""
    from goldmark.accounts.roles import role_named

    with _desk(database) as desk:
        account = desk.create(name, role_named(role), None, author=author())
        link = _link(desk, account, public)
    _say(
        {**_facts(account), "link": link}, json, f"account {account.name!r} ({role}) was made; its one-time link:", link
    )


@app.command(name="list")
def list_all(*, database: Database = None, json: Json = False) -> None:
    """List the accounts with their roles."""
    with _desk(database) as desk:
        accounts = desk.accounts()
    if json:
        print_json([_facts(one) for one in accounts])
        return
    for one in accounts:
        print("\t".join([one.name, one.role.title, *(["shut out"] if one.disabled_at else [])]))


@app.command
def role(name: str, role: RoleName, *, reason: Reason = "", database: Database = None, json: Json = False) -> None:
    """Give an account another role. The last owner stays one."""
    from goldmark.accounts.roles import role_named

    with _desk(database) as desk:
        account = desk.change(name, role=role_named(role), author=author(), reason=reason)
    _say(_facts(account), json, f"{name!r} is {account.role.title} now")


@app.command
def disable(name: str, *, reason: Reason = "", database: Database = None, json: Json = False) -> None:
    """Shut an account out: it can no longer sign in and its tokens stop working. What it did stays."""
    with _desk(database) as desk:
        account = desk.change(name, disabled=True, author=author(), reason=reason)
    _say(_facts(account), json, f"{name!r} is shut out")


@app.command
def enable(name: str, *, reason: Reason = "", database: Database = None, json: Json = False) -> None:
    """Let an account in again."""
    with _desk(database) as desk:
        account = desk.change(name, disabled=False, author=author(), reason=reason)
    _say(_facts(account), json, f"{name!r} may sign in again")


@app.command
def link(name: str, *, public: Base = DEFAULT_BASE, database: Database = None, json: Json = False) -> None:
    """Print a one-time link that signs in to an account, for someone who forgot their password."""
    with _desk(database) as desk:
        made = _link(desk, desk.find(name), public)
    _say({"name": name, "link": made}, json, "it works once, within three days:", made)


@app.command
def token(
    name: str,
    *,
    purpose: Annotated[str, Parameter(help="What the token is for, to tell it from others.")] = "command line",
    days: Annotated[int | None, Parameter(help="How long it works; without it, until it is revoked.")] = None,
    database: Database = None,
    json: Json = False,
) -> None:
    """Make an API token for an account and print it; it is shown this once."""
    from datetime import timedelta

    with _desk(database) as desk:
        lasts = timedelta(days=days) if days else None
        number, secret = desk.new_token(desk.find(name).id, purpose, lasts)
    _say({"id": number, "name": name, "token": secret}, json, f"a token of {name!r}, shown this once:", secret)


def _link(desk: AccountDesk, account: Account, public: str) -> str:
    return f"{public.rstrip('/')}/link/{desk.one_time_link(account.id)}"


def _facts(account: Account) -> dict[str, Any]:
    return {
        "name": account.name,
        "role": account.role.title,
        "created_at": account.created_at.isoformat(),
        "disabled_at": account.disabled_at.isoformat() if account.disabled_at else None,
    }


def _say(data: dict[str, Any], json: bool, words: str, plain: str = "") -> None:
    if json:
        print_json(data)
        return
    talk(words)
    if plain:
        print(plain)
