"""How Alembic runs our migrations: always on the connection it is handed."""

from __future__ import annotations

from alembic import context

from goldmark.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    compare_type=True,
)
context.run_migrations()
