"""Passwords: hashed with argon2, checked in the same time whether the name is known or not."""

from __future__ import annotations

import secrets
from functools import cache
from typing import TYPE_CHECKING

from goldmark.errors import GoldmarkError

if TYPE_CHECKING:
    from pwdlib import PasswordHash

SHORTEST_PASSWORD = 12  # of a new one; who has a shorter one from before goes on signing in with it
LONGEST_PASSWORD = 1_000


class PasswordTooShort(GoldmarkError):
    code = "ACCOUNT-05"
    message = "a password has {shortest} to {longest} characters; a few unrelated words are easy to remember"

    def __init__(self) -> None:
        super().__init__(shortest=SHORTEST_PASSWORD, longest=LONGEST_PASSWORD)


@cache
def hasher() -> PasswordHash:
    from pwdlib import PasswordHash

    return PasswordHash.recommended()


@cache
def _nobodys_hash() -> str:
    """Checked when the name is unknown, so that the answer takes as long as for a known one."""
    return hasher().hash(secrets.token_hex(16))


def hash_password(password: str) -> str:
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise PasswordTooShort
    return hasher().hash(password)


def is_right(password: str, password_hash: str | None) -> bool:
    """Whether a password fits; None is the hash of somebody who does not exist or has no password."""
    fits = hasher().verify(password[:LONGEST_PASSWORD], password_hash or _nobodys_hash())
    return fits and password_hash is not None
