"""Long work: what is to be done, by whom it is being done, and how it ended."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Integer, String, Table, Text

from goldmark.store.states import OPEN_JOB
from goldmark.store.tables.base import PartialIndex, metadata
from goldmark.store.types import Id, Json, UtcTime

# This table is the queue itself. A worker holds a job as long as it keeps moving the heartbeat on; one that stops is
# taken to be dead, and another worker carries on. Only the holder named here may write what became of it.
job = Table(
    "job",
    metadata,
    Column("id", Id, primary_key=True),
    Column("kind", String(60), nullable=False),
    Column("arguments", Json, nullable=False),
    Column("key", String(200), unique=True),  # the same key is the same job, so asking twice does it once
    Column("subject", String(200), nullable=False, index=True),  # what it is about, for people and for lists
    Column("campaign_id", ForeignKey("campaign.id"), index=True),
    Column("state", String(10), nullable=False),  # waiting, running, done, failed, cancelled
    Column("attempt", Integer, nullable=False),
    Column("most_attempts", Integer, nullable=False),
    Column("due_at", UtcTime, nullable=False),  # not before
    Column("holder", String(100)),
    Column("heartbeat_at", UtcTime),
    Column("done", Integer, nullable=False),
    Column("total", Integer),
    Column("message", Text, nullable=False),
    Column("result", Json),  # what it has made so far, so that another attempt can go on from there
    Column("error", Text),
    Column("author", Text, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("started_at", UtcTime),
    Column("finished_at", UtcTime),
)
# Workers look here and nowhere else, so that a million finished jobs cost them nothing.
PartialIndex(
    "ix_job_open",
    job.c.state,
    job.c.due_at,
    where=OPEN_JOB,
)
