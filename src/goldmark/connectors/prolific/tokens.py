"""Prolific's signed parameters: a JSON Web Token, RS256, checked with the public keys that Prolific publishes.

Checking a signature needs only the public key, so a few lines of arithmetic are enough.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

ISSUER = "https://www.prolific.com"
LEEWAY = 30  # seconds that clocks may differ
# What stands before a SHA-256 hash in a signature (RFC 8017, EMSA-PKCS1-v1_5).
PREFIX = bytes.fromhex("3031300d060960864801650304020105000420")


class TokenNotValid(ValueError):
    """Why a token is not believed, in words."""


def claims(token: str, keys: Sequence[Mapping[str, Any]], *, address: str) -> Mapping[str, str]:
    """The parameters that Prolific signed for this address, or `TokenNotValid`."""
    try:
        head, body, signature = token.split(".")
        header, payload = json.loads(_decoded(head)), json.loads(_decoded(body))
        given = int.from_bytes(_decoded(signature))
    except (ValueError, binascii.Error) as error:
        raise TokenNotValid("it cannot be read") from error
    if header.get("alg") != "RS256":
        raise TokenNotValid("it is not signed as Prolific signs")
    key = next((one for one in keys if one.get("kid") == header.get("kid")), None)
    if key is None:
        raise TokenNotValid("its key is not one of Prolific's")
    if not _is_signed(f"{head}.{body}".encode(), given, key):
        raise TokenNotValid("its signature is wrong")
    if payload.get("iss") != ISSUER or not _same_host(str(payload.get("aud", "")), address):
        raise TokenNotValid("it was made for somewhere else")
    if not isinstance(payload.get("exp"), int) or payload["exp"] + LEEWAY < time.time():
        raise TokenNotValid("it has expired")
    said = payload.get("prolific")
    if not isinstance(said, dict):
        raise TokenNotValid("it says nothing")
    return {str(name): str(value) for name, value in said.items()}


def _is_signed(message: bytes, signature: int, key: Mapping[str, Any]) -> bool:
    modulus, exponent = (int.from_bytes(_decoded(str(key[name]))) for name in ("n", "e"))
    size = (modulus.bit_length() + 7) // 8
    if not 0 < signature < modulus or size < 256:
        return False
    wanted = PREFIX + hashlib.sha256(message).digest()
    padded = b"\x00\x01" + b"\xff" * (size - len(wanted) - 3) + b"\x00" + wanted
    return hmac.compare_digest(pow(signature, exponent, modulus).to_bytes(size), padded)


def _same_host(audience: str, address: str) -> bool:
    return bool(address) and urlsplit(audience).netloc == urlsplit(address).netloc


def _decoded(part: str) -> bytes:
    return base64.b64decode(part + "=" * (-len(part) % 4), altchars=b"-_", validate=True)
