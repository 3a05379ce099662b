"""Looking after a database: copies of it, kept by schedule and tried, and a look at what should never be."""
