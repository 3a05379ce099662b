"""Campaigns, their units and annotators, who holds what, and what was answered."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    true,
)

from goldmark.store.states import STILL_OPEN
from goldmark.store.tables.base import PartialIndex, metadata
from goldmark.store.types import Id, Json, UtcTime

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
    # Campaigns of one crowd share what is known of its people; empty: of nobody else's. From the settings.
    Column("crowd", String(200), nullable=False, server_default="", index=True),
)

# `shown` is all that an annotator ever receives of a unit. Places: at most `wanted` are `taken`, of which `done` are
# answered; `position` is the random order. Units lie in strata; `campaigns.assignments.strata` says from which of
# them a person's next unit is taken: that is how test questions are mixed in, and how a condition gets its own texts.
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
    Column("stratum", String(100), nullable=False, default="work", server_default="work"),
    Column("counts", Boolean, nullable=False, default=True, server_default=true()),  # a test question never counts
    Column("item", Text),  # what it is a version of, where it is one; hidden like everything that units have in common
    Column("shown", Text, nullable=False),
    Column("added_at", UtcTime, nullable=False),
    UniqueConstraint("campaign_id", "name"),
    UniqueConstraint("campaign_id", "position"),
    CheckConstraint("taken >= 0 AND taken <= wanted", name="never_more_than_wanted"),
    CheckConstraint("done >= 0 AND done <= taken", name="done_are_taken"),
)
# The allocation walks this index and nothing else, so a claim costs the same in a campaign of any size.
PartialIndex(
    "ix_unit_free",
    unit.c.campaign_id,
    unit.c.stratum,
    unit.c.taken,
    unit.c.position,
    where="taken < wanted",
)

# Test questions are few among many units; whoever grades answers to them looks at them alone.
PartialIndex("ix_unit_test", unit.c.campaign_id, where="NOT counts")

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
    Column("kind", String(20), nullable=False, default="person", server_default="person"),  # person, model, checker
    Column("state", String(20), nullable=False),  # invited, active, paused, excluded
    Column("stage", String(20), nullable=False, default="work", server_default="work"),  # learn, qualify, failed, work
    Column("condition", String(200)),  # which of the campaign's conditions they were drawn for; hidden from them
    # Of people who joined in one browser: the annotator who was the first of them. No two of them get the same unit.
    Column("same_browser", Integer, index=True),
    Column("account_id", ForeignKey("account.id"), index=True),
    Column("participant_id", ForeignKey("participant.id"), index=True),
    Column("link_nonce", String(40), nullable=False),
    Column("joined_at", UtcTime, nullable=False),
    Column("consented_at", UtcTime),
    Column("seen_at", UtcTime),  # when their page last said that they are at it; none: it never did
    Column("cursor", Integer, nullable=False),  # where on the ring of units this person walks
    Column("done", Integer, nullable=False, default=0),
    Column("batch", Integer, nullable=False, default=1),
    Column("batch_done", Integer, nullable=False, default=0),
    Column("seconds_active", Float, nullable=False, default=0.0),
    # Excluded because they gave their place on a platform back, not for their work: no other campaign minds.
    Column("withdrew", Boolean, nullable=False, default=False, server_default=false()),
    UniqueConstraint("campaign_id", "name"),
)

# Who is in a condition: its people's assignments are counted when a unit is handed out in it.
Index("ix_annotator_condition", annotator.c.campaign_id, annotator.c.condition)

# One person and one unit, once. The draft is what they are marking now; answers are in `response`.
assignment = Table(
    "assignment",
    metadata,
    Column("id", Id, primary_key=True),
    Column("campaign_id", ForeignKey("campaign.id"), nullable=False),
    Column("unit_id", ForeignKey("unit.id"), nullable=False),
    Column("annotator_id", ForeignKey("annotator.id"), nullable=False, index=True),
    Column("item", Text),  # only where nobody may meet two versions of one item
    Column("protocol_id", ForeignKey("protocol.id"), nullable=False),  # what the person was asked
    Column("state", String(10), nullable=False),  # see `store.states`
    Column("state_before", String(10)),  # of an excluded one: what it was, for the undoing
    Column("shown_first", String(32)),  # of a comparison: the role of the text that came first; none: as given
    Column("batch", Integer, nullable=False),
    Column("claimed_at", UtcTime, nullable=False),
    Column("lease_until", UtcTime, nullable=False),
    Column("finished_at", UtcTime),
    Column("revision", Integer, nullable=False, default=0),
    Column("reviewed", Integer, nullable=False, server_default="0"),  # up to here a reviewer's word holds
    Column("draft", Json),
    Column("draft_version", Integer, nullable=False, default=0),
    Column("draft_at", UtcTime),
    Column("draft_seconds", Float, nullable=False, default=0.0),
    UniqueConstraint("unit_id", "annotator_id"),
)
Index("ix_assignment_item", assignment.c.annotator_id, assignment.c.item, unique=True)
PartialIndex(
    "ix_assignment_lease",
    assignment.c.campaign_id,
    assignment.c.lease_until,
    where="state = 'active'",
)
PartialIndex("ix_assignment_open", assignment.c.annotator_id, where=STILL_OPEN)
# Managers' lists of a campaign's responses, newest first.
PartialIndex(
    "ix_assignment_answered",
    assignment.c.campaign_id,
    assignment.c.id,
    where="revision > 0",
)
# Reviewers' queues, without what was judged already.
PartialIndex(
    "ix_assignment_unreviewed",
    assignment.c.campaign_id,
    assignment.c.id,
    where="revision > reviewed",
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
    # What an annotator says to a reviewer who returned the answer, where they keep some of it.
    Column("reply", Text, nullable=False, default="", server_default=""),
    # In which the page was shown; empty: nobody said, as programs do not.
    Column("language", String(35), nullable=False, server_default=""),
    UniqueConstraint("assignment_id", "revision"),
    UniqueConstraint("assignment_id", "client_key"),
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
