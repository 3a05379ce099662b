"""The server itself on pages: signing in, accounts, jobs and documentation."""

from goldmark.web.pages.server import accounts, documentation, entrance, jobs, second_factor

ROUTERS = (entrance.router, jobs.router, second_factor.router, accounts.router, documentation.router)
