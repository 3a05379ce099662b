"""A qualification that was earned: how it is decided, kept with the person, and counted in later campaigns.

It belongs to the participant, who is one person over all campaigns. Somebody who came by a personal link has none yet;
they get one at that moment, of the platform `goldmark` and without any id, so that a manager can lead them on.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, insert, select, update

from goldmark.campaigns.definition import admission
from goldmark.protocols.training.kits import Qualification
from goldmark.quality.training import attempts
from goldmark.quality.training.attempts import Attempt
from goldmark.store import events
from goldmark.store.tables import annotator, participant, qualification

HERE = "goldmark"  # the platform of people whom no platform sent
BY_RULE = "the protocol's rule"


def decide(
    connection: Connection,
    tried: Attempt,
    wanted: Qualification,
    *,
    passed: bool,
    author: str,
    reason: str = "",
    facts: Mapping[str, Any],
) -> str:
    """End an attempt one way or the other; returns the stage that the person is at now. The caller holds them."""
    row = connection.execute(
        select(annotator.c.name, annotator.c.campaign_id, annotator.c.participant_id).where(
            annotator.c.id == tried.annotator_id
        )
    ).one()
    attempts.end(connection, tried.id, attempts.PASSED if passed else attempts.FAILED, facts, author)
    stage = admission.WORK if passed else admission.FAILED
    attempts.set_stage(connection, tried.annotator_id, stage)
    if passed:
        _earn(connection, tried.annotator_id, row.participant_id, row.campaign_id, wanted.name, facts.get("score"))
    else:
        _revoke(connection, row.participant_id, row.campaign_id, wanted.name)
    events.record(
        connection,
        row.campaign_id,
        author=author,
        kind="qualification passed" if passed else "qualification failed",
        subject=row.name,
        reason=reason,
        facts={"qualification": wanted.name, "attempt": tried.number, "score": facts.get("score")},
    )
    return stage


def _earn(
    connection: Connection,
    annotator_id: int,
    participant_id: int | None,
    campaign_id: int,
    name: str,
    score: float | None,
) -> None:
    now = datetime.now(UTC)
    if participant_id is None:
        participant_id = connection.execute(
            insert(participant).values(platform=HERE, created_at=now).returning(participant.c.id)
        ).scalar_one()
        connection.execute(
            update(annotator).where(annotator.c.id == annotator_id).values(participant_id=participant_id)
        )
    connection.execute(
        insert(qualification).values(
            participant_id=participant_id, name=name, campaign_id=campaign_id, score=score, earned_at=now
        )
    )


def _revoke(connection: Connection, participant_id: int | None, campaign_id: int, name: str) -> None:
    """Someone decided otherwise: what was earned in this campaign counts no more. It stays to be seen."""
    if participant_id is not None:
        connection.execute(
            update(qualification)
            .where(
                qualification.c.participant_id == participant_id,
                qualification.c.campaign_id == campaign_id,
                qualification.c.name == name,
                qualification.c.revoked_at.is_(None),
            )
            .values(revoked_at=datetime.now(UTC))
        )
