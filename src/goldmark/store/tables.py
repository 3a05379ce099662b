"""Every table. What annotators may see and what is hidden from them never share one."""

from __future__ import annotations

from sqlalchemy import (
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from goldmark.store.types import Id, Json, UtcTime

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# People who sign in. Annotators need no account.
account = Table(
    "account",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("role", String(20), nullable=False),
    Column("password_hash", Text),
    Column("created_at", UtcTime, nullable=False),
    Column("disabled_at", UtcTime),
)

# Secrets that people carry: API tokens, signed-in browsers, one-time links. Only their hashes are kept.
credential = Table(
    "credential",
    metadata,
    Column("id", Id, primary_key=True),
    Column("account_id", ForeignKey("account.id"), index=True),  # none: the first owner is still to be made
    Column("kind", String(20), nullable=False),  # token, session, link
    Column("name", String(200), nullable=False),
    Column("hash", String(64), nullable=False, unique=True),
    Column("created_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime),
    Column("used_at", UtcTime),
    Column("revoked_at", UtcTime),
)

protocol = Table(
    "protocol",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", String(200), nullable=False),
    Column("version", Integer, nullable=False),
    Column("digest", String(64), nullable=False, unique=True),
    Column("source", Text, nullable=False),  # the YAML as it was given
    Column("created_at", UtcTime, nullable=False),
)

campaign = Table(
    "campaign",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", String(200), nullable=False, unique=True),  # its id in addresses
    Column("title", Text, nullable=False),
    Column("state", String(20), nullable=False),
    Column("protocol_id", ForeignKey("protocol.id"), nullable=False),
    Column("settings", Text, nullable=False),  # JSON; kept as text so that equal settings are parsed once
    Column("invite_nonce", String(40), nullable=False),  # a new one makes the old open link worthless
    Column("created_at", UtcTime, nullable=False),
)

# `shown` is all that an annotator ever receives of a unit. Places: at most `wanted` are `taken`, of which `done` are
# answered; `position` is the seeded random order.
unit = Table(
    "unit",
    metadata,
    Column("id", Id, primary_key=True),
    Column("campaign_id", ForeignKey("campaign.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("wanted", Integer, nullable=False),
    Column("taken", Integer, nullable=False, default=0),
    Column("done", Integer, nullable=False, default=0),
    Column("shown", Text, nullable=False),
    Column("added_at", UtcTime, nullable=False),
    UniqueConstraint("campaign_id", "name"),
    UniqueConstraint("campaign_id", "position"),
    CheckConstraint("taken >= 0 AND taken <= wanted", name="never_more_than_wanted"),
    CheckConstraint("done >= 0 AND done <= taken", name="done_are_taken"),
)
# The allocation walks this index and nothing else, so a claim costs the same in a campaign of any size.
Index(
    "ix_unit_free",
    unit.c.campaign_id,
    unit.c.taken,
    unit.c.position,
    sqlite_where=text("taken < wanted"),
    postgresql_where=text("taken < wanted"),
)

# Which system wrote it, expected answers, how it was tokenised: no annotator's request reads this table.
unit_secret = Table(
    "unit_secret",
    metadata,
    Column("unit_id", ForeignKey("unit.id"), primary_key=True),
    Column("facts", Json, nullable=False),
    Column("tokenisers", Json, nullable=False),  # role of the text: name
)

annotator = Table(
    "annotator",
    metadata,
    Column("id", Id, primary_key=True),
    Column("campaign_id", ForeignKey("campaign.id"), nullable=False),
    Column("name", String(200), nullable=False),
    Column("state", String(20), nullable=False),  # invited, active, paused
    Column("account_id", ForeignKey("account.id"), index=True),
    Column("link_nonce", String(40), nullable=False),
    Column("joined_at", UtcTime, nullable=False),
    Column("consented_at", UtcTime),
    Column("cursor", Integer, nullable=False),  # where on the ring of units this person walks
    Column("done", Integer, nullable=False, default=0),
    Column("batch", Integer, nullable=False, default=1),
    Column("batch_done", Integer, nullable=False, default=0),
    Column("seconds_active", Float, nullable=False, default=0.0),
    UniqueConstraint("campaign_id", "name"),
)

# One person and one unit, once. The draft is what they are marking now; answers are in `response`.
assignment = Table(
    "assignment",
    metadata,
    Column("id", Id, primary_key=True),
    Column("campaign_id", ForeignKey("campaign.id"), nullable=False),
    Column("unit_id", ForeignKey("unit.id"), nullable=False),
    Column("annotator_id", ForeignKey("annotator.id"), nullable=False, index=True),
    Column("protocol_id", ForeignKey("protocol.id"), nullable=False),  # what the person was asked
    Column("state", String(10), nullable=False),  # see `store.states`
    Column("batch", Integer, nullable=False),
    Column("claimed_at", UtcTime, nullable=False),
    Column("lease_until", UtcTime, nullable=False),
    Column("finished_at", UtcTime),
    Column("revision", Integer, nullable=False, default=0),
    Column("draft", Json),
    Column("draft_version", Integer, nullable=False, default=0),
    Column("draft_at", UtcTime),
    Column("draft_seconds", Float, nullable=False, default=0.0),
    UniqueConstraint("unit_id", "annotator_id"),
)
Index(
    "ix_assignment_lease",
    assignment.c.campaign_id,
    assignment.c.lease_until,
    sqlite_where=text("state = 'active'"),
    postgresql_where=text("state = 'active'"),
)
# Managers' lists of a campaign's responses, newest first.
Index(
    "ix_assignment_answered",
    assignment.c.campaign_id,
    assignment.c.id,
    sqlite_where=text("revision > 0"),
    postgresql_where=text("revision > 0"),
)

# Appended, never changed: the highest revision of an assignment is its current answer.
response = Table(
    "response",
    metadata,
    Column("id", Id, primary_key=True),
    Column("assignment_id", ForeignKey("assignment.id"), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("client_key", String(64), nullable=False),
    Column("answers", Json, nullable=False),
    Column("protocol_id", ForeignKey("protocol.id"), nullable=False),
    Column("client_time", UtcTime),
    Column("server_time", UtcTime, nullable=False),
    Column("seconds_active", Float, nullable=False),
    UniqueConstraint("assignment_id", "revision"),
    UniqueConstraint("assignment_id", "client_key"),
)

# A reviewer's word on one revision of an answer: approved, or returned with what is to be amended. Appended.
review = Table(
    "review",
    metadata,
    Column("id", Id, primary_key=True),
    Column("campaign_id", ForeignKey("campaign.id"), nullable=False, index=True),
    Column("assignment_id", ForeignKey("assignment.id"), nullable=False, index=True),
    Column("revision", Integer, nullable=False),
    Column("verdict", String(20), nullable=False),  # approved, returned
    Column("comment", Text, nullable=False),
    Column("remarks", Json, nullable=False),  # on single questions or spans: where, part, comment
    Column("reviewer", Text, nullable=False),
    Column("at", UtcTime, nullable=False),
)

# A curator's steps on one unit, numbered from 1. What is curated is the proposal with these steps applied in order, so
# two curators cannot overwrite each other: the same number is taken once.
curation_step = Table(
    "curation_step",
    metadata,
    Column("id", Id, primary_key=True),
    Column("campaign_id", ForeignKey("campaign.id"), nullable=False, index=True),
    Column("unit_id", ForeignKey("unit.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("kind", String(40), nullable=False),
    Column("facts", Json, nullable=False),
    Column("reason", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("at", UtcTime, nullable=False),
    UniqueConstraint("unit_id", "number"),
)

# A unit's gold list as it was when a curator finished it. Appended: finishing again makes a new version.
gold_version = Table(
    "gold_version",
    metadata,
    Column("id", Id, primary_key=True),
    Column("campaign_id", ForeignKey("campaign.id"), nullable=False, index=True),
    Column("unit_id", ForeignKey("unit.id"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("steps", Integer, nullable=False),  # how many steps it rests on
    Column("mistakes", Json, nullable=False),
    Column("author", Text, nullable=False),
    Column("at", UtcTime, nullable=False),
    UniqueConstraint("unit_id", "version"),
)

# What people decided, when and why. Appended, never changed.
event = Table(
    "event",
    metadata,
    Column("id", Id, primary_key=True),
    Column("campaign_id", ForeignKey("campaign.id"), index=True),
    Column("at", UtcTime, nullable=False),
    Column("author", Text, nullable=False),
    Column("kind", String(60), nullable=False),
    Column("subject", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("facts", Json, nullable=False),
)
