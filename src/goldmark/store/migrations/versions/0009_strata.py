"""The column that says from which part of the units one is drawn is called `stratum`; it was `drawer`"""

from __future__ import annotations

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Both databases rename a column in place, and their indexes follow.
    op.execute("ALTER TABLE unit RENAME COLUMN drawer TO stratum")
