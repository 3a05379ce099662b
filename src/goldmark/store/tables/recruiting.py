"""Campaigns on crowd platforms: what is on offer, who took a place, what was asked of the platform, what it cost."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, String, Table, Text, UniqueConstraint

from goldmark.store.tables.base import PartialIndex, metadata
from goldmark.store.types import Id, Json, UtcTime

# A campaign on offer. Whoever works on it holds it for a while, so that no order is sent twice at once.
posting = Table(
    "posting",
    metadata,
    Column("id", Id, primary_key=True),
    Column("campaign_id", ForeignKey("campaign.id"), nullable=False, index=True),
    Column("platform", String(30), nullable=False),
    Column("live", Boolean, nullable=False),  # False: the platform's sandbox, or a draft
    Column("state", String(20), nullable=False),  # planned, open, paused, closed
    Column("offer", Json, nullable=False),  # as it was published; see `people.platform.Offer`
    Column("budget", Integer, nullable=False),  # in cents, fees included
    Column("nonce", String(40), nullable=False),
    Column("publish_at", UtcTime, nullable=False),
    Column("created_by", Text, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("synced_at", UtcTime),
    Column("trouble", Text, nullable=False),  # why it does not go on, in words for its managers
    Column("holder", String(100)),
    Column("held_until", UtcTime),
)

# One person at one place. What the platform calls the person stands in `participant` and nowhere else.
posting_session = Table(
    "posting_session",
    metadata,
    Column("id", Id, primary_key=True),
    Column("posting_id", ForeignKey("posting.id"), nullable=False),
    Column("reference", String(100), nullable=False),  # the platform's assignment or submission
    Column("part", String(100), nullable=False),  # its hit or study
    Column("annotator_id", ForeignKey("annotator.id"), index=True),
    Column("state", String(20), nullable=False),  # see `recruiting.sessions`
    Column("proven", Boolean, nullable=False),  # the platform has said whose it is
    Column("outcome", String(20), nullable=False),  # how they left us: completed, failed, screened, or not yet
    Column("note", Text, nullable=False),  # what a manager must know before deciding
    Column("arrived_at", UtcTime, nullable=False),
    Column("submitted_at", UtcTime),
    Column("ended_at", UtcTime),
    UniqueConstraint("posting_id", "reference"),
)

# What is asked of a platform. `sent` is committed before the request leaves, so that a lost answer is looked up.
posting_order = Table(
    "posting_order",
    metadata,
    Column("id", Id, primary_key=True),
    Column("posting_id", ForeignKey("posting.id"), nullable=False),
    Column("token", String(64), nullable=False, unique=True),
    Column("verb", String(20), nullable=False),
    Column("state", String(10), nullable=False),  # asked, sent, done, refused, dropped
    Column("session_id", ForeignKey("posting_session.id"), index=True),
    Column("part", String(100), nullable=False),
    Column("places", Integer, nullable=False),
    Column("amount", Integer, nullable=False),  # to people, in cents
    Column("fee", Integer, nullable=False),  # to the platform
    Column("facts", Json, nullable=False),  # words, categories, lines of a list; never a person's id
    Column("author", Text, nullable=False),
    Column("asked_at", UtcTime, nullable=False),
    Column("sent_at", UtcTime),
    Column("ended_at", UtcTime),
    Column("attempts", Integer, nullable=False),
    Column("reference", String(200), nullable=False),
    Column("problem", Text, nullable=False),
)
Index("ix_posting_order_posting_id_state", posting_order.c.posting_id, posting_order.c.state)

# What happened to places and money. Appended, never changed.
ledger = Table(
    "ledger",
    metadata,
    Column("id", Id, primary_key=True),
    Column("posting_id", ForeignKey("posting.id"), nullable=False, index=True),
    Column("order_id", ForeignKey("posting_order.id")),  # none: seen on the platform
    Column("session_id", ForeignKey("posting_session.id"), index=True),
    Column("at", UtcTime, nullable=False),
    Column("author", Text, nullable=False),
    Column("kind", String(20), nullable=False),  # see `recruiting.ledger`
    Column("places", Integer, nullable=False),
    Column("amount", Integer, nullable=False),  # charged, in cents
    Column("reference", String(200), nullable=False),  # the platform's hit, study, session or payment
    Column("reason", Text, nullable=False),
)
# Whatever else goes wrong: nobody's reward is entered twice.
PartialIndex(
    "uq_ledger_reward",
    ledger.c.session_id,
    unique=True,
    where="kind = 'reward'",
)
