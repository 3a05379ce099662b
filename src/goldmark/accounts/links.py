"""Signed links: annotators need no account, their link is who they are.

A link carries an id, a nonce and a signature. Nothing secret is stored: changing the nonce in the database makes the
old link worthless. The key that signs is never in the database, so a copy of the database opens no door.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from itsdangerous import BadSignature, Signer, TimestampSigner

from goldmark.errors import Forbidden, GoldmarkError
from goldmark.languages import later
from goldmark.store.engine import database_url

LOCAL = "http://127.0.0.1:8000"  # where `goldmark serve` listens if it is told nothing

# No letters that are easily taken for another when a code is copied by hand.
CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"


class LinkNotValid(Forbidden):
    code = "LINK-01"
    message = later("this link is not valid; ask whoever sent it for a new one")


class SecretMissing(GoldmarkError):
    code = "LINK-02"
    message = (
        "a PostgreSQL database needs a signing key that all its servers share: set GOLDMARK_SECRET to a long random "
        'value, for instance the output of: python -c "import secrets; print(secrets.token_urlsafe(32))"'
    )


class LinkParts(NamedTuple):
    id: int
    nonce: str


def new_nonce() -> str:
    return secrets.token_hex(6)


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
        return path.read_bytes()
    with os.fdopen(handle, "wb") as file:
        file.write(secrets.token_urlsafe(32).encode())
    return path.read_bytes()


def remember_address(address: str, base: str) -> None:
    """Where the server of a SQLite database is found, for commands that print links: kept beside it."""
    url = database_url(address)
    if url.get_backend_name() == "sqlite" and url.database:
        with suppress(OSError):  # only a convenience
            Path(f"{url.database}.address").write_text(base)


def known_address(address: str) -> str:
    """GOLDMARK_PUBLIC, else where the server of this database was last started, else where it would be."""
    given = os.environ.get("GOLDMARK_PUBLIC", "").rstrip("/")
    url = database_url(address)
    if given or url.get_backend_name() != "sqlite" or not url.database:
        return given or LOCAL
    with suppress(OSError):
        return Path(f"{url.database}.address").read_text().strip() or LOCAL
    return LOCAL


class SignedLinks:
    """Makes and reads signed links and completion codes."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._invites = Signer(key, salt="goldmark.invite", digest_method=hashlib.sha256)
        self._postings = Signer(key, salt="goldmark.posting", digest_method=hashlib.sha256)
        self._arrivals = TimestampSigner(key, salt="goldmark.arrival", digest_method=hashlib.sha256)
        self._teams = Signer(key, salt="goldmark.team", digest_method=hashlib.sha256)
        self._people = Signer(key, salt="goldmark.annotator", digest_method=hashlib.sha256)

    def invite(self, campaign_id: int, nonce: str) -> str:
        return self._invites.sign(f"{campaign_id}-{nonce}").decode()

    def read_invite(self, token: str) -> LinkParts:
        return _read(self._invites, token)

    def posting(self, posting_id: int, nonce: str) -> str:
        """The address of a campaign on a crowd platform."""
        return self._postings.sign(f"{posting_id}-{nonce}").decode()

    def read_posting(self, token: str) -> LinkParts:
        return _read(self._postings, token)

    def arrival(self, facts: Sequence[str]) -> str:
        """What was found out about somebody at the door, for the form by which they enter a little later."""
        return self._arrivals.sign(base64.urlsafe_b64encode(json.dumps(list(facts)).encode())).decode()

    def read_arrival(self, ticket: str, *, seconds: int) -> list[str]:
        try:
            return [str(one) for one in json.loads(base64.urlsafe_b64decode(self._arrivals.unsign(ticket, seconds)))]
        except (BadSignature, UnicodeError, ValueError) as error:
            raise LinkNotValid from error

    def team(self, team_id: int, nonce: str) -> str:
        """What lets somebody into a team of a leaderboard."""
        return self._teams.sign(f"{team_id}-{nonce}").decode()

    def read_team(self, token: str) -> LinkParts:
        return _read(self._teams, token)

    def person(self, annotator_id: int, nonce: str) -> str:
        return self._people.sign(f"{annotator_id}-{nonce}").decode()

    def read_person(self, token: str) -> LinkParts:
        return _read(self._people, token)

    def fingerprint(self, platform: str, platform_id: str) -> str:
        """What is kept of a person's id on a platform: enough to know them again, useless without the key."""
        return hmac.digest(self._key, f"person\x1f{platform}\x1f{platform_id}".encode(), "sha256").hex()

    def draw_key(self, campaign_id: int, name: str, seed: int) -> bytes:
        """The key of the lots that are drawn for a person, such as when a test question comes; nobody foresees them."""
        return hmac.digest(self._key, f"lots\x1f{seed}\x1f{campaign_id}\x1f{name}".encode(), "sha256")

    def case_key(self, campaign: str, annotator: str) -> str:
        """What a participant's case is called towards those who decide blind: always the same, and never guessed."""
        return hmac.digest(self._key, f"case\x1f{campaign}\x1f{annotator}".encode(), "sha256").hex()[:16]

    def alias_key(self) -> bytes:
        """The key of the other names under which blind curators are shown people."""
        return hmac.digest(self._key, b"alias", "sha256")

    def app_key(self, account_id: int, nonce: str) -> bytes:
        """The key that an account's authenticator app is given; 160 bits, as RFC 4226 wants them."""
        return hmac.digest(self._key, f"app\x1f{account_id}\x1f{nonce}".encode(), "sha256")[:20]

    def key_mark(self, nonce: str) -> str:
        """Tells this signing key from another one, and nothing of either."""
        return hmac.digest(self._key, f"mark\x1f{nonce}".encode(), "sha256").hex()[:16]

    def completion_code(self, annotator_id: int, batch: int) -> str:
        """What someone copies to a crowd platform to show that they finished this batch."""
        digest = hmac.digest(self._key, f"completed {annotator_id} {batch}".encode(), "sha256")
        number = int.from_bytes(digest[:8])
        letters = []
        for _ in range(8):
            number, place = divmod(number, len(CODE_LETTERS))
            letters.append(CODE_LETTERS[place])
        return f"{''.join(letters[:4])}-{''.join(letters[4:])}"


def _read(signer: Signer, token: str) -> LinkParts:
    try:
        number, _, nonce = signer.unsign(token).decode().partition("-")
        return LinkParts(int(number), nonce)
    except (BadSignature, UnicodeError, ValueError) as error:
        raise LinkNotValid from error
