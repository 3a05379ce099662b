"""Commands that run Goldmark: the server, its jobs, database, accounts and plug-ins."""
