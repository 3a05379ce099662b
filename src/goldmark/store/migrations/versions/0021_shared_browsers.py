"""People who joined in the same browser are known to have done so, and get no unit in common"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("annotator", sa.Column("same_browser", sa.Integer(), nullable=True))
    op.create_index("ix_annotator_same_browser", "annotator", ["same_browser"])
