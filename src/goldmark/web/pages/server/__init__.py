"""The server itself on pages: signing in, accounts, jobs and documentation."""
