"""Accounts that strangers made for themselves on a public board"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("account", sa.Column("registered", sa.Boolean(), nullable=False, server_default=sa.false()))
