"""The database: tables, migrations, transactions. SQLite and PostgreSQL behave alike."""

from goldmark.store.engine import Store, open_store

__all__ = ["Store", "open_store"]
