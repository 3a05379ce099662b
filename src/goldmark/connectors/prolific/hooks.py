"""Whether a web hook is Prolific's: its signature over the time and the body, with the workspace's secret."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from collections.abc import Mapping

from goldmark.connectors.keys import maybe

SECRET = "PROLIFIC_HOOK_SECRET"  # noqa: S105 - the name of it
SIGNATURE, TIMESTAMP = "x-prolific-request-signature", "x-prolific-request-timestamp"
OLDEST = 24 * 60 * 60  # seconds; hooks may come late, and say nothing that is believed


def is_genuine(headers: Mapping[str, str], body: bytes) -> bool:
    secret, sent, said = maybe(SECRET), headers.get(TIMESTAMP, ""), headers.get(SIGNATURE, "")
    if not secret or not sent.isdigit() or abs(time.time() - int(sent)) > OLDEST:
        return False
    return hmac.compare_digest(signed(secret, sent, body), said)


def signed(secret: str, sent: str, body: bytes) -> str:
    return base64.b64encode(hmac.digest(secret.encode(), sent.encode() + body, hashlib.sha256)).decode()
