"""The server itself on pages: signing in, accounts and jobs."""

from goldmark.web.pages.server import accounts, entrance, jobs

ROUTERS = (entrance.router, jobs.router, accounts.router)
