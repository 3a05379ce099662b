"""People who sign in, and the secrets they carry."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Integer, String, Table, Text, false

from goldmark.store.tables.base import metadata
from goldmark.store.types import Id, UtcTime

# People who sign in. Annotators need no account.
account = Table(
    "account",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("role", String(20), nullable=False),
    Column("password_hash", Text),
    Column("created_at", UtcTime, nullable=False),
    Column("disabled_at", UtcTime),
    # Made by a stranger on a public board, for themselves.
    Column("registered", Boolean, nullable=False, server_default=false()),
)

# Secrets that people carry: API tokens, signed-in browsers, one-time links, recovery codes. Only their hashes are kept.
credential = Table(
    "credential",
    metadata,
    Column("id", Id, primary_key=True),
    Column("account_id", ForeignKey("account.id"), index=True),  # none: the first owner is still to be made
    Column("kind", String(20), nullable=False),  # token, session, link, half (a password was right), recovery
    Column("name", String(200), nullable=False),
    Column("scope", String(20), nullable=False, server_default="all"),  # of a token: all, or read
    Column("role", String(20)),  # of a token: the most it may do, whatever its account may; none: what the account may
    Column("hash", String(64), nullable=False, unique=True),
    Column("created_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime),
    Column("used_at", UtcTime),
    Column("revoked_at", UtcTime),
)

# Who signs in with an app's code as well. Its key is made from the nonce and the signing key, which is not here.
second_factor = Table(
    "second_factor",
    metadata,
    Column("account_id", ForeignKey("account.id"), primary_key=True),
    Column("nonce", String(32), nullable=False),
    Column("made_with", String(16), nullable=False),  # tells the signing key from another one
    Column("created_at", UtcTime, nullable=False),
    Column("confirmed_at", UtcTime),  # none: it is being set up
    Column("last_step", BigInteger, nullable=False),  # of the newest code that was used; none up to it is taken again
)

# What owners decided for the whole server.
server_setting = Table(
    "server_setting",
    metadata,
    Column("name", String(100), primary_key=True),
    Column("value", Text, nullable=False),
)

# Tries of passwords and links, and joins in a minute, by what they count for. Names and addresses only as hashes.
rate_limit = Table(
    "rate_limit",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("tries", Integer, nullable=False),
    Column("until", UtcTime, nullable=False),  # no further try before this
    Column("expires_at", UtcTime, nullable=False, index=True),  # forgotten then
)
