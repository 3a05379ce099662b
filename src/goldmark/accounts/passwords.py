"""Passwords: hashed with argon2, checked in the same time whether the name is known or not."""

from __future__ import annotations

import re
import secrets
from functools import cache
from typing import TYPE_CHECKING

from goldmark.errors import GoldmarkError

if TYPE_CHECKING:
    from pwdlib import PasswordHash

SHORTEST_PASSWORD = 12  # of a new one
LONGEST_PASSWORD = 128  # of a new one
LONGEST_CHECKED = 1_000  # who has a shorter or longer one from before goes on signing in with it
FEWEST_LEFT = 4  # different characters beside what everybody tries
_STANDS_FOR = str.maketrans("013457@$!", "oieastasi")
# Our own short list, of words that passwords of twelve characters are made of.
TRIED_FIRST = frozenset(
    re.findall(
        r"\w+",
        """
        password passwort passwd pass pwd secret geheim login signin letmein welcome willkommen changeme change default
        admin administrator root user test demo guest owner manager curator annotator annotation evaluation goldmark
        mark gold iloveyou love hello hallo sunshine princess dragon monkey football baseball soccer master shadow
        superman batman pokemon starwars trustno whatever freedom computer internet server university research summer
        winter spring autumn monday january correcthorsebatterystaple qwerty qwertz azerty the and you
        """,
    )
)
_KEYS = (
    "1234567890",
    "abcdefghijklmnopqrstuvwxyz",
    "qwertyuiop",
    "qwertzuiopü",
    "azertyuiop",
    "asdfghjklö",
    "zxcvbnm",
    "yxcvbnm",
)


class PasswordTooShort(GoldmarkError):
    code = "ACCOUNT-05"
    message = "a password has {shortest} to {longest} characters; a few unrelated words are easy to remember"

    def __init__(self) -> None:
        super().__init__(shortest=SHORTEST_PASSWORD, longest=LONGEST_PASSWORD)


class PasswordGuessable(GoldmarkError):
    code = "ACCOUNT-20"
    message = (
        "this password is among the first that somebody would try: take out your name, the name of this program, "
        "and words, years and rows of keys that everybody uses, and enough has to be left; a few unrelated words do"
    )


@cache
def hasher() -> PasswordHash:
    from pwdlib import PasswordHash

    return PasswordHash.recommended()


@cache
def _nobodys_hash() -> str:
    """Checked when the name is unknown, so that the answer takes as long as for a known one."""
    return hasher().hash(secrets.token_hex(16))


def hash_password(password: str, name: str) -> str:
    """Of a new password for the account of this name."""
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise PasswordTooShort
    if is_guessable(password, name):
        raise PasswordGuessable
    return hasher().hash(password)


@cache
def _rows_and_years() -> re.Pattern[str]:
    """Three keys or more that stand beside each other, letters in the order of the alphabet, and years."""
    rows = {
        row[start : start + length]
        for keys in _KEYS
        for row in (keys, keys[::-1])
        for length in range(3, len(row) + 1)
        for start in range(len(row) - length + 1)
    }
    return re.compile("|".join([r"(?:19|20)\d\d(?!\d)", *sorted(map(re.escape, rows), key=len, reverse=True)]))


def is_guessable(password: str, name: str) -> bool:
    """Whether next to nothing is left of it without what those try first who guess passwords of 12 characters."""
    left = _rows_and_years().sub(" ", password.casefold())
    words = sorted({*TRIED_FIRST, *re.findall(r"\w{3,}", name.casefold())}, key=len, reverse=True)
    # Twice: with digits and signs as they are, and as the letters for which they stand in "p4ssw0rd".
    for written in (left, left.translate(_STANDS_FOR)):
        rest = written
        for word in words:
            rest = rest.replace(word, " ")
        if len(set(rest) - set(" .,-_!?#*+/")) < FEWEST_LEFT:
            return True
    return False


def is_right(password: str, password_hash: str | None) -> bool:
    """Whether a password fits; None is the hash of somebody who does not exist or has no password."""
    fits = hasher().verify(password[:LONGEST_CHECKED], password_hash or _nobodys_hash())
    return fits and password_hash is not None
