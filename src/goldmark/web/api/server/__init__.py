"""The server itself for programs: accounts and jobs."""

from goldmark.web.api.server import accounts, jobs, second_factor

ROUTERS = (jobs.router, second_factor.router, accounts.router)
