"""An annotator may answer a return with a reason; a page that is open says so"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from goldmark.store.types import UtcTime

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("response", sa.Column("reply", sa.Text(), server_default="", nullable=False))
    op.add_column("annotator", sa.Column("seen_at", UtcTime()))
