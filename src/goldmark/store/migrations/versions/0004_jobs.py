"""Long work as jobs"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from goldmark.store.types import Id, Json, UtcTime

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "job",
        sa.Column("id", Id, nullable=False),
        sa.Column("kind", sa.String(length=60), nullable=False),
        sa.Column("arguments", Json(), nullable=False),
        sa.Column("key", sa.String(length=200), nullable=True),
        sa.Column("subject", sa.String(length=200), nullable=False),
        sa.Column("campaign_id", Id, nullable=True),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("most_attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", UtcTime(), nullable=False),
        sa.Column("holder", sa.String(length=100), nullable=True),
        sa.Column("heartbeat_at", UtcTime(), nullable=True),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=True),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("result", Json(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("started_at", UtcTime(), nullable=True),
        sa.Column("finished_at", UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_job_campaign_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
        sa.UniqueConstraint("key", name=op.f("uq_job_key")),
    )
    op.create_index(op.f("ix_job_campaign_id"), "job", ["campaign_id"], unique=False)
    op.create_index(op.f("ix_job_subject"), "job", ["subject"], unique=False)
    op.create_index(
        "ix_job_open",
        "job",
        ["state", "due_at"],
        unique=False,
        sqlite_where=sa.text("state IN ('waiting', 'running')"),
        postgresql_where=sa.text("state IN ('waiting', 'running')"),
    )
