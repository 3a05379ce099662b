"""Codes of authenticator apps: RFC 4226 (by counter) and RFC 6238 (by time), with what every app understands."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Iterator
from datetime import datetime
from urllib.parse import quote, urlencode

STEP = 30  # seconds
DIGITS = 6
SKEW = 1  # steps that a phone's clock may be off, each way
ISSUER = "Goldmark"


def code_of(key: bytes, counter: int, digits: int = DIGITS, algorithm: str = "sha1") -> str:
    """The code for a counter. SHA-1 is what apps take for granted; as an HMAC it is not weakened by collisions."""
    digest = hmac.digest(key, counter.to_bytes(8), algorithm)
    start = digest[-1] & 0xF
    number = int.from_bytes(digest[start : start + 4]) & 0x7FFF_FFFF
    return str(number % 10**digits).zfill(digits)


def step_at(moment: datetime) -> int:
    return int(moment.timestamp()) // STEP


def matching_step(key: bytes, given: str, now: datetime) -> int | None:
    """The time step whose code this is, if it is one of now. Every one is compared, each in constant time."""
    found = [step for step in _steps(now) if hmac.compare_digest(code_of(key, step).encode(), given.encode())]
    return found[-1] if found else None


def _steps(now: datetime) -> Iterator[int]:
    return iter(range(step_at(now) - SKEW, step_at(now) + SKEW + 1))


def as_letters(key: bytes) -> str:
    """A key as people type it into an app."""
    return base64.b32encode(key).decode().rstrip("=")


def app_address(key: bytes, name: str, where: str) -> str:
    """What a QR code tells an app: whose account this is, on which server, and the key."""
    issuer = f"{ISSUER} {where}".strip()
    facts = {"secret": as_letters(key), "issuer": issuer, "digits": DIGITS, "period": STEP}
    return f"otpauth://totp/{quote(f'{issuer}:{name}')}?{urlencode(facts, quote_via=quote)}"
