"""Controlled studies"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from goldmark.store.types import Id, UtcTime

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "study_plan",
        sa.Column("id", Id, nullable=False),
        sa.Column("study", sa.String(length=200), nullable=False),
        sa.Column("campaign_id", Id, nullable=True),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_study_plan_campaign_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_study_plan")),
    )
    op.create_index(op.f("ix_study_plan_study"), "study_plan", ["study"], unique=False)
    op.create_index(op.f("ix_study_plan_campaign_id"), "study_plan", ["campaign_id"], unique=False)
