"""People whom Prolific sends and pays."""

from __future__ import annotations

from collections.abc import Mapping

from goldmark.connectors.prolific.options import ProlificOptions
from goldmark.people.connector import Connector
from goldmark.people.platform import Arriving, Platform

PERSON = "PROLIFIC_PID"
STUDY, SESSION, PROOF = "STUDY_ID", "SESSION_ID", "prolific_token"


def _read(parameters: Mapping[str, str]) -> Arriving | None:
    person, study, session = (parameters.get(name, "") for name in (PERSON, STUDY, SESSION))
    return Arriving(person, session, study, proof=parameters.get(PROOF, "")) if person and study and session else None


def _open(live: bool) -> Platform:
    from goldmark.connectors.prolific.platform import open_prolific

    return open_prolific(live)


def _hear(headers: Mapping[str, str], body: bytes) -> bool:
    from goldmark.connectors.prolific.hooks import is_genuine

    return is_genuine(headers, body)


PROLIFIC = Connector(
    "prolific", "Prolific", PERSON, "{{%PROLIFIC_PID%}}", options=ProlificOptions, reads=_read, opens=_open, hears=_hear
)
