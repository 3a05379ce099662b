"""People across campaigns, how they were trained, and what was said to them about their work."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Float, ForeignKey, Integer, String, Table, Text, UniqueConstraint

from goldmark.store.tables.base import metadata
from goldmark.store.types import Id, Json, UtcTime

# One person over all campaigns. What a crowd platform calls them stands here and nowhere else, so that it can be
# erased without touching an answer. The fingerprint is a keyed hash of it: enough to know someone again.
participant = Table(
    "participant",
    metadata,
    Column("id", Id, primary_key=True),
    Column("platform", String(40), nullable=False),
    Column("platform_id", Text),
    Column("fingerprint", String(64), unique=True),
    Column("created_at", UtcTime, nullable=False),
    Column("erased_at", UtcTime),
)

# One try at a campaign's training or qualification. A rule or a reviewer decides how a qualification ends.
attempt = Table(
    "attempt",
    metadata,
    Column("id", Id, primary_key=True),
    Column("annotator_id", ForeignKey("annotator.id"), nullable=False),
    Column("kind", String(20), nullable=False),  # training, qualification
    Column("number", Integer, nullable=False),
    Column("state", String(20), nullable=False),  # open, done, passed, failed, awaiting
    Column("protocol_id", ForeignKey("protocol.id"), nullable=False),
    Column("facts", Json, nullable=False),  # the score and how it was made, once it is finished
    Column("started_at", UtcTime, nullable=False),
    Column("finished_at", UtcTime),
    Column("decided_by", Text),
    UniqueConstraint("annotator_id", "kind", "number"),
)

# What someone answered in an attempt, with its grade. Appended, like every answer.
attempt_answer = Table(
    "attempt_answer",
    metadata,
    Column("id", Id, primary_key=True),
    Column("attempt_id", ForeignKey("attempt.id"), nullable=False, index=True),
    Column("item", String(200), nullable=False),
    Column("answers", Json, nullable=False),
    Column("grade", Json, nullable=False),
    Column("client_key", String(64), nullable=False),
    Column("seconds_active", Float, nullable=False),
    Column("at", UtcTime, nullable=False),
    UniqueConstraint("attempt_id", "client_key"),
)

# A qualification that was earned once and may count in later campaigns.
qualification = Table(
    "qualification",
    metadata,
    Column("id", Id, primary_key=True),
    Column("participant_id", ForeignKey("participant.id"), nullable=False, index=True),
    Column("name", String(200), nullable=False),
    Column("campaign_id", ForeignKey("campaign.id"), nullable=False),
    Column("score", Float),
    Column("earned_at", UtcTime, nullable=False),
    Column("revoked_at", UtcTime),
)

# How an answer to a test question was graded, kept so that the model need not read a whole campaign. An answer whose
# newest revision is not the graded one is still to be graded.
test_answer = Table(
    "test_answer",
    metadata,
    Column("assignment_id", ForeignKey("assignment.id"), primary_key=True, autoincrement=False),
    Column("campaign_id", ForeignKey("campaign.id"), nullable=False, index=True),
    Column("annotator_id", ForeignKey("annotator.id"), nullable=False, index=True),
    Column("sign", String(10), nullable=False),  # positive, negative
    Column("right", Boolean, nullable=False),
    Column("grade", Json, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("revision", Integer, nullable=False, server_default="1"),
)

# Words to an annotator about their work, shown until they have read them.
notice = Table(
    "notice",
    metadata,
    Column("id", Id, primary_key=True),
    Column("annotator_id", ForeignKey("annotator.id"), nullable=False, index=True),
    Column("kind", String(20), nullable=False),  # warning, pause, exclusion
    Column("message", Text, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("read_at", UtcTime),
)
