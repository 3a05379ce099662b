"""The server itself on pages: signing in, accounts, jobs and documentation."""

from goldmark.web.pages.server import accounts, documentation, entrance, jobs

ROUTERS = (entrance.router, jobs.router, accounts.router, documentation.router)
