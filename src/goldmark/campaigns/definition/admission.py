"""Where somebody stands before they may work: learning, qualifying, or past both.

The protocol says what is taught and asked, the campaign which kit and whether the qualification is wanted, and what a
person earned in an earlier campaign counts. How lessons run is told in `quality`; here is only where one begins.
"""

from __future__ import annotations

from functools import lru_cache

from sqlalchemy import Connection, select

from goldmark.campaigns.definition.settings import Settings
from goldmark.errors import Problem, ProblemsFound
from goldmark.protocols import Protocol
from goldmark.protocols.loading.did_you_mean import did_you_mean
from goldmark.protocols.training.kits import Qualification, TrainingPart
from goldmark.store.tables import protocol as protocol_table
from goldmark.store.tables import qualification as qualification_table

LEARN, QUALIFY, AWAITING, FAILED, WORK = "learn", "qualify", "awaiting", "failed", "work"


def kit_of(protocol: Protocol, settings: Settings, condition: str | None) -> tuple[str, tuple[TrainingPart, ...]]:
    """The training kit that somebody gets, and its name: their condition's, the campaign's, or the protocol's first."""
    drawn = next((one.training for one in settings.conditions if one.name == condition), None)
    name = drawn or settings.training or next(iter(protocol.file.training), "")
    return name, protocol.file.training.get(name, ())


def wanted_qualification(protocol: Protocol, settings: Settings) -> Qualification | None:
    return protocol.file.qualification if settings.qualification else None


def has_earned(connection: Connection, participant_id: int | None, wanted: Qualification) -> bool:
    """Whether this person holds the qualification, or one that counts as it, from whatever campaign."""
    if participant_id is None:
        return False
    held = select(qualification_table.c.id).where(
        qualification_table.c.participant_id == participant_id,
        qualification_table.c.name.in_((wanted.name, *wanted.accepts)),
        qualification_table.c.revoked_at.is_(None),
    )
    return connection.execute(held.limit(1)).first() is not None


def first_stage(
    connection: Connection, protocol_id: int, settings: Settings, condition: str | None, participant_id: int | None
) -> str:
    """Where a new annotator begins. Who is qualified already needs neither the lessons nor the test."""
    asked = _protocol(connection, protocol_id)
    wanted = wanted_qualification(asked, settings)
    if wanted is not None and has_earned(connection, participant_id, wanted):
        return WORK
    if kit_of(asked, settings, condition)[1]:
        return LEARN
    return WORK if wanted is None else QUALIFY


def kit_problems(protocol: Protocol, settings: Settings, where: str) -> list[Problem]:
    """Kits that a campaign names and its protocol does not have."""
    known = protocol.file.training
    named = [("training", settings.training), *((f"condition {one.name}", one.training) for one in settings.conditions)]
    return [
        Problem(
            where,
            f'{part}: {protocol.id} has no training kit "{name}"',
            did_you_mean(name, known) or (f"its kits are {', '.join(known)}" if known else "it has none"),
            "training",
        )
        for part, name in named
        if name and name not in known
    ]


def refuse_unknown_kits(connection: Connection, protocol_id: int, settings: Settings) -> None:
    """Settings that name a training kit must name one that is there."""
    problems = kit_problems(_protocol(connection, protocol_id), settings, "settings")
    if problems:
        raise ProblemsFound(problems)


def _protocol(connection: Connection, protocol_id: int) -> Protocol:
    source = connection.execute(select(protocol_table.c.source).where(protocol_table.c.id == protocol_id)).scalar_one()
    return _parsed(source)


@lru_cache(maxsize=32)
def _parsed(source: str) -> Protocol:
    from goldmark.protocols import parse  # what reads files is not needed before there is one to read

    return parse(source)
