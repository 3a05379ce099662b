"""Whether an annotator is a person, a model or a checker; all earlier ones are people"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("annotator", sa.Column("kind", sa.String(length=20), nullable=False, server_default="person"))
