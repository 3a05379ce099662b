"""Reviewers' words, curators' steps and gold lists"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from goldmark.store.types import Id, Json, UtcTime

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "review",
        sa.Column("id", Id, nullable=False),
        sa.Column("campaign_id", Id, nullable=False),
        sa.Column("assignment_id", Id, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(length=20), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("remarks", Json(), nullable=False),
        sa.Column("reviewer", sa.Text(), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_review_campaign_id")),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name=op.f("fk_review_assignment_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_review")),
    )
    op.create_index(op.f("ix_review_campaign_id"), "review", ["campaign_id"])
    op.create_index(op.f("ix_review_assignment_id"), "review", ["assignment_id"])
    op.create_table(
        "curation_step",
        sa.Column("id", Id, nullable=False),
        sa.Column("campaign_id", Id, nullable=False),
        sa.Column("unit_id", Id, nullable=False),
        sa.Column("question", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("facts", Json(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_curation_step_campaign_id")),
        sa.ForeignKeyConstraint(["unit_id"], ["unit.id"], name=op.f("fk_curation_step_unit_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_curation_step")),
        sa.UniqueConstraint("unit_id", "question", "number", name=op.f("uq_curation_step_unit_id_question_number")),
    )
    op.create_index(op.f("ix_curation_step_campaign_id"), "curation_step", ["campaign_id"])
    op.create_table(
        "gold_version",
        sa.Column("id", Id, nullable=False),
        sa.Column("campaign_id", Id, nullable=False),
        sa.Column("unit_id", Id, nullable=False),
        sa.Column("question", sa.String(length=64), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("steps", sa.Integer(), nullable=False),
        sa.Column("mistakes", Json(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_gold_version_campaign_id")),
        sa.ForeignKeyConstraint(["unit_id"], ["unit.id"], name=op.f("fk_gold_version_unit_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gold_version")),
        sa.UniqueConstraint("unit_id", "question", "version", name=op.f("uq_gold_version_unit_id_question_version")),
    )
    op.create_index(op.f("ix_gold_version_campaign_id"), "gold_version", ["campaign_id"])
