"""Wrong passwords, links and joins are counted in the database, for all server processes together"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from goldmark.store.types import UtcTime

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "rate_limit",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("until", UtcTime(), nullable=False),
        sa.Column("expires_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_rate_limit")),
    )
    op.create_index(op.f("ix_rate_limit_expires_at"), "rate_limit", ["expires_at"], unique=False)
