"""Boards have phases, teams invite by link, and a submission says whose outputs it repeats"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("board_item", sa.Column("phase", sa.String(length=20), nullable=False, server_default="test"))
    op.add_column("board_submission", sa.Column("phase", sa.String(length=20), nullable=False, server_default="test"))
    op.add_column("board_submission", sa.Column("same_outputs", sa.Text()))
    op.add_column("board_team", sa.Column("invitation", sa.String(length=40), nullable=False, server_default=""))
