"""What somebody still has to do is found at once, however much they have done"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    still_open = sa.text("state IN ('returned', 'active', 'lapsed')")
    op.create_index(
        "ix_assignment_open",
        "assignment",
        ["annotator_id"],
        sqlite_where=still_open,
        postgresql_where=still_open,
    )
