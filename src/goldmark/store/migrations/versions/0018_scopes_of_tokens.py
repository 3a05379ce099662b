"""API tokens that may only read, or do less than their account"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("credential", sa.Column("scope", sa.String(length=20), nullable=False, server_default="all"))
    op.add_column("credential", sa.Column("role", sa.String(length=20), nullable=True))
