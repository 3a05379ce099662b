"""The server itself for programs: accounts and jobs."""
