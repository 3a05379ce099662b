"""The key that signs, which is never in the database, and those before it.

It can be replaced. Links and app codes of older ones are taken as long as these are named; what must never change, such
as fingerprints of people and the lots that are drawn for them, has a key that stays. The database notes marks of both,
from which nothing can be learned, so that somebody is told who starts it with others.
"""

from __future__ import annotations

import hmac
import os
import secrets
import time
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, select, update

from goldmark.errors import GoldmarkError
from goldmark.store.engine import Store, database_url
from goldmark.store.once import insert_once
from goldmark.store.tables import server_setting

OLDER, STAYS = "GOLDMARK_OLD_SECRETS", "GOLDMARK_PEOPLE_SECRET"
SIGNS = "signing key"  # the setting that notes with which key the database was last served
BEGAN = "mark of the key of people"  # the one that notes with which key fingerprints began
PEOPLE = "people"
WRITING = 1.0  # seconds for another process that is just making the key


class SecretMissing(GoldmarkError):
    code = "LINK-02"
    message = (
        "a PostgreSQL database needs a signing key that all its servers share: set GOLDMARK_SECRET to a long random "
        'value, for instance the output of: python -c "import secrets; print(secrets.token_urlsafe(32))"'
    )


class KeyFileEmpty(GoldmarkError):
    code = "LINK-03"
    message = (
        "the key file {path} is empty, so links could be forged; put back your copy of it, or, if no links were "
        "sent out yet, remove it and a new one is made"
    )


class Keys(NamedTuple):
    """What is signed with the first, and with older ones from the newest to the oldest, is taken."""

    signs: bytes
    older: tuple[bytes, ...]
    stays: bytes

    @classmethod
    def only(cls, key: bytes) -> Keys:
        return cls(key, (), key)

    @property
    def marks(self) -> tuple[str, ...]:
        """Of all with which links may have been signed, the newest first."""
        return tuple(mark_of(one, SIGNS) for one in (self.signs, *self.older))


def signing_key(address: str) -> bytes:
    """GOLDMARK_SECRET, or a key file beside a SQLite database, made when it is missing."""
    given = os.environ.get("GOLDMARK_SECRET", "")
    if given:
        return given.encode()
    url = database_url(address)
    if url.get_backend_name() != "sqlite":
        raise SecretMissing
    path = Path(f"{url.database}.key")
    try:
        # O_EXCL: two processes that start together must end up with the same key.
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _kept_key(path)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_urlsafe(32).encode())
    except OSError:  # a full disk: an empty key would be everybody's
        path.unlink()
        raise
    return path.read_bytes()


def known_keys(address: str) -> Keys:
    """The key that signs, older ones, and the one that stays: the oldest, unless it is named."""
    older = tuple(one.encode() for one in os.environ.get(OLDER, "").split())
    signs = signing_key(address)
    return Keys(signs, older, os.environ.get(STAYS, "").encode() or (older[-1] if older else signs))


def _kept_key(path: Path) -> bytes:
    end = time.monotonic() + WRITING
    while not (key := path.read_bytes()):
        if time.monotonic() > end:
            raise KeyFileEmpty(path=path)
        time.sleep(0.02)
    return key


def mark_of(key: bytes, of: str) -> str:
    """Tells a key from another one, and nothing of either."""
    return hmac.digest(key, f"mark\x1f{of}".encode(), "sha256").hex()[:16]


def noted(connection: Connection, which: str) -> str | None:
    """The mark of a key that a database notes; None if it was never served."""
    return connection.scalar(select(server_setting.c.value).where(server_setting.c.name == which))


def is_unknown(connection: Connection, keys: Keys) -> bool:
    """Whether this database was last served with another signing key, so that links which were sent out do not work."""
    return noted(connection, SIGNS) not in (None, *keys.marks)


def remember(store: Store, keys: Keys) -> bool:
    """Note with which keys a database is served; whether links that were sent out no longer work with them."""

    def note(connection: Connection) -> bool:
        unknown = is_unknown(connection, keys)
        for which, mark in ((SIGNS, keys.marks[0]), (BEGAN, mark_of(keys.stays, PEOPLE))):
            connection.execute(insert_once(connection, server_setting, {"name": which, "value": mark}, by="name"))
        is_other = (server_setting.c.name == SIGNS) & (server_setting.c.value != keys.marks[0])
        connection.execute(update(server_setting).where(is_other).values(value=keys.marks[0]))
        return unknown

    def is_noted(connection: Connection) -> bool:
        return noted(connection, SIGNS) == keys.marks[0] and noted(connection, BEGAN) is not None

    # Mostly nothing is new, and then a start need not wait for the writer.
    return False if store.read(is_noted) else store.write(note)
