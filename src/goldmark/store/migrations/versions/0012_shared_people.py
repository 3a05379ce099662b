"""Scores of a board keep what systems of one round have in common, so that their differences can be told"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Rounds that were scored before have none: their people count as other people until they are scored again.
    op.add_column("board_score", sa.Column("shared", sa.Text()))
