"""The application, put together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from goldmark import __version__
from goldmark.web import failures
from goldmark.web.api import description
from goldmark.web.api.answer_door import AnswerDoor
from goldmark.web.host_check import HostCheck
from goldmark.web.pages.languages import Languages
from goldmark.web.pages.static_files import ADDRESS, Static
from goldmark.web.routes import API, FOR_ANNOTATORS, PAGES
from goldmark.web.runtime import operation
from goldmark.web.runtime.route_groups import BuildRoutes
from goldmark.web.security_headers import SecurityHeaders
from goldmark.web.services import Services


def create_app(services: Services) -> FastAPI:
    """The web application over an opened database."""

    @asynccontextmanager
    async def life(running: FastAPI) -> AsyncIterator[None]:
        running.state.services.start()
        yield
        running.state.services.close()

    app = FastAPI(
        title="Goldmark",
        version=__version__,
        description="Reproducible human evaluation of generated text.",
        lifespan=life,
        docs_url=None,  # its page loads scripts from elsewhere; ours is at /api/docs
        redoc_url=None,
        openapi_url=None,
    )
    description.install(app)
    app.state.services = services
    failures.install(app)
    groups = (*API, *PAGES)
    app.router.routes.extend(groups)
    for group in groups:
        if group.module in FOR_ANNOTATORS:
            group.build()
    app.mount(ADDRESS, Static(), name="static")

    app.add_middleware(BuildRoutes, groups=groups)
    app.add_middleware(AnswerDoor, services=lambda: app.state.services)
    app.add_middleware(HostCheck, public=lambda: app.state.services.public)
    app.add_middleware(SecurityHeaders, encrypted=lambda: app.state.services.secure_cookies)
    app.add_middleware(Languages)
    operation.install(app)
    return app
