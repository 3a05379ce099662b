"""The language in which the page was shown is kept with every response; earlier ones were shown in English"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("response", sa.Column("language", sa.String(length=35), nullable=False, server_default=""))
