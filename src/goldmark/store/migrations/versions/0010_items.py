"""Units say of which item they are a version, so that nobody need meet two; conditions can be counted"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

# What the hidden facts say, as text; an empty name is none.
_ITEM = {
    "sqlite": "CAST(json_extract(unit_secret.facts, '$.item') AS TEXT)",
    "postgresql": "CAST(unit_secret.facts AS json) ->> 'item'",
}


def upgrade() -> None:
    op.add_column("unit", sa.Column("item", sa.Text()))
    op.add_column("assignment", sa.Column("item", sa.Text()))
    item = _ITEM[op.get_bind().dialect.name]
    op.execute(
        f"UPDATE unit SET item = NULLIF((SELECT {item} FROM unit_secret WHERE unit_secret.unit_id = unit.id), '')"  # noqa: S608
    )
    op.create_index("ix_assignment_item", "assignment", ["annotator_id", "item"], unique=True)
    op.create_index("ix_annotator_condition", "annotator", ["campaign_id", "condition"])
