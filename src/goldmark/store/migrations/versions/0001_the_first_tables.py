"""The first tables"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from goldmark.store.types import Id, Json, UtcTime

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "account",
        sa.Column("id", Id, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=True),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("disabled_at", UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account")),
        sa.UniqueConstraint("name", name=op.f("uq_account_name")),
    )
    op.create_table(
        "protocol",
        sa.Column("id", Id, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_protocol")),
        sa.UniqueConstraint("digest", name=op.f("uq_protocol_digest")),
    )
    op.create_table(
        "campaign",
        sa.Column("id", Id, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("protocol_id", Id, nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("invite_nonce", sa.String(length=40), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["protocol_id"], ["protocol.id"], name=op.f("fk_campaign_protocol_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaign")),
        sa.UniqueConstraint("name", name=op.f("uq_campaign_name")),
    )
    op.create_table(
        "credential",
        sa.Column("id", Id, nullable=False),
        sa.Column("account_id", Id, nullable=True),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("expires_at", UtcTime(), nullable=True),
        sa.Column("used_at", UtcTime(), nullable=True),
        sa.Column("revoked_at", UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_credential_account_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_credential")),
        sa.UniqueConstraint("hash", name=op.f("uq_credential_hash")),
    )
    with op.batch_alter_table("credential", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_credential_account_id"), ["account_id"], unique=False)

    op.create_table(
        "annotator",
        sa.Column("id", Id, nullable=False),
        sa.Column("campaign_id", Id, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("account_id", Id, nullable=True),
        sa.Column("link_nonce", sa.String(length=40), nullable=False),
        sa.Column("joined_at", UtcTime(), nullable=False),
        sa.Column("consented_at", UtcTime(), nullable=True),
        sa.Column("cursor", sa.Integer(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("batch", sa.Integer(), nullable=False),
        sa.Column("batch_done", sa.Integer(), nullable=False),
        sa.Column("seconds_active", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_annotator_account_id")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_annotator_campaign_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotator")),
        sa.UniqueConstraint("campaign_id", "name", name=op.f("uq_annotator_campaign_id_name")),
    )
    with op.batch_alter_table("annotator", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_annotator_account_id"), ["account_id"], unique=False)

    op.create_table(
        "event",
        sa.Column("id", Id, nullable=False),
        sa.Column("campaign_id", Id, nullable=True),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=60), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("facts", Json(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_event_campaign_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
    )
    with op.batch_alter_table("event", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_event_campaign_id"), ["campaign_id"], unique=False)

    op.create_table(
        "unit",
        sa.Column("id", Id, nullable=False),
        sa.Column("campaign_id", Id, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("wanted", sa.Integer(), nullable=False),
        sa.Column("taken", sa.Integer(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("shown", sa.Text(), nullable=False),
        sa.Column("added_at", UtcTime(), nullable=False),
        sa.CheckConstraint("done >= 0 AND done <= taken", name=op.f("ck_unit_done_are_taken")),
        sa.CheckConstraint("taken >= 0 AND taken <= wanted", name=op.f("ck_unit_never_more_than_wanted")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_unit_campaign_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_unit")),
        sa.UniqueConstraint("campaign_id", "name", name=op.f("uq_unit_campaign_id_name")),
        sa.UniqueConstraint("campaign_id", "position", name=op.f("uq_unit_campaign_id_position")),
    )
    with op.batch_alter_table("unit", schema=None) as batch_op:
        batch_op.create_index(
            "ix_unit_free",
            ["campaign_id", "taken", "position"],
            unique=False,
            sqlite_where=sa.text("taken < wanted"),
            postgresql_where=sa.text("taken < wanted"),
        )

    op.create_table(
        "assignment",
        sa.Column("id", Id, nullable=False),
        sa.Column("campaign_id", Id, nullable=False),
        sa.Column("unit_id", Id, nullable=False),
        sa.Column("annotator_id", Id, nullable=False),
        sa.Column("protocol_id", Id, nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("batch", sa.Integer(), nullable=False),
        sa.Column("claimed_at", UtcTime(), nullable=False),
        sa.Column("lease_until", UtcTime(), nullable=False),
        sa.Column("finished_at", UtcTime(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("draft", Json(), nullable=True),
        sa.Column("draft_version", sa.Integer(), nullable=False),
        sa.Column("draft_at", UtcTime(), nullable=True),
        sa.Column("draft_seconds", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_assignment_annotator_id")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_assignment_campaign_id")),
        sa.ForeignKeyConstraint(["protocol_id"], ["protocol.id"], name=op.f("fk_assignment_protocol_id")),
        sa.ForeignKeyConstraint(["unit_id"], ["unit.id"], name=op.f("fk_assignment_unit_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignment")),
        sa.UniqueConstraint("unit_id", "annotator_id", name=op.f("uq_assignment_unit_id_annotator_id")),
    )
    with op.batch_alter_table("assignment", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_assignment_annotator_id"), ["annotator_id"], unique=False)
        batch_op.create_index(
            "ix_assignment_lease",
            ["campaign_id", "lease_until"],
            unique=False,
            sqlite_where=sa.text("state = 'active'"),
            postgresql_where=sa.text("state = 'active'"),
        )
        batch_op.create_index(
            "ix_assignment_answered",
            ["campaign_id", "id"],
            unique=False,
            sqlite_where=sa.text("revision > 0"),
            postgresql_where=sa.text("revision > 0"),
        )

    op.create_table(
        "unit_secret",
        sa.Column("unit_id", Id, nullable=False),
        sa.Column("facts", Json(), nullable=False),
        sa.Column("tokenisers", Json(), nullable=False),
        sa.ForeignKeyConstraint(["unit_id"], ["unit.id"], name=op.f("fk_unit_secret_unit_id")),
        sa.PrimaryKeyConstraint("unit_id", name=op.f("pk_unit_secret")),
    )
    op.create_table(
        "response",
        sa.Column("id", Id, nullable=False),
        sa.Column("assignment_id", Id, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("client_key", sa.String(length=64), nullable=False),
        sa.Column("answers", Json(), nullable=False),
        sa.Column("protocol_id", Id, nullable=False),
        sa.Column("client_time", UtcTime(), nullable=True),
        sa.Column("server_time", UtcTime(), nullable=False),
        sa.Column("seconds_active", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name=op.f("fk_response_assignment_id")),
        sa.ForeignKeyConstraint(["protocol_id"], ["protocol.id"], name=op.f("fk_response_protocol_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_response")),
        sa.UniqueConstraint("assignment_id", "client_key", name=op.f("uq_response_assignment_id_client_key")),
        sa.UniqueConstraint("assignment_id", "revision", name=op.f("uq_response_assignment_id_revision")),
    )
