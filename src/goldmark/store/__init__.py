"""The database: tables, migrations, transactions. SQLite and PostgreSQL behave alike."""

from goldmark.store.engine import Store, open_store
from goldmark.store.transactions import in_transaction

__all__ = ["Store", "in_transaction", "open_store"]
