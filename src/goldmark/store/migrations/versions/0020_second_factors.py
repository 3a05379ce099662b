"""Second factors, what owners decide for the whole server, and no statistics of platform ids"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from goldmark.store.types import Id, UtcTime

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "second_factor",
        sa.Column("account_id", Id, sa.ForeignKey("account.id"), primary_key=True),
        sa.Column("nonce", sa.String(length=32), nullable=False),
        sa.Column("made_with", sa.String(length=16), nullable=False),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.Column("confirmed_at", UtcTime, nullable=True),
        sa.Column("last_step", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "server_setting",
        sa.Column("name", sa.String(length=100), primary_key=True),
        sa.Column("value", sa.Text(), nullable=False),
    )
    if op.get_bind().dialect.name == "postgresql":
        # Its statistics would keep ids of people in another table, where erasing does not reach.
        op.execute("ALTER TABLE participant ALTER COLUMN platform_id SET STATISTICS 0")
