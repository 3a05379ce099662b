"""People across campaigns, learning, test questions; drawers of units"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from goldmark.store.types import Id, Json, UtcTime

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "participant",
        sa.Column("id", Id, nullable=False),
        sa.Column("platform", sa.String(length=40), nullable=False),
        sa.Column("platform_id", sa.Text(), nullable=True),
        sa.Column("fingerprint", sa.String(length=64), nullable=True),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("erased_at", UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_participant")),
        sa.UniqueConstraint("fingerprint", name=op.f("uq_participant_fingerprint")),
    )
    op.create_table(
        "qualification",
        sa.Column("id", Id, nullable=False),
        sa.Column("participant_id", Id, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("campaign_id", Id, nullable=False),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("earned_at", UtcTime(), nullable=False),
        sa.Column("revoked_at", UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_qualification_campaign_id")),
        sa.ForeignKeyConstraint(["participant_id"], ["participant.id"], name=op.f("fk_qualification_participant_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_qualification")),
    )
    op.create_index(op.f("ix_qualification_participant_id"), "qualification", ["participant_id"], unique=False)
    op.create_table(
        "attempt",
        sa.Column("id", Id, nullable=False),
        sa.Column("annotator_id", Id, nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("protocol_id", Id, nullable=False),
        sa.Column("facts", Json(), nullable=False),
        sa.Column("started_at", UtcTime(), nullable=False),
        sa.Column("finished_at", UtcTime(), nullable=True),
        sa.Column("decided_by", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_attempt_annotator_id")),
        sa.ForeignKeyConstraint(["protocol_id"], ["protocol.id"], name=op.f("fk_attempt_protocol_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempt")),
        sa.UniqueConstraint("annotator_id", "kind", "number", name=op.f("uq_attempt_annotator_id_kind_number")),
    )
    op.create_table(
        "notice",
        sa.Column("id", Id, nullable=False),
        sa.Column("annotator_id", Id, nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("read_at", UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_notice_annotator_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notice")),
    )
    op.create_index(op.f("ix_notice_annotator_id"), "notice", ["annotator_id"], unique=False)
    op.create_table(
        "attempt_answer",
        sa.Column("id", Id, nullable=False),
        sa.Column("attempt_id", Id, nullable=False),
        sa.Column("item", sa.String(length=200), nullable=False),
        sa.Column("answers", Json(), nullable=False),
        sa.Column("grade", Json(), nullable=False),
        sa.Column("client_key", sa.String(length=64), nullable=False),
        sa.Column("seconds_active", sa.Float(), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["attempt_id"], ["attempt.id"], name=op.f("fk_attempt_answer_attempt_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempt_answer")),
        sa.UniqueConstraint("attempt_id", "client_key", name=op.f("uq_attempt_answer_attempt_id_client_key")),
    )
    op.create_index(op.f("ix_attempt_answer_attempt_id"), "attempt_answer", ["attempt_id"], unique=False)
    op.create_table(
        "test_answer",
        sa.Column("assignment_id", Id, autoincrement=False, nullable=False),
        sa.Column("campaign_id", Id, nullable=False),
        sa.Column("annotator_id", Id, nullable=False),
        sa.Column("sign", sa.String(length=10), nullable=False),
        sa.Column("right", sa.Boolean(), nullable=False),
        sa.Column("grade", Json(), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_test_answer_annotator_id")),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name=op.f("fk_test_answer_assignment_id")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_test_answer_campaign_id")),
        sa.PrimaryKeyConstraint("assignment_id", name=op.f("pk_test_answer")),
    )
    op.create_index(op.f("ix_test_answer_annotator_id"), "test_answer", ["annotator_id"], unique=False)
    op.create_index(op.f("ix_test_answer_campaign_id"), "test_answer", ["campaign_id"], unique=False)
    op.add_column("assignment", sa.Column("state_before", sa.String(length=10), nullable=True))
    op.add_column("annotator", sa.Column("stage", sa.String(length=20), server_default="work", nullable=False))
    op.add_column("annotator", sa.Column("condition", sa.String(length=200), nullable=True))
    # In words of SQL, because both databases can add a reference with its column, but Alembic adds it afterwards.
    op.execute(
        f"ALTER TABLE annotator ADD COLUMN participant_id {Id.compile(op.get_bind().dialect)} "
        "CONSTRAINT fk_annotator_participant_id REFERENCES participant (id)"
    )
    op.create_index(op.f("ix_annotator_participant_id"), "annotator", ["participant_id"], unique=False)
    op.add_column("unit", sa.Column("drawer", sa.String(length=100), server_default="work", nullable=False))
    op.add_column("unit", sa.Column("counts", sa.Boolean(), server_default=sa.true(), nullable=False))
    op.drop_index(op.f("ix_unit_free"), table_name="unit")
    op.create_index(
        "ix_unit_free",
        "unit",
        ["campaign_id", "drawer", "taken", "position"],
        unique=False,
        sqlite_where=sa.text("taken < wanted"),
        postgresql_where=sa.text("taken < wanted"),
    )
