"""Signed links: annotators need no account, their link is who they are.

A link carries an id, a nonce and a signature. Nothing secret is stored: changing the nonce in the database makes the
old link worthless. The key that signs is never in the database, so a copy of the database opens no door.

The key can be replaced: see `signing_keys`.
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
from urllib.parse import urlsplit

from itsdangerous import BadSignature, Signer, TimestampSigner

from goldmark.accounts.signing_keys import PEOPLE, known_keys, mark_of
from goldmark.errors import Forbidden, GoldmarkError
from goldmark.languages import later
from goldmark.store.engine import database_url

LOCAL = "http://127.0.0.1:8000"  # where `goldmark serve` listens if it is told nothing

# No letters that are easily taken for another when a code is copied by hand.
CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"


class LinkNotValid(Forbidden):
    code = "LINK-01"
    message = later("this link is not valid; ask whoever sent it for a new one")


class NotAPublicAddress(GoldmarkError):
    code = "LINK-04"
    message = (
        "{given!r} cannot be the public address: give http:// or https:// and a name, and a port where it needs one, "
        "such as https://eval.example.org; Goldmark needs a name of its own and cannot live in a folder of another site"
    )


class LinkParts(NamedTuple):
    id: int
    nonce: str


def new_nonce() -> str:
    return secrets.token_hex(6)


def public_address(given: str) -> str:
    """The address people use, as links begin with it; an error if none of ours could begin so."""
    try:
        parts = urlsplit(given.strip().rstrip("/"))
        named = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:  # a port that is no number
        named = None
    if not named or parts.path or parts.query or parts.fragment or parts.username:
        raise NotAPublicAddress(given=given)
    return parts.geturl()


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

    def __init__(self, key: bytes, *, older: Sequence[bytes] = (), stays: bytes | None = None) -> None:
        self._signing = (key, *older)
        self._stays = key if stays is None else stays
        keys = self._signing[::-1]  # the last signs, all are taken
        self._invites = Signer(keys, salt="goldmark.invite", digest_method=hashlib.sha256)
        self._postings = Signer(keys, salt="goldmark.posting", digest_method=hashlib.sha256)
        self._arrivals = TimestampSigner(keys, salt="goldmark.arrival", digest_method=hashlib.sha256)
        self._teams = Signer(keys, salt="goldmark.team", digest_method=hashlib.sha256)
        self._people = Signer(keys, salt="goldmark.annotator", digest_method=hashlib.sha256)

    @classmethod
    def of(cls, address: str) -> SignedLinks:
        """Those of a database."""
        keys = known_keys(address)
        return cls(keys.signs, older=keys.older, stays=keys.stays)

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
        return hmac.digest(self._stays, f"person\x1f{platform}\x1f{platform_id}".encode(), "sha256").hex()

    def draw_key(self, campaign_id: int, name: str, seed: int) -> bytes:
        """The key of the lots that are drawn for a person, such as when a test question comes; nobody foresees them."""
        return hmac.digest(self._stays, f"lots\x1f{seed}\x1f{campaign_id}\x1f{name}".encode(), "sha256")

    def case_key(self, campaign: str, annotator: str) -> str:
        """What a participant's case is called towards those who decide blind: always the same, and never guessed."""
        return hmac.digest(self._stays, f"case\x1f{campaign}\x1f{annotator}".encode(), "sha256").hex()[:16]

    def alias_key(self) -> bytes:
        """The key of the other names under which blind curators are shown people."""
        return hmac.digest(self._stays, b"alias", "sha256")

    def app_key(self, account_id: int, nonce: str) -> bytes:
        """The key that an account's authenticator app is given; 160 bits, as RFC 4226 wants them."""
        return _app_key(self._signing[0], account_id, nonce)

    def app_key_made_with(self, mark: str, account_id: int, nonce: str) -> bytes | None:
        """The key of an app that was set up under the signing key of this mark; none if that is not one of ours."""
        made = (_app_key(key, account_id, nonce) for key in self._signing if mark_of(key, nonce) == mark)
        return next(made, None)

    def key_mark(self, nonce: str) -> str:
        """Tells the key that signs from another one, and nothing of either."""
        return mark_of(self._signing[0], nonce)

    def people_mark(self) -> str:
        """The same of the key that stays."""
        return mark_of(self._stays, PEOPLE)

    def completion_code(self, annotator_id: int, batch: int) -> str:
        """What someone copies to a crowd platform to show that they finished this batch."""
        digest = hmac.digest(self._stays, f"completed {annotator_id} {batch}".encode(), "sha256")
        number = int.from_bytes(digest[:8])
        letters = []
        for _ in range(8):
            number, place = divmod(number, len(CODE_LETTERS))
            letters.append(CODE_LETTERS[place])
        return f"{''.join(letters[:4])}-{''.join(letters[4:])}"


def _app_key(key: bytes, account_id: int, nonce: str) -> bytes:
    return hmac.digest(key, f"app\x1f{account_id}\x1f{nonce}".encode(), "sha256")[:20]


def _read(signer: Signer, token: str) -> LinkParts:
    try:
        number, _, nonce = signer.unsign(token).decode().partition("-")
        return LinkParts(int(number), nonce)
    except (BadSignature, UnicodeError, ValueError) as error:
        raise LinkNotValid from error
