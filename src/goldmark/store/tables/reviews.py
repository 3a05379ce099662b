"""What reviewers and curators say of answers."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Integer, String, Table, Text, UniqueConstraint

from goldmark.store.tables.base import metadata
from goldmark.store.types import Id, Json, UtcTime

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

# A curator's steps on one unit's answers to one question, numbered from 1. What is curated is the proposal with these
# steps applied in order, so two curators cannot overwrite each other: the same number is taken once.
curation_step = Table(
    "curation_step",
    metadata,
    Column("id", Id, primary_key=True),
    Column("campaign_id", ForeignKey("campaign.id"), nullable=False, index=True),
    Column("unit_id", ForeignKey("unit.id"), nullable=False),
    Column("question", String(64), nullable=False),
    Column("number", Integer, nullable=False),
    Column("kind", String(40), nullable=False),
    Column("facts", Json, nullable=False),
    Column("reason", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("at", UtcTime, nullable=False),
    UniqueConstraint("unit_id", "question", "number"),
)

# A unit's gold list as it was when a curator finished it. Appended: finishing again makes a new version.
gold_version = Table(
    "gold_version",
    metadata,
    Column("id", Id, primary_key=True),
    Column("campaign_id", ForeignKey("campaign.id"), nullable=False, index=True),
    Column("unit_id", ForeignKey("unit.id"), nullable=False),
    Column("question", String(64), nullable=False),
    Column("version", Integer, nullable=False),
    Column("steps", Integer, nullable=False),  # how many steps it rests on
    Column("mistakes", Json, nullable=False),
    Column("author", Text, nullable=False),
    Column("at", UtcTime, nullable=False),
    UniqueConstraint("unit_id", "question", "version"),
)
