"""Test questions, and what waits for a reviewer's word, are found at once, however much was answered and judged"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    known = sa.text("NOT counts")
    op.create_index("ix_unit_test", "unit", ["campaign_id"], sqlite_where=known, postgresql_where=known)
    op.add_column("assignment", sa.Column("reviewed", sa.Integer(), nullable=False, server_default="0"))
    op.execute(
        "UPDATE assignment SET reviewed = revision WHERE state <> 'waiting' AND EXISTS (SELECT 1 FROM review "
        "WHERE review.assignment_id = assignment.id AND review.revision = assignment.revision)"
    )
    unreviewed = sa.text("revision > reviewed")
    op.create_index(
        "ix_assignment_unreviewed",
        "assignment",
        ["campaign_id", "id"],
        sqlite_where=unreviewed,
        postgresql_where=unreviewed,
    )
