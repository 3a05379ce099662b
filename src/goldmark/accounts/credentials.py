"""Secrets that people carry: API tokens, sessions, one-time links, recovery codes. Only hashes reach the database."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, NamedTuple

from sqlalchemy import ColumnElement, Connection, bindparam, func, insert, select, update

from goldmark.accounts.roles import Role
from goldmark.accounts.session_times import session_times
from goldmark.errors import Forbidden
from goldmark.store.tables import credential

Scope = Literal["all", "read"]  # what a token may do: change things, or only look
LINK_LASTS = timedelta(days=3)
TOKEN_LASTS = timedelta(days=90)  # unless somebody says otherwise
HALF_LASTS = timedelta(minutes=10)  # between the password and the code
MOST_SESSIONS = 100  # that are shown
ONCE = ("link", "half", "recovery")  # kinds that are used up


class Entered(NamedTuple):
    """What somebody has who gave a right password or link."""

    secret: str
    complete: bool  # a session; else half of one, to which a code is still missing


class SecretNotValid(Forbidden):
    code = "ACCOUNT-07"
    message = "this token or link is wrong, used up or expired"


class TokenOnlyReads(Forbidden):
    code = "ACCOUNT-12"
    message = "this API token may only read; make one with the scope 'all' for what changes something"


@dataclass(frozen=True, slots=True)
class Token:
    """A token as its owner sees it later: everything but the secret."""

    id: int
    name: str
    created_at: datetime
    expires_at: datetime | None
    used_at: datetime | None
    revoked_at: datetime | None
    scope: str
    role: str | None  # the most it may do; None: what its account may


@dataclass(frozen=True, slots=True)
class SignedInBrowser:
    """A browser in which somebody is signed in."""

    id: int
    name: str
    created_at: datetime
    used_at: datetime | None
    expires_at: datetime


def signed_in_browsers(connection: Connection, account_id: int) -> list[SignedInBrowser]:
    """Where somebody is signed in, the newest first."""
    now, times = datetime.now(UTC), session_times()
    going_on = select(*(credential.c[name] for name in SignedInBrowser.__slots__)).where(
        credential.c.account_id == account_id,
        credential.c.kind == "session",
        credential.c.revoked_at.is_(None),
        credential.c.expires_at > now,
        credential.c.created_at > now - times.longest,
        func.coalesce(credential.c.used_at, credential.c.created_at) > now - times.idle,
    )
    newest = going_on.order_by(credential.c.id.desc()).limit(MOST_SESSIONS)
    return [SignedInBrowser(*row) for row in connection.execute(newest)]


def hash_secret(secret: str) -> str:
    # The secrets are 256 random bits, so a plain hash cannot be guessed back, and it can be looked up.
    return hashlib.sha256(secret.encode()).hexdigest()


def issue(
    connection: Connection,
    account_id: int | None,
    kind: str,
    name: str,
    lasts: timedelta | None,
    prefix: str = "",
    *,
    scope: Scope = "all",
    role: Role | None = None,
) -> tuple[int, str]:
    """A new credential: its id, and its secret, which nobody can look up again."""
    secret = prefix + secrets.token_urlsafe(32)
    now = datetime.now(UTC)
    made = connection.execute(
        insert(credential)
        .values(
            account_id=account_id,
            kind=kind,
            name=name,
            hash=hash_secret(secret),
            created_at=now,
            expires_at=now + lasts if lasts else None,
            scope=scope,
            role=role.title if role else None,
        )
        .returning(credential.c.id)
    )
    return int(made.scalar_one()), secret


# Looked up by hash: the database compares digests of random secrets, so its timing tells nothing of them. Built once,
# because every request of a signed-in person asks it.
USABLE: ColumnElement[bool] = (
    (credential.c.hash == bindparam("of_secret"))
    & (credential.c.kind == bindparam("of_kind"))
    & credential.c.revoked_at.is_(None)
    & (credential.c.expires_at.is_(None) | (credential.c.expires_at > bindparam("at")))
    & ((credential.c.used_at.is_(None)) | credential.c.kind.not_in(ONCE))
)


def about(secret: str, kind: str, now: datetime) -> dict[str, Any]:
    """What `USABLE` asks about."""
    return {"of_secret": hash_secret(secret), "of_kind": kind, "at": now}


def revoke_sessions(connection: Connection, account_id: int, *, only: int | None = None, but: str = "") -> None:
    """All browsers of an account, or one of them, have to sign in again; `but` the one with this session."""
    which = [] if only is None else [credential.c.id == only]
    which += [credential.c.hash != hash_secret(but)] if but else []
    _revoke(
        connection, credential.c.account_id == account_id, credential.c.kind.in_(("session", "half", "proof")), *which
    )


def revoke_links(connection: Connection, account_id: int) -> None:
    """One-time links of an account that nobody used end: they stand for a password that is no more."""
    _revoke(connection, credential.c.account_id == account_id, credential.c.kind == "link")


def revoke_all(connection: Connection, account_id: int) -> None:
    """Sessions, tokens and links of an account end, and stay ended."""
    _revoke(connection, credential.c.account_id == account_id)


def _revoke(connection: Connection, *which: ColumnElement[bool]) -> None:
    revoked = update(credential).where(*which, credential.c.revoked_at.is_(None))
    connection.execute(revoked.values(revoked_at=datetime.now(UTC)))
