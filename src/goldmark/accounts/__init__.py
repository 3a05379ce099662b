"""People who sign in: accounts, roles, passwords, tokens."""
