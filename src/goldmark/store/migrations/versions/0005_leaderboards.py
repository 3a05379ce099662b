"""Leaderboards and what is submitted to them"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from goldmark.store.types import Id, Json, UtcTime

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "board",
        sa.Column("id", Id, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("public", sa.Boolean(), nullable=False),
        sa.Column("protocol_id", Id, nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("closed_at", UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["protocol_id"], ["protocol.id"], name=op.f("fk_board_protocol_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_board")),
        sa.UniqueConstraint("name", name=op.f("uq_board_name")),
    )
    op.create_table(
        "board_event",
        sa.Column("id", Id, nullable=False),
        sa.Column("board_id", Id, nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=60), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("facts", Json(), nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_board_event_board_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_board_event")),
    )
    op.create_index(op.f("ix_board_event_board_id"), "board_event", ["board_id"], unique=False)
    op.create_table(
        "board_item",
        sa.Column("id", Id, nullable=False),
        sa.Column("board_id", Id, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("chosen", sa.Boolean(), nullable=False),
        sa.Column("content", Json(), nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_board_item_board_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_board_item")),
        sa.UniqueConstraint("board_id", "name", name=op.f("uq_board_item_board_id_name")),
        sa.UniqueConstraint("board_id", "position", name=op.f("uq_board_item_board_id_position")),
    )
    op.create_table(
        "board_round",
        sa.Column("id", Id, nullable=False),
        sa.Column("board_id", Id, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("campaign_id", Id, nullable=True),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("opens_at", UtcTime(), nullable=False),
        sa.Column("opened_at", UtcTime(), nullable=True),
        sa.Column("scored_at", UtcTime(), nullable=True),
        sa.Column("facts", Json(), nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_board_round_board_id")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_board_round_campaign_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_board_round")),
        sa.UniqueConstraint("board_id", "number", name=op.f("uq_board_round_board_id_number")),
    )
    op.create_index(op.f("ix_board_round_campaign_id"), "board_round", ["campaign_id"], unique=False)
    op.create_index("ix_board_round_state_opens_at", "board_round", ["state", "opens_at"], unique=False)
    op.create_table(
        "board_team",
        sa.Column("id", Id, nullable=False),
        sa.Column("board_id", Id, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("key", sa.String(length=200), nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_board_team_board_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_board_team")),
        sa.UniqueConstraint("board_id", "key", name=op.f("uq_board_team_board_id_key")),
    )
    op.create_table(
        "board_member",
        sa.Column("board_id", Id, nullable=False),
        sa.Column("account_id", Id, nullable=False),
        sa.Column("team_id", Id, nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_board_member_account_id")),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_board_member_board_id")),
        sa.ForeignKeyConstraint(["team_id"], ["board_team.id"], name=op.f("fk_board_member_team_id")),
        sa.PrimaryKeyConstraint("board_id", "account_id", name=op.f("pk_board_member")),
    )
    op.create_index(op.f("ix_board_member_team_id"), "board_member", ["team_id"], unique=False)
    op.create_table(
        "board_system",
        sa.Column("id", Id, nullable=False),
        sa.Column("board_id", Id, nullable=False),
        sa.Column("team_id", Id, nullable=True),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("key", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_board_system_board_id")),
        sa.ForeignKeyConstraint(["team_id"], ["board_team.id"], name=op.f("fk_board_system_team_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_board_system")),
        sa.UniqueConstraint("board_id", "key", name=op.f("uq_board_system_board_id_key")),
    )
    op.create_index(op.f("ix_board_system_team_id"), "board_system", ["team_id"], unique=False)
    op.create_table(
        "board_submission",
        sa.Column("id", Id, nullable=False),
        sa.Column("board_id", Id, nullable=False),
        sa.Column("system_id", Id, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("approval", sa.String(length=20), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("link", sa.Text(), nullable=False),
        sa.Column("authors", Json(), nullable=False),
        sa.Column("outputs", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("submitted_by", sa.Text(), nullable=False),
        sa.Column("submitted_at", UtcTime(), nullable=False),
        sa.Column("published_at", UtcTime(), nullable=True),
        sa.Column("withdrawn_at", UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_board_submission_board_id")),
        sa.ForeignKeyConstraint(["system_id"], ["board_system.id"], name=op.f("fk_board_submission_system_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_board_submission")),
        sa.UniqueConstraint("system_id", "version", name=op.f("uq_board_submission_system_id_version")),
    )
    op.create_index(op.f("ix_board_submission_board_id"), "board_submission", ["board_id"], unique=False)
    op.create_table(
        "board_entry",
        sa.Column("round_id", Id, nullable=False),
        sa.Column("submission_id", Id, nullable=False),
        sa.Column("why", sa.String(length=10), nullable=False),
        sa.ForeignKeyConstraint(["round_id"], ["board_round.id"], name=op.f("fk_board_entry_round_id")),
        sa.ForeignKeyConstraint(["submission_id"], ["board_submission.id"], name=op.f("fk_board_entry_submission_id")),
        sa.PrimaryKeyConstraint("round_id", "submission_id", name=op.f("pk_board_entry")),
    )
    op.create_index(op.f("ix_board_entry_submission_id"), "board_entry", ["submission_id"], unique=False)
    op.create_table(
        "board_metric",
        sa.Column("submission_id", Id, nullable=False),
        sa.Column("metric", sa.String(length=200), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("value", sa.Float(), nullable=True),
        sa.Column("low", sa.Float(), nullable=True),
        sa.Column("high", sa.Float(), nullable=True),
        sa.Column("higher_is_better", sa.Boolean(), nullable=False),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("at", UtcTime(), nullable=True),
        sa.Column("segments", Json(), nullable=True),
        sa.ForeignKeyConstraint(["submission_id"], ["board_submission.id"], name=op.f("fk_board_metric_submission_id")),
        sa.PrimaryKeyConstraint("submission_id", "metric", name=op.f("pk_board_metric")),
    )
    op.create_table(
        "board_output",
        sa.Column("submission_id", Id, nullable=False),
        sa.Column("item_id", Id, nullable=False),
        sa.Column("output", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["board_item.id"], name=op.f("fk_board_output_item_id")),
        sa.ForeignKeyConstraint(["submission_id"], ["board_submission.id"], name=op.f("fk_board_output_submission_id")),
        sa.PrimaryKeyConstraint("submission_id", "item_id", name=op.f("pk_board_output")),
    )
    op.create_table(
        "board_relation",
        sa.Column("submission_id", Id, nullable=False),
        sa.Column("axis", sa.String(length=64), nullable=False),
        sa.Column("metric", sa.String(length=200), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("sums", Json(), nullable=False),
        sa.Column("kendall", sa.Float(), nullable=True),
        sa.Column("spearman", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["board_submission.id"], name=op.f("fk_board_relation_submission_id")
        ),
        sa.PrimaryKeyConstraint("submission_id", "axis", "metric", name=op.f("pk_board_relation")),
    )
    op.create_table(
        "board_score",
        sa.Column("round_id", Id, nullable=False),
        sa.Column("submission_id", Id, nullable=False),
        sa.Column("axis", sa.String(length=64), nullable=False),
        sa.Column("value", sa.Float(), nullable=True),
        sa.Column("low", sa.Float(), nullable=True),
        sa.Column("high", sa.Float(), nullable=True),
        sa.Column("error", sa.Float(), nullable=True),
        sa.Column("labels", sa.Integer(), nullable=False),
        sa.Column("items", sa.Integer(), nullable=False),
        sa.Column("annotators", sa.Integer(), nullable=False),
        sa.Column("excluded", sa.Integer(), nullable=False),
        sa.Column("cost", sa.Float(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.Column("segments", Json(), nullable=False),
        sa.ForeignKeyConstraint(["round_id"], ["board_round.id"], name=op.f("fk_board_score_round_id")),
        sa.ForeignKeyConstraint(["submission_id"], ["board_submission.id"], name=op.f("fk_board_score_submission_id")),
        sa.PrimaryKeyConstraint("round_id", "submission_id", "axis", name=op.f("pk_board_score")),
    )
    op.create_index(op.f("ix_board_score_submission_id"), "board_score", ["submission_id"], unique=False)
