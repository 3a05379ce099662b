"""Campaigns on crowd platforms: postings, sessions, orders and a ledger; who gave their place back"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from goldmark.store.types import Id, Json, UtcTime

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("annotator", sa.Column("withdrew", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_table(
        "posting",
        sa.Column("id", Id, nullable=False),
        sa.Column("campaign_id", Id, nullable=False),
        sa.Column("platform", sa.String(length=30), nullable=False),
        sa.Column("live", sa.Boolean(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("offer", Json(), nullable=False),
        sa.Column("budget", sa.Integer(), nullable=False),
        sa.Column("nonce", sa.String(length=40), nullable=False),
        sa.Column("publish_at", UtcTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("synced_at", UtcTime()),
        sa.Column("trouble", sa.Text(), nullable=False),
        sa.Column("holder", sa.String(length=100)),
        sa.Column("held_until", UtcTime()),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_posting_campaign_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_posting")),
    )
    op.create_index(op.f("ix_posting_campaign_id"), "posting", ["campaign_id"], unique=False)
    op.create_table(
        "posting_session",
        sa.Column("id", Id, nullable=False),
        sa.Column("posting_id", Id, nullable=False),
        sa.Column("reference", sa.String(length=100), nullable=False),
        sa.Column("part", sa.String(length=100), nullable=False),
        sa.Column("annotator_id", Id),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("proven", sa.Boolean(), nullable=False),
        sa.Column("outcome", sa.String(length=20), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("arrived_at", UtcTime(), nullable=False),
        sa.Column("submitted_at", UtcTime()),
        sa.Column("ended_at", UtcTime()),
        sa.ForeignKeyConstraint(["posting_id"], ["posting.id"], name=op.f("fk_posting_session_posting_id")),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_posting_session_annotator_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_posting_session")),
        sa.UniqueConstraint("posting_id", "reference", name=op.f("uq_posting_session_posting_id_reference")),
    )
    op.create_index(op.f("ix_posting_session_annotator_id"), "posting_session", ["annotator_id"], unique=False)
    op.create_table(
        "posting_order",
        sa.Column("id", Id, nullable=False),
        sa.Column("posting_id", Id, nullable=False),
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("verb", sa.String(length=20), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("session_id", Id),
        sa.Column("part", sa.String(length=100), nullable=False),
        sa.Column("places", sa.Integer(), nullable=False),
        sa.Column("amount", sa.Integer(), nullable=False),
        sa.Column("fee", sa.Integer(), nullable=False),
        sa.Column("facts", Json(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("asked_at", UtcTime(), nullable=False),
        sa.Column("sent_at", UtcTime()),
        sa.Column("ended_at", UtcTime()),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("reference", sa.String(length=200), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["posting_id"], ["posting.id"], name=op.f("fk_posting_order_posting_id")),
        sa.ForeignKeyConstraint(["session_id"], ["posting_session.id"], name=op.f("fk_posting_order_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_posting_order")),
        sa.UniqueConstraint("token", name=op.f("uq_posting_order_token")),
    )
    op.create_index("ix_posting_order_posting_id_state", "posting_order", ["posting_id", "state"], unique=False)
    op.create_index(op.f("ix_posting_order_session_id"), "posting_order", ["session_id"], unique=False)
    op.create_table(
        "ledger",
        sa.Column("id", Id, nullable=False),
        sa.Column("posting_id", Id, nullable=False),
        sa.Column("order_id", Id),
        sa.Column("session_id", Id),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("places", sa.Integer(), nullable=False),
        sa.Column("amount", sa.Integer(), nullable=False),
        sa.Column("reference", sa.String(length=200), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["posting_id"], ["posting.id"], name=op.f("fk_ledger_posting_id")),
        sa.ForeignKeyConstraint(["order_id"], ["posting_order.id"], name=op.f("fk_ledger_order_id")),
        sa.ForeignKeyConstraint(["session_id"], ["posting_session.id"], name=op.f("fk_ledger_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ledger")),
    )
    op.create_index(op.f("ix_ledger_posting_id"), "ledger", ["posting_id"], unique=False)
    op.create_index(op.f("ix_ledger_session_id"), "ledger", ["session_id"], unique=False)
    op.create_index(
        "uq_ledger_reward",
        "ledger",
        ["session_id"],
        unique=True,
        sqlite_where=sa.text("kind = 'reward'"),
        postgresql_where=sa.text("kind = 'reward'"),
    )
