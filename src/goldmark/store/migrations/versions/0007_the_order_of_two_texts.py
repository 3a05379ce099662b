"""Which of two texts an assignment showed first; nothing for earlier ones, which showed them as they were given"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("assignment", sa.Column("shown_first", sa.String(length=32), nullable=True))
