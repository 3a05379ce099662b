"""Controlled studies: what was planned, before its campaign began."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, String, Table, Text

from goldmark.store.tables.base import metadata
from goldmark.store.types import Id, UtcTime

# One row each time that a study was planned or created. The digest covers all that decides what is computed, so a plan
# that was changed after the first answer shows. Appended, never changed; a campaign's study is its newest row.
study_plan = Table(
    "study_plan",
    metadata,
    Column("id", Id, primary_key=True),
    Column("study", String(200), nullable=False, index=True),
    Column("campaign_id", ForeignKey("campaign.id"), index=True),  # none: planned only
    Column("digest", String(64), nullable=False),
    Column("source", Text, nullable=False),  # the YAML as it was given
    Column("author", Text, nullable=False),
    Column("at", UtcTime, nullable=False),
)
