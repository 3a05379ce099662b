"""Campaigns of one crowd share what is known of its people; a grade says of which revision it is"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("campaign", sa.Column("crowd", sa.String(length=200), nullable=False, server_default=""))
    op.create_index(op.f("ix_campaign_crowd"), "campaign", ["crowd"], unique=False)
    op.add_column("test_answer", sa.Column("revision", sa.Integer(), nullable=False, server_default="1"))
    # So far every grade was made with its answer.
    op.execute(
        "UPDATE test_answer SET revision ="
        " (SELECT assignment.revision FROM assignment WHERE assignment.id = test_answer.assignment_id)"
    )
