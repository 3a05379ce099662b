"""The server itself for programs: accounts and jobs."""

from goldmark.web.api.server import accounts, jobs

ROUTERS = (jobs.router, accounts.router)
